package fsm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"

	"pgregory.net/rapid"
)

// world plays a ride with anything that can happen, likely or not, and checks what
// must hold whatever happens.
type world struct {
	t     *rapid.T
	r     Ride
	now   elevator.Instant
	car   elevator.Snapshot
	plan  Plan
	par   Params
	epoch uint32

	sparse bool // the controller tells neither floor nor motion nor door
	seq    uint64

	lastN    uint32
	shutting elevator.Instant // end of the last command that may close a door
	held     map[stopKey]*heldAt
	live     *pressed
	down     map[button]pressedAt // buttons that may still be registered
}

type stopKey struct {
	f elevator.Floor
	s elevator.Side
}

type heldAt struct {
	until elevator.Instant
	sum   time.Duration
	shut  bool // the door was seen closed, or the car away, since the last hold ended
}

// pressed is the last call of a leg, and whether the lift was read since.
type pressed struct {
	c    elevator.Command
	read bool
}

// RD-4, RD-5, RD-7, RD-8, RD-11, RD-16, IL-2, IL-4, IL-6, IL-8
func TestAnythingThatCanHappen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 120).Draw(t, "events") {
			w.now += elevator.Instant(rapid.SampledFrom([]time.Duration{
				0, 50 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second,
				3 * time.Second, 6 * time.Second, 15 * time.Second, 100 * time.Second,
			}).Draw(t, "later"))
			w.step(w.event())
		}
	})
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, now: elevator.Instant(time.Second), held: map[stopKey]*heldAt{}, down: map[button]pressedAt{}, par: DefaultParams()}
	yes := func(s string) bool { return rapid.Bool().Draw(t, s) }
	w.plan = Plan{
		Style:   rapid.SampledFrom([]CallStyle{LandingAndCar, LandingAndCar, JourneyCall, CarOnly, LevelCall}).Draw(t, "style"),
		Confirm: rapid.SampledFrom([]Confirm{ConfirmLamp, ConfirmLamp, ConfirmAck, ConfirmState, ConfirmNone}).Draw(t, "confirm"),
		HasHold: rapid.IntRange(0, 3).Draw(t, "hold") > 0, HasLapse: yes("lapse"), HasCancel: yes("cancel"), CancelMayClose: rapid.IntRange(0, 3).Draw(t, "closes") == 0, Toggles: yes("toggles"),
		Sight: rapid.IntRange(0, 3).Draw(t, "sight") == 0, Blind: rapid.IntRange(0, 5).Draw(t, "blind") == 0,
		PermitsEnter: rapid.IntRange(0, 4).Draw(t, "asks") == 0, PermitsLeave: rapid.IntRange(0, 4).Draw(t, "asks out") == 0,
		Claims: yes("claims"), Notifies: yes("notifies"), Poll: rapid.SampledFrom([]time.Duration{200 * time.Millisecond, 2 * time.Second}).Draw(t, "poll"), RecallFloor: 1, SafeFloor: elevator.Floor(rapid.SampledFrom([]int{0, 2}).Draw(t, "safe")),
	}
	w.par.CloudWait = rapid.SampledFrom([]time.Duration{0, 15 * time.Second}).Draw(t, "cloud")
	w.r = New(Request{
		ID: "R1", Robot: "r", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Rear,
		Ready: rapid.IntRange(0, 4).Draw(t, "ready") > 0, Crossing: 8 * time.Second,
	}, w.par, w.now)
	if rapid.IntRange(0, 5).Draw(t, "open") == 0 {
		w.r.To, w.r.ToSide, w.r.Open = 0, 0, true
	}
	w.sparse = w.plan.Sight && yes("sparse")
	w.car.Link = elevator.Online
	w.car.Mode.Value, w.car.Motion.Value, w.car.Floor.Value = elevator.Normal, elevator.Stopped, 2
	w.car.Nudging.Value, w.car.Overload.Value, w.car.Obstruction.Value = elevator.No, elevator.No, elevator.No
	w.read()
	return w
}

