package bridge

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/rmf"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// stage is a bridge between a pretend broker and a pretend loop, in a bubble's time.
type stage struct {
	*Bridge
	loop *loop
	wire *wire
	stop func()
}

func newStage(t *testing.T) *stage {
	t.Helper()
	start := time.Now()
	now := func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
	s := &stage{loop: newLoop(now), wire: newWire()}
	s.Bridge = New(Options{
		Desk: s.loop, Config: rmf.Config{Robots: []string{"R1", "R2"}, Sessions: map[string]string{"fleet/r1": "R1"}},
		Now: now, Wall: time.Now, Broker: s.wire, Prefix: "site/rmf",
	})
	s.loop.told = s.Publish
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	s.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return s
}

// pass lets time go by and gives what L1's readers heard meanwhile.
func (s *stage) pass(t *testing.T, d time.Duration) []rmf.LiftState {
	t.Helper()
	time.Sleep(d)
	synctest.Wait()
	return s.wire.take(t, "L1")
}

// RB-2: a state goes out at once when it changes, else once a second, and not more often than it can be used.
func TestStatesGoOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		defer s.stop()
		s.wire.up()
		s.pass(t, 5*time.Second)
		if n := len(s.pass(t, 10*time.Second)); n < 9 || n > 11 {
			t.Errorf("%d states in 10 s of quiet", n)
		}
		s.pass(t, 500*time.Millisecond)
		s.loop.edit(func(v *core.View) { v.Lifts[0].Car.Motion.Value = elevator.MovingUp })
		if got := s.pass(t, 100*time.Millisecond); len(got) != 1 || got[0].MotionState != rmf.MotionUp {
			t.Errorf("a change: %+v", got)
		}
		for i := range 1000 { // a thousand changes in a second
			s.loop.edit(func(v *core.View) { v.Lifts[0].Car.Floor.Value = elevator.Floor(i%3 + 1) })
			time.Sleep(time.Millisecond)
		}
		if n := len(s.pass(t, time.Millisecond)); n < 10 || n > 25 {
			t.Errorf("%d states in a second of changes", n)
		}
		s.wire.turn(true)
		s.pass(t, 10*time.Second)
		s.wire.turn(false)
		s.wire.up()
		if got := s.pass(t, 200*time.Millisecond); len(got) == 0 {
			t.Error("nothing after the broker came back")
		}
	})
}

// RB-2: the session stands in the next state, an unknown one is answered with whose the lift is, repeats ask nothing.
func TestSessionIsEchoed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		defer s.stop()
		s.wire.up()
		s.pass(t, 300*time.Millisecond)
		s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.RequestAGV, "B1"), false)
		got := s.pass(t, 100*time.Millisecond)
		if len(got) == 0 || got[len(got)-1].SessionID != "fleet/r1" || got[len(got)-1].DestinationFloor != "B1" {
			t.Fatalf("%+v", got)
		}
		for range 20 {
			s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.RequestAGV, "B1"), false)
			s.pass(t, time.Second)
		}
		if n := len(s.loop.orders()); n != 1 {
			t.Errorf("%d orders: %v", n, s.loop.orders())
		}
		s.wire.say("L1", requestAt(time.Now(), "stranger", rmf.RequestAGV, "B1"), false)
		if got := s.pass(t, 100*time.Millisecond); len(got) == 0 || got[0].SessionID != "fleet/r1" {
			t.Errorf("no answer to an unknown session: %+v", got)
		}
		for _, bad := range []string{"", "{}", "[]", strings.Repeat("x", 100_000), strings.Replace(requestAt(time.Now(), "fleet/r1", 0, ""), "L1", "L2", 1)} {
			s.wire.say("L1", bad, false)
		}
		s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.EndSession, ""), false)
		if got := s.pass(t, 100*time.Millisecond); len(got) == 0 || got[len(got)-1].SessionID != "" {
			t.Errorf("after END: %+v", got)
		}
		if o := s.loop.orders(); len(o) != 2 {
			t.Errorf("%v", o)
		}
	})
}

// RB-2: what a broker or a queue kept from before opens nothing.
func TestOldRequestsOpenNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		defer s.stop()
		s.wire.up()
		s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.RequestAGV, "B1"), true)
		for i := range 100 {
			s.wire.say("L1", requestAt(time.Now().Add(-time.Hour+time.Duration(i)*time.Second), "fleet/r1", rmf.RequestAGV, "B1"), false)
		}
		s.pass(t, time.Minute)
		if o := s.loop.orders(); len(o) != 0 {
			t.Errorf("%v", o)
		}
	})
}

