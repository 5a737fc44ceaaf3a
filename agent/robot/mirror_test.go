package robot

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

var floors = elevator.Table{
	{Label: "B1", Doors: []elevator.Side{elevator.Front}},
	{Label: "G", Doors: []elevator.Side{elevator.Front, elevator.Rear}},
	{Label: "1", Doors: []elevator.Side{elevator.Front}},
}

// sec is so many seconds after the start of the agent.
func sec(s float64) elevator.Instant { return elevator.Instant(s * float64(time.Second)) }

// answer is one whose question left at a time.
func answer(at elevator.Instant, state, phase, where string, edit ...func(*drivers.RideView)) drivers.RideView {
	v := drivers.RideView{
		ID: "r1", Robot: "R1", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Front,
		State: state, Phase: phase, Where: where, At: at, Do: "wait", Why: "as told",
	}
	for _, e := range edit {
		e(&v)
	}
	return v
}

func permit(n int, epoch uint32, kind string, start, through elevator.Instant) func(*drivers.RideView) {
	return func(v *drivers.RideView) {
		v.Permit = drivers.RidePermit{ID: fmt.Sprintf("r1/%d", n), Epoch: epoch, Kind: kind, Floor: 2, Side: elevator.Front, StartBy: start, ThroughBy: through}
		v.Do = map[string]string{"enter": "enter"}[kind]
		if v.Do == "" {
			v.Do = "leave"
		}
	}
}

func pass(until elevator.Instant) func(*drivers.RideView) {
	return func(v *drivers.RideView) {
		v.Pass = drivers.LeavePass{Floor: 3, Side: elevator.Front, NotAfter: until}
	}
}

var carrier = Carrier{Via: "L1", Floors: floors}

func mirrorOf(vs ...drivers.RideView) *Mirror {
	m := New("R1")
	for _, v := range vs {
		m.Take(carrier, v, v.At, 0)
	}
	return m
}

func lost(m *Mirror, at elevator.Instant) { m.Lose("r1", "no way there", at, 0) }

func said(kind fsm.SignalKind, at elevator.Instant, where string, edit ...func(*drivers.RideSignal)) drivers.RideSignal {
	s := drivers.RideSignal{Kind: string(kind), At: at, Where: where}
	for _, e := range edit {
		e(&s)
	}
	return s
}

// IL-1, RD-16: a permit is shown for its own time and no longer, whoever is silent.
func TestPermitEndsByItself(t *testing.T) {
	m := mirrorOf(answer(sec(10), "WAITING", "boarding", "unknown", permit(1, 4, "enter", sec(12), sec(20))))
	r := m.Find("r1")
	if p := r.Permit(sec(11.9)); p.ID != "r1/1" || r.Advise(m.eyes, sec(11.9)).Do != fsm.DoEnter {
		t.Errorf("at 11.9 s: %+v", p)
	}
	if p := r.Permit(sec(12)); p.ID != "" || r.Advise(m.eyes, sec(12)).Do == fsm.DoEnter || len(r.Withheld(sec(12))) == 0 {
		t.Errorf("at 12 s: %+v, %+v", p, r.Advise(m.eyes, sec(12)))
	}
	lost(m, sec(10.5))
	if p := r.Permit(sec(10.5)); p.ID != "" || r.Advise(m.eyes, sec(10.5)).Do != fsm.DoWait {
		t.Errorf("without the gateway: %+v", p)
	}
	m.Take(carrier, answer(sec(10.6), "WAITING", "boarding", "unknown", permit(1, 4, "enter", sec(12.6), sec(20.6))), sec(10.7), 0)
	if p := r.Permit(sec(10.7)); p.ID != "r1/1" {
		t.Errorf("with the gateway again: %+v", p)
	}
}