func (w *world) event() Event {
	switch k := rapid.IntRange(0, 19).Draw(w.t, "event"); {
	case k < 8:
		w.change()
		return &Seen{Car: w.car}
	case k < 12:
		return w.signal()
	case k < 14:
		return w.answer()
	case k == 14:
		w.epoch++
		ev := &Leased{Lift: w.r.Lift, Epoch: w.epoch, Plan: w.plan, Params: w.par, Car: w.car}
		if w.r.MayMove(true) && rapid.Bool().Draw(w.t, "another car") {
			ev.Lift, ev.Carry, ev.Why = map[string]string{"L1": "L2", "L2": "L1"}[w.r.Lift], true, "x"
			w.held = map[stopKey]*heldAt{}
		}
		return ev
	case k == 15:
		return w.rare()
	}
	return Tick{}
}

func (w *world) rare() Event {
	switch rapid.IntRange(0, 13).Draw(w.t, "rare") {
	case 0:
		return Cancel{By: "x"}
	case 1:
		return Reset{RobotIs: rapid.SampledFrom([]Whereabouts{RobotOutside, RobotRemoved, RobotInside, "?"}).Draw(w.t, "is"), By: "x"}
	case 2:
		return Recover{FaultNo: w.r.FaultNo, Plan: rapid.SampledFrom([]string{"retry", "other_lift", "hold", "lock", "?"}).Draw(w.t, "plan"), Delay: time.Second}
	case 3:
		return Stopping{}
	case 4, 5:
		w.live = nil
		return Resumed{}
	case 6, 7, 8:
		return Retarget{
			To: elevator.Floor(rapid.IntRange(0, 4).Draw(w.t, "new floor")), ToSide: elevator.Side(rapid.IntRange(1, 2).Draw(w.t, "new side")),
			Aboard: rapid.Bool().Draw(w.t, "aboard"), By: "x",
		}
	case 9, 10:
		return Claims{Says: rapid.SampledFrom([]SignalKind{Entered, Left, GaveUpEntering}).Draw(w.t, "claim"), By: "x"}
	case 11:
		return StoreLost{Back: rapid.Bool().Draw(w.t, "back")}
	case 12:
		if rapid.IntRange(0, 4).Draw(w.t, "breach") == 0 {
			return Breach{Detail: "x"}
		}
	}
	return Tick{}
}

// read marks every part as read now.
func (w *world) read() {
	c := &w.car
	c.Floor.At, c.Motion.At, c.Mode.At, c.Nudging.At, c.Overload.At, c.EmergencyStop.At, c.Obstruction.At = w.now, w.now, w.now, w.now, w.now, w.now, w.now
	c.MayEnter.At, c.MayLeave.At, c.Claimed.At = w.now, w.now, w.now
	c.UpCalls.At, c.DownCalls.At, c.CarCalls.At = w.now, w.now, w.now
	for i := range c.Doors {
		c.Doors[i].At = w.now
	}
	if w.sparse {
		c.Floor, c.Motion, c.Doors = elevator.Seen[elevator.Floor]{}, elevator.Seen[elevator.Motion]{}, [elevator.Sides]elevator.Seen[elevator.Door]{}
	}
}

