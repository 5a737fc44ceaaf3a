package gateway

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// carrier is a store that commits when it is told to.
type carrier struct {
	mu      sync.Mutex
	waiting []func(error)
	batches [][]shadow.Record
	fail    error
	manual  bool
}

func (c *carrier) Commit(batch []shadow.Record, done func(error)) {
	c.mu.Lock()
	c.batches = append(c.batches, batch)
	fail := c.fail
	if c.manual {
		c.waiting = append(c.waiting, done)
	}
	manual := c.manual
	c.mu.Unlock()
	if !manual {
		go done(fail)
	}
}

func (c *carrier) Publish(p shadow.Publish, done func(string, error)) { go done(p.Token, nil) }

// settle ends the batches under way, in order.
func (c *carrier) settle(err error) {
	c.mu.Lock()
	waiting := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	for _, done := range waiting {
		done(err)
	}
}

func (c *carrier) set(manual bool, fail error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.manual, c.fail = manual, fail
}

// link is a lift that shows what it is told to and takes every command.
type link struct {
	mu  sync.Mutex
	car elevator.Snapshot
	did []elevator.Command
	now func() elevator.Instant
}

func (l *link) Read(context.Context) (elevator.Snapshot, error) { return l.seen(), nil }
func (l *link) Close() error                                    { return nil }

func (l *link) Do(_ context.Context, c elevator.Command) elevator.Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.did = append(l.did, c)
	if c.Verb == elevator.LandingCall {
		lamps := &l.car.UpCalls
		if c.Direction == elevator.Down {
			lamps = &l.car.DownCalls
		}
		lamps.Value = lamps.Value.With(c.Floor)
	}
	return elevator.Outcome{ID: c.ID, Result: elevator.Done, At: l.now()}
}

func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(200 * time.Millisecond):
			deliver(l.seen())
		}
	}
}

// seen is the car, read now.
func (l *link) seen() elevator.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, now := l.car, l.now()
	s.Link = elevator.Online
	s.Floor.At, s.Motion.At, s.Mode.At = now, now, now
	for i := range s.Doors {
		s.Doors[i].At = now
	}
	s.Overload.At, s.Nudging.At, s.Obstruction.At, s.EmergencyStop.At = now, now, now, now
	s.UpCalls.At, s.DownCalls.At, s.CarCalls.At = now, now, now
	return s
}

func (l *link) set(change func(*elevator.Snapshot)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.car)
}

func (l *link) count(v elevator.Verb) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, c := range l.did {
		if c.Verb == v {
			n++
		}
	}
	return n
}

type rig struct {
	*Gateway
	carrier *carrier
	link    *link
	beats   int
	end     func()
}

