package dispatch

import (
	"cmp"
	"maps"
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Lift is one car, or one deck of a car, as it is configured. Lifts of one CarID are decks
// of one car: they share one lease, one occupancy and one queue. Lifts of one Group share
// their landing calls.
type Lift struct {
	ID     string
	Group  string
	Area   string // for alarms; "" is the building
	CarID  string // "" = a car of its own
	Deck   string
	Floors elevator.Table
	Plan   fsm.Plan
}

// Config is what a site must know. MaxRides bounds the rides that are not over,
// MaxEnded those that are kept for readers; zero takes 64 and 32.
type Config struct {
	Lifts    []Lift
	Robots   []string
	Params   fsm.Params
	MaxRides int
	MaxEnded int
}

// Site is the state of all rides and cars of one gateway.
type Site struct {
	cars     []*car
	robots   []string
	params   fsm.Params
	maxRides int
	maxEnded int
	rides    []*entry // not over, by arrival
	ended    []*entry // over, oldest first
	epoch    uint32   // of the latest lease of any car
	numbers  uint32   // the highest number that a dropped ride gave to a command or a permit
	stopping bool
	shut     map[string]string // lifts that stand still for a broken invariant, and why
	standing Standing
	window   elevator.Instant // end of the maintenance window that all lifts are in, never = none
	looked   elevator.Instant // when all choices of a car were last looked at
	at       elevator.Instant // of the last step
	shared   []press          // presses that more than one ride waits for the answer of
	fx       []fsm.Effect     // room for those of one step of a ride
}

type car struct {
	Lift
	shell  int                          // the same for all decks of one car
	seen   fsm.Seen                     // as last read, with the mode that its area gives it
	mode   elevator.Seen[elevator.Mode] // as the controller shows it
	pace   pace
	past   history
	owner  *entry
	alarms []raised
	last   *entry
}

// raised is an alarm that is not over, with the ride that raised it.
type raised struct {
	fsm.Alarm
	ride string
}

type entry struct {
	ride    fsm.Ride
	stored  fsm.Ride         // as last asked to be kept; only the durable part counts
	stepped bool             // that part may have changed since
	wake    elevator.Instant // when a Tick can change the ride
	yielded elevator.Instant // when it last had the car and could not use it: others go first

	book  Booking
	noted Booking // as last asked to be kept
}

// New makes a site with no rides.
func New(c Config) *Site {
	s := &Site{
		robots: slices.Clone(c.Robots), params: c.Params,
		maxRides: cmp.Or(c.MaxRides, 64), maxEnded: cmp.Or(c.MaxEnded, 32),
	}
	for i, l := range c.Lifts {
		l.Area = cmp.Or(l.Area, areaOf)
		s.cars = append(s.cars, &car{Lift: l, shell: i})
		if first := slices.IndexFunc(c.Lifts, func(x Lift) bool { return l.CarID != "" && x.CarID == l.CarID }); first >= 0 {
			s.cars[i].shell = first
		}
	}
	return s
}

// Step takes one input and appends what is to be done to out.
func (s *Site) Step(in Input, now elevator.Instant, out []Output) []Output {
	s.at = now
	st := step{Site: s, now: now, out: out}
	switch in := in.(type) {
	case *Seen:
		st.seen(in)
	case Signal:
		st.signal(in)
	case Heartbeat:
		st.heartbeat(in)
	case Answered:
		st.answered(in.Outcome)
	case Tick:
		st.tick()
	case SetParams:
		s.params = in.Params
	case Window:
		st.maintenanceWindow(in)
	case Resume:
		st.resume(in)
	case Stopping:
		s.stopping = true
		st.toAll(fsm.Stopping{})
	default:
		st.order(in)
	}
	st.settle()
	st.grant()
	st.settle()
	st.keep()
	return st.out
}

// order takes what a person, a robot or its fleet asks for.
func (st *step) order(in Input) {
	switch in := in.(type) {
	case Create:
		st.create(in)
	case Cancel:
		st.ordered(in.Ride, fsm.Cancel{By: in.By})
	case Reset:
		st.ordered(in.Ride, fsm.Reset{RobotIs: in.RobotIs, By: in.By})
	case Recover:
		st.ordered(in.Ride, in.Recover)
	case StoreLost:
		st.toAll(fsm.StoreLost(in))
	case Retarget:
		st.retarget(in)
	case Claim:
		st.claim(in)
	case Maintain:
		st.maintain(in)
	case Stop:
		st.stop(in)
	case CarEmpty:
		st.carEmpty(in)
	case RaiseArea:
		st.raiseArea(in)
	case ClearArea:
		st.clearArea(in)
	}
}

// NextWake is the earliest instant at which a Tick can change something.
func (s *Site) NextWake() elevator.Instant {
	next := s.ends()
	for _, e := range s.rides {
		if e.wake != 0 && (next == 0 || e.wake < next) {
			next = e.wake
		}
	}
	return next
}

// Clone copies a site; the copy and the original share nothing that changes.
func (s *Site) Clone() *Site {
	twin := *s
	twin.fx, twin.shared, twin.standing = nil, slices.Clone(s.shared), s.standing.Clone()
	twin.shut = maps.Clone(s.shut)
	moved := make(map[*entry]*entry, len(s.rides)+len(s.ended))
	copied := func(list []*entry) []*entry {
		out := make([]*entry, len(list))
		for i, e := range list {
			c := *e
			out[i], moved[e] = &c, &c
		}
		return out
	}
	twin.rides, twin.ended = copied(s.rides), copied(s.ended)
	twin.cars = make([]*car, len(s.cars))
	for i, c := range s.cars {
		d := *c
		d.alarms = slices.Clone(c.alarms)
		d.owner = moved[c.owner]
		if d.last = moved[c.last]; d.last == nil && c.last != nil {
			e := *c.last // dropped from the list, still shown
			d.last = &e
		}
		twin.cars[i] = &d
	}
	return &twin
}

// holder is the ride that has the car of a lift, be it by another deck; nil for none.
func (s *Site) holder(c *car) *entry {
	for _, m := range s.cars {
		if m.shell == c.shell && m.owner != nil {
			return m.owner
		}
	}
	return nil
}

func (s *Site) car(id string) *car {
	for _, c := range s.cars {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// find looks among the running rides first, then among the ended ones.
func (s *Site) find(id string) (e *entry, over bool) {
	for _, e := range s.rides {
		if e.ride.ID == id {
			return e, false
		}
	}
	for i := len(s.ended) - 1; i >= 0; i-- {
		if s.ended[i].ride.ID == id {
			return s.ended[i], true
		}
	}
	return nil, false
}

func (s *Site) byRobot(robot string) *entry {
	for _, e := range s.rides {
		if e.ride.Robot == robot && !finished(&e.ride) {
			return e
		}
	}
	return nil
}

// finished tells a ride that wants nothing more, though its lease may still run.
func finished(r *fsm.Ride) bool { return r.State == fsm.Done }
