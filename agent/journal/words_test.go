package journal

import (
	"testing"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// SE-7: every order about a ride stands in its record in words, with who gave it.
func TestOrdersInWords(t *testing.T) {
	for _, c := range []struct {
		order             core.Order
		what, who, detail string
	}{
		{core.PatchRide{Ride: "r", To: "3", By: "w"}, "redirect", "w", "to 3"},
		{core.PatchRide{Ride: "r", To: "G", ToDoor: "rear", Aboard: true, By: "w"}, "redirect", "w", "to G rear, also with the robot in the car"},
		{core.ClaimRide{Ride: "r", Says: fsm.Left, By: "session s"}, "claim", "session s", "left"},
		{core.CancelRide{Ride: "r", By: "w"}, "cancel", "w", ""},
		{core.ResetRide{Ride: "r", RobotIs: fsm.RobotOutside, By: "w"}, "reset", "w", "the robot is outside"},
	} {
		what, ride, who, detail := orderWords(c.order)
		if what != c.what || ride != "r" || who != c.who || detail != c.detail {
			t.Errorf("%+v: %q %q %q %q", c.order, what, ride, who, detail)
		}
	}
}

// SE-7: what a ride waits for stands in its record as the machine has it, also where a fire lets
// the robot out at the recall landing and not at its destination.
func TestWithheldIsWhatTheRideWants(t *testing.T) {
	floors := elevator.Table{{Label: "G", Doors: []elevator.Side{elevator.Front}}, {Label: "1"}, {Label: "2", Doors: []elevator.Side{elevator.Front}}}
	s := &scribe{lifts: map[string]Lift{"L1": {Floors: floors}}, head: headPart{Lift: "L1"}}
	r := fsm.Ride{State: fsm.Fault, Where: fsm.Inside, Code: fsm.ModeFire}
	r.To, r.Plan.RecallFloor = 3, 1
	if p := s.withheld(&r, 1); p.Kind != fsm.Evacuate || p.Floor != "G" {
		t.Errorf("a permit of kind %q at %q is withheld", p.Kind, p.Floor)
	}
}
