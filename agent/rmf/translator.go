package rmf

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// TaskPrefix marks a ride that a session has opened; the session's name follows. It is
// stored with the ride, and so a session outlives a restart.
const TaskPrefix = "rmf:"

// ridePrefix begins the ids of such rides.
const ridePrefix = "rmf-"

// Config says whose sessions there are.
type Config struct {
	Robots   []string          // a session of this name is this robot's
	Sessions map[string]string // more names: of a session, and of its robot
}

// Translator keeps what cannot be read off the rides: how new a session's messages
// are, and what is on its way. It is bounded by the lifts and sessions that are
// configured. One goroutine at a time.
type Translator struct {
	robots   map[string]string // by session
	names    map[string]string // the other way round, for robots that came by another door
	sessions map[key]*session
	count    int // of rides opened here
}

type key struct{ lift, session string }

// New makes a translator that has heard nothing.
func New(c Config) *Translator {
	t := &Translator{robots: map[string]string{}, names: map[string]string{}, sessions: map[key]*session{}}
	for _, id := range c.Robots {
		t.robots[id] = id
	}
	for name, id := range c.Sessions {
		t.robots[name] = id
		if was, twice := t.names[id]; !twice || name < was {
			t.names[id] = name
		}
	}
	return t
}

// Source is where a request came from.
type Source struct {
	Robot string // who has proven to be this robot; "" may speak for all
	Live  bool   // it cannot be an old message: a call, not a queue
	Kept  bool   // the broker had kept it
}

// Robot is the robot whose session this is.
func (t *Translator) Robot(session string) (string, bool) {
	id, known := t.robots[session]
	return id, known
}

// Hear takes one request. v is the state of now, or a little older.
func (t *Translator) Hear(r LiftRequest, from Source, v *core.View, tm core.Time) Verdict {
	l := liftOf(v, r.LiftName)
	robot, known := t.robots[r.SessionID]
	switch {
	case l == nil:
		return refused("E-2005", "lift_name", "there is no lift "+strconv.Quote(r.LiftName))
	case !known:
		return refused("E-2007", "session_id", "no robot has the session "+strconv.Quote(r.SessionID))
	case from.Robot != "" && from.Robot != robot:
		return refused("E-2004", "session_id", "this session is another robot's")
	case from.Kept:
		return noted("kept by the broker from before: not taken")
	}
	c := call{session: t.session(l.ID, r.SessionID, robot), r: r, from: from, l: l, tm: tm}
	c.ride, c.heard = c.rideOf(v), tm.Now
	c.seen(v, tm.Now)
	if r.RequestType == EndSession {
		return c.end()
	}
	if l.Floors.ByLabel(r.DestinationFloor) == 0 {
		return refused("E-2101", "destination_floor", "lift "+l.ID+" has no floor "+strconv.Quote(r.DestinationFloor))
	}
	if c.ride == nil {
		return t.open(&c)
	}
	return c.wish()
}

// session is the place for what is known of one, made at its first message.
func (t *Translator) session(lift, name, robot string) *session {
	k := key{lift, name}
	s := t.sessions[k]
	if s == nil {
		s = &session{lift: lift, name: name, robot: robot}
		t.sessions[k] = s
	}
	return s
}

// open makes a ride for a session that has none.
func (t *Translator) open(c *call) Verdict {
	s, o := c.session, c.opening
	mine := o.ride != "" && o.floor == c.r.DestinationFloor
	if mine && c.tm.Now.Sub(o.at) < askAgain {
		return noted("the ride is being made")
	}
	switch code := c.l.Why; {
	case c.r.DoorState != DoorOpen:
		return refused("E-2111", "door_state", "a session begins by asking for an open door")
	case !c.current():
		return noted(c.age)
	case !c.l.Accepting && byMode(code):
		return refused("E-2111", "", "the lift takes no rides: "+string(code))
	case s.hasty(c.tm.Now):
		return noted("too soon after the last change")
	}
	if mine { // nobody knows what became of it: the same id makes no second ride
		return c.opened(o.ride)
	}
	t.count++
	return c.opened(ridePrefix + s.lift + "-" + strconv.FormatInt(c.tm.Wall, 36) + "-" + strconv.Itoa(t.count))
}

// byMode reports a reason that lasts until somebody ends it. Others pass, and the ride
// waits for that in the queue.
func byMode(code fsm.Code) bool {
	switch code {
	case fsm.ModeFire, fsm.ModeSeismic, fsm.EmergencyStop, fsm.ModeInspection, fsm.ModeIndependent, fsm.OutOfService:
		return true
	}
	return false
}

// inOrder lists the sessions by lift and name.
func (t *Translator) inOrder() []*session {
	return slices.SortedFunc(maps.Values(t.sessions), func(a, b *session) int {
		return cmp.Or(cmp.Compare(a.lift, b.lift), cmp.Compare(a.name, b.name))
	})
}

// Answered tells what became of an order of this session. sure is false when nothing
// is known of it.
func (t *Translator) Answered(lift, name string, o Order, a core.Answer, sure bool) {
	s := t.sessions[key{lift, name}]
	if open, is := o.(Open); is && s != nil && s.opening.ride == open.Ride && sure && !taken(a) {
		s.opening = opening{}
	}
}

