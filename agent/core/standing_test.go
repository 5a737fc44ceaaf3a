package core

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/sync/shadow"
)

// answered is the answer to an order.
func answered(t *testing.T, r Result) Answer {
	t.Helper()
	for _, e := range r.After {
		if a, ok := e.(Reply); ok {
			return a.Answer
		}
	}
	t.Fatal("no answer")
	return Answer{}
}

// RD-11, OP-3, IL-8: what stands over rides waits for its commit as a ride does, is one
// record, and stands again after a restart, its end by the wall where the machine was off.
func TestWhatStandsOutlivesARestart(t *testing.T) {
	p := newPlay(Boot{ID: "b1", Zero: 5, Wall0: 1_000_000})
	for _, o := range []Order{
		MaintainLift{Lift: "L1", On: true, For: time.Hour, By: "kim", Why: "ropes"},
		StopAll{On: true, By: "kim", Why: "smoke"},
		RaiseArea{Area: "building", Kind: AreaFire, Source: "panel"},
	} {
		r := p.do(Ordered{Token: 1, Order: o}, 10*second)
		if a := answered(t, r); a.Status != Accepted {
			t.Fatalf("%T: %+v", o, a)
		}
		if len(r.Batch) != 1 || r.Batch[0].Bucket != standingBucket || r.Batch[0].Check() != nil || !r.Changed {
			t.Fatalf("%T: %+v", o, r.Batch)
		}
	}
	again := p.restart(t, Boot{ID: "b2", Zero: 7, Wall0: 1_000_000 + 600_000}, second) // ten minutes later
	v := again.View(again.at(2 * second))
	l := v.Lifts[0]
	if v.Stopped == nil || v.Stopped.Why != "smoke" || l.Stopped == nil || l.AreaAlarm == nil || !l.AreaAlarm.Latched || l.Maintenance == nil {
		t.Fatalf("after the restart: %+v %+v %+v", v.Stopped, l.AreaAlarm, l.Maintenance)
	}
	// Asked at 10 s of the first process for an hour, seen 601 s after its zero: 3009 s are left.
	if left := l.Maintenance.Until.Until(second); left != 3009*time.Second {
		t.Errorf("%s of the maintenance are left", left)
	}
	if l.Accepting || l.Why != WhyStopped && l.Why != fsm.LinkLost || l.Area != "building" || len(v.Areas) != 1 || !slices.Equal(v.Areas[0].Lifts, []string{"L1"}) {
		t.Errorf("accepting %v %s, areas %+v", l.Accepting, l.Why, v.Areas)
	}
	if a := answered(t, again.do(Ordered{Token: 2, Order: order()}, 3*second)); a.Status != Unavailable || !strings.Contains(a.Detail, "smoke") {
		t.Errorf("a new ride while stopped: %+v", a)
	}
}

// RB-3, RD-11: the place in the queue, its reason, what was asked first and a destination that
// was changed are shown, and are the same after a restart.
func TestPlacesAndWordsAreShown(t *testing.T) {
	p := newPlay(Boot{ID: "b1"})
	in := order()
	in.Any, in.Request.Lift = true, ""
	if a := answered(t, p.do(Ordered{Token: 1, Order: in}, second)); a.Status != Created {
		t.Fatalf("%+v", a)
	}
	if a := answered(t, p.do(Ordered{Token: 2, Order: PatchRide{Ride: "Ride_1", To: "G", By: "R1"}}, 2*second)); a.Status != Accepted {
		t.Fatalf("%+v", a)
	}
	for _, q := range []*play{p, p.restart(t, Boot{ID: "b1"}, 3*second)} {
		v := q.View(q.at(3 * second)).Rides[0]
		if v.Ride.To != 1 || v.Asked.To != "2" || !v.Asked.Any || v.Place != 1 || !strings.Contains(v.PlaceWhy, "L1 takes no rides") || !strings.Contains(v.CarWhy, "L1") {
			t.Errorf("to %s, asked %+v, place %d %q, car %q", v.Ride.To, v.Asked, v.Place, v.PlaceWhy, v.CarWhy)
		}
		if a := answered(t, q.do(Ordered{Token: 3, Order: in}, 4*second)); a.Status != Existing {
			t.Errorf("the first request again: %+v", a)
		}
	}
}

// The shadow of a lift tells its maintenance and its stop as plain values.
func TestStandingIsReported(t *testing.T) {
	p := newPlay(Boot{ID: "b"})
	p.session = shadow.New(shadow.Config{Serial: "GW", Prefix: "p", Beside: "b", Shadows: []string{"", "L1"}})
	p.do(Ordered{Token: 1, Order: MaintainLift{Lift: "L1", On: true, By: "kim"}}, second)
	ps := &pass{Core: p.Core, t: p.at(second)}
	f := ps.fields(p.site.Cars()[0])
	m, _ := f["maintenance"].(shadow.Tree)
	if m["on"] != true || m["by"] != "local" || f["emergency"] != false || f["emergency_by"] != nil || f["accepting"] != false {
		t.Errorf("reported %v", f)
	}
}
