package fsm

import (
	"testing"

	"hoistway/fsm/elevator"
)

// RD-13: a ride that changes the line keeps what is its own, and nothing that was the other lift's: a
// call that it let go of only where the buttons are the same.
func TestRebook(t *testing.T) {
	for _, same := range []bool{true, false} {
		let := Wish{Command: elevator.Command{ID: elevator.CommandID{Ride: "r", N: 3}}}
		r := Ride{Request: Request{ID: "r", Lift: "L1"}, State: Fault, FaultNo: 2, Other: true, Earlier: [2]Wish{let}}
		r.Door.N, r.Past[0].N = 4, 2
		r.Rebook(Request{ID: "r", Lift: "L2"}, &elevator.Snapshot{Link: elevator.Online}, same)
		if r.Lift != "L2" || r.Car.Link != elevator.Online || r.FaultNo != 2 || r.State != Fault {
			t.Errorf("now %+v", r.Request)
		}
		if r.Other || r.Door != (DoorHold{}) || r.Past[0] != (DoorHold{}) || (r.Earlier[0] == let) != same {
			t.Errorf("same buttons %v: still %v %+v %+v %+v", same, r.Other, r.Door, r.Past, r.Earlier[0])
		}
	}
}
