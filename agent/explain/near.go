package explain

import (
	"cmp"
	"slices"
)

// Near returns at most n entries whose codes come closest to one that is not in
// the table: first those with the fewest digits in another place or of another
// value, then the numerically nearest. It returns nil for what is no code at all.
func Near(code string, n int) []Entry {
	want, ok := normal(code)
	if !ok || n <= 0 {
		return nil
	}
	all := All()
	slices.SortStableFunc(all, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(slips(want, a.Code), slips(want, b.Code)),
			cmp.Compare(apart(want, a.Code), apart(want, b.Code)),
		)
	})
	return all[:min(n, len(all))]
}

// slips counts the typing slips between two codes of one length; two swapped
// neighbours are one slip.
func slips(a, b string) int {
	n := 0
	for i := 0; i < len(a); i++ {
		if a[i] == b[i] {
			continue
		}
		n++
		if i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] {
			i++
		}
	}
	return n
}

func apart(a, b string) int {
	d := number(a) - number(b)
	return max(d, -d)
}

func number(code string) int {
	n := 0
	for _, c := range code[2:] {
		n = n*10 + int(c-'0')
	}
	return n
}
