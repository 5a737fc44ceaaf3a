package localapi

import (
	"context"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// IL-7: what is asked of a lift is told by ride, what is let go of and may still be
// registered too, and what is owed once the ride wants no more.
func TestOutputs(t *testing.T) {
	h := newHouse(t)
	id := func(n uint32) elevator.CommandID { return elevator.CommandID{Ride: "ride-1", N: n} }
	h.loop.change(func(v *core.View) {
		r := &v.Rides[0].Ride
		r.Granted, r.Plan.Claims, r.Claimed, r.ClaimN = true, true, true, 2
		r.Call = fsm.Wish{Command: elevator.Command{ID: id(5), Verb: elevator.LandingCall, Floor: 2, Side: elevator.Front}, Sent: start, Taken: true}
		r.Earlier[0] = fsm.Wish{Command: elevator.Command{ID: id(3), Verb: elevator.CarCall, Floor: 5}, Sent: start}
		r.Door = fsm.DoorHold{N: 6, Floor: 2, Side: elevator.Front, Since: start, Until: start.Add(9 * time.Second)}
		v.Lifts[0].Car.Holds[elevator.Front] = start.Add(7 * time.Second)
	})
	h.advance(2 * time.Second)
	ask := func() Outputs {
		got := h.do(t, request{method: "GET", path: "/v1/lifts/L1/outputs"})
		if got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		return decoded[Outputs](t, got)
	}
	o := ask()
	told := map[string]string{}
	for _, x := range o.Asked {
		told[x.What] = x.State + " " + x.Floor + " " + x.Side
		if x.Ride != "ride-1" || x.Robot != "R1" {
			t.Errorf("%+v", x)
		}
	}
	want := map[string]string{"landing_call": "taken G front", "car_call": "let_go 3 ", "hold": "sent G front", "claim": "taken  "}
	for what, is := range want {
		if told[what] != is {
			t.Errorf("%s: %q, want %q", what, told[what], is)
		}
	}
	if len(told) != len(want) || len(o.Owed) != 0 || len(o.Held) != 1 || o.Held[0].EndsMs != 5000 || o.Held[0].Side != "front" {
		t.Errorf("%+v", o)
	}
	h.loop.change(func(v *core.View) { v.Rides[0].Ride.State, v.Rides[0].Ride.Phase = fsm.Done, fsm.Cancelled })
	owed := ""
	for _, x := range ask().Owed {
		owed += x.What + " "
	}
	if owed != "cancel_call lapse give_back " {
		t.Errorf("owed: %s", owed)
	}
	h.advance(time.Minute)
	if o := ask(); len(o.Held) != 0 || len(o.Owed) != 2 {
		t.Errorf("after the holds: %+v", o)
	}
	if got := h.do(t, request{method: "GET", path: "/v1/lifts/L9/outputs"}); got.status != 404 || got.problem.Code != asNoLift.code {
		t.Errorf("%d %+v", got.status, got.problem)
	}
}

// IL-7: what the driver owes on the wire is told beside it; that nobody knows is told as
// such, and never as nothing.
func TestOutputsOfTheLine(t *testing.T) {
	h, l, _, _ := benched(t)
	ask := func(lift string) Outputs {
		return decoded[Outputs](t, h.do(t, request{method: "GET", path: "/v1/lifts/" + lift + "/outputs"}))
	}
	l.owed = func(context.Context) ([]drivers.Debt, error) {
		return []drivers.Debt{{Command: elevator.CommandID{Ride: "ride-0", N: 4}, Verb: elevator.CarCall, Asked: h.clock().Add(-3 * time.Second), Refused: 2}}, nil
	}
	o := ask("L1")
	if len(o.Line) != 1 || o.LineWhy != "" {
		t.Fatalf("%+v", o)
	}
	if d := o.Line[0]; d.Ride != "ride-0" || d.N != 4 || d.What != "car_call" || *d.AgeMs != 3000 || d.Refused != 2 {
		t.Errorf("%+v", d)
	}
	l.owed = func(context.Context) ([]drivers.Debt, error) { return []drivers.Debt{}, nil }
	if o := ask("L1"); o.Line == nil || len(o.Line) != 0 || o.LineWhy != "" {
		t.Errorf("nothing is owed: %+v", o)
	}
	l.owed = func(ctx context.Context) ([]drivers.Debt, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("the line is asked without an end")
		}
		return nil, drivers.ErrTimeout
	}
	if o := ask("L1"); o.Line != nil || o.LineWhy != "the line is too busy to tell it" {
		t.Errorf("a line that does not answer: %+v", o)
	}
	if o := ask("L2"); o.Line != nil || o.LineWhy != "the driver does not tell it" {
		t.Errorf("a lift of another driver: %+v", o)
	}
}
