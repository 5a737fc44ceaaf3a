package devices

import (
	"sync"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/faults"
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

// Car shows one car as it really is now.
func (w *World) Car(id string) (s building.CarState) {
	w.Do(func(b *building.Building) { s = b.Car(id) })
	return s
}

// Now is the building's present.
func (w *World) Now() (at elevator.Instant) {
	w.Do(func(b *building.Building) { at = b.Now() })
	return at
}

// Shown is one car as its controller tells it now.
func (w *World) Shown(id string) (s building.CarState) {
	w.Do(func(b *building.Building) { s = b.Shown(id) })
	return s
}

// Lifts are the ids of the lifts.
func (w *World) Lifts() (ids []string) {
	w.Do(func(b *building.Building) { ids = b.IDs() })
	return ids
}

// Inject begins a fault of a lift's controller now, with the errors of
// [building.Building.Inject].
func (w *World) Inject(f faults.Fault) (err error) {
	w.Do(func(b *building.Building) { err = b.Inject(f) })
	return err
}

// Clear ends the faults of a lift's controller, of one kind or with "" of all.
func (w *World) Clear(lift, kind string) {
	w.Do(func(b *building.Building) { b.Clear(lift, kind) })
}

// Faults shows the faults of controllers that are on, oldest first.
func (w *World) Faults() (on []faults.Active) {
	w.Do(func(b *building.Building) { on = b.Faults() })
	return on
}

// FaultEvents hands over what happened to them since the last call.
func (w *World) FaultEvents() (told []faults.Event) {
	w.Do(func(b *building.Building) { told = b.FaultEvents() })
	return told
}
