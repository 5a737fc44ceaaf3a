package laws

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Limits that the laws set, written down here on their own.
const (
	sight      = time.Second      // age of what a permit rests on
	slowSight  = 3 * time.Second  // the same for the mode and what is polled less often
	silence    = 5 * time.Second  // the same under a hold that the device keeps
	startSpan  = 2 * time.Second  // a permit is good for starting
	graceHold  = 30 * time.Second // the one larger hold of a stop
	handsDelay = 2 * time.Second  // what left before a fire was seen may still be on the wire
	readSlack  = 2 * time.Second  // between the truth and the time that a reading claims
	keepSlot   = time.Minute      // after a ride is shown no more
	maxKept    = 64               // breaches kept in words
)

// Config is what a watch must know. Zero fields take the usual values.
type Config struct {
	Lifts    []string
	Levels   []string      // those of them whose calls are kept up by calling again, and not pressed
	MaxRides int           // that are not over; 0: 64
	Within   time.Duration // for [Ends]; 0: an hour
}

// Breach is one law broken.
type Breach struct {
	At   elevator.Instant `json:"at"` // nanoseconds
	Law  Law              `json:"law"`
	Lift string           `json:"lift,omitempty"`
	Ride string           `json:"ride,omitempty"`
	Text string           `json:"text"`
}

func (b Breach) String() string {
	s := fmt.Sprintf("%v %s", time.Duration(b.At).Round(time.Millisecond), b.Law)
	if b.Lift != "" {
		s += " " + b.Lift
	}
	if b.Ride != "" {
		s += " " + b.Ride
	}
	return s + ": " + b.Text
}

// Watch keeps what it was shown, and the breaches. One owner; instants never go back.
type Watch struct {
	conf   Config
	lifts  []lift
	rides  []*ride // in the order in which they came
	spare  []*ride
	robots []robot
	told   int // the lift that was told of last
	met    int // the robot
	asked  int // and the ride

	zero     elevator.Instant // of the clock of the agent's process
	round    uint64           // of the feed of rides
	closers  []closer         // that left in this step
	reset    string           // ride that a person reset since the last feed
	calm     elevator.Instant
	troubles int
	looked   elevator.Instant // for rides that do not end
	heal     Healing
	edges    [len(states)][len(states)]int
	kept     []Breach
	total    int
	hash     uint64
	events   uint64
}

// New makes a watch of lifts that nothing is known of.
func New(c Config) *Watch {
	c.MaxRides, c.Within = cmp.Or(c.MaxRides, 64), cmp.Or(c.Within, time.Hour)
	w := &Watch{conf: c, lifts: make([]lift, len(c.Lifts)), hash: fnvOffset}
	for i, id := range c.Lifts {
		w.lifts[i].id, w.lifts[i].level = id, slices.Contains(c.Levels, id)
	}
	return w
}

// Breaches lists what was broken, oldest first; the first 64 are kept.
func (w *Watch) Breaches() []Breach { return w.kept }

// Broken counts all breaches.
func (w *Watch) Broken() int { return w.total }

// Add files a breach found by somebody else.
func (w *Watch) Add(b Breach) {
	w.total++
	if len(w.kept) < maxKept {
		w.kept = append(w.kept, b)
	}
}

func (w *Watch) breach(now elevator.Instant, law Law, lift, ride, format string, args ...any) {
	w.Add(Breach{At: now, Law: law, Lift: lift, Ride: ride, Text: fmt.Sprintf(format, args...)})
}

// Troubles tells how many faults are on now, so that [Ends] can be judged.
func (w *Watch) Troubles(n int, now elevator.Instant) {
	if w.troubles > 0 && n == 0 {
		w.calm = now
	}
	w.troubles = n
}

// Lying says that what a lift shows may not be true from now on, or that one cause for
// that is over. Causes are counted.
func (w *Watch) Lying(lift string, on bool, now elevator.Instant) {
	switch l := w.lift(lift); {
	case l == nil:
	case on:
		l.lying++
	case l.lying > 0:
		l.lying--
		l.honest = now
	}
}

// Liar says that a robot may say of itself what is not so. When it no longer does, it
// still counts as a liar until it stands on a landing: what it said may be believed.
func (w *Watch) Liar(robot string, on bool) {
	b := w.robot(robot)
	b.lies = on
	b.liar = b.liar && !b.out() || on
}

// Restarted tells that the agent's process is gone. What it knew is found again from
// its store: the rides come back as they are shown next.
func (w *Watch) Restarted(elevator.Instant) {
	for _, r := range w.rides {
		r.anew, r.heard = true, true
	}
	for i := range w.lifts {
		w.lifts[i].shown = elevator.Snapshot{}
	}
}

// Started says at which instant the clock of the agent's process stands at zero. The
// instants within the agent's values are of that clock, every other one is of the
// site's.
func (w *Watch) Started(zero elevator.Instant) { w.zero = zero }

// inside turns an instant of the site into one of the agent's clock, outside the
// other way round; never stays never.
func (w *Watch) inside(now elevator.Instant) elevator.Instant { return now - w.zero }

func (w *Watch) outside(at elevator.Instant) elevator.Instant {
	if at == 0 {
		return 0
	}
	return at + w.zero
}

// Passed lets the watch look for rides that do not end. It costs nothing to call it
// at each step.
func (w *Watch) Passed(now elevator.Instant) {
	if now < w.looked.Add(time.Minute) {
		return
	}
	w.looked = max(now, 1)
	if w.troubles > 0 {
		return
	}
	for _, r := range w.rides {
		from := max(r.since, w.calm)
		if r.running() && now > from.Add(w.conf.Within) && !r.told {
			r.told = true
			w.breach(now, Ends, r.liftID, r.id, "still %s %v after it began and the last fault ended", r.state, now.Sub(from).Round(time.Second))
		}
	}
	w.sweep(now)
}

func (r *ride) running() bool {
	return r.state != fsm.Done && r.state != fsm.Fault && r.state != fsm.FaultLocked
}

func (w *Watch) lift(id string) *lift {
	if w.told < len(w.lifts) && w.lifts[w.told].id == id { // mostly the same again
		return &w.lifts[w.told]
	}
	for i := range w.lifts {
		if w.lifts[i].id == id {
			w.told = i
			return &w.lifts[i]
		}
	}
	return nil
}
