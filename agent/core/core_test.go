package core

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"

	"pgregory.net/rapid"
)

const second = elevator.Instant(time.Second)

func floors() elevator.Table {
	return elevator.Table{
		{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
		{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
		{Label: "2", Wire: 3, Doors: []elevator.Side{elevator.Front}},
	}
}

func newCore(boot Boot) *Core {
	return New(Config{Boot: boot, Site: dispatch.Config{
		Lifts: []dispatch.Lift{{ID: "L1", Floors: floors(), Plan: fsm.Plan{
			Style: fsm.LandingAndCar, Confirm: fsm.ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
			AcceptWithin: 3 * time.Second, Poll: 200 * time.Millisecond,
		}}},
		Robots: []string{"R1"}, Params: fsm.DefaultParams(),
	}})
}

// car stands closed at floor f with the landing calls lit upwards, read at now.
func car(f elevator.Floor, up elevator.FloorSet, now elevator.Instant) elevator.Snapshot {
	s := elevator.Snapshot{Link: elevator.Online, LinkSince: 1}
	s.Floor = elevator.Seen[elevator.Floor]{Value: f, At: now, Source: elevator.Controller}
	s.Motion = elevator.Seen[elevator.Motion]{Value: elevator.Stopped, At: now, Source: elevator.Controller}
	s.Mode = elevator.Seen[elevator.Mode]{Value: elevator.Normal, At: now, Source: elevator.Controller}
	s.Doors[elevator.Front] = elevator.Seen[elevator.Door]{Value: elevator.DoorClosed, At: now, Source: elevator.Controller}
	no := elevator.Seen[elevator.Tri]{Value: elevator.No, At: now, Source: elevator.Controller}
	s.Overload, s.Nudging, s.Obstruction, s.EmergencyStop = no, no, no, no
	s.UpCalls = elevator.Seen[elevator.FloorSet]{Value: up, At: now, Source: elevator.Controller}
	s.DownCalls = elevator.Seen[elevator.FloorSet]{At: now, Source: elevator.Controller}
	s.CarCalls = elevator.Seen[elevator.FloorSet]{At: now, Source: elevator.Controller}
	return s
}

func order() CreateRide {
	return CreateRide{Request: fsm.Request{ID: "Ride_1", Robot: "R1", Lift: "L1", Ready: true, Crossing: 4 * time.Second}, From: "1", To: "2"}
}

// play steps a core and keeps what it asks for, as the gateway would.
type play struct {
	*Core
	boot  Boot
	store map[string][]byte
	sent  []elevator.Command
}

func newPlay(boot Boot) *play {
	return &play{Core: newCore(boot), boot: boot, store: map[string][]byte{}}
}

func (p *play) at(now elevator.Instant) Time {
	return Time{Now: now, Wall: p.boot.Wall0 + int64(now)/1e6}
}

func (p *play) do(in Input, now elevator.Instant) Result {
	r := p.Step(in, p.at(now))
	p.keep(r)
	return r
}

func (p *play) keep(r Result) {
	for _, rec := range r.Batch {
		if rec.Deletes() {
			delete(p.store, rec.Bucket+"/"+rec.Key)
			continue
		}
		value, err := rec.Bytes()
		if err != nil {
			panic(err)
		}
		p.store[rec.Bucket+"/"+rec.Key] = value
	}
	for _, e := range append(r.Urgent, r.After...) {
		if c, ok := e.(Command); ok {
			p.sent = append(p.sent, c.Command)
		}
	}
}

// restart loads what the store holds into a new core.
func (p *play) restart(t *testing.T, boot Boot, now elevator.Instant) *play {
	t.Helper()
	q := newPlay(boot)
	q.store = p.store
	var recs []shadow.Record
	for k, v := range p.store {
		bucket, key, _ := strings.Cut(k, "/")
		recs = append(recs, shadow.Record{Bucket: bucket, Key: key, Value: v})
	}
	r, errs := q.Load(recs, q.at(now))
	if len(errs) > 0 {
		t.Fatalf("load: %v", errs)
	}
	q.keep(r)
	return q
}

func (p *play) count(v elevator.Verb) int {
	n := 0
	for _, c := range p.sent {
		if c.Verb == v {
			n++
		}
	}
	return n
}

func (p *play) ride() fsm.Ride { return p.View(p.at(1)).Rides[0].Ride }

// A ride, its report and its answer belong to one batch: the answer and the call
// come after it, nothing comes before.
func TestOneStepOneBatch(t *testing.T) {
	p := newPlay(Boot{})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	r := p.do(Ordered{Token: 7, Order: order()}, second)
	if len(r.Batch) == 0 || r.Batch[0].Key != "ride:ride:_52ide_5f1:state" {
		t.Fatalf("batch %v", r.Batch)
	}
	if len(r.Urgent) != 0 {
		t.Errorf("urgent: %v", r.Urgent)
	}
	var reply *Reply
	for _, e := range r.After {
		if x, ok := e.(Reply); ok {
			reply = &x
		}
	}
	if reply == nil || reply.Token != 7 || reply.Answer.Status != Created || reply.Answer.Ride != "Ride_1" {
		t.Errorf("reply %+v", reply)
	}
	if p.count(elevator.LandingCall) != 1 {
		t.Errorf("sent %v", p.sent)
	}
}

// RD-11: killed after the press and started again, within one boot: the lamp is
// read first, and nothing is pressed twice.
func TestRestartPressesNothingTwice(t *testing.T) {
	p := newPlay(Boot{ID: "b", Zero: 100e9})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	p.do(Ordered{Token: 1, Order: order()}, second)
	if p.count(elevator.LandingCall) != 1 {
		t.Fatalf("sent %v", p.sent)
	}
	first := p.sent[0].ID

	q := p.restart(t, Boot{ID: "b", Zero: 104e9}, 1)
	if len(q.sent) != 0 {
		t.Fatalf("sent before anything was read: %v", q.sent)
	}
	lit := elevator.FloorSet(0).With(2)
	for i := range 20 {
		now := second + elevator.Instant(i)*second/5
		q.do(&Seen{Lift: "L1", Car: car(1, lit, now)}, now)
	}
	if q.count(elevator.LandingCall) != 0 {
		t.Errorf("pressed again: %v", q.sent)
	}
	if s := q.ride().State; s != fsm.Waiting {
		t.Errorf("state %s", s)
	}
	if n := q.ride().NextN; n <= first.N {
		t.Errorf("the next command number %d was used before", n)
	}
}

// RD-4: a restart does not renew the wait limit, be it of
// the program or of the machine.
func TestRestartRenewsNoLimit(t *testing.T) {
	for _, tc := range []struct {
		name string
		boot Boot
		now  elevator.Instant // when the new process first acts: 70 s after the call
	}{
		{"program", Boot{ID: "b", Zero: 171e9, Wall0: 1_000_071_000}, 1},
		{"machine", Boot{ID: "other", Zero: 30e9, Wall0: 1_000_071_000}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlay(Boot{ID: "b", Zero: 100e9, Wall0: 1_000_000_000})
			lit := elevator.FloorSet(0).With(2)
			p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
			p.do(Ordered{Token: 1, Order: order()}, second)
			p.do(&Seen{Lift: "L1", Car: car(1, lit, second+second/5)}, second+second/5)
			if s := p.ride().State; s != fsm.Waiting {
				t.Fatalf("state %s before the restart", s)
			}
			q := p.restart(t, tc.boot, tc.now)
			var faulted elevator.Instant
			for now := second; now < 60*second && faulted == 0; now += second / 5 {
				q.do(&Seen{Lift: "L1", Car: car(1, lit, now)}, now)
				q.do(Tick{}, now)
				if q.ride().State == fsm.Fault {
					faulted = now
				}
			}
			if faulted < 18*second || faulted > 24*second {
				t.Errorf("the 90 s limit came %.1f s after a restart at 70 s; want about 20 s", float64(faulted)/1e9)
			}
			if c := q.ride().Code; c != fsm.WaitTimeout {
				t.Errorf("fault %s", c)
			}
		})
	}
}

// RD-4: a board without a clock of its own starts in 1970 and is set right later.
// Over a reboot the wall time of the writing counts, not that of the start; and
// years that such a clock makes up pass no further than any limit.
func TestRestartAfterTheClockWasSet(t *testing.T) {
	const y2026 = 1_780_000_000_000
	for _, tc := range []struct {
		name  string
		wrote int64 // wall clock when the ride was stored
		back  int64 // and in the new process
		left  float64
	}{
		{"set in between", y2026, y2026 + 60_000, 30},
		{"set after the writing", 5_000, y2026, 0},
		{"back in 1970", y2026, 7_000, 90},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlay(Boot{ID: "b", Zero: 100e9, Wall0: 1000})
			at := Time{Now: second, Wall: tc.wrote}
			p.keep(p.Step(&Seen{Lift: "L1", Car: car(1, 0, second)}, at))
			p.keep(p.Step(Ordered{Token: 1, Order: order()}, at))
			at.Now += second / 5
			p.keep(p.Step(&Seen{Lift: "L1", Car: car(1, elevator.FloorSet(0).With(2), at.Now)}, at))
			if p.ride().State != fsm.Waiting {
				t.Fatalf("state %s", p.ride().State)
			}
			q := p.restart(t, Boot{ID: "other", Zero: 30e9, Wall0: tc.back}, 1)
			if left := float64(q.ride().Deadline.Until(1)) / 1e9; tc.left > 0 && (left < tc.left-2 || left > tc.left+2) || tc.left == 0 && (left > 0 || left < -1e9) {
				t.Errorf("%.1f s are left of the wait limit, want %.0f", left, tc.left)
			}
		})
	}
}