func (w *world) change() {
	c, t := &w.car, w.t
	if rapid.IntRange(0, 9).Draw(t, "fresh") > 0 {
		w.read()
		if w.live != nil {
			w.live.read = true
		}
	}
	switch rapid.IntRange(0, 14).Draw(t, "what") {
	case 0, 1:
		c.Floor.Value = elevator.Floor(rapid.IntRange(0, 4).Draw(t, "floor"))
	case 2, 3, 4:
		c.Doors[rapid.IntRange(1, 2).Draw(t, "side")].Value = elevator.Door(rapid.IntRange(0, 4).Draw(t, "door"))
	case 5:
		c.Motion.Value = elevator.Motion(rapid.IntRange(0, 3).Draw(t, "motion"))
	case 6:
		c.EmergencyStop.Value = elevator.Tri(rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "stop"))
		c.Mode.Value = elevator.Mode(rapid.IntRange(0, 15).Draw(t, "mode"))
	case 7, 8:
		c.Mode.Value, c.Motion.Value, c.Link, c.EmergencyStop.Value = elevator.Normal, elevator.Stopped, elevator.Online, elevator.No
	case 9:
		c.Nudging.Value, c.Overload.Value = elevator.Tri(rapid.IntRange(0, 2).Draw(t, "nudging")), elevator.Tri(rapid.IntRange(0, 2).Draw(t, "overload"))
		c.MayEnter.Value, c.MayLeave.Value = elevator.Tri(rapid.IntRange(0, 2).Draw(t, "may enter")), elevator.Tri(rapid.IntRange(0, 2).Draw(t, "may leave"))
		c.Claimed.Value = elevator.Tri(rapid.SampledFrom([]int{0, 1, 2, 2, 2}).Draw(t, "claimed"))
		c.Obstruction.Value = elevator.Tri(rapid.IntRange(0, 2).Draw(t, "obstruction"))
	case 10:
		c.Link = elevator.LinkState(rapid.IntRange(0, 2).Draw(t, "link"))
	case 11:
		set := elevator.FloorSet(rapid.IntRange(0, 15).Draw(t, "lamps"))
		c.UpCalls.Value, c.CarCalls.Value = set, set
	case 12:
		c.Floor.Value, c.Motion.Value = w.r.From, elevator.Stopped
		c.Doors[w.r.FromSide].Value = elevator.DoorOpen
	case 13:
		c.Floor.Value, c.Motion.Value = w.r.To, elevator.Stopped
		c.Doors[w.r.ToSide].Value = elevator.DoorOpen
	case 14:
		c.Holds[w.r.FromSide] = w.now.Add(time.Duration(rapid.IntRange(-5, 30).Draw(t, "device hold")) * time.Second)
	}
}

func (w *world) signal() Event {
	w.seq++
	seq := w.seq - uint64(rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(w.t, "repeat"))
	s := Signal{
		Kind: rapid.SampledFrom(SignalKinds()).Draw(w.t, "kind"), Boot: rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(w.t, "boot"),
		Seq: seq, Age: time.Duration(rapid.IntRange(0, 20).Draw(w.t, "age")) * 200 * time.Millisecond, Battery: -1,
		View: RobotView{
			Where:  rapid.SampledFrom([]SignalWhere{AtLanding, AtDoorway, InCar, Nowhere, ""}).Draw(w.t, "where"),
			Floor:  elevator.Floor(rapid.IntRange(0, 4).Draw(w.t, "at")),
			Motion: elevator.Motion(rapid.IntRange(0, 3).Draw(w.t, "moves")), FloorSure: rapid.Bool().Draw(w.t, "sure"),
			DoorFloor: elevator.Floor(rapid.IntRange(0, 3).Draw(w.t, "sees floor")), DoorSide: elevator.Side(rapid.IntRange(0, 2).Draw(w.t, "sees side")),
			DoorOpen: elevator.Tri(rapid.SampledFrom([]int{0, 1, 2, 2}).Draw(w.t, "sees open")),
		},
		Permit: rapid.SampledFrom([]string{"", "", "R1/1", "R1/2", "R2/1", "x"}).Draw(w.t, "permit"),
	}
	if rapid.Bool().Draw(w.t, "fits") { // a word that fits the place that it tells of
		switch s.Kind {
		case Entered, GaveUpLeaving:
			s.View.Where = InCar
		case Left, GaveUpEntering:
			s.View.Where = AtLanding
		}
		s.View.FloorSure, s.View.Motion = false, elevator.MotionUnknown
	}
	then := w.car
	if rapid.IntRange(0, 3).Draw(w.t, "then") == 0 {
		then = elevator.Snapshot{}
	}
	return &Signaled{Signal: s, Then: then}
}

func (w *world) answer() Event {
	n := w.r.Call.Command.ID.N
	if n == 0 || rapid.IntRange(0, 4).Draw(w.t, "other") == 0 {
		n = uint32(rapid.IntRange(0, int(w.r.NextN)+1).Draw(w.t, "n"))
	}
	o := elevator.Outcome{
		ID: elevator.CommandID{Ride: "R1", N: n}, Result: elevator.Result(rapid.IntRange(0, 3).Draw(w.t, "result")), At: w.now,
		Advice: elevator.Advice(rapid.IntRange(0, 3).Draw(w.t, "advice")), Code: rapid.SampledFrom([]string{"", "7"}).Draw(w.t, "code"),
	}
	if w.live != nil && w.live.c.ID.N == n && (o.Result == elevator.NotSent || o.Result == elevator.Refused) {
		w.live = nil
	}
	return Answered{Outcome: o}
}

