package dispatch

import (
	"fmt"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// world is the site of the model with all that it knows only by report: one car, and two
// robots, each with its ride. What the car and the robots really are stands beside what
// the site was told of them.
type world struct {
	site  *Site
	conf  Config
	now   elevator.Instant
	car   elevator.Snapshot // as it really is; the times mean nothing
	line  bool
	shown elevator.Snapshot // as the site was shown it last
	bots  [2]bot
	pend  []elevator.Command // asked for, and neither answered nor dead

	kept, keptWas stored       // in the store; before the last step
	fresh         int          // of pend: those of the last step, which wait for its commit
	torn          bool         // the last step wanted something kept
	sent          [2]uint32    // the highest number of a command
	state         [2]fsm.State // as told last
	leased        [2]bool      // as judged last
	reply         Reply        // the last
	reset         string       // the ride that a person resets in this step
	restarts      int

	hook hook
	room []Output // for those of a step: clones share it, and one steps at a time
	err  string
	said []string // what came out since it was emptied
	past []string // of the moments
}

// stored is what outlasts the process, with what people were answered that stands.
type stored struct {
	rides    [2]*fsm.Ride
	standing Standing
	orders   orders
}

// bot is a robot. It goes by the last permit that it was given until that is over, though
// the site may have taken it back meanwhile, and looks at the door itself.
type bot struct {
	where fsm.SignalWhere
	floor elevator.Floor // of the landing or the doorway
	in    bool           // in the doorway: on its way in
	held  fsm.Permit
	was   fsm.Permit // what it held before the last step
	seq   uint64
}

// hook spoils something on the way, so that the laws can be seen to bite.
type hook interface {
	before(w *world, in Input) Input
	after(w *world, out []Output) []Output
}

var (
	modelRides  = [2]string{"r1", "r2"}
	modelRobots = [2]string{"R1", "R2"}
)

func newWorld(p modelPlan) *world {
	w := &world{conf: p.config(), now: second, line: true, car: standing(1, second)}
	for i := range w.bots {
		w.bots[i] = bot{where: fsm.AtLanding, floor: 2, seq: 1}
		w.state[i] = fsm.Idle
	}
	w.bots[1].floor = 1
	w.site = New(w.conf)
	w.read()
	w.in(modelRide(0, "G", "B1"))
	w.in(modelRide(1, "B1", "G"))
	return w
}

func modelRide(i int, from, to string) Create {
	return Create{
		Request: fsm.Request{ID: modelRides[i], Robot: modelRobots[i], Lift: "L1", Ready: true, Crossing: 2 * time.Second},
		From:    from, To: to, FromDoor: "front", ToDoor: "front",
	}
}

func (p modelPlan) config() Config {
	c := Config{
		Lifts:  []Lift{{ID: "L1", Group: "G1", Floors: table(), Plan: p.plan}},
		Robots: modelRobots[:], Params: fsm.DefaultParams(), MaxRides: 4, MaxEnded: 4,
	}
	c.Params.Retries = p.retries
	return c
}

func (w *world) clone() *world {
	c := *w
	c.site = w.site.Clone()
	c.pend, c.said = slices.Clone(w.pend), nil
	return &c
}

func (w *world) break_(format string, args ...any) {
	if w.err == "" {
		w.err = fmt.Sprintf(format, args...)
	}
}

// in steps the site, and judges what comes of it.
func (w *world) in(in Input) {
	given := in
	if w.hook != nil {
		in = w.hook.before(w, in)
	}
	w.keptWas, w.torn, w.fresh = w.kept, false, 0
	w.kept.orders.hear(given)
	out := w.site.Step(in, w.now, w.room[:0])
	w.room = out
	if w.hook != nil {
		out = w.hook.after(w, out)
	}
	for _, o := range out {
		w.output(o)
	}
	w.judge(out)
	w.site.EachRide(func(r *fsm.Ride) {
		b := &w.bots[slices.Index(modelRides[:], r.ID)]
		if b.was = b.held; r.Permit.N != 0 {
			b.held = r.Permit
		}
	})
}

func (w *world) output(o Output) {
	switch o := o.(type) {
	case Do:
		w.said = append(w.said, fmt.Sprintf("  > %s %s floor %d", o.Command.ID, o.Command.Verb, o.Command.Floor))
		w.asked(o)
	case Moved:
		w.said = append(w.said, fmt.Sprintf("  > %s %s → %s %s: %s", o.Ride, o.From, o.To, o.Phase, o.Why))
	case Keep:
		r := *o.Ride()
		w.kept.rides[slices.Index(modelRides[:], r.ID)], w.torn = &r, true
	case KeepStanding:
		w.kept.standing, w.torn = w.site.Standing(), true
	case Alarm:
		w.said = append(w.said, fmt.Sprintf("  > alarm %s %v", o.Code, o.On))
	case Freed:
		w.said = append(w.said, "  > freed by "+o.Ride)
	case Reply:
		w.reply = o
	case Note:
		w.said = append(w.said, "  > note: "+o.Text)
	}
}

// asked files a command. A hold acts and is answered at once: it is what gains the site
// most time, and less of it is looked at by losing readings.
func (w *world) asked(o Do) {
	w.judgeCommand(o)
	if o.Command.Verb == elevator.Hold && w.line {
		w.obey(o.Command)
		return
	}
	w.pend = append(w.pend, o.Command)
	if !o.Urgent {
		w.fresh++
	}
}

// read shows the car as it is now.
func (w *world) read() {
	s := w.car
	if !w.line {
		w.shown.Link = elevator.Offline
		w.in(&Seen{Lift: "L1", Car: w.shown})
		return
	}
	s.Floor.At, s.Motion.At, s.Mode.At = w.now, w.now, w.now
	for side := range s.Doors {
		if s.Doors[side].At != 0 {
			s.Doors[side].At = w.now
		}
	}
	s.Overload.At, s.Nudging.At, s.Obstruction.At, s.EmergencyStop.At = w.now, w.now, w.now, w.now
	s.UpCalls.At, s.DownCalls.At, s.CarCalls.At = w.now, w.now, w.now
	w.shown = s
	w.in(&Seen{Lift: "L1", Car: s})
}

// obey is what the controller does with a command that reaches it.
func (w *world) obey(c elevator.Command) {
	if c.Until <= w.now {
		return
	}
	w.judgeArrival(c)
	switch c.Verb {
	case elevator.LandingCall:
		lamps := &w.car.DownCalls.Value
		if c.Direction == elevator.Up {
			lamps = &w.car.UpCalls.Value
		}
		*lamps = lamps.With(c.Floor)
	case elevator.CarCall:
		w.car.CarCalls.Value = w.car.CarCalls.Value.With(c.Floor)
	case elevator.CancelCall:
		w.dark(c.Floor)
	case elevator.Hold:
		if w.stands() && w.car.Floor.Value == c.Floor && w.door() != elevator.DoorClosed {
			w.car.Holds[front] = max(w.car.Holds[front], c.Until)
			w.setDoor(elevator.DoorOpen)
		}
	case elevator.Lapse, elevator.GiveBack:
		w.car.Holds[front] = 0
	}
}

func (w *world) dark(f elevator.Floor) {
	w.car.UpCalls.Value, w.car.DownCalls.Value, w.car.CarCalls.Value =
		without(w.car.UpCalls.Value, f), without(w.car.DownCalls.Value, f), without(w.car.CarCalls.Value, f)
}

func (w *world) calls() elevator.FloorSet {
	return w.car.UpCalls.Value | w.car.DownCalls.Value | w.car.CarCalls.Value
}

func without(s elevator.FloorSet, f elevator.Floor) elevator.FloorSet {
	var out elevator.FloorSet
	for x := elevator.Floor(1); x <= modelTop; x++ {
		if x != f && s.Has(x) {
			out = out.With(x)
		}
	}
	return out
}

func (w *world) door() elevator.Door     { return w.car.Doors[front].Value }
func (w *world) setDoor(d elevator.Door) { w.car.Doors[front].Value = d }
func (w *world) stands() bool            { return w.car.Motion.Value == elevator.Stopped }
func (w *world) open(f elevator.Floor) bool {
	return w.stands() && w.car.Floor.Value == f && w.door() == elevator.DoorOpen
}
func (w *world) held() bool           { return w.car.Holds[front] > w.now }
func (w *world) ride(i int) *fsm.Ride { return w.site.Ride(modelRides[i]) }
func (w *world) over(i int) bool {
	r := w.ride(i)
	return r == nil || r.State == fsm.Done && !r.Granted
}

func (w *world) inDoorway() bool {
	return w.bots[0].where == fsm.AtDoorway || w.bots[1].where == fsm.AtDoorway
}

// words are the state for people.
func (w *world) words() string {
	s := fmt.Sprintf("car at %d %s door %s mode %s", w.car.Floor.Value, w.car.Motion.Value, w.door(), w.car.Mode.Value)
	if !w.line {
		s += " offline"
	}
	for i := range w.bots {
		s += fmt.Sprintf("; %s at %s", modelRobots[i], w.bots[i].where)
		if r := w.ride(i); r != nil {
			s += fmt.Sprintf(", %s %s·%s %s", r.ID, r.State, r.Phase, r.Where)
			if r.Granted {
				s += " leased"
			}
		}
	}
	return s
}

func (w *world) tally(reached map[string]int) {
	for i := range modelRides {
		if r := w.ride(i); r != nil {
			reached[string(r.State)]++
			if r.Where == fsm.Crossing {
				reached["crossing"]++
			}
		}
	}
	if w.car.Mode.Value == elevator.Fire {
		reached["fire"]++
	}
	if w.restarts > 0 {
		reached["restart"]++
	}
	w.kept.orders.tally(reached)
}