// RD-16: who has started by a permit that the gateway heard used goes through without the
// gateway, until the time of that permit is over; who was not heard does not.
func TestGoesThroughAsBegun(t *testing.T) {
	for _, c := range []struct {
		heard  bool
		permit string
	}{{true, "r1/1"}, {false, ""}} {
		m := mirrorOf(answer(sec(10), "WAITING", "boarding", "unknown", permit(1, 4, "enter", sec(12), sec(20))))
		m.Hear("r1", said(fsm.Entering, sec(10.2), "doorway", func(s *drivers.RideSignal) { s.Permit = "r1/1" }), c.heard, sec(10.2), 0)
		lost(m, sec(10.5))
		r := m.Find("r1")
		if p := r.Permit(sec(15)); p.ID != c.permit || p.StartBy > sec(15) {
			t.Errorf("heard %v: %+v", c.heard, p)
		}
		if do := r.Advise(m.eyes, sec(15)).Do; (do == fsm.DoEnter) != c.heard {
			t.Errorf("heard %v: told to %s", c.heard, do)
		}
		if p, a := r.Permit(sec(20)), r.Advise(m.eyes, sec(20)); p.ID != "" || a.Do != fsm.DoClearDoor {
			t.Errorf("after its time: %+v %+v", p, a)
		}
		m.Hear("r1", said(fsm.Entered, sec(21), "car"), false, sec(21), 0)
		if r.Where() != fsm.Inside || r.Advise(m.eyes, sec(22)).Do == fsm.DoEnter {
			t.Errorf("in the car: %s %+v", r.Where(), r.Advise(m.eyes, sec(22)))
		}
	}
}

// RD-1: silence is a fault after five seconds, said since when, and what outranks it stays.
func TestSilenceIsShown(t *testing.T) {
	for _, c := range []struct {
		state, phase string
		latched      bool
		want         fsm.State
		code         fsm.Code
	}{
		{"IDLE", "queued", false, fsm.Fault, fsm.NetworkTimeout},
		{"REQUESTING", "calling", false, fsm.Fault, fsm.NetworkTimeout},
		{"WAITING", "called", false, fsm.Fault, fsm.NetworkTimeout},
		{"MOVING", "riding", false, fsm.Fault, fsm.NetworkTimeout},
		{"EXITING", "leaving", false, fsm.Fault, fsm.NetworkTimeout},
		{"FAULT", "recovering", false, fsm.Fault, fsm.NetworkTimeout},
		{"FAULT", "recovering", true, fsm.Fault, fsm.ModeFire},
		{"FAULT_LOCKED", "locked", false, fsm.FaultLocked, fsm.ModeFire},
		{"DONE", "arrived", false, fsm.Done, fsm.NoFault},
	} {
		v := answer(sec(10), c.state, c.phase, "unknown")
		if strings.HasPrefix(c.state, "FAULT") {
			v.Fault = drivers.RideFault{Code: string(fsm.ModeFire), No: 1, Since: sec(9), Latched: c.latched}
		}
		m := mirrorOf(v)
		lost(m, sec(10.3))
		r := m.Find("r1")
		if state, _, _ := r.shown(sec(14.9)); string(state) != c.state {
			t.Errorf("%s is shown as %s too early", c.state, state)
		}
		m.Look(sec(15), 77)
		state, _, _ := r.shown(sec(15))
		if code, since := r.fault(sec(15)); state != c.want || code != c.code || code == fsm.NetworkTimeout && since != sec(15) {
			t.Errorf("%s: shown as %s %s since %d", c.state, state, code, since)
		}
		p := m.Page(nil, sec(15))
		if got := p.View.Rides[0].Ride; got.State != c.want || got.Code != c.code || string(got.Where) != v.Where {
			t.Errorf("%s: the view has %s %s %s", c.state, got.State, got.Code, got.Where)
		}
		m.Take(carrier, answer(sec(16), "MOVING", "riding", "inside"), sec(16), 0)
		if state, _, _ := r.shown(sec(16)); state != fsm.Moving {
			t.Errorf("heard again: %s", state)
		}
	}
}