func (w *world) step(ev Event) {
	w.released(ev)
	before := w.r
	after, fx := Step(before, ev, w.now)
	again, fx2 := Step(before, ev, w.now)
	w.r = after
	if again != after || !sameEffects(fx, fx2) {
		w.t.Fatalf("not deterministic")
	}
	w.checkState(before, ev, fx)
	w.checkPermit(ev)
	w.checkDoorway(before)
	for _, f := range fx {
		if i, ok := f.(Illegal); ok && (i.Event == "lapse" || i.Event == "cancel_call" || i.Event == "claim" || i.Event == "give_back") {
			w.t.Fatalf("only the last gate kept back a %s", i.Event)
		}
		if s, ok := f.(Send); ok {
			if _, leased := ev.(*Leased); !leased && !before.Granted {
				w.t.Fatalf("%s to a lift that is not ours", s.Command.Verb)
			}
			w.checkSend(before, s.Command)
		}
		if _, ok := f.(FreeLease); ok && w.now < w.shutting {
			w.t.Fatalf("the lease ends while a command that may close the door can still be on its way")
		}
	}
	w.checkStored()
	w.checkWake()
	w.checkWakeElsewhere()
	w.checkKept(before, ev)
	if _, ok := ev.(Reset); ok && after.Where == Inside {
		w.held = map[stopKey]*heldAt{}
	}
	if after.State == Fault || after.State == Done || after.Phase != before.Phase {
		w.live = keepLive(w.live, before, after)
	}
}

// keepLive forgets the live call where its leg is over.
func keepLive(p *pressed, before, after Ride) *pressed {
	if p == nil || after.Call.Command.ID.N != p.c.ID.N {
		return nil
	}
	return p
}

func sameEffects(a, b []Effect) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (w *world) checkState(before Ride, ev Event, fx []Effect) {
	at := before.State
	visited := map[State]bool{}
	for _, f := range fx {
		m, ok := f.(Moved)
		if !ok {
			continue
		}
		if m.From != at || !declared(m.From, m.To) {
			w.t.Fatalf("moved %s -> %s from %s", m.From, m.To, at)
		}
		if at = m.To; visited[at] && m.From != m.To {
			w.t.Fatalf("one step comes to %s twice: %+v", at, fx)
		}
		visited[at] = true
	}
	if at != w.r.State || StateOf(w.r.Phase) != w.r.State {
		w.t.Fatalf("%s·%s after moves to %s", w.r.State, w.r.Phase, at)
	}
	_, reset := ev.(Reset)
	if before.State == FaultLocked && w.r.State != FaultLocked && !reset {
		w.t.Fatalf("FAULT_LOCKED left by %T", ev)
	}
	if before.State == Fault && before.Latched && before.Where == Outside && before.State != w.r.State && !reset {
		if _, lock := ev.(Recover); !lock && w.r.Where == Outside {
			w.t.Fatalf("latched FAULT outside left by %T to %s", ev, w.r.State)
		}
	}
	if before.Latched && !w.r.Latched && w.r.State != Done && !reset {
		w.t.Fatalf("%T cleared what only a person clears", ev)
	}
	if w.r.Where != Outside && !w.r.Granted && !reset && before.Granted {
		w.t.Fatalf("%T took the lease with the robot %s", ev, w.r.Where)
	}
	w.checkWhere(before, ev)
}

func declared(from, to State) bool {
	if from == to {
		return from == Fault
	}
	for _, t := range triggers() {
		if s, ok := next(from, t); ok && s == to {
			return true
		}
	}
	return false
}

