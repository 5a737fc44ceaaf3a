package devices

import (
	"sync"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// World is a building that lives by a clock. It may be used by many goroutines.
type World struct {
	mu  sync.Mutex
	b   *building.Building
	now func() elevator.Instant
}

// NewWorld gives the building its clock. The building is the world's from then
// on: nobody else may touch it. The clock must never go back, and is asked under
// the world's lock.
func NewWorld(b *building.Building, now func() elevator.Instant) *World {
	return &World{b: b, now: now}
}

// Do brings the building up to the present and lends it to fn, which must not
// keep it nor call the world again.
func (w *World) Do(fn func(b *building.Building)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Advance(w.now())
	fn(w.b)
}

// Car shows one car as it is now.
func (w *World) Car(id string) (s building.CarState) {
	w.Do(func(b *building.Building) { s = b.Car(id) })
	return s
}
