package localapi

import (
	"slices"
	"strings"
	"testing"

	"hoistway/agent/core"
)

// sized is a house in which L1 is small and L2 is large, for a robot of 0.7 m by 0.9 m and 80 kg.
func sized(t *testing.T, edit func(small, large *CarSize)) *house {
	return newHouse(t, func(o *Options) {
		o.Robots[0].FootprintM, o.Robots[0].MassKg = [2]float64{0.7, 0.9}, 80
		o.Cars = []CarSize{
			{Lift: "L1", WidthM: 1, DepthM: 1.2, DoorM: 0.8, LoadKg: 300}, {Lift: "L2", WidthM: 2, DepthM: 2, DoorM: 1.2, LoadKg: 1000},
		}
		edit(&o.Cars[0], &o.Cars[1])
	})
}

// RB-1, RB-3: what can never work is refused with why, before anything is asked of the loop.
func TestWhatCanNeverWork(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(small, large *CarSize)
		body  string
		code  string
		field string
		words string
	}{
		"it fits":         {func(_, _ *CarSize) {}, newRide, "", "", ""},
		"nothing is told": {func(l, _ *CarSize) { *l = CarSize{Lift: "L1"} }, newRide, "", "", ""},
		"too wide":        {func(l, _ *CarSize) { l.DoorM = 0.6 }, newRide, asTooLarge.code, "/robot", "the door of lift L1 0.6 m"},
		"too long":        {func(l, _ *CarSize) { l.DepthM = 0.8 }, newRide, asTooLarge.code, "/robot", "0.9 m long"},
		"too heavy":       {func(l, _ *CarSize) { l.LoadKg = 60 }, newRide, asTooLarge.code, "/robot", "80 kg"},
		"closed":          {func(l, _ *CarSize) { l.Closed = []string{"2"} }, newRide, asClosed.code, "/to", "2 of lift L1"},
		"closed in each lift": {
			func(l, r *CarSize) { l.Closed, r.Closed = []string{"2"}, []string{"2"} },
			`{"robot":"R1","lift":"any","from":"G","to":"2"}`, asClosed.code, "/to", "",
		},
	} {
		h := sized(t, c.edit)
		h.made(core.Created)
		got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: c.body})
		if c.code == "" {
			if got.status != 201 {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
			continue
		}
		if got.status != 422 || got.problem.Code != c.code || got.problem.Field != c.field || !strings.Contains(got.problem.Detail, c.words) {
			t.Errorf("%s: %d %+v", name, got.status, got.problem)
		}
		if len(h.loop.asked()) != 0 {
			t.Errorf("%s: the loop was asked", name)
		}
	}
}

// RD-13: of lifts that are meant only those are left to choose from that the robot fits.
func TestOnlyLiftsThatFitAreMeant(t *testing.T) {
	ask := func(h *house, lift string) core.CreateRide {
		h.made(core.Created)
		body := `{"ride_id":"r-9","robot":"R1","lift":"` + lift + `","from":"G","to":"2"}`
		if got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: body}); got.status != 201 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		return h.loop.asked()[len(h.loop.asked())-1].(core.CreateRide)
	}
	if o := ask(sized(t, func(_, _ *CarSize) {}), anyLift); !o.Any || o.Request.Lift != "" || o.Among != 0 {
		t.Errorf("both fit: %+v", o)
	}
	narrow := sized(t, func(l, _ *CarSize) { l.DoorM = 0.5 })
	if o := ask(narrow, anyLift); !o.Any || o.Request.Lift != "" || o.Among != 0b10 {
		t.Errorf("one fits: %+v", o)
	}
	if o := ask(narrow, "L2"); o.Any || o.Request.Lift != "L2" || o.Among != 0 {
		t.Errorf("it is named: %+v", o)
	}
	narrow.loop.change(func(v *core.View) { // a third that fits
		third := v.Lifts[1]
		third.ID = "L3"
		v.Lifts = append(v.Lifts, third)
		v.Rides = v.Rides[:1]
	})
	if o := ask(narrow, anyLift); !o.Any || o.Among != 0b110 {
		t.Errorf("two of three fit: %+v", o)
	}
}

// RB-3: a queue is told with places and reasons, the same with the lift and with the ride.
func TestQueueHasReasons(t *testing.T) {
	h := newHouse(t)
	h.loop.change(func(v *core.View) {
		for i, why := range []string{"R1 has the car", "the robot is not ready, expected in 40s"} {
			r := rideView([]string{"q-1", "q-2"}[i], "R2", v.Lifts[0].Floors, start)
			r.Ride.State, r.Ride.Phase, r.Place, r.PlaceWhy = "IDLE", "queued", i+1, why
			v.Rides = append(v.Rides, r)
		}
		v.Lifts[0].Queue = []string{"q-1", "q-2"}
	})
	l := decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L1"}))
	want := []Waiting{{"q-1", "R2", 1, "R1 has the car"}, {"q-2", "R2", 2, "the robot is not ready, expected in 40s"}}
	if !slices.Equal(l.Waiting, want) {
		t.Errorf("%+v", l.Waiting)
	}
	if r := decoded[Ride](t, h.do(t, request{method: "GET", path: "/v1/rides/q-2"})); r.Place != 2 || r.PlaceWhy != want[1].Why {
		t.Errorf("%+v", r)
	}
}
