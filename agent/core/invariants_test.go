package core

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
)

// boarding is a ride whose robot may go in: the car stands open at its landing.
func boarding(t *testing.T) *lift {
	t.Helper()
	l := newLift()
	l.n = 1
	o := order()
	o.Request.ID = l.ride()
	l.do(Ordered{Token: 1, Order: o})
	l.see(200*time.Millisecond, func(s *elevator.Snapshot) { s.UpCalls.Value = s.UpCalls.Value.With(2) })
	l.see(time.Second, motion(elevator.MovingUp))
	l.see(2*time.Second, func(s *elevator.Snapshot) {
		s.Floor.Value, s.Motion.Value, s.Doors[elevator.Front].Value = 2, elevator.Stopped, elevator.DoorOpening
	})
	l.see(time.Second, door(elevator.DoorOpen))
	if r := l.Ride(l.ride()); r.Phase != fsm.Boarding || r.Permit.N == 0 {
		t.Fatalf("%s %s, permit %d", r.State, r.Phase, r.Permit.N)
	}
	return l
}

// guarded lets outputs that are made up pass the gate after a tick, as a step would.
func (l *lift) guarded(in dispatch.Input, outs ...dispatch.Output) (*pass, []dispatch.Output) {
	p := &pass{Core: l.Core, t: l.at()}
	left := p.guard(in, outs)
	for _, o := range left {
		p.output(o)
	}
	return p, left
}

func (l *lift) command(change func(*elevator.Command)) dispatch.Do {
	r := l.Ride(l.ride())
	c := elevator.Command{
		ID: elevator.CommandID{Ride: r.ID, N: r.NextN + 1}, Verb: elevator.CarCall, Floor: 3, Until: l.now.Add(5 * time.Second),
	}
	change(&c)
	return dispatch.Do{Lift: "L1", Command: c}
}

func moved(l *lift, from, to fsm.State) dispatch.Moved {
	return dispatch.Moved{Lift: "L1", Ride: l.ride(), Robot: "R1", Moved: fsm.Moved{From: from, To: to}}
}

// tricks spoil a ride or what is put out for it, one for each rule, and say what the gate
// is then shown.
func tricks() map[Invariant]func(*lift) (dispatch.Input, []dispatch.Output) {
	tick := dispatch.Tick{}
	one := func(change func(*lift, *elevator.Command)) func(*lift) (dispatch.Input, []dispatch.Output) {
		return func(l *lift) (dispatch.Input, []dispatch.Output) {
			return tick, []dispatch.Output{l.command(func(c *elevator.Command) { change(l, c) })}
		}
	}
	return map[Invariant]func(*lift) (dispatch.Input, []dispatch.Output){
		ButtonsOnly: one(func(_ *lift, c *elevator.Command) { c.Verb = elevator.GiveBack + 1 }),
		OneOwner: func(l *lift) (dispatch.Input, []dispatch.Output) {
			l.Ride(l.ride()).Granted = false
			return tick, []dispatch.Output{l.command(func(*elevator.Command) {})}
		},
		HoldEnds: one(func(l *lift, c *elevator.Command) { c.Verb, c.Until = elevator.Hold, l.now.Add(time.Minute) }),
		LocksStay: func(l *lift) (dispatch.Input, []dispatch.Output) {
			return tick, []dispatch.Output{moved(l, fsm.Waiting, fsm.FaultLocked), moved(l, fsm.FaultLocked, fsm.Waiting)}
		},
		HandsOff: func(l *lift) (dispatch.Input, []dispatch.Output) {
			c := l.car
			c.Mode.Value = elevator.Fire
			return &dispatch.Seen{Lift: "L1", Car: c}, []dispatch.Output{l.command(func(*elevator.Command) {})}
		},
		ExitOpen: func(l *lift) (dispatch.Input, []dispatch.Output) {
			r := l.Ride(l.ride())
			r.State, r.WayFloor, r.WaySide = fsm.Exiting, 3, elevator.Front // the car stands at 2
			return tick, []dispatch.Output{moved(l, fsm.Waiting, fsm.Exiting)}
		},
		KnownOnly: func(l *lift) (dispatch.Input, []dispatch.Output) {
			r := l.Ride(l.ride())
			r.Permit.Start = l.now.Add(startsWithin)
			r.Car.Doors[elevator.Front].Value = elevator.DoorUnknown
			return &dispatch.Seen{Lift: "L1", Car: l.car}, nil
		},
		ActsOnce: one(func(l *lift, c *elevator.Command) { c.ID.N = l.Ride(l.ride()).NextN }),
		InTime:   one(func(l *lift, c *elevator.Command) { c.Until = l.now }),
		ToldAsIs: func(l *lift) (dispatch.Input, []dispatch.Output) {
			l.Ride(l.ride()).State = fsm.Moving
			return tick, []dispatch.Output{dispatch.Note{}}
		},
		NothingCloses: one(func(_ *lift, c *elevator.Command) { c.Verb, c.MayClose = elevator.Lapse, true }),
	}
}

