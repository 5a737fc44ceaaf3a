package rmf

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// session is what is remembered of one session at one lift.
type session struct {
	lift, name, robot string

	heard   elevator.Instant // anything at all
	last    Time             // the newest message that was of its time
	over    Time             // the newest END
	doubt   doubt
	taken   LiftRequest // the last that was taken
	changed elevator.Instant
	opening opening
	ending  elevator.Instant // an END with the robot in a doorway, not believed yet
}

// opening is a ride that was asked for and is not in the view yet.
type opening struct {
	ride, floor string
	since, at   elevator.Instant // asked first, and last
}

// doubt is a message that may be of long ago, until it is said again.
type doubt struct {
	kind        RequestType
	floor       string
	first, last elevator.Instant
}

const (
	present     = 10 * time.Second // how far the clocks of both sides may be apart
	saidAgain   = 2 * time.Second  // a queue that is emptied tells all at once; who lives says it again later
	forgetAfter = 5 * time.Second
	lostAfter   = 2 * time.Minute // a session that says nothing before its robot was let in is over
	missedAfter = 5 * time.Second // a robot that got in says within this where it goes
)

// rideOf is the session's ride that is not over.
func (s *session) rideOf(v *core.View) *fsm.Ride {
	for i := range v.Rides {
		r := &v.Rides[i].Ride
		if r.Lift == s.lift && r.Robot == s.robot && r.Task == TaskPrefix+s.name && r.State != fsm.Done {
			return r
		}
	}
	return nil
}

// seen forgets what was on its way and has come, and an END that has no ride any more.
func (s *session) seen(v *core.View, now elevator.Instant) {
	if s.opening.ride != "" {
		for i := range v.Rides {
			if v.Rides[i].Ride.ID == s.opening.ride {
				s.opening = opening{}
				break
			}
		}
		if s.opening.ride != "" && now.Sub(s.opening.at) > echoFor {
			s.opening = opening{}
		}
	}
	if s.ending != 0 && s.rideOf(v) == nil {
		s.ending = 0
	}
}

// hasty reports a change that follows the last too closely: a flood presses no buttons.
func (s *session) hasty(now elevator.Instant) bool {
	return s.changed != 0 && now.Sub(s.changed) < calmDown
}

// call is one request with what it is about.
type call struct {
	*session
	r    LiftRequest
	from Source
	l    *core.LiftView
	ride *fsm.Ride
	tm   core.Time
	age  string // why it is not of now
}

// current reports a message of now. A queue may hold old ones, and clocks may be wrong:
// a message that is stamped otherwise counts when it is said again a while later.
func (c *call) current() bool {
	stamp := c.r.RequestTime
	switch {
	case c.from.Live:
	case c.off() <= present && !c.last.after(stamp) && (c.over == Time{} || stamp.after(c.over)):
	case !c.again():
		c.age = "its time is not of now: it counts when it is said again"
		return false
	default:
		c.last, c.over = Time{}, Time{} // the sender's clock was set back
	}
	c.doubt = doubt{}
	if stamp.after(c.last) {
		c.last = stamp
	}
	return true
}

// off is how far the stamp is from now.
func (c *call) off() time.Duration {
	return (time.Duration(c.tm.Wall-c.r.RequestTime.millis()) * time.Millisecond).Abs()
}

// again reports what was said before, and a while ago.
func (c *call) again() bool {
	d, now := &c.doubt, c.tm.Now
	if d.first == 0 || d.kind != c.r.RequestType || d.floor != c.r.DestinationFloor || now.Sub(d.last) > forgetAfter {
		*d = doubt{c.r.RequestType, c.r.DestinationFloor, now, now}
		return false
	}
	d.last = now
	return now.Sub(d.first) >= saidAgain
}

// opened asks for a ride.
func (c *call) opened(id string) Verdict {
	now := c.tm.Now
	if c.opening.ride != id {
		c.opening.since = now
	}
	c.opening.ride, c.opening.floor, c.opening.at = id, c.r.DestinationFloor, now
	c.session.taken, c.changed, c.ending = c.r, now, 0
	return Verdict{Note: "opened", Orders: []Order{
		Open{Ride: id, Lift: c.lift, Robot: c.robot, Session: c.name, Floor: c.r.DestinationFloor},
	}}
}

// place is how far a ride's robot may have come by what is known.
type place uint8

const (
	waits   place = iota // outside: it was never let in
	enters               // it was let in, and nothing is known since
	within               // in the car
	leaves               // it was let out, and nothing is known since
	outside              // out of the car
)

func placeOf(r *fsm.Ride) place {
	switch {
	case r.Where == fsm.Outside && r.Aboard:
		return outside
	case r.Where == fsm.Outside:
		return waits
	case r.State == fsm.Exiting:
		return leaves
	case r.Where == fsm.Inside || r.State == fsm.Moving:
		return within
	case r.PermitWas == fsm.Enter || r.PermitWas == "":
		return enters
	}
	return leaves
}

