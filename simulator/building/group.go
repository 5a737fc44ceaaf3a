package building

import (
	"fmt"
	"slices"

	"hoistway/fsm/elevator"
)

// Level is a storey that a group serves.
type Level struct {
	Label    string
	HeightMM int
}

// group is a set of lifts that people use together, with a queue of them for each
// wish at each level. Levels count from 1, as floors do.
type group struct {
	conf    Group
	cars    []*car
	members uint64   // numbers of the cars, as bits
	slots   [64]int8 // by number
	pulse   *pulse
	levels  []Level
	floors  [][]elevator.Floor // by slot and level: the car's own floor, 0 for none
	level   [][]elevator.Floor // by slot and floor: the level
	unlike  bool               // no group, and the lifts' landings differ

	queues  []queue
	at      [][]int // queues by level
	pending []int   // queues of people who have no call
	crowd   *crowd  // nil until people come
	stale   uint64  // slots of cars to or from which calls may better go
	tours   []tour
	promise []promise // by slot, see best
}

// queue is everybody at one level who can use the same cars the same way. Where
// people say their destination, it is everybody of one destination.
type queue struct {
	from, to elevator.Floor // levels; to 0: any that way
	way      elevator.Direction
	mask     uint64 // of the slots that serve them
	first    int    // with no group: the slot whose button they like best
	people   []person
	asked    bool // by a button that nobody stands at
	lit      bool // called, and not answered
	slot     int  // the car to which the call was given; -1 none
	pending  bool
	host     uint64 // the number, as a bit, of the car that stands open for them
}

// group makes the groups, or of all lifts together one that has no common buttons.
func (b *Building) group(list []Group) {
	if len(list) == 0 {
		list = []Group{{Cars: b.IDs(), Control: alone}}
	}
	for _, conf := range list {
		g := &group{conf: conf, pulse: &b.pulse}
		for s, id := range conf.Cars {
			c := b.car(id)
			g.cars = append(g.cars, c)
			g.members |= 1 << c.number
			g.slots[c.number] = int8(s)
			if conf.Control != alone {
				c.group, c.slot = g, s
			}
		}
		g.measure()
		b.groups = append(b.groups, g)
	}
}

// measure finds the levels of the group and where each car has them.
func (g *group) measure() {
	for _, c := range g.cars {
		for _, l := range c.conf.Landings {
			if !slices.ContainsFunc(g.levels, func(k Level) bool { return k.Label == l.Label }) {
				g.levels = append(g.levels, Level{l.Label, l.HeightMM})
			}
		}
		if g.conf.Control == alone {
			break // people need lifts that are alike
		}
	}
	slices.SortFunc(g.levels, func(a, b Level) int { return a.HeightMM - b.HeightMM })
	n := len(g.levels)
	g.at = make([][]int, n+1)
	for _, c := range g.cars {
		own, back := make([]elevator.Floor, n+1), make([]elevator.Floor, len(c.conf.Landings)+1)
		for i, l := range g.levels {
			if f := c.conf.byLabel(l.Label); f != 0 {
				own[i+1], back[f] = f, elevator.Floor(i+1)
			}
		}
		g.unlike = g.unlike || g.conf.Control == alone && (len(back) != len(own) || slices.Contains(own[1:], 0))
		g.floors, g.level = append(g.floors, own), append(g.level, back)
		g.tours = append(g.tours, newTour(c))
		g.promise = append(g.promise, promise{})
	}
}

// serving is the set of slots that stop at both levels.
func (g *group) serving(from, to elevator.Floor) (mask uint64) {
	for s := range g.cars {
		if g.floors[s][from] != 0 && g.floors[s][to] != 0 {
			mask |= 1 << s
		}
	}
	return mask
}

func (g *group) label(label string) elevator.Floor {
	return elevator.Floor(slices.IndexFunc(g.levels, func(l Level) bool { return l.Label == label }) + 1)
}

func (b *Building) groupOf(id string) *group {
	for _, g := range b.groups {
		if g.conf.ID == id {
			return g
		}
	}
	return nil
}

// Levels lists the storeys of a group from below, nil for an unknown one. With no
// groups at all the id is "".
func (b *Building) Levels(id string) []Level {
	if g := b.groupOf(id); g != nil {
		return slices.Clone(g.levels)
	}
	return nil
}

