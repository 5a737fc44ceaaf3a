package faults

import (
	"fmt"
	"strings"
)

// DidYouMean asks whether the word of the list that is most like another was meant, ""
// when none is like it.
func DidYouMean(word string, fit []string) string {
	if best := near(word, fit); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return ""
}

func near(word string, fit []string) string {
	if len(word) > 40 {
		return ""
	}
	low := strings.ToLower(word)
	best, way := "", 1 // a short word is like every other
	if len(low) > 3 {
		way += (len(low) + 1) / 3
	}
	for _, f := range fit {
		if d := distance(low, strings.ToLower(f)); d < way {
			best, way = f, d
		}
	}
	for _, f := range fit {
		if best == "" && len(low) > 3 && strings.Contains(strings.ToLower(f), low) {
			best = f
		}
	}
	return best
}

// distance is how many letters must be changed, put in, taken out, or swapped with
// their neighbour.
func distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