// wish takes a floor that is asked for in a ride.
func (c *call) wish() Verdict {
	from, to := c.l.Floors.Label(c.ride.From), c.l.Floors.Label(c.ride.To)
	want, at := c.r.DestinationFloor, placeOf(c.ride)
	var orders []Order
	switch {
	case want == from && at == enters && c.ride.State == fsm.Fault:
		return c.missed()
	case want == to && at == enters: // known from before: only that it is in is new
		orders = []Order{c.claim(fsm.Entered)}
	case want == to, want == from && (to == "" || at == waits || at == enters):
		return c.repeat()
	case at == outside:
		return noted("the ride is over: the lift is asked for anew when its door has closed")
	case at == waits && c.ride.CancelAsked:
		return noted("the ride ends")
	case at == waits:
		orders = []Order{Cancel{c.ride.ID, c.by()}} // the next request opens another, there
	case at == enters:
		orders = []Order{Redirect{c.ride.ID, want, c.by()}, c.claim(fsm.Entered)}
	default:
		orders = []Order{Redirect{c.ride.ID, want, c.by()}}
	}
	switch {
	case !c.current():
		return noted(c.age)
	case c.hasty(c.tm.Now):
		return noted("too soon after the last change")
	}
	c.session.taken, c.changed, c.ending = c.r, c.tm.Now, 0
	return Verdict{Orders: orders, Note: "another floor"}
}

// repeat is what the ride does anyway. It takes an END back: its session lives.
func (c *call) repeat() Verdict {
	if c.off() <= present && c.r.RequestTime.after(c.last) {
		c.last = c.r.RequestTime
	}
	if c.ending != 0 || c.session.taken.SessionID == "" || c.session.taken.RequestType != c.r.RequestType {
		if !c.current() {
			return noted(c.age)
		}
		c.session.taken, c.ending = c.r, 0
		return noted("goes on")
	}
	return noted("")
}

// missed takes the word of a fleet that goes on asking for the same floor, anew each time,
// when its robot was let in and the ride has failed since: a robot that is in asks for
// where it goes. That it has not got in is a claim, and nobody must rely on it.
func (c *call) missed() Verdict {
	lives := c.from.Live || c.last != Time{} && c.r.RequestTime.after(c.last)
	now := c.tm.Now
	if !lives || c.ending != 0 || now.Sub(c.ride.FaultAt) < missedAfter || now.Sub(c.changed) < missedAfter {
		return c.repeat()
	}
	if c.r.RequestTime.after(c.last) {
		c.last = c.r.RequestTime
	}
	c.session.taken, c.changed = c.r, now
	return Verdict{Orders: []Order{c.claim(fsm.GaveUpEntering)}, Note: "asks for the same floor again: it has not got in"}
}

func (c *call) by() string { return "session " + c.name }

func (c *call) claim(says fsm.SignalKind) Order {
	return Claim{Ride: c.ride.ID, Says: says, By: c.by()}
}

// end takes the end of a session. It says that the robot is out, which nobody has seen.
func (c *call) end() Verdict {
	if c.r.RequestTime.after(c.over) && c.of(c.r.RequestTime) {
		c.over = c.r.RequestTime
	}
	if c.ride == nil {
		return noted("no such session: nothing to end")
	}
	if !c.of(c.r.RequestTime) && !c.current() {
		return noted(c.age)
	}
	c.doubt = doubt{}
	switch placeOf(c.ride) {
	case waits:
		if c.ride.CancelAsked {
			return noted("the ride ends")
		}
		return Verdict{Orders: []Order{Cancel{c.ride.ID, c.by()}}, Note: "ended before it was let in"}
	case within:
		return noted("ended with the robot in the car: the ride goes on to where it can leave")
	case outside:
		return noted("the robot is out")
	}
	if c.ending == 0 {
		c.ending = c.tm.Now
	}
	return noted("ended in a doorway: believed when nothing else is said")
}

// of reports an END that is not older than what was heard of its session.
func (c *call) of(stamp Time) bool {
	return c.from.Live || !c.last.after(stamp) && (c.last != Time{} || c.off() <= present)
}

// leave hands an END on that was not taken back.
func (s *session) leave(r *fsm.Ride, now elevator.Instant) []Order {
	if r == nil || !s.ending.Add(endStands).Reached(now) {
		return nil
	}
	by := "session " + s.name
	left := Claim{Ride: r.ID, Says: fsm.Left, By: by}
	switch placeOf(r) {
	case enters:
		s.ending = now // asked again until the ride is over: the robot may come to be known inside
		if r.CancelAsked {
			return []Order{left}
		}
		return []Order{Cancel{r.ID, by}, left}
	case leaves:
		s.ending = now
		return []Order{left}
	}
	s.ending = 0
	return nil
}

// lost ends the ride of a fleet that has gone before its robot was let in: the car would
// come for nobody, and wait. One whose robot was let in is never ended by silence.
func (s *session) lost(r *fsm.Ride, now elevator.Instant) []Order {
	if r == nil || r.CancelAsked || placeOf(r) != waits || !s.heard.Add(lostAfter).Reached(now) {
		return nil
	}
	s.heard = now
	return []Order{Cancel{r.ID, "session " + s.name + ", silent for " + lostAfter.String()}}
}