// SE-5: a flood waits in a short queue, and the states go on.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		defer s.stop()
		s.wire.up()
		release := make(chan struct{})
		s.loop.answers(func(rmf.Order) (core.Answer, error) { <-release; return core.Answer{Status: core.Created}, nil })
		for i := range 5000 { // the loop answers nothing meanwhile
			s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.RequestAGV, []string{"B1", "G", "1"}[i%3]), false)
		}
		if n := len(s.inbox); n > waiting {
			t.Errorf("%d requests wait", n)
		}
		if n := len(s.pass(t, 3*time.Second)); n < 2 {
			t.Errorf("%d states while the loop hangs", n)
		}
		close(release)
		s.pass(t, time.Second)
		if n := len(s.loop.orders()); n > 4 {
			t.Errorf("%d orders from a flood of five thousand", n)
		}
	})
}

// RB-2: a permit that ends takes the OPEN door away at its end, though no new view comes.
func TestPermitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		defer s.stop()
		s.wire.up()
		s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.RequestAGV, "G"), false)
		s.pass(t, 1100*time.Millisecond)
		s.loop.edit(func(v *core.View) {
			r := &v.Rides[0].Ride
			r.State, r.Phase, r.Where, r.Granted = fsm.Waiting, fsm.Boarding, fsm.Unknown, true
			r.FromSide = elevator.Front
			r.Permit = fsm.Permit{N: 1, Kind: fsm.Enter, Side: elevator.Front, Start: s.loop.now().Add(400 * time.Millisecond), Through: s.loop.now().Add(8 * time.Second)}
			v.Lifts[0].Owner = r.ID
			v.Lifts[0].Car.Doors[elevator.Front].Value = elevator.DoorOpen
		})
		if got := s.pass(t, 100*time.Millisecond); len(got) != 1 || got[0].DoorState != rmf.DoorOpen {
			t.Fatalf("%+v", got)
		}
		if got := s.pass(t, 450*time.Millisecond); len(got) == 0 || got[len(got)-1].DoorState != rmf.DoorMoving {
			t.Errorf("%+v", got)
		}
	})
}

// RB-2: END in a doorway is handed on when nothing else is said, with or without a broker.
func TestEndIsClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		defer s.stop()
		s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.RequestAGV, "G"), false)
		s.pass(t, time.Second)
		s.loop.edit(func(v *core.View) {
			r := &v.Rides[0].Ride
			r.State, r.Phase, r.Where, r.Granted, r.Way, r.Aboard = fsm.Exiting, fsm.Leaving, fsm.Unknown, true, fsm.LeaveAtTarget, true
		})
		s.wire.say("L1", requestAt(time.Now(), "fleet/r1", rmf.EndSession, "1"), false)
		s.pass(t, 1500*time.Millisecond)
		if o := s.loop.orders(); len(o) != 1 {
			t.Fatalf("%v", o)
		}
		s.pass(t, time.Second)
		o := s.loop.orders()
		if len(o) != 2 {
			t.Fatalf("%v", o)
		}
		if c, is := o[1].(rmf.Claim); !is || c.Says != fsm.Left || c.By != "session fleet/r1" {
			t.Errorf("%+v", o[1])
		}
	})
}

// A call waits for what it orders, and tells a refusal from not knowing.
func TestHearAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		defer s.stop()
		r := rmf.LiftRequest{LiftName: "L1", SessionID: "R1", RequestType: rmf.RequestAGV, DestinationFloor: "G", DoorState: rmf.DoorOpen}
		s.loop.answers(func(rmf.Order) (core.Answer, error) { return core.Answer{}, errors.New("late") })
		if _, err := s.Hear(context.Background(), r, rmf.Source{Live: true}); err == nil {
			t.Error("taken")
		}
		s.loop.answers(func(rmf.Order) (core.Answer, error) { return core.Answer{Status: core.Conflict, Code: "E-2106"}, nil })
		time.Sleep(6 * time.Second)
		if o, err := s.Hear(context.Background(), r, rmf.Source{Live: true}); err != nil || o.Answer == nil || o.Answer.Code != "E-2106" {
			t.Errorf("%+v %v", o, err)
		}
		a := s.loop.orders()
		if len(a) != 2 || a[0] != a[1] {
			t.Errorf("not the same order again: %v", a)
		}
		s.loop.answers(nil)
		time.Sleep(2 * time.Second)
		if o, err := s.Hear(context.Background(), r, rmf.Source{Live: true}); err != nil || o != (Outcome{}) {
			t.Errorf("%+v %v", o, err)
		}
		if q, is := s.Serving("L1"); !is || q != r {
			t.Errorf("%+v %v", q, is)
		}
		if _, is := s.Serving("L2"); is {
			t.Error("L2 serves nobody")
		}
	})
}
