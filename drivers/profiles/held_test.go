package profiles

import (
	"testing"

	"hoistway/fsm/elevator"
)

// RD-7: the end of a hold that a crossing may rely on is never later than what is known
// of the device, whatever came of the command.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		verb        elevator.Verb
		result      elevator.Result
		until, want elevator.Instant
	}{
		{elevator.Hold, elevator.Done, 90, 90},
		{elevator.Hold, elevator.Done, 20, 20},
		{elevator.Hold, elevator.Refused, 90, 50},
		{elevator.Hold, elevator.NotSent, 20, 50},
		{elevator.Hold, elevator.ResultUnknown, 90, 50},
		{elevator.Hold, elevator.ResultUnknown, 20, 20}, // a shorter one may have replaced it
		{elevator.Lapse, elevator.Done, 0, 0},
		{elevator.Lapse, elevator.ResultUnknown, 0, 0}, // the door may be closing already
		{elevator.Lapse, elevator.Refused, 0, 0},       // a part of it may have been taken
		{elevator.Lapse, elevator.NotSent, 0, 50},
		{elevator.CarCall, elevator.Done, 90, 50},
	} {
		var s elevator.Snapshot
		s.Holds[elevator.Front], s.Holds[elevator.Rear] = 50, 60
		Held(elevator.Command{Verb: c.verb, Side: elevator.Front}, c.result, c.until, &s)
		if got := s.Holds[elevator.Front]; got != c.want || s.Holds[elevator.Rear] != 60 {
			t.Errorf("%s, %s until %d: %d, want %d; the other door %d", c.verb, c.result, c.until, got, c.want, s.Holds[elevator.Rear])
		}
	}
}