// IL-9, simulation-qa 4: each rule is broken once, and then nothing leaves for the lift,
// the ride is told, people see it, and only a person's reset lets the lift go on.
func TestEachInvariantStopsTheLift(t *testing.T) {
	for rule := ButtonsOnly; rule < invariants; rule++ {
		if rule == Bounded || rule == GoesOn { // of no lift: below
			continue
		}
		t.Run(rule.String(), func(t *testing.T) {
			l := boarding(t)
			trick := tricks()[rule]
			if trick == nil {
				t.Fatal("nothing breaks it")
			}
			in, outs := trick(l)
			p, left := l.guarded(in, outs...)
			for _, o := range left {
				if do, ok := o.(dispatch.Do); ok {
					t.Errorf("%s left", do.Command.Verb)
				}
			}
			v := l.View(l.at())
			if v.Breaches[rule.String()] == 0 || !strings.Contains(v.Lifts[0].Breach, rule.String()) || v.Lifts[0].Accepting || v.Lifts[0].Why != fsm.Invariant {
				t.Fatalf("seen as %v, %+v", v.Breaches, v.Lifts[0].Breach)
			}
			if v.Lifts[1].Breach != "" {
				t.Error("another lift stands still for it")
			}
			if !slices.ContainsFunc(p.res.After, func(e Effect) bool {
				line, ok := e.(Line)
				return ok && line.Level == "warn" && slices.Contains(line.Attrs, "E-5026")
			}) {
				t.Error("nothing is said in the log")
			}
			if r := l.Ride(l.ride()); r.State != fsm.Fault || r.Code != fsm.Invariant || !r.Latched || r.Permit.N != 0 {
				t.Errorf("the ride is %s %s, latched %v, permit %d", r.State, r.Code, r.Latched, r.Permit.N)
			}
			l.opensByReset(t)
		})
	}
}

// opensByReset: what is as it must be does not leave either, until a person has been there.
func (l *lift) opensByReset(t *testing.T) {
	t.Helper()
	l.Ride(l.ride()).Granted = true
	good := func() dispatch.Do {
		return l.command(func(c *elevator.Command) { c.ID.N += 100; l.gates.of("L1").mode = elevator.Normal })
	}
	if _, left := l.guarded(dispatch.Tick{}, good()); len(left) != 0 {
		t.Errorf("%v left before a reset", left)
	}
	l.Step(Ordered{Token: 9, Order: ResetRide{Ride: l.ride(), RobotIs: fsm.RobotOutside, By: "kim"}}, l.at())
	if v := l.View(l.at()); v.Lifts[0].Breach != "" {
		t.Errorf("after a reset: %s", v.Lifts[0].Breach)
	}
}

// IL-9: what is of no lift is counted and told, and told again only now and then.
func TestWhatIsOfNoLiftIsTold(t *testing.T) {
	l := boarding(t)
	l.gates.most = 0
	told := 0
	for range 3 {
		p, _ := l.guarded(dispatch.Tick{}, dispatch.Note{})
		for _, e := range p.res.After {
			if line, ok := e.(Line); ok && slices.Contains(line.Attrs, "E-5026") {
				told++
			}
		}
	}
	v := l.View(l.at())
	if v.Breaches["bounded"] != 3 || told != 1 || v.Lifts[0].Breach != "" {
		t.Errorf("%v, told %d times, %q", v.Breaches, told, v.Lifts[0].Breach)
	}
}

// IL-9, RD-11: a lift that stands still for a broken rule does so after a restart too.
func TestABreachOutlastsARestart(t *testing.T) {
	l := boarding(t)
	in, outs := tricks()[NothingCloses](l)
	p, _ := l.guarded(in, outs...)
	if len(p.res.Batch) == 0 {
		t.Fatal("nothing is stored")
	}
	next := newLift().Core
	if _, errs := next.Load(p.res.Batch, l.at()); len(errs) > 0 {
		t.Fatal(errs)
	}
	if v := next.View(l.at()); v.Lifts[0].Breach == "" || v.Lifts[0].BreachRide != l.ride() {
		t.Errorf("%+v", v.Lifts[0])
	}
}

// IL-9: a whole ride breaks none.
func TestARideBreaksNoInvariant(t *testing.T) {
	l := newLift()
	for range 20 {
		l.run()
	}
	if l.err != nil || l.View(l.at()).Breaches != nil {
		t.Error(l.err, l.View(l.at()).Breaches)
	}
}

// BenchmarkGuard is what the last gate costs a step: after a reading that changes nothing,
// and after one that moves a ride.
func BenchmarkGuard(b *testing.B) {
	var t testing.T
	l := boarding(&t)
	seen, id := &dispatch.Seen{Lift: "L1", Car: l.car}, l.ride()
	for name, outs := range map[string][]dispatch.Output{
		"reading": nil,
		"command": {dispatch.Note{}, l.command(func(c *elevator.Command) {})},
	} {
		b.Run(name, func(b *testing.B) {
			p := &pass{Core: l.Core, t: l.at()}
			b.ReportAllocs()
			for b.Loop() {
				l.gates.sent[id] = 0
				if len(p.guard(seen, outs)) != len(outs) {
					b.Fatal("kept back")
				}
			}
		})
	}
}