// HallCall presses a group's landing button of a level for dir, as a person does.
// The group gives it to a car. ErrNoGroup, ErrNoLanding: there is no such button;
// ErrBusy: a group that asks for destinations has none.
func (b *Building) HallCall(id, level string, dir elevator.Direction) error {
	g := b.groupOf(id)
	switch {
	case g == nil || g.conf.Control == alone:
		return fmt.Errorf("group %q: %w", id, ErrNoGroup)
	case g.conf.Control == Destination:
		return fmt.Errorf("group %q asks for destinations: %w", id, ErrBusy)
	}
	from := g.label(level)
	mask := g.anyWay(from, dir)
	if mask == 0 {
		return fmt.Errorf("hall call %v at %q: %w", dir, level, ErrNoLanding)
	}
	return b.call(g, g.queue(queue{from: from, way: dir, mask: mask}))
}

// anyWay is the set of slots that stop at the level and can leave it that way.
func (g *group) anyWay(from elevator.Floor, dir elevator.Direction) (mask uint64) {
	for s, c := range g.cars {
		switch f := g.floors[s][from]; {
		case f == 0:
		case dir == elevator.Up && int(f) < len(c.heights), dir == elevator.Down && f > 1:
			mask |= 1 << s
		}
	}
	return mask
}

// DestinationCall says at a level of a group of [Destination] control where one
// wants to go, and gives the car to go with. Errors are those of HallCall, and
// ErrBusy when no car takes calls.
func (b *Building) DestinationCall(id, from, to string) (car string, err error) {
	g := b.groupOf(id)
	if g == nil || g.conf.Control != Destination {
		return "", fmt.Errorf("group %q: %w", id, ErrNoGroup)
	}
	f, t := g.label(from), g.label(to)
	if f == 0 || t == 0 || f == t || g.serving(f, t) == 0 {
		return "", fmt.Errorf("from %q to %q: %w", from, to, ErrNoLanding)
	}
	q := g.queue(queue{from: f, to: t, way: way(f, t), mask: g.serving(f, t)})
	if err := b.call(g, q); err != nil {
		return "", err
	}
	return g.cars[g.queues[q].slot].conf.ID, nil
}

// call lights a queue's call.
func (b *Building) call(g *group, q int) error {
	b.happened()
	if !g.queues[q].lit {
		g.give(&g.queues[q], b.now)
		g.await(q)
	}
	if g.queues[q].slot < 0 {
		return fmt.Errorf("group %q: no car takes calls: %w", g.conf.ID, ErrBusy)
	}
	b.react()
	b.Advance(b.now)
	return nil
}

func way(from, to elevator.Floor) elevator.Direction {
	if to > from {
		return elevator.Up
	}
	return elevator.Down
}

// queue finds the queue of a wish, or makes it.
func (g *group) queue(want queue) int {
	for _, i := range g.at[want.from] {
		q := &g.queues[i]
		if q.way == want.way && q.to == want.to && q.mask == want.mask && q.first == want.first {
			return i
		}
	}
	want.slot = -1
	g.queues = append(g.queues, want)
	i := len(g.queues) - 1
	g.at[want.from] = append(g.at[want.from], i)
	return i
}

// answered puts out the group's lamps at the landing where a car serves up, down
// or both, whichever car had been given the call.
func (g *group) answered(c *car, f elevator.Floor, up, down bool) {
	level := g.level[c.slot][f]
	for _, i := range g.at[level] {
		q := &g.queues[i]
		mine := q.mask&(1<<c.slot) != 0 && (q.to == 0 || q.slot == c.slot)
		if !q.lit || !mine || !(q.way == elevator.Up && up || q.way == elevator.Down && down) {
			continue
		}
		q.lit, q.asked = false, false
		if q.slot != c.slot {
			g.relight(q.slot, level)
		}
		if q.to == 0 {
			q.slot = -1
		}
		g.await(i)
	}
}

// await remembers those who have no call.
func (g *group) await(i int) {
	if q := &g.queues[i]; !q.pending && q.calls() {
		q.pending, q.host = true, 0
		g.pending = append(g.pending, i)
	}
}

// calls says that somebody wants a call that nobody has.
func (q *queue) calls() bool { return !q.lit && (q.asked || len(q.people) > 0) }

// relight makes a car's lamps at a level those of the calls that it was given.
func (g *group) relight(slot int, level elevator.Floor) {
	c, f := g.cars[slot], g.floors[slot][level]
	s := &c.calls
	s.hallUp, s.hallDown = without(s.hallUp, f), without(s.hallDown, f)
	for _, i := range g.at[level] {
		if q := &g.queues[i]; q.lit && q.slot == slot {
			l := s.hall(q.way)
			*l = l.With(f)
		}
	}
	c.touch()
}

// abandoned takes back all calls of a car that drops them.
func (g *group) abandoned(c *car) {
	for i := range g.queues {
		q := &g.queues[i]
		if q.slot != c.slot {
			continue
		}
		q.asked = q.asked || q.lit && len(q.people) == 0
		q.lit, q.slot = false, -1
		g.await(i)
	}
}