// IL-1: in the car without the gateway: out by the pass only where every sense agrees.
func TestLeavesByItsOwnEyes(t *testing.T) {
	good := Sight{Where: fsm.InCar, Floor: 3, Motion: elevator.Stopped, Door: drivers.SeenDoor{Floor: 3, Side: elevator.Front, Open: true}}
	for _, c := range []struct {
		name string
		do   fsm.Action
		edit func(*Sight)
		more *Sight
		age  float64
		over bool
	}{
		{name: "all agrees", do: fsm.DoLeave},
		{name: "another floor", do: fsm.DoStay, edit: func(s *Sight) { s.Floor = 2 }},
		{name: "floor not sure", do: fsm.DoStay, edit: func(s *Sight) { s.Floor = 0 }},
		{name: "moving", do: fsm.DoStay, edit: func(s *Sight) { s.Motion = elevator.MovingUp }},
		{name: "motion unknown", do: fsm.DoStay, edit: func(s *Sight) { s.Motion = elevator.MotionUnknown }},
		{name: "door shut", do: fsm.DoStay, edit: func(s *Sight) { s.Door.Open = false }},
		{name: "door not seen", do: fsm.DoStay, edit: func(s *Sight) { s.Door = drivers.SeenDoor{} }},
		{name: "the other door", do: fsm.DoStay, edit: func(s *Sight) { s.Door.Side = elevator.Rear }},
		{name: "too old", do: fsm.DoStay, age: 2.1},
		{name: "one source says shut", do: fsm.DoStay, more: &Sight{Door: drivers.SeenDoor{Floor: 3, Side: elevator.Front}}},
		{name: "one source says moving", do: fsm.DoStay, more: &Sight{Motion: elevator.MovingDown}},
		{name: "the pass is over", do: fsm.DoGetHelp, over: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			end := sec(600)
			if c.over {
				end = sec(20)
			}
			m := mirrorOf(answer(sec(10), "MOVING", "riding", "inside", pass(end)))
			lost(m, sec(10.3))
			s := good
			if c.edit != nil {
				c.edit(&s)
			}
			s.At = sec(30 - c.age)
			m.Sense(Sample{Sight: s})
			if c.more != nil {
				c.more.At = sec(29.5)
				m.eyes.see(fromRobot, *c.more)
			}
			a := m.Find("r1").Advise(m.eyes, sec(30))
			if a.Do != c.do {
				t.Errorf("told to %s: %s", a.Do, a.Why)
			}
			if c.do == fsm.DoLeave && a.Until != sec(32) {
				t.Errorf("until %d", a.Until)
			}
		})
	}
}

// RB-6: answers that come twice or in another order, of an older lease or about another
// robot, change nothing for the worse.
func TestAnswersOutOfOrder(t *testing.T) {
	first := answer(sec(10), "WAITING", "boarding", "unknown", permit(1, 4, "enter", sec(12), sec(20)))
	m := mirrorOf(first, first)
	r := m.Find("r1")
	if len(m.rides) != 1 || r.Permit(sec(11)).ID != "r1/1" {
		t.Errorf("the same twice: %+v", r)
	}
	m.Take(carrier, answer(sec(11), "MOVING", "registering", "inside"), sec(11.1), 0)
	m.Take(carrier, first, sec(11.2), 0)
	if state, _, _ := r.shown(sec(11.3)); state != fsm.Moving || r.Permit(sec(11.3)).ID != "" || r.Where() != fsm.Inside {
		t.Errorf("an older answer won: %s %+v", state, r.Permit(sec(11.3)))
	}
	m = mirrorOf(answer(sec(10), "WAITING", "boarding", "unknown", permit(3, 5, "enter", sec(12), sec(20))))
	m.Take(carrier, answer(sec(9.9), "WAITING", "boarding", "unknown"), sec(10.1), 0) // asked before, answered after: withdrawn
	if p := m.Find("r1").Permit(sec(10.2)); p.ID != "" {
		t.Errorf("a permit that one of two answers lacks: %+v", p)
	}
	m.Take(carrier, answer(sec(11), "WAITING", "boarding", "unknown", permit(2, 4, "enter", sec(13), sec(20))), sec(11), 0)
	if r := m.Find("r1"); r.Permit(sec(11)).ID != "" || r.Withheld(sec(11))[0].Part != "lease" {
		t.Errorf("a permit of an earlier lease: %+v %+v", r.Permit(sec(11)), r.Withheld(sec(11)))
	}
	m.Take(carrier, answer(sec(11.5), "WAITING", "boarding", "unknown", permit(4, 1, "enter", sec(13.5), sec(20)), func(v *drivers.RideView) { v.Lift = "L2" }), sec(11.5), 0)
	if p := m.Find("r1").Permit(sec(11.6)); p.ID != "r1/4" {
		t.Errorf("the first lease of another lift: %+v", p)
	}
	strange := answer(sec(12), "WAITING", "boarding", "unknown", permit(9, 9, "enter", sec(14), sec(20)))
	strange.Robot, strange.ID = "R2", "r2"
	if m.Take(carrier, strange, sec(12), 0) != nil || m.Find("r2") != nil {
		t.Error("another robot's ride was taken")
	}
}

