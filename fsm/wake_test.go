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

// A ride under way is woken for no time that only a waiting or a faulty one looks at.
// RD-16
func TestWakesForItsState(t *testing.T) {
	at := func(d int) elevator.Instant { return elevator.Instant(d) * elevator.Instant(time.Second) }
	r := Ride{
		State: Moving, Phase: Riding, Granted: true, Stepped: at(100), Watch: at(200), Deadline: at(204),
		LeaseAt: at(95), CloseAt: at(99), Expires: at(101), RetryAt: at(102), PermitOut: at(103), Since: at(90),
	}
	if got := NextWake(&r); got != r.Deadline {
		t.Errorf("wakes at %v, not at the deadline", time.Duration(got))
	}
	r.State, r.Phase = Done, Arrived
	if got, want := NextWake(&r), at(101); got != want {
		t.Errorf("over, it wakes at %v, not when its door has had time to close", time.Duration(got))
	}
}
