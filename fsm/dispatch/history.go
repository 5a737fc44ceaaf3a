package dispatch

import (
	"time"

	"hoistway/fsm/elevator"
)

// history keeps a car's latest readings, so that a signal can be judged against
// the lift as it was when the signal's content was true.
type history struct {
	ring [64]struct {
		at   elevator.Instant
		snap elevator.Snapshot
	}
	n int // written so far
}

func (h *history) add(at elevator.Instant, s *elevator.Snapshot) {
	slot := &h.ring[h.n%len(h.ring)]
	slot.at = at
	slot.snap = *s
	h.n++
}

// before gives the car as it was age before now: the latest reading not newer
// than that. With none so old it is a snapshot that knows nothing.
func (h *history) before(now elevator.Instant, age time.Duration) elevator.Snapshot {
	then := now - elevator.Instant(age)
	for i := h.n - 1; i >= 0 && i >= h.n-len(h.ring); i-- {
		if slot := &h.ring[i%len(h.ring)]; slot.at <= then {
			return slot.snap
		}
	}
	return elevator.Snapshot{}
}