// RD-11: a gateway that keeps no such ride: over for a robot outside, a person's for others.
func TestRideThatIsGone(t *testing.T) {
	for where, want := range map[string]fsm.Action{"outside": fsm.DoWait, "inside": fsm.DoGetHelp, "crossing": fsm.DoGetHelp, "unknown": fsm.DoGetHelp} {
		m := mirrorOf(answer(sec(10), "MOVING", "riding", where, pass(sec(600))))
		m.Drop("r1", sec(11), 0)
		r := m.Find("r1")
		state, _, _ := r.shown(sec(11))
		if (state == fsm.Done) != (where == "outside") || r.Advise(m.eyes, sec(11)).Do != want {
			t.Errorf("%s: %s %+v", where, state, r.Advise(m.eyes, sec(11)))
		}
		if _, given := r.Pass(sec(11)); given {
			t.Errorf("%s: a pass of a ride that is gone", where)
		}
	}
}

// RD-11: what is kept comes back with nothing fresher and nothing longer than it was; after
// a boot of the machine no time is known any more.
func TestKept(t *testing.T) {
	boot := core.Boot{ID: "b", Zero: int64(sec(1000))}
	m := mirrorOf(answer(sec(10), "MOVING", "riding", "inside", pass(sec(600)), permit(1, 4, "enter", sec(12), sec(20))))
	o := NewOutbox("a1")
	o.Heard("soft", 7)
	o.Put("r1", "L1", said(fsm.Heartbeat, sec(10), "car"))
	o.Put("r1", "L1", said(fsm.Left, sec(11), "landing"))
	raw, err := Keep(m, o, boot, sec(30))
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]elevator.Table{"L1": floors}
	for _, c := range []struct {
		name string
		boot core.Boot
		same bool
	}{
		{"the same boot, 40 s later", core.Boot{ID: "b", Zero: int64(sec(1070))}, true},
		{"another boot", core.Boot{ID: "c", Zero: int64(sec(20))}, false},
		{"no boot is told", core.Boot{}, false},
	} {
		again, out := New("R1"), NewOutbox("a2")
		if err := Recall(raw, again, out, tables, c.boot, sec(0.1), 0); err != nil {
			t.Fatal(err)
		}
		r := again.Find("r1")
		if r == nil {
			t.Fatalf("%s: no ride", c.name)
		}
		if state, _, _ := r.shown(sec(0.1)); state != fsm.Fault || r.Where() != fsm.Inside || r.Permit(sec(0.1)).ID != "" {
			t.Errorf("%s: %s %s %+v", c.name, state, r.Where(), r.Permit(sec(0.1)))
		}
		p, given := r.Pass(sec(0.1))
		if given != c.same || given && p.NotAfter != sec(530) {
			t.Errorf("%s: pass %+v %v", c.name, p, given)
		}
		w, _, waits := out.First(sec(0.1))
		if waits != c.same || waits && (w.Signal.At != sec(-59) || w.Signal.Kind != "left" || w.Signal.Boot != "a1" || w.Signal.Seq != 2) {
			t.Errorf("%s: waits %v %+v", c.name, waits, w)
		}
		if !out.Known("soft", 7) || out.Known("soft", 8) {
			t.Errorf("%s: the robot's numbers are forgotten", c.name)
		}
		again.Take(carrier, answer(sec(1), "EXITING", "leaving", "outside"), sec(1), 0)
		if state, _, _ := r.shown(sec(1)); state != fsm.Exiting || r.Where() != fsm.Outside {
			t.Errorf("%s: heard again: %s %s", c.name, state, r.Where())
		}
	}
	for robot, lift := range map[string]string{"R2": "L1", "R1": "L2"} { // the configuration is of another robot, or has another lift
		other, out := New(robot), NewOutbox("a3")
		err := Recall(raw, other, out, map[string]elevator.Table{lift: floors}, core.Boot{ID: "b", Zero: int64(sec(1070))}, sec(0.1), 0)
		if err != nil || len(other.rides) != 0 || lift == "L2" && out.Len() != 0 {
			t.Errorf("robot %s, lift %s: %d rides, %d signals, %v", robot, lift, len(other.rides), out.Len(), err)
		}
	}
	if err := Recall([]byte("{"), New("R1"), NewOutbox("x"), tables, boot, 1, 0); err == nil {
		t.Error("half a record was taken")
	}
}

