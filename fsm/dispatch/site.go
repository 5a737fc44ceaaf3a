package dispatch

import (
	"cmp"
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Lift is one car as it is configured.
type Lift struct {
	ID     string
	Group  string
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
	fx       []fsm.Effect // room for those of one step of a ride
}

type car struct {
	Lift
	seen   fsm.Seen // as last read
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
	yields  bool             // it had the car and could not use it: others go first now
}

// New makes a site with no rides.
func New(c Config) *Site {
	s := &Site{
		robots: slices.Clone(c.Robots), params: c.Params,
		maxRides: cmp.Or(c.MaxRides, 64), maxEnded: cmp.Or(c.MaxEnded, 32),
	}
	for _, l := range c.Lifts {
		s.cars = append(s.cars, &car{Lift: l})
	}
	return s
}

// Step takes one input and appends what is to be done to out.
func (s *Site) Step(in Input, now elevator.Instant, out []Output) []Output {
	st := step{Site: s, now: now, out: out}
	switch in := in.(type) {
	case *Seen:
		st.seen(in)
	case Create:
		st.create(in)
	case Signal:
		st.signal(in)
	case Heartbeat:
		st.heartbeat(in)
	case Answered:
		st.toRide(in.Outcome.ID.Ride, fsm.Answered{Outcome: in.Outcome})
	case Cancel:
		st.ordered(in.Ride, fsm.Cancel{By: in.By})
	case Reset:
		st.ordered(in.Ride, fsm.Reset{RobotIs: in.RobotIs, By: in.By})
	case SetParams:
		s.params = in.Params
	case Resume:
		st.resume(in)
	case Stopping:
		s.stopping = true
		st.toAll(fsm.Stopping{})
	case Tick:
		st.tick()
	}
	st.grant()
	st.keep()
	return st.out
}

// NextWake is the earliest instant at which a Tick can change something.
func (s *Site) NextWake() elevator.Instant {
	var next elevator.Instant
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
	twin.fx = nil
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
