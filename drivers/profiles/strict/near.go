package strict

import "strings"

// DidYouMean hints at the word of the list that is nearest to s, "" when none is near.
func DidYouMean(s string, words []string) string {
	if w := nearest(s, words); w != "" {
		return "did you mean `" + w + "`?"
	}
	return ""
}

// nearest is the word with the fewest slips of the hand between it and s, or the
// first that holds it whole.
func nearest(s string, words []string) string {
	const longest, part = 64, 3
	if len(s) > longest {
		return ""
	}
	best, least := "", 2+len(s)/3
	for _, w := range words {
		if d := distance(s, w); len(w) <= longest && d < least {
			best, least = w, d
		}
	}
	for _, w := range words {
		if best == "" && len(s) >= part && strings.Contains(w, s) {
			best = w
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and swaps of neighbours.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