// start runs a gateway in a bubble with one lift standing closed at floor 1.
func start(t *testing.T) *rig {
	t.Helper()
	began := time.Now()
	now := func() elevator.Instant { return elevator.Instant(time.Since(began)) + 1 }
	l := &link{now: now}
	l.car.Floor = elevator.Seen[elevator.Floor]{Value: 1, Source: elevator.Controller}
	l.car.Motion.Value, l.car.Mode.Value = elevator.Stopped, elevator.Normal
	l.car.Doors[elevator.Front].Value = elevator.DoorClosed
	l.car.Overload.Value, l.car.Nudging.Value, l.car.Obstruction.Value, l.car.EmergencyStop.Value = elevator.No, elevator.No, elevator.No, elevator.No
	floors := elevator.Table{
		{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
		{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
	}
	c := core.New(core.Config{Site: dispatch.Config{
		Lifts: []dispatch.Lift{{ID: "L1", Floors: floors, Plan: fsm.Plan{
			Style: fsm.LandingAndCar, Confirm: fsm.ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
			AcceptWithin: 3 * time.Second, Poll: 200 * time.Millisecond,
		}}},
		Robots: []string{"R1", "R2"}, Params: fsm.DefaultParams(),
	}})
	r := &rig{carrier: &carrier{}, link: l}
	r.Gateway = New(Options{
		Core: c, Lifts: []Lift{{ID: "L1", Link: l}}, Carrier: r.carrier, Session: func() uint64 { return 1 },
		Now: now, Wall: time.Now, Log: slog.New(slog.DiscardHandler), Beat: func() { r.beats++ },
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	r.end = func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	}
	return r
}

func call(id, robot string) core.CreateRide {
	return core.CreateRide{
		Request: fsm.Request{ID: id, Robot: robot, Lift: "L1", Ready: true, Crossing: 4 * time.Second}, From: "1", To: "G",
	}
}

// A ride is answered only when it lies in the store, and a landing call leaves
// only when the ride that asks for it does.
func TestEffectsWaitForTheirCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		time.Sleep(time.Second)
		r.carrier.set(true, nil)
		answers := make(chan core.Answer, 1)
		go func() {
			a, _ := r.Ask(t.Context(), call("r1", "R1"))
			answers <- a
		}()
		time.Sleep(time.Second)
		if len(answers) != 0 || r.link.count(elevator.LandingCall) != 0 {
			t.Fatal("something left before the commit")
		}
		r.carrier.set(false, nil)
		r.carrier.settle(nil)
		time.Sleep(time.Second)
		if a := <-answers; a.Status != core.Created {
			t.Fatalf("answer %+v", a)
		}
		if n := r.link.count(elevator.LandingCall); n != 1 {
			t.Errorf("%d landing calls", n)
		}
		r.end()
	})
}

// ST-3, IL-3: a permit is an effect: while the batch of its step is on its way to the store
// nobody sees it, and all that a power cut in that time leaves is the ride before it.
func TestPermitWaitsForItsCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := called(t)
		r.carrier.set(true, nil)
		r.link.set(func(s *elevator.Snapshot) { s.Floor.Value, s.Doors[elevator.Front].Value = 2, elevator.DoorOpen })
		for range 20 {
			time.Sleep(50 * time.Millisecond)
			if x := r.View().Rides[0].Ride; x.Permit.N != 0 || x.Where != fsm.Outside {
				t.Fatalf("permit %d seen with the robot %s, and nothing of it is stored", x.Permit.N, x.Where)
			}
		}
		if r.link.count(elevator.Hold) == 0 {
			t.Error("the door hold waits too")
		}
		r.carrier.set(false, nil)
		r.carrier.settle(nil)
		time.Sleep(time.Millisecond)
		if x := r.View().Rides[0].Ride; x.Permit.N == 0 || x.Where != fsm.Unknown {
			t.Errorf("it is stored: permit %d, robot %s", x.Permit.N, x.Where)
		}
		r.end()
	})
}

// ST-3: readers are not kept blind by a store that hangs: it counts as failing, and what is
// new is shown though it lies nowhere.
func TestHangingStoreBlindsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := called(t)
		r.carrier.set(true, nil)
		r.link.set(func(s *elevator.Snapshot) { s.Floor.Value, s.Doors[elevator.Front].Value = 2, elevator.DoorOpen })
		time.Sleep(6 * time.Second)
		v := r.View()
		if age := r.o.Now().Sub(v.At); age > time.Second || v.StoreFault == "" {
			t.Errorf("the view is %s old, store fault %q", age, v.StoreFault)
		}
		if !v.Rides[0].Ride.NoStore {
			t.Error("the ride is not told that the store is lost")
		}
		if v.Rides[0].Ride.Permit.N == 0 {
			t.Error("no permit: the ride does not go on in memory")
		}
		r.carrier.set(false, nil)
		r.carrier.settle(nil)
		time.Sleep(time.Second)
		if r.View().Rides[0].Ride.NoStore {
			t.Error("the ride is not told that the store is back")
		}
		r.end()
	})
}

