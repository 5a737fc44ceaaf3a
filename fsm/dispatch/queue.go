package dispatch

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// maxPriority is the highest that a request can have; the lowest is 0.
const maxPriority = 9

// Queued is one ride that waits for a car, for readers.
type Queued struct {
	Ride  string
	Place int           // from 1
	Why   string        // what it waits for
	ETA   time.Duration // until the car can be at From, estimated; 0 = not known
}

// rank is a ride's standing in the queue: its priority, and one more for each full minute
// that it has waited. A ride that had the car and could not use it begins anew with none,
// behind those who waited at that time: nobody is overtaken for ever.
func (e *entry) rank(now elevator.Instant) (priority int, since elevator.Instant) {
	since, priority = e.book.At, min(max(e.ride.Priority, 0), maxPriority)
	if e.yielded != 0 {
		since, priority = e.yielded, 0
	}
	return priority + int(now.Sub(since)/time.Minute), since
}

func before(a, b *entry, now elevator.Instant) int {
	pa, sa := a.rank(now)
	pb, sb := b.rank(now)
	return cmp.Or(cmp.Compare(pb, pa), cmp.Compare(sa, sb))
}

// line is who waits for a car, its decks taken together, the first in front.
func (s *Site) line(c *car, now elevator.Instant) []*entry {
	var out []*entry
	for _, e := range s.rides {
		if m := s.car(e.ride.Lift); m != nil && m.shell == c.shell && m.owner != e && queues(&e.ride) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b *entry) int { return before(a, b, now) })
	return out
}

// queues reports a ride that keeps a place: not one that is over, or that only a person
// sets free.
func queues(r *fsm.Ride) bool { return r.State != fsm.FaultLocked && !r.Latched && !finished(r) }

// ahead counts the rides that get the car of c before e does, the holder's among them.
func (s *Site) ahead(c *car, e *entry, now elevator.Instant) int {
	n := 0
	for _, x := range s.rides {
		m := s.car(x.ride.Lift)
		if x == e || m == nil || m.shell != c.shell {
			continue
		}
		if m.owner == x || queues(&x.ride) && before(x, e, now) <= 0 {
			n++
		}
	}
	return n
}

// queue is the line of one lift for readers.
func (s *Site) queue(c *car, now elevator.Instant) []Queued {
	var out []Queued
	for i, e := range s.line(c, now) {
		if e.ride.Lift == c.ID {
			out = append(out, Queued{Ride: e.ride.ID, Place: i + 1, Why: s.whyWaits(c, e, i, now), ETA: s.eta(c, e, now)})
		}
	}
	return out
}

// whyWaits says what a ride without the car waits for.
func (s *Site) whyWaits(c *car, e *entry, place int, now elevator.Instant) string {
	holder := s.holder(c)
	closed, why := s.closed(c, now)
	ok, code := c.Plan.Accepting(&c.seen.Car, now)
	switch {
	case closed != "":
		return why
	case s.stray(c, e) != nil:
		return fmt.Sprintf("%s is in the car, or may be", s.stray(c, e).ride.Robot)
	case e.ride.State == fsm.Idle && !e.ride.Ready:
		return "the robot is not ready" + due(e, now)
	case !ok:
		return fmt.Sprintf("lift %s takes no rides: %s", c.ID, code)
	case holder != nil && holder.ride.Lift != c.ID:
		return fmt.Sprintf("%s rides on the other deck of this car", holder.ride.Robot)
	case holder != nil:
		return holder.ride.Robot + " has the car"
	case e.ride.State == fsm.Fault && !wants(&e.ride, now):
		return "it tries again after " + string(e.ride.Code)
	case place > 0:
		return "others are before it"
	}
	return "the car comes next"
}

func due(e *entry, now elevator.Instant) string {
	if left := e.book.Due.Until(now); e.book.Due != 0 && left > 0 {
		return fmt.Sprintf(", expected in %s", inSteps(left))
	}
	return ""
}

// inSteps rounds a time to wait up so that it changes when that matters, and not with every look: each
// other text is an event for all who read.
func inSteps(left time.Duration) time.Duration {
	step := 15 * time.Minute
	switch {
	case left <= 2*time.Minute:
		step = 30 * time.Second
	case left <= time.Hour:
		step = 5 * time.Minute
	}
	return (left + step - 1).Truncate(step)
}

// stray is another ride whose robot is or may be in this car without the lease of it.
func (s *Site) stray(c *car, e *entry) *entry {
	for _, x := range s.rides {
		if m := s.car(x.ride.Lift); x != e && x.ride.Where != fsm.Outside && m != nil && m.shell == c.shell && m.owner != x {
			return x
		}
	}
	return nil
}