func (w *world) checkWhere(before Ride, ev Event) {
	if before.Where == w.r.Where {
		return
	}
	switch ev.(type) {
	case *Signaled, Reset, Resumed, Claims:
		return
	case *Seen: // a claim that the lift bears out
		if before.Unseen == Left && w.r.Where == Outside && w.r.Car.Motion.Value == elevator.Stopped {
			return
		}
	}
	if w.r.Where != Unknown || w.r.PermitOut <= w.now {
		w.t.Fatalf("%T moved the robot from %s to %s", ev, before.Where, w.r.Where)
	}
}

// checkPermit is a second, plain reading of the permit table.
func (w *world) checkPermit(ev Event) {
	p, c := w.r.Permit, w.r.Car
	if _, seen := ev.(*Seen); !seen || p.N == 0 {
		return
	}
	door := c.Door(p.Side)
	for _, lent := range []bool{c.Floor.Source == elevator.Robot && w.car.Floor.At != 0, c.Motion.Source == elevator.Robot && w.car.Motion.At != 0, door.Source == elevator.Robot && w.car.Door(p.Side).At != 0} {
		if lent {
			w.t.Fatalf("permit %+v by the robot's sight against a reading", p)
		}
	}
	if !w.plan.Sight && door.Source == elevator.Robot {
		w.t.Fatalf("permit %+v by the robot's sight, which is not allowed", p)
	}
	young := func(at elevator.Instant) bool { return w.now-at <= elevator.Instant(time.Second) }
	held := c.Holds[p.Side] >= p.Through
	ok := c.Link == elevator.Online && door.Value == elevator.DoorOpen && (young(door.At) || held) && door.At != 0 &&
		c.Floor.Value == p.Floor && p.Floor != 0 && c.Motion.Value == elevator.Stopped && w.r.Granted && p.Epoch == w.epochOf()
	calm := (c.Mode.Value == elevator.Normal || c.Mode.Value == elevator.Homing || c.Mode.Value == elevator.Parking) && c.Nudging.Value == elevator.No && c.EmergencyStop.Value != elevator.Yes
	switch {
	case p.Kind == Enter:
		ok = ok && p.Floor == w.r.From && p.Side == w.r.FromSide && calm && c.Overload.Value == elevator.No &&
			(!w.plan.PermitsEnter || c.MayEnter.Value == elevator.Yes && c.MayEnter.At != 0)
	case p.Kind == LeaveAtTarget:
		ok = ok && p.Floor == w.r.To && p.Side == w.r.ToSide && calm &&
			(!w.plan.PermitsLeave || c.MayLeave.Value == elevator.Yes && c.MayLeave.At != 0)
	case p.Kind == LeaveBack:
		ok = ok && p.Floor == w.r.From && p.Side == w.r.FromSide && !w.r.LeftFrom && !fireman(c.Mode.Value)
	case fireman(c.Mode.Value):
		ok = ok && p.Floor == w.plan.RecallFloor
	default:
		rescue := w.r.Code == ModeFire || w.r.Code == ModeSeismic || w.r.Code == OutOfService
		m := c.Mode.Value
		manned := m == elevator.Inspection || m == elevator.Independent || m == elevator.EmergencyStop || m == elevator.Attendant || m == elevator.Vip || m == elevator.OccupantEvacuation
		stop := c.EmergencyStop.Value == elevator.Yes && m != elevator.Seismic
		ok = ok && (calm && p.Floor == w.plan.SafeFloor || rescue && !manned && !stop)
	}
	if w.now < w.shutting {
		w.t.Fatalf("permit %+v while a command that may close the door can still be on its way", p)
	}
	if !ok {
		w.t.Fatalf("permit %+v with car %+v", p, c)
	}
	if p.Start-w.now > elevator.Instant(2*time.Second) || w.r.Where == Outside || w.r.Where == Inside {
		w.t.Fatalf("permit %+v, robot %s", p, w.r.Where)
	}
}

// checkDoorway: nobody is sent into a doorway in which somebody else stands, and who
// has a permit is never told to keep away.
func (w *world) checkDoorway(before Ride) {
	p := w.r.Permit
	out := p.N != 0 && p.N != before.Permit.N && (before.Where == Outside || before.Where == Inside)
	asIs := p.Kind == Evacuate && w.r.rescue()
	seen := w.r.Car.Obstruction.Value
	if out && !asIs && (seen == elevator.Yes && w.r.Car.Obstruction.Fresh(w.now, slowLimit) || p.Kind == Enter && seen != elevator.No) {
		w.t.Fatalf("permit %+v with the doorway %s", p, seen)
	}
	if a := Advise(&w.r, w.now); a.Do == DoBackOff && w.r.stands(w.now) {
		w.t.Fatalf("told to %s (%s) with permit %+v", a.Do, a.Why, p)
	}
}