// called is a gateway with a ride that waits for the car.
func called(t *testing.T) *rig {
	r := start(t)
	time.Sleep(time.Second)
	if a, err := r.Ask(t.Context(), call("r1", "R1")); err != nil || a.Status != core.Created {
		t.Fatalf("answer %+v, %v", a, err)
	}
	time.Sleep(time.Second)
	if x := r.View().Rides[0].Ride; x.State != fsm.Waiting || x.Where != fsm.Outside {
		t.Fatalf("the ride is %s, robot %s", x.State, x.Where)
	}
	return r
}

// ST-3: with a store that fails a new ride is refused and does
// not come to life later; when the store works again nothing is lost.
func TestFailingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		time.Sleep(time.Second)
		r.carrier.set(false, errors.New("no space left on device"))
		a, err := r.Ask(t.Context(), call("r1", "R1"))
		if err != nil || a.Status != core.Unavailable || a.Code != "E-2107" {
			t.Fatalf("answer %+v, %v", a, err)
		}
		time.Sleep(time.Second)
		if v := r.View(); v.StoreFault == "" {
			t.Error("the view does not say that the store fails")
		}
		if n := r.link.count(elevator.LandingCall); n != 0 {
			t.Errorf("%d landing calls for a ride that was refused", n)
		}
		for _, ride := range r.View().Rides {
			if ride.Ride.State != fsm.Done {
				t.Errorf("the refused ride lives on in %s", ride.Ride.State)
			}
		}
		r.carrier.set(false, nil)
		time.Sleep(10 * time.Second)
		if v := r.View(); v.StoreFault != "" {
			t.Errorf("the store works but the view says %q", v.StoreFault)
		}
		if a, _ := r.Ask(t.Context(), call("r2", "R2")); a.Status != core.Created {
			t.Errorf("after the repair: %+v", a)
		}
		r.end()
	})
}

// RD-11: a cancel that could not be stored is not answered as done, though the ride ends in
// memory; asked again once the store works it is.
func TestACancelThatIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := called(t)
		r.carrier.set(false, errors.New("no space left on device"))
		for range 2 {
			a, err := r.Ask(t.Context(), core.CancelRide{Ride: "r1", By: "R1"})
			if err != nil || a.Status != core.Unavailable || a.Code != "E-2107" || !strings.Contains(a.Detail, "in force") {
				t.Fatalf("answer %+v, %v", a, err)
			}
		}
		if ride := r.View().Rides[0].Ride; ride.State != fsm.Done {
			t.Errorf("the ride is %s", ride.State)
		}
		r.carrier.set(false, nil)
		if a, _ := r.Ask(t.Context(), core.CancelRide{Ride: "r1", By: "R1"}); a.Status != core.Accepted {
			t.Errorf("with a store that works: %+v", a)
		}
		r.end()
	})
}

// ST-3: a store that hangs is a store that fails: a ride goes on, a new one is
// refused, and all is well once it has answered.
func TestHangingStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		time.Sleep(time.Second)
		if a, err := r.Ask(t.Context(), call("r1", "R1")); err != nil || a.Status != core.Created {
			t.Fatalf("answer %+v, %v", a, err)
		}
		r.carrier.set(true, nil)
		r.link.set(func(s *elevator.Snapshot) { s.Floor.Value, s.Doors[elevator.Front].Value = 2, elevator.DoorOpen })
		time.Sleep(2 * time.Second)
		for i, kind := range []fsm.SignalKind{fsm.Entering, fsm.Entered} {
			where := []fsm.SignalWhere{fsm.AtDoorway, fsm.InCar}[i]
			s := fsm.Signal{Kind: kind, Boot: "b", Seq: uint64(i + 1), View: fsm.RobotView{Where: where}, Battery: -1}
			began := time.Now()
			a, err := r.Ask(t.Context(), core.SendSignal{Ride: "r1", Signal: s})
			if d := time.Since(began); err != nil || a.Status != core.Accepted || d > 5*time.Second {
				t.Fatalf("%s: %+v, %v after %s", kind, a, err, d)
			}
		}
		time.Sleep(time.Second)
		if r.link.count(elevator.CarCall) == 0 {
			t.Error("no car call with the robot aboard")
		}
		if a, _ := r.Ask(t.Context(), call("r2", "R2")); a.Status != core.Unavailable {
			t.Errorf("a new ride: %+v", a)
		}
		r.carrier.set(false, nil)
		r.carrier.settle(nil)
		time.Sleep(time.Second)
		if v := r.View(); v.StoreFault != "" {
			t.Errorf("the store works but the view says %q", v.StoreFault)
		}
		if a, _ := r.Ask(t.Context(), call("r2", "R2")); a.Status != core.Created {
			t.Errorf("after it answered: %+v", a)
		}
		r.link.mu.Lock()
		told := map[elevator.CommandID]bool{}
		for _, c := range r.link.did {
			if told[c.ID] {
				t.Errorf("%s %v was sent twice", c.Verb, c.ID)
			}
			told[c.ID] = true
		}
		r.link.mu.Unlock()
		r.end()
	})
}