// A store that fails refuses new rides with the reason and takes them again after.
func TestStoreFaultRefusesNewRides(t *testing.T) {
	p := newPlay(Boot{})
	p.do(Stored{Err: errDisk{}}, second)
	r := p.do(Ordered{Token: 3, Order: order()}, second)
	if len(r.Batch) != 0 || len(r.After) != 1 {
		t.Fatalf("%+v", r)
	}
	if a := r.After[0].(Reply).Answer; a.Status != Unavailable || a.Code != "E-2107" {
		t.Errorf("answer %+v", a)
	}
	p.do(Stored{}, second)
	r = p.do(Ordered{Token: 4, Order: order()}, second)
	if len(r.Batch) == 0 {
		t.Errorf("after the repair: %+v", r)
	}
}

// RD-11: while nothing can be stored, an order that sets free or sends elsewhere is refused and
// changes nothing; one that only restricts, or lets a robot out, is in force. Each answer is marked as
// one that stands on the store.
func TestStoreFaultAndOrders(t *testing.T) {
	for _, c := range []struct {
		order  Order
		before bool // refused before it does anything
	}{
		{CancelRide{Ride: "Ride_1"}, false},
		{PatchRide{Ride: "Ride_1", To: "G"}, true},
		{MaintainLift{Lift: "L1", On: true}, false},
		{MaintainLift{Lift: "L1"}, true},
		{StopAll{On: true}, false},
		{StopAll{}, true},
		{AttestEmpty{Lift: "L1"}, true},
		{ClearArea{Area: "building"}, true},
		{ResetRide{Ride: "Ride_1", RobotIs: fsm.RobotOutside}, true},
		{ResetRide{Ride: "Ride_1", RobotIs: fsm.RobotInside}, false},
	} {
		p := newPlay(Boot{})
		p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
		p.do(Ordered{Token: 1, Order: order()}, second)
		p.do(Stored{Err: errDisk{}}, second)
		r := p.do(Ordered{Token: 3, Order: c.order}, second)
		reply := r.After[slices.IndexFunc(r.After, func(e Effect) bool { _, is := e.(Reply); return is })].(Reply)
		if refused := reply.Answer.Code == "E-2107"; refused != c.before || refused && len(r.Batch) != 0 {
			t.Errorf("%T %+v: %+v", c.order, c.order, reply.Answer)
		}
		if !c.before && !reply.Lasts {
			t.Errorf("%T %+v does not wait for the store", c.order, c.order)
		}
	}
}

