package journal

import (
	"slices"
	"sync"
	"time"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// How many frames are kept around a command, and how long after.
const (
	framesBefore = 6
	framesDuring = 40
	framesAfter  = 6
	maxFrame     = 256 // bytes of one that are kept
	duringLimit  = 10 * time.Second
	afterLimit   = time.Second
)

// given is a command that was handed over.
type given struct {
	c      core.Command
	urgent bool
	t      core.Time
	before []drivers.Frame
	lost   uint64
}

// passed is a frame that passed around a command.
type passed struct {
	id   elevator.CommandID
	f    drivers.Frame
	lost uint64
}

// frames keeps the last frames of each line, and hands on those that pass while a
// command is under way. Its lock is held for a few instructions only.
type frames struct {
	keep   func(passed)
	lineOf map[string]string // by lift
	mu     sync.Mutex
	wires  map[string]*wire
}

type wire struct {
	ring  [framesBefore]drivers.Frame
	n     uint64 // frames that ever passed
	rides []*window
}

// window is open for one ride on one line, for its last command.
type window struct {
	id    elevator.CommandID
	seen  uint64 // frames up to this number are kept for the ride
	left  int
	until elevator.Instant
}

func newFrames(lifts map[string]Lift, keep func(passed)) *frames {
	f := &frames{keep: keep, lineOf: map[string]string{}, wires: map[string]*wire{}}
	for id, l := range lifts {
		f.lineOf[id] = l.Line
		f.wires[l.Line] = &wire{}
	}
	return f
}

func (f *frames) trace(x drivers.Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.wires[x.Line]
	if w == nil {
		return
	}
	w.ring[w.n%framesBefore] = x
	w.n++
	open := w.rides[:0]
	for _, o := range w.rides {
		if o.left > 0 && x.At <= o.until {
			o.left--
			o.seen = w.n
			f.keep(passed{id: o.id, f: x})
			open = append(open, o)
		}
	}
	clear(w.rides[len(open):])
	w.rides = open
}

// around opens the window of a command and gives the frames before it that the ride
// has not got yet.
func (f *frames) around(c core.Command, now elevator.Instant) []drivers.Frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.wires[f.lineOf[c.Lift]]
	if w == nil {
		return nil
	}
	o := w.of(c.Command.ID.Ride, now)
	o.id, o.left, o.until = c.Command.ID, framesDuring, now.Add(duringLimit)
	from := max(o.seen, w.n-min(w.n, framesBefore))
	o.seen = w.n
	var out []drivers.Frame
	for n := from; n < w.n; n++ {
		out = append(out, w.ring[n%framesBefore])
	}
	return out
}

// of finds the window of a ride or makes one. Those whose time is over go, or a line on
// which nothing passes would gather them.
func (w *wire) of(ride string, now elevator.Instant) *window {
	w.rides = slices.DeleteFunc(w.rides, func(o *window) bool { return o.id.Ride != ride && o.until < now })
	for _, o := range w.rides {
		if o.id.Ride == ride {
			return o
		}
	}
	o := &window{}
	w.rides = append(w.rides, o)
	return o
}

// answered lets a few frames more pass and then closes the window.
func (f *frames) answered(id elevator.CommandID, now elevator.Instant) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.wires {
		for _, o := range w.rides {
			if o.id == id {
				o.left, o.until = min(o.left, framesAfter), min(o.until, now.Add(afterLimit))
			}
		}
	}
}
