package robot

import (
	"errors"
	"slices"
	"time"

	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const (
	// MaxWaiting bounds the signals that wait for the gateway.
	MaxWaiting = 64
	// MaxAge is how old a signal may be that a gateway takes.
	MaxAge = time.Hour
)

// Waiting is one signal on its way to the gateway.
type Waiting struct {
	N      uint64 // counts up
	Ride   string // "" is a sign of life without a ride
	Via    string // the lift whose link carries it
	Signal drivers.RideSignal
}

func (w *Waiting) beat() bool { return w.Signal.Kind == string(fsm.Heartbeat) }

// Outbox keeps what the robot said until the gateway has it: in its order, each with
// its own date, under numbers of this agent's own, so that robot and agent may each
// start anew. It has one owner.
type Outbox struct {
	Boot    string // of this run of the agent
	seq     uint64
	n       uint64
	waiting []Waiting
	heard   struct {
		boot  string
		seq   uint64
		boots [3]string // the ones before it, newest first: what they still send is late
	}
}

// NewOutbox makes an empty one. boot is another word after each start.
func NewOutbox(boot string) *Outbox { return &Outbox{Boot: boot} }

// Known reports a signal of the robot that was taken before, or is of an earlier start
// of the robot.
func (o *Outbox) Known(boot string, seq uint64) bool {
	return boot == o.heard.boot && seq <= o.heard.seq || slices.Contains(o.heard.boots[:], boot)
}

// Heard remembers a signal of the robot as taken.
func (o *Outbox) Heard(boot string, seq uint64) {
	if boot != o.heard.boot && o.heard.boot != "" {
		o.heard.boots = [3]string{o.heard.boot, o.heard.boots[0], o.heard.boots[1]}
	}
	o.heard.boot, o.heard.seq = boot, seq
}

// Put takes a signal under a number of this side and gives its place. A sign of life
// that follows another of the same ride stands in for it, since each is whole; where
// there is no room the oldest sign of life goes, then the oldest signal of all, and
// dropped says so. Taken is false for one that nobody has put in.
func (o *Outbox) Put(ride, via string, s drivers.RideSignal) (n uint64, dropped bool) {
	o.seq++
	o.n++
	s.Boot, s.Seq = o.Boot, o.seq
	w := Waiting{N: o.n, Ride: ride, Via: via, Signal: s}
	if k := len(o.waiting); k > 1 && w.beat() && o.waiting[k-1].beat() && o.waiting[k-1].Ride == ride { // the first may be on its way
		o.waiting[k-1] = w
		return w.N, false
	}
	if len(o.waiting) >= MaxWaiting {
		dropped = o.makeRoom()
	}
	o.waiting = append(o.waiting, w)
	return w.N, dropped
}

// makeRoom lets one go and reports whether that was more than a sign of life.
func (o *Outbox) makeRoom() bool {
	i := slices.IndexFunc(o.waiting, func(w Waiting) bool { return w.beat() })
	if i < 0 {
		o.waiting = slices.Delete(o.waiting, 0, 1)
		return true
	}
	o.waiting = slices.Delete(o.waiting, i, i+1)
	return false
}

// First is the signal to send next; too old ones are let go of before, and late counts them.
func (o *Outbox) First(now elevator.Instant) (w Waiting, late int, ok bool) {
	for len(o.waiting) > 0 {
		if now.Sub(o.waiting[0].Signal.At) < MaxAge-time.Minute {
			return o.waiting[0], late, true
		}
		o.waiting = o.waiting[1:]
		late++
	}
	return Waiting{}, late, false
}

// Take removes one, wherever it stands, and reports whether it was there.
func (o *Outbox) Take(n uint64) bool {
	i := slices.IndexFunc(o.waiting, func(w Waiting) bool { return w.N == n })
	if i >= 0 {
		o.waiting = slices.Delete(o.waiting, i, i+1)
	}
	return i >= 0
}

// Len is how many wait.
func (o *Outbox) Len() int { return len(o.waiting) }

// Fate is what becomes of a signal after an answer.
type Fate uint8

const (
	Told  Fate = iota // the gateway has it
	Again             // it may not have it: the same again
	Never             // it will never take it
)

// FateOf judges the answer to a signal. A gateway that does not know this agent, or a
// stranger that answers in its place, has judged nothing about the signal.
func FateOf(err error) Fate {
	var no *drivers.RideRefusal
	switch {
	case err == nil:
		return Told
	case errors.Is(err, drivers.ErrGone), errors.Is(err, drivers.ErrConflict):
		return Never
	case errors.As(err, &no) && errors.Is(err, drivers.ErrConfig):
		if slices.Contains([]string{"E-2003", "E-2004", "E-2009", "E-2012"}, no.Code) {
			return Again
		}
		return Never
	case errors.Is(err, drivers.ErrNotSent) && errors.Is(err, drivers.ErrConfig):
		return Never // it cannot be written down
	}
	return Again
}

// Weighty counts up with each signal that waits and is more than a sign of life.
func (o *Outbox) Weighty() (n uint64) {
	for _, w := range o.waiting {
		if !w.beat() {
			n += w.N
		}
	}
	return n
}