// More rides may end in one step than are kept: what was dropped leaves no record.
func TestEndedTogether(t *testing.T) {
	k := New(Config{Site: dispatch.Config{
		Lifts: []dispatch.Lift{{ID: "L1", Floors: floors()}}, Robots: []string{"R1", "R2"},
		Params: fsm.DefaultParams(), MaxEnded: 1,
	}})
	p := &play{Core: k, store: map[string][]byte{}}
	for _, n := range []string{"1", "2"} {
		o := order()
		o.Request.ID, o.Request.Robot, o.Request.Ready = n, "R"+n, false
		p.do(Ordered{Order: o}, second)
	}
	if len(p.store) != 2 {
		t.Fatalf("stored %v", p.store)
	}
	p.do(Tick{}, 3600*second)
	if len(p.store) != 1 || p.store["rides/ride:ride:2:state"] == nil {
		t.Errorf("after both have ended, stored are %v", p.store)
	}
}

// ST-3: what a batch stores is the ride as its step left it, whenever it comes to
// the store.
func TestRecordIsOfItsStep(t *testing.T) {
	p := newPlay(Boot{ID: "b"})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	asked := p.do(Ordered{Order: order()}, second).Batch
	later := p.do(Ordered{Order: CancelRide{Ride: "Ride_1", By: "R1"}}, 2*second).Batch
	var states []fsm.State
	for _, batch := range [][]shadow.Record{asked, later} {
		raw, err := batch[len(batch)-1].Bytes()
		var s storedRide
		if err = errors.Join(err, json.Unmarshal(raw, &s)); err != nil {
			t.Fatal(err)
		}
		if last := s.Marks[len(s.Marks)-1]; last.To != s.Ride.State {
			t.Errorf("the ride is %s, its last mark says %s", s.Ride.State, last.To)
		}
		states = append(states, s.Ride.State)
	}
	if want := []fsm.State{fsm.Requesting, fsm.Done}; !slices.Equal(states, want) {
		t.Errorf("stored %v, want %v", states, want)
	}
}

