package drivers

import (
	"errors"
	"sync"
	"testing"
)

// DR-7: eight lifts of one profile read it once; another file under the same name is
// another profile, and what could not be read is read again.
func TestShelf(t *testing.T) {
	var s Shelf[*int]
	made := 0
	get := func(src string, err error) *int {
		v, _ := s.Get("lift.yaml", []byte(src), func() (*int, error) { made++; return new(int), err })
		return v
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { get("a", nil) })
	}
	wg.Wait()
	first, again, other := get("a", nil), get("a", nil), get("b", nil)
	if first != again || first == other || made != 2 {
		t.Errorf("made %d", made)
	}
	get("c", errors.New("no"))
	if get("c", nil); made != 4 {
		t.Errorf("made %d", made)
	}
}