func taken(a core.Answer) bool {
	return a.Status == core.Accepted || a.Status == core.Created || a.Status == core.Existing
}

// Due gives the orders whose time has come: an END that was not taken back, a session
// that has gone silent. Rides of an earlier process count as heard of when they are seen.
func (t *Translator) Due(v *core.View, tm core.Time) []Order {
	var out []Order
	for i := range v.Rides {
		r := &v.Rides[i].Ride
		if name := t.sessionOf(r); name != "" && r.State != fsm.Done {
			if s := t.session(r.Lift, name, r.Robot); s.heard == 0 {
				s.heard = tm.Now
			}
		}
	}
	for _, s := range t.inOrder() {
		s.seen(v, tm.Now)
		out = append(out, s.lost(s.rideOf(v), tm.Now)...)
		if s.ending != 0 {
			out = append(out, s.leave(s.rideOf(v), tm.Now)...)
		}
	}
	return out
}

// States shows every lift, in the order of the view.
func (t *Translator) States(v *core.View, tm core.Time) []LiftState {
	out := make([]LiftState, len(v.Lifts))
	for i := range v.Lifts {
		l := &v.Lifts[i]
		out[i] = stateOf(l, t.holder(l, v, tm.Now), tm)
	}
	return out
}

// State shows one lift; false for one that there is not.
func (t *Translator) State(v *core.View, lift string, tm core.Time) (LiftState, bool) {
	l := liftOf(v, lift)
	if l == nil {
		return LiftState{}, false
	}
	return stateOf(l, t.holder(l, v, tm.Now), tm), true
}

// Same reports two states that tell the same, whenever they were made.
func Same(a, b *LiftState) bool { return same(a, b) }

// Changes is when a state may change though no new view comes: a permit ends. It is
// never for none.
func (t *Translator) Changes(v *core.View, now elevator.Instant) elevator.Instant {
	var next elevator.Instant
	sooner := func(i elevator.Instant) {
		if i > now && (next == 0 || i < next) {
			next = i
		}
	}
	for i := range v.Rides {
		if p := v.Rides[i].Ride.Permit; p.N != 0 {
			sooner(p.Start)
			sooner(p.Through)
		}
	}
	for _, s := range t.sessions {
		sooner(s.ending.Add(endStands))
	}
	return next
}

// Serving is the last request of the session that has the lift; false for none.
func (t *Translator) Serving(v *core.View, lift string, now elevator.Instant) (LiftRequest, bool) {
	l := liftOf(v, lift)
	if l == nil {
		return LiftRequest{}, false
	}
	s := t.sessions[key{lift, t.holder(l, v, now).name}]
	if s == nil || s.taken.SessionID == "" {
		return LiftRequest{}, false
	}
	return s.taken, true
}

// holder is the ride that has the lease, else the one whose robot may be in the car,
// else the first that waits by a session, else a session whose ride is being made.
func (t *Translator) holder(l *core.LiftView, v *core.View, now elevator.Instant) holder {
	var owner, within, waits *fsm.Ride
	for i := range v.Rides {
		r := &v.Rides[i].Ride
		switch {
		case r.Lift != l.ID || r.State == fsm.Done:
		case r.ID == l.Owner:
			owner = r
		case r.Where != fsm.Outside && within == nil:
			within = r
		case waits == nil && t.sessionOf(r) != "":
			waits = r
		}
	}
	for _, r := range []*fsm.Ride{owner, within, waits} {
		if r != nil {
			return t.held(r)
		}
	}
	return t.opening(l.ID, now)
}

func (t *Translator) held(r *fsm.Ride) holder {
	name := t.sessionOf(r)
	h := holder{name: name, ride: r}
	if s := t.sessions[key{r.Lift, name}]; s != nil {
		h.human, h.ended = s.taken.RequestType == RequestHuman, s.ending != 0
	}
	if name == "" {
		if h.name = t.names[r.Robot]; h.name == "" {
			h.name = r.Robot
		}
	}
	return h
}

// opening is the earliest session whose ride is on its way.
func (t *Translator) opening(lift string, now elevator.Instant) holder {
	var first *session
	for _, s := range t.inOrder() {
		o := s.opening
		if s.lift != lift || o.ride == "" || now.Sub(o.at) > echoFor {
			continue
		}
		if first == nil || o.since < first.opening.since {
			first = s
		}
	}
	if first == nil {
		return holder{}
	}
	return holder{name: first.name, floor: first.opening.floor}
}

// sessionOf is the session that has opened a ride. A robot can only claim its own.
func (t *Translator) sessionOf(r *fsm.Ride) string {
	name, is := strings.CutPrefix(r.Task, TaskPrefix)
	if !is || t.robots[name] != r.Robot {
		return ""
	}
	return name
}

func liftOf(v *core.View, id string) *core.LiftView {
	for i := range v.Lifts {
		if v.Lifts[i].ID == id {
			return &v.Lifts[i]
		}
	}
	return nil
}

const (
	askAgain  = 5 * time.Second  // an order nobody answered is asked again
	echoFor   = 10 * time.Second // a ride on its way is shown as its session's
	endStands = 2 * time.Second  // an END in a doorway is believed when nothing else is said for so long
	calmDown  = time.Second      // between two changes of one session
)
