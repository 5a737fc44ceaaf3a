package shadow

import "slices"

// slots numbers the places of records that come and go, the lowest free one first, so
// that a store which fails for days sees no more keys than ever waited at once.
type slots struct {
	used  []bool
	spent []int // freed since the last look: their records are to go
}

func (s *slots) take() int {
	i := slices.Index(s.used, false)
	if i < 0 {
		i = len(s.used)
		s.used = append(s.used, false)
	}
	s.used[i] = true
	s.spent = slices.DeleteFunc(s.spent, func(j int) bool { return i == j })
	return i
}

// hold takes the place of a loaded record; ok is false when it is out of bounds or taken.
func (s *slots) hold(i, most int) (ok bool) {
	if i < 0 || i > most || i < len(s.used) && s.used[i] {
		return false
	}
	for len(s.used) <= i {
		s.used = append(s.used, false)
	}
	s.used[i] = true
	return true
}

func (s *slots) free(i int) {
	s.used[i] = false
	s.spent = append(s.spent, i)
}