// CT-7: the beat comes from passes; an idle agent passes once a second.
func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		time.Sleep(10 * time.Second)
		r.end()
		if r.beats < 10 {
			t.Errorf("%d passes in 10 s", r.beats)
		}
	})
}

// An end with nobody in a doorway is quick; an order afterwards is refused.
func TestEndIsQuickWithNobodyCrossing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		time.Sleep(time.Second)
		began := time.Now()
		r.end()
		if d := time.Since(began); d > time.Second {
			t.Errorf("took %s", d)
		}
		if _, err := r.Ask(t.Context(), call("r1", "R1")); !errors.Is(err, ErrEnded) {
			t.Errorf("error %v", err)
		}
	})
}

// IL-6: with a robot in the doorway the end waits for its
// word, and no command that may close the door is sent meanwhile.
func TestEndWaitsForTheDoorway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		time.Sleep(time.Second)
		if a, err := r.Ask(t.Context(), call("r1", "R1")); err != nil || a.Status != core.Created {
			t.Fatalf("answer %+v, %v", a, err)
		}
		time.Sleep(time.Second)
		r.link.set(func(s *elevator.Snapshot) { s.Floor.Value, s.Doors[elevator.Front].Value = 2, elevator.DoorOpen })
		time.Sleep(time.Second)
		if v := r.View(); v.Rides[0].Ride.Permit == (fsm.Permit{}) {
			t.Fatalf("no permit: %s %s, %v", v.Rides[0].Ride.State, v.Rides[0].Ride.Phase, fsm.Withheld(&v.Rides[0].Ride, v.At))
		}
		tell := func(kind fsm.SignalKind, seq uint64, where fsm.SignalWhere) {
			s := fsm.Signal{Kind: kind, Boot: "b", Seq: seq, View: fsm.RobotView{Where: where}, Battery: -1}
			if a, err := r.Ask(t.Context(), core.SendSignal{Ride: "r1", Signal: s}); err != nil || a.Status != core.Accepted {
				t.Errorf("%s: %+v, %v", kind, a, err)
			}
		}
		tell(fsm.Entering, 1, fsm.AtDoorway)
		ended := make(chan struct{})
		go func() {
			r.end()
			close(ended)
		}()
		time.Sleep(5 * time.Second)
		select {
		case <-ended:
			t.Fatal("the program ended with a robot in the doorway")
		default:
		}
		r.link.mu.Lock()
		for _, c := range r.link.did {
			if c.MayClose {
				t.Errorf("%s was sent with a robot in the doorway", c.Verb)
			}
		}
		r.link.mu.Unlock()
		tell(fsm.Entered, 2, fsm.InCar)
		time.Sleep(4 * time.Second)
		select {
		case <-ended:
		default:
			t.Error("the robot is inside, but the program does not end")
		}
	})
}
