package localapi

import (
	"sync"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

// heights learns how high each landing lies, by seeing where the car stands. The
// floor table holds no heights, and without them a position in millimetres could
// not be drawn beside the floors.
type heights struct {
	mu    sync.Mutex
	lifts map[string]map[elevator.Floor]int32
}

func newHeights() *heights { return &heights{lifts: make(map[string]map[elevator.Floor]int32)} }

func (h *heights) learn(v *core.View) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range v.Lifts {
		car, id := &v.Lifts[i].Car, v.Lifts[i].ID
		if !standsLevel(car) {
			continue
		}
		if h.lifts[id] == nil {
			h.lifts[id] = map[elevator.Floor]int32{1: 0} // positions count from the lowest landing
		}
		h.lifts[id][car.Floor.Value] = car.Position.Value
	}
}

// standsLevel asks for proof: an open door, since a car may also stand between floors.
func standsLevel(car *elevator.Snapshot) bool {
	known := car.Floor.At != 0 && car.Position.At != 0 && car.Floor.Value != 0
	open := false
	for _, d := range car.Doors {
		open = open || d.Value == elevator.DoorOpen
	}
	return known && open && car.Motion.Value == elevator.Stopped
}

// of is a copy of what is known about one lift.
func (h *heights) of(lift string) map[elevator.Floor]int32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make(map[elevator.Floor]int32, len(h.lifts[lift]))
	for f, mm := range h.lifts[lift] {
		out[f] = mm
	}
	return out
}