// fireman is the second reading of the modes in which nothing may be asked.
func fireman(m elevator.Mode) bool {
	return m == elevator.Fire || m == elevator.Firefighter || m == elevator.CabinetRecall
}

func (w *world) epochOf() uint32 { return w.r.Epoch }

func (w *world) checkSend(before Ride, c elevator.Command) {
	if c.ID.N <= before.NextN || c.ID.N <= w.lastN || c.ID.Ride != "R1" || c.Until <= w.now {
		w.t.Fatalf("command %+v after number %d", c, before.NextN)
	}
	w.lastN = c.ID.N
	if m := w.r.Car.Mode.Value; fireman(m) || m == elevator.Inspection {
		w.t.Fatalf("%s in mode %s", c.Verb, m)
	}
	if c.MayClose && w.r.Where != Outside && w.r.Where != Inside {
		w.t.Fatalf("%s with the robot %s", c.Verb, w.r.Where)
	}
	if c.MayClose && c.Verb != elevator.Claim { // a claim is answered before anybody boards
		w.shutting = c.Until
	}
	switch c.Verb {
	case elevator.Hold:
		w.checkHold(c)
	case elevator.LandingCall, elevator.CarCall, elevator.Journey:
		w.checkCall(before, c)
	case elevator.CancelCall:
		if c.MayClose != w.r.Plan.CancelMayClose {
			w.t.Fatalf("%+v is not marked", c)
		}
		w.live = nil
		for b := range w.down {
			if b.f == c.Floor {
				delete(w.down, b)
			}
		}
	case elevator.Lapse, elevator.Claim, elevator.GiveBack:
		if !c.MayClose {
			w.t.Fatalf("%s is not marked", c.Verb)
		}
	}
}

func (w *world) checkHold(c elevator.Command) {
	k := stopKey{c.Floor, c.Side}
	h := w.held[k]
	if h == nil {
		h = &heldAt{}
		w.held[k] = h
	}
	if h.shut && w.now >= h.until+elevator.Instant(w.par.CoolDown) { // IL-4: another stop
		*h = heldAt{}
	}
	h.shut = false
	h.sum += c.Until.Sub(max(w.now, h.until))
	h.until = c.Until
	if h.sum > w.par.HoldLimit+graceHold {
		w.t.Fatalf("door of %v held for %s", k, h.sum)
	}
	if !w.r.Plan.HasHold || c.Until.Sub(w.now) > graceHold {
		w.t.Fatalf("hold %+v", c)
	}
}

func (w *world) checkCall(before Ride, c elevator.Command) {
	if w.r.Ending {
		w.t.Fatalf("%s while the program ends", c.Verb)
	}
	p := w.live
	if w.r.levels() { // held and not pressed
		if c.Until.Sub(w.now) > w.par.HoldRenew+5*time.Second {
			w.t.Fatalf("a level for %s", c.Until.Sub(w.now))
		}
		return
	}
	if p != nil && !p.read && buttonOf(p.c) == buttonOf(c) && before.Call.Command.ID.N == p.c.ID.N {
		w.t.Fatalf("%s pressed again with no reading between", c.Verb)
	}
	w.live = &pressed{c: c}
	w.checkPressed(c)
}

// button is what a call presses; a car call has no direction.
type button struct {
	verb  elevator.Verb
	f, to elevator.Floor
	dir   elevator.Direction
}

func buttonOf(c elevator.Command) button { return button{c.Verb, c.Floor, c.To, c.Direction} }