// ST-3: what JSON cannot spell is no reason to remove what is stored.
func TestUnspeakableRideIsABadRecord(t *testing.T) {
	p := newPlay(Boot{})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	p.do(Ordered{Order: order()}, second)
	p.Ride("Ride_1").Self.OdoM = math.NaN()
	batch := p.Step(Ordered{Order: CancelRide{Ride: "Ride_1", By: "R1"}}, p.at(2*second)).Batch
	var bad *shadow.BadRecord
	if _, err := batch[0].Bytes(); !errors.As(err, &bad) || bad.Key != batch[0].Key || batch[0].Deletes() {
		t.Errorf("%v of %s", err, batch[0].Key)
	}
}

func TestRideInItsPlace(t *testing.T) {
	p := newPlay(Boot{})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	p.do(Ordered{Order: order()}, second)
	if r := p.Ride("Ride_1"); r == nil || *r != p.ride() {
		t.Errorf("found %v", r)
	}
	if r := p.Ride("other"); r != nil {
		t.Errorf("found %v", r)
	}
}

// ST-6: keys keep to the grammar and its length, whatever an id is made of, and
// two ids never share one.
func TestRideKeys(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"r1", "R1", "_721", strings.Repeat("A", 64), strings.Repeat("A", 63) + "B", strings.Repeat("é", 40)} {
		k := rideKey(id)
		if len(k) > 128 || k != strings.ToLower(k) || strings.Count(k, ":") != 3 {
			t.Errorf("%q became %q", id, k)
		}
		if other, dup := seen[k]; dup {
			t.Errorf("%q and %q share %q", id, other, k)
		}
		seen[k] = id
	}
}

type errDisk struct{}

func (errDisk) Error() string { return "no space left on device" }

