package core

// slab hands out memory from blocks: one block of many costs little more than a
// single value from the heap. Nothing is ever given back, so what is handed out may
// be kept by anybody; a block lives for as long as any of it does.
type slab[T any] struct{ free []T }

// slabBlock is how many values are in a block: a kilobyte or two of small ones, some
// thirty of rides.
const slabBlock = 16

// one hands out a zero value.
func (s *slab[T]) one() *T {
	return &s.list(1)[:1][0]
}

// list hands out an empty list with room for n.
func (s *slab[T]) list(n int) []T {
	if len(s.free) < n {
		s.free = make([]T, slabBlock)
	}
	l := s.free[:0:n]
	s.free = s.free[n:]
	return l
}
