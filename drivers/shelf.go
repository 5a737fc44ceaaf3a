package drivers

import "sync"

// Shelf keeps what was made of a profile, so that a fleet of one profile reads it once.
// What it keeps is read-only. The zero value is empty; several goroutines may ask it.
type Shelf[T any] struct {
	mu   sync.Mutex
	kept map[string]T
}

// Get makes a T of a profile, unless it has one of the same name and bytes. What could
// not be made is not kept.
func (s *Shelf[T]) Get(name string, src []byte, make func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := name + "\x00" + string(src)
	if had, ok := s.kept[key]; ok {
		return had, nil
	}
	got, err := make()
	if err != nil {
		return got, err
	}
	if s.kept == nil {
		s.kept = map[string]T{}
	}
	s.kept[key] = got
	return got, nil
}
