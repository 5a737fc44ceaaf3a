package core

// slab hands out memory from blocks: one block of many costs little more than a
// single value from the heap. What is handed out may be kept by anybody, unless he gives
// it back; a block lives for as long as any of it does.
type slab[T any] struct {
	free  []T
	spare []*T // given back
}

// slabBlock is how many values are in a block: a kilobyte or two of small ones, some
// thirty of rides.
const slabBlock = 16

// one hands out a value to be filled in whole: it may have been used before.
func (s *slab[T]) one() *T {
	if n := len(s.spare) - 1; n >= 0 {
		v := s.spare[n]
		s.spare = s.spare[:n]
		return v
	}
	return &s.list(1)[:1][0]
}

// back takes one back that nobody looks at any more. What is beyond a block's worth goes
// to the collector.
func (s *slab[T]) back(v *T) {
	if len(s.spare) < slabBlock {
		s.spare = append(s.spare, v)
	}
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
