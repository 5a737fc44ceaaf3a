package fsm

import (
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// A ride that comes back from the store was stepped before the clock of this process
// began. What never is, is no time at all then either: it hides none that comes.
// RD-16
func TestWakesAfterARestart(t *testing.T) {
	r := New(Request{ID: "R1", Robot: "r", Lift: "L1", From: 2, To: 3, Ready: true}, DefaultParams(), elevator.Instant(time.Second))
	r.Stepped = -elevator.Instant(time.Minute)
	r.Deadline = elevator.Instant(7 * time.Second)
	if at := NextWake(&r); at != r.Deadline {
		t.Errorf("wakes at %d, not at the deadline %d", at, r.Deadline)
	}
	r.Deadline = -elevator.Instant(7 * time.Second) // passed while nobody was there
	if at := NextWake(&r); at != r.Deadline {
		t.Errorf("wakes at %d, not at once for the deadline %d", at, r.Deadline)
	}
}