// A record that can not be read is named and does not stop the others.
func TestLoadNamesWhatItCanNotRead(t *testing.T) {
	p := newPlay(Boot{})
	_, errs := p.Load([]shadow.Record{
		{Bucket: rideBucket, Key: "ride:ride:a:state", Value: []byte("{")},
		{Bucket: rideBucket, Key: "ride:ride:b:state", Value: []byte("{}")},
		{Bucket: settingBucket, Key: settingKey, Value: []byte(`{"wait_timeout":{"value":150}}`)},
		{Bucket: settingBucket, Key: "setting:gateway:self:wait_timeout", Value: []byte("1")},
	}, p.at(1))
	if len(errs) != 3 {
		t.Errorf("%v", errs)
	}
	if got := p.View(p.at(1)).Params.WaitTimeout; got != 150*time.Second {
		t.Errorf("wait_timeout %s", got)
	}
}

// RD-8, RD-9: the fault of a ride stays reported when its lease is given to wait
// for a long delay, and goes when the ride does.
func TestFaultOutlivesItsLease(t *testing.T) {
	p := newPlay(Boot{})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	p.do(Ordered{Token: 1, Order: order()}, second)
	fault := func() (state string, code any) {
		w := &pass{Core: p.Core, t: p.at(400 * second)}
		f := w.fields(p.site.Cars()[0])
		return f["state"].(string), f["fault_code"]
	}
	lit := elevator.FloorSet(0).With(2)
	now := second
	for ; now < 400*second && p.site.Cars()[0].Owner != nil; now += second / 5 {
		p.do(&Seen{Lift: "L1", Car: car(1, lit, now)}, now)
		p.do(Tick{}, now)
	}
	if state, code := fault(); state != "FAULT" || code != "WAIT_TIMEOUT" {
		t.Errorf("without a lease the lift reports %s, %v", state, code)
	}
	p.do(Ordered{Token: 2, Order: CancelRide{Ride: "Ride_1", By: "test"}}, now)
	if state, code := fault(); state != "IDLE" || code != nil {
		t.Errorf("after the end the lift reports %s, %v", state, code)
	}
}

// ST-3: a ride that another version wrote with words that this one does not know
// is left out, and does not end the program at each start.
func TestLoadRefusesAnUnsoundRide(t *testing.T) {
	good := fsm.Ride{Request: fsm.Request{ID: "a", Lift: "L1"}, State: fsm.Waiting, Phase: fsm.Called, Where: fsm.Outside}
	for name, spoil := range map[string]func(*fsm.Ride){
		"no phase":    func(r *fsm.Ride) { r.Phase = "" },
		"other phase": func(r *fsm.Ride) { r.Phase = fsm.Riding },
		"state":       func(r *fsm.Ride) { r.State = "HOVERING" },
		"whereabouts": func(r *fsm.Ride) { r.Where = "roof" },
		"side":        func(r *fsm.Ride) { r.FromSide = 5 },
		"hold's side": func(r *fsm.Ride) { r.Past[2].Side = 200 },
		"call's side": func(r *fsm.Ride) { r.Earlier[1].Command.Side = 7 },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			spoil(&bad)
			for ride, want := range map[*fsm.Ride]int{&good: 0, &bad: 1} {
				raw, err := json.Marshal(storedRide{Ride: *ride, moment: moment{Boot: Boot{ID: "b"}}})
				if err != nil {
					t.Fatal(err)
				}
				p := newPlay(Boot{ID: "b"})
				_, errs := p.Load([]shadow.Record{{Bucket: rideBucket, Key: rideKey("a"), Value: raw}}, p.at(1))
				if len(errs) != want || len(p.View(p.at(1)).Rides) != 1-want {
					t.Errorf("%d faults, %d rides", len(errs), len(p.View(p.at(1)).Rides))
				}
				p.do(&Seen{Lift: "L1", Car: car(2, 0, second)}, second)
			}
		})
	}
}

// ST-3: whatever a ride holds, its record reads back as the same ride.
func TestRecordReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ride := rapid.Make[fsm.Ride]().Draw(t, "ride")
		ride.Car = elevator.Snapshot{} // never stored
		raw, err := (&storedRide{Ride: ride}).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var got storedRide
		if err := json.Unmarshal(raw, &got); err != nil || got.Ride != ride {
			t.Fatalf("%v: %s\nreads back as %+v", err, raw, got.Ride)
		}
	})
}