// checkPressed: whatever has come between, a button whose press was not refused,
// taken back or served is pressed again only on a lamp read since that is off.
func (w *world) checkPressed(c elevator.Command) {
	b := buttonOf(c)
	lamps := w.r.lamps(c)
	if p, ok := w.down[b]; ok && lamps.At != 0 && (lamps.At <= p.at || lamps.Value.Has(c.Floor)) {
		w.t.Fatalf("%s to %v pressed again with lamps %b read at %d, pressed at %d", c.Verb, c.Floor, lamps.Value, lamps.At, p.at)
	}
	w.down[b] = pressedAt{w.now, c.ID.N}
}

type pressedAt struct {
	at elevator.Instant
	n  uint32
}

// released forgets the presses that an event shows to be over.
func (w *world) released(ev Event) {
	if seen, ok := ev.(*Seen); ok {
		for k, h := range w.held {
			c := &seen.Car
			if w.now >= h.until && (c.Doors[k.s].Value == elevator.DoorClosed || c.Floor.Value != k.f || c.Motion.Value == elevator.MovingUp || c.Motion.Value == elevator.MovingDown) {
				h.shut = true
			}
		}
	}
	for b, p := range w.down {
		over := false
		switch ev := ev.(type) {
		case Answered:
			over = ev.Outcome.ID.N == p.n && (ev.Outcome.Result == elevator.NotSent || ev.Outcome.Result == elevator.Refused)
		case *Seen:
			over = ev.Car.Motion.Value == elevator.Stopped && ev.Car.Floor.Value == b.f && ev.Car.AnyDoorOpen()
		}
		if over {
			delete(w.down, b)
		}
	}
}

func (w *world) checkStored() {
	src, err := json.Marshal(w.r)
	if err != nil {
		w.t.Fatal(err)
	}
	var back Ride
	if err := json.Unmarshal(src, &back); err != nil {
		w.t.Fatal(err)
	}
	want := w.r
	want.Car = elevator.Snapshot{}
	if back != want {
		w.t.Fatalf("stored %s", src)
	}
}

// checkWake: no Tick before the time asked for does anything.
func (w *world) checkWake() {
	at := NextWake(&w.r)
	if at != 0 && at <= w.now {
		w.t.Fatalf("wants to be woken in the past")
	}
	early := w.now + elevator.Instant(time.Hour)
	if at != 0 {
		early = at - 1
	}
	r, fx := Step(w.r, Tick{}, early)
	if r != w.r || len(fx) > 0 {
		w.t.Fatalf("a tick at %d before the time %d changes %s: %+v", early, at, differences(w.r, r), fx)
	}
}

// checkWakeElsewhere: a clock that began later hides no time that is asked for, though
// the last step was before its zero. That is how a ride comes back from the store.
func (w *world) checkWakeElsewhere() {
	r := w.r
	r.Car, r.Watch, r.Stepped = elevator.Snapshot{}, w.now, min(r.Stepped, w.now-elevator.Instant(2*time.Second))
	at, later := int64(NextWake(&r)), int64(w.now)-int64(time.Second)
	r = Rebase(r, -later)
	if got := int64(NextWake(&r)); at != 0 && at != later && (got == 0 || got > at-later+1) {
		w.t.Fatalf("asked for %d, and on a clock that began %d later for %d", at, later, got)
	}
}

// checkKept: a step in place does the same, and what it says to have left as it was is
// as it was.
func (w *world) checkKept(r Ride, ev Event) {
	before, was := Durable(&r), r
	done := StepInto(&r, ev, w.now, nil)
	if r != w.r || done.Wake != NextWake(&w.r) {
		w.t.Fatalf("in place another ride: %s", differences(w.r, r))
	}
	if after := Durable(&r); done.Kept && after != before {
		w.t.Fatalf("%T is said to have changed nothing durable, and did: %s", ev, differences(before, after))
	} else if Outlasts(&was, &r) != (after == before) {
		w.t.Fatalf("%T: what lasts is judged in two ways: %s", ev, differences(before, after))
	}
}

// differences names the stored fields that two rides do not share.
func differences(a, b Ride) string {
	var out []string
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range va.NumField() {
		if x, y := va.Field(i).Interface(), vb.Field(i).Interface(); x != y {
			out = append(out, fmt.Sprintf("%s: %v, %v", va.Type().Field(i).Name, x, y))
		}
	}
	return strings.Join(out, "; ")
}