// The outbox: in order, bounded, whole signs of life give way, and what is too old goes.
func TestOutbox(t *testing.T) {
	o := NewOutbox("a")
	for i := range 10 {
		o.Put("r1", "L1", said(fsm.Heartbeat, sec(float64(i+1)), "car"))
	}
	o.Put("r1", "L1", said(fsm.Left, sec(11), "landing"))
	if o.Len() != 3 {
		t.Errorf("%d wait, want the first, the newest sign of life and the word", o.Len())
	}
	var got []string
	for {
		w, _, ok := o.First(sec(20))
		if !ok {
			break
		}
		got = append(got, fmt.Sprint(w.Signal.Kind, " ", w.Signal.Seq, " ", w.Signal.At.Sub(0)))
		o.Take(w.N)
	}
	if want := "heartbeat 1 1s, heartbeat 10 10s, left 11 11s"; strings.Join(got, ", ") != want {
		t.Errorf("%s", strings.Join(got, ", "))
	}
	for i := range 2 * MaxWaiting {
		_, dropped := o.Put("r1", "L1", said(fsm.KeepOpen, sec(float64(i)), "doorway"))
		if dropped != (i >= MaxWaiting) {
			t.Fatalf("the %dth: dropped %v", i, dropped)
		}
	}
	if o.Len() != MaxWaiting {
		t.Errorf("%d wait", o.Len())
	}
	if _, late, ok := o.First(sec(2 * 3600)); ok || late != MaxWaiting || o.Len() != 0 {
		t.Errorf("two hours later: %v, %d too late, %d wait", ok, late, o.Len())
	}
	if o.Known("soft", 1) {
		t.Error("nothing was heard")
	}
	o.Heard("soft", 3)
	o.Heard("soft2", 1)
	if !o.Known("soft", 9) || !o.Known("soft2", 1) || o.Known("soft2", 2) || o.Known("soft3", 1) {
		t.Error("a late word of an earlier start of the robot is news")
	}
}

// What an answer to a signal means for it.
func TestFates(t *testing.T) {
	refusal := func(kind error, code string) error { return &drivers.RideRefusal{Kind: kind, Code: code} }
	for _, c := range []struct {
		err  error
		want Fate
	}{
		{nil, Told},
		{fmt.Errorf("x: %w", drivers.ErrTimeout), Again},
		{fmt.Errorf("%w: %w", drivers.ErrNotSent, drivers.ErrLink), Again},
		{drivers.ErrProtocol, Again},
		{refusal(drivers.ErrBusy, "E-2014"), Again},
		{refusal(drivers.ErrConfig, "E-2003"), Again},
		{refusal(drivers.ErrConfig, "E-2112"), Never},
		{refusal(drivers.ErrGone, "E-2006"), Never},
		{refusal(drivers.ErrConflict, "E-2111"), Never},
		{fmt.Errorf("%w: %w", drivers.ErrNotSent, drivers.ErrConfig), Never},
		{errors.New("anything"), Again},
	} {
		if got := FateOf(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

// Whatever comes in whatever order: no permit is shown past its own time, none to start on
// without the gateway, and nobody is told to enter without one.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New("R1")
		now := sec(1)
		newest := map[string]drivers.RidePermit{}
		states := []string{"IDLE queued", "WAITING called", "WAITING boarding", "MOVING riding", "EXITING leaving", "FAULT recovering", "DONE arrived"}
		wheres := []string{"outside", "crossing", "inside", "unknown"}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now += elevator.Instant(rapid.Int64Range(1, int64(3*time.Second)).Draw(t, "dt"))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1:
				s := strings.Fields(rapid.SampledFrom(states).Draw(t, "state"))
				asked := now - elevator.Instant(rapid.Int64Range(0, int64(4*time.Second)).Draw(t, "late"))
				v := answer(asked, s[0], s[1], rapid.SampledFrom(wheres).Draw(t, "where"), pass(now.Add(10*time.Second)))
				if rapid.Bool().Draw(t, "permit") {
					kind := rapid.SampledFrom([]string{"enter", "leave"}).Draw(t, "kind")
					permit(rapid.IntRange(1, 3).Draw(t, "n"), uint32(rapid.IntRange(1, 3).Draw(t, "epoch")), kind, asked.Add(2*time.Second), asked.Add(8*time.Second))(&v)
					if p := newest[v.Permit.ID]; v.Permit.ThroughBy > p.ThroughBy {
						newest[v.Permit.ID] = v.Permit
					}
				}
				m.Take(carrier, v, now, 0)
			case 2:
				lost(m, now)
			case 3:
				kind := rapid.SampledFrom(fsm.SignalKinds()).Draw(t, "kind")
				s := said(kind, now, rapid.SampledFrom([]string{"landing", "doorway", "car", "unknown"}).Draw(t, "at"))
				s.Permit = rapid.SampledFrom([]string{"", "r1/1", "r1/2", "r1/3"}).Draw(t, "quotes")
				m.Hear("r1", s, rapid.Bool().Draw(t, "heard"), now, 0)
			case 4:
				m.Sense(Sample{Sight: Sight{At: now, Floor: 3, Motion: elevator.Stopped, Door: drivers.SeenDoor{Floor: 3, Side: elevator.Front, Open: true}}})
			case 5:
				m.Look(now, 0)
			}
			r := m.Find("r1")
			if r == nil {
				continue
			}
			p, a := r.Permit(now), r.Advise(m.eyes, now)
			if p.ID != "" {
				if was := newest[p.ID]; now >= was.ThroughBy || p.ThroughBy > was.ThroughBy {
					t.Fatalf("a permit past its time: %+v at %d", p, now)
				}
				if now >= p.StartBy && r.Where() != fsm.Crossing {
					t.Fatalf("too late to start on %+v at %d", p, now)
				}
				if r.Lost != 0 && r.Where() != fsm.Crossing {
					t.Fatalf("a permit without a gateway: %+v", p)
				}
			} else if a.Do == fsm.DoEnter {
				t.Fatalf("told to enter without a permit: %+v", a)
			}
			if v := m.Page(nil, now).View.Rides[0].Ride; fsm.StateOf(v.Phase) != v.State || v.State == fsm.Fault != (v.Code != "") && !r.Gone && r.Lost != 0 && r.silent(now) && v.State != fsm.Done {
				t.Fatalf("shown as %s %s %s", v.State, v.Phase, v.Code)
			}
		}
	})
}

// RB-2: a robot's own page tells of its ride what the gateway tells: the place with what
// it waits for there, the priority, and how long the robot takes through a door.
func TestPlacePriorityAndCrossingAreTheGateways(t *testing.T) {
	queued := func(v *drivers.RideView) {
		v.Place, v.PlaceWhy, v.Priority, v.Crossing = 2, "R7 is before it", 3, 4*time.Second
	}
	m := mirrorOf(answer(sec(1), "IDLE", "queued", "outside", queued))
	p := m.Page(nil, sec(1.1))
	v := p.View.Rides[0]
	if v.Place != 2 || v.Ride.Priority != 3 || v.Ride.Crossing != 4*time.Second || p.Queued(&v.Ride) != "R7 is before it" {
		t.Errorf("%d %q %+v", v.Place, p.Queued(&v.Ride), v.Ride.Request)
	}
	lost(m, sec(2))
	if p = m.Page(nil, sec(2.1)); p.Queued(&p.View.Rides[0].Ride) != "the gateway does not answer" {
		t.Errorf("while the gateway is silent: %q", p.Queued(&p.View.Rides[0].Ride))
	}
}
