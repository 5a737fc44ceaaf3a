// Package drivertest is the one conformance suite that every driver passes.
//
// A driver's test hands in a [Harness]: how to make a link, and a [Controller]
// that plays the far end and misbehaves on demand. [Run] then proves what the
// ride machine builds on: a wrong answer never becomes a value, a command acts
// at most once and its outcome is told as it is, and a controller that is away
// comes back by itself.
//
// The suite judges by what the link says and by what the controller felt. It
// never looks at how the driver works.
package drivertest

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Controller is the far end in the hand of a test. Its methods are called from
// the test's goroutine.
type Controller interface {
	// Power puts it on the wire, or takes it off so that nothing answers there.
	Power(on bool)
	// Show sets what it shows from now on.
	Show(Face)
	// Spoil makes the answers go wrong until it is called anew: those to writes, or
	// those to reads. A spoilt write is carried out all the same, except by Refuse.
	Spoil(how Spoil, writes bool)
	// Pressed lists the commands that it has carried out, oldest first.
	Pressed() []Press
}

// Leveller is a controller with an output that the harness's Pulse sets and releases.
type Leveller interface {
	Level() bool
}

// Face is what a controller shows.
type Face struct {
	Floor  elevator.Floor
	Motion elevator.Motion
	Door   elevator.Door // of the front
}

// Press is one command as the controller felt it.
type Press struct {
	Verb  elevator.Verb
	Floor elevator.Floor // 0 for a hold
}

// Spoil is a way in which answers go wrong.
type Spoil string

// The ways that each controller of a suite must master.
const (
	Sound   Spoil = "sound"   // nothing is wrong
	Silent  Spoil = "silent"  // no answer
	Late    Spoil = "late"    // the right answer, after the driver's patience
	Short   Spoil = "short"   // the first half of the answer
	Garbled Spoil = "garbled" // bits flipped
	Foreign Spoil = "foreign" // somebody else's answer
	Refuse  Spoil = "refuse"  // a valid no
)

// Harness is one driver with its far end.
type Harness struct {
	// Start makes a controller that is off, and a checked link to it. It
	// registers clean-up for what is not the link's.
	Start func(t *testing.T) (Controller, drivers.Opener)
	// Now is the clock that the driver has.
	Now func() elevator.Instant
	// Period is the driver's period of its fast points.
	Period time.Duration
	// Return bounds how long a controller that is back may go unnoticed, and how
	// long until one that is gone is told to be offline.
	Return time.Duration
	// Virtual runs each case in a bubble of virtual time.
	Virtual bool
	// Parallel runs the cases beside each other and beside other tests, so that only
	// TestMain can tell whether a goroutine was left behind. Start and Now must bear it.
	Parallel bool
	// ReadOnly declares that the link takes no single command, whatever it is. The cases
	// of commands are left out, and it is proven that each verb is refused, unsent.
	ReadOnly bool
	// Grain is how far a value may be dated before the read that brought it, where the
	// far end tells ages, and tells them coarsely. 0: it tells none.
	Grain time.Duration
	// Pulse is a command that sets an output and owes its release; the controller
	// is then a Leveller. The zero command: the driver has none.
	Pulse elevator.Command
	// Debts declares that the link is a [drivers.Debtor] of its Pulse.
	Debts bool
}

// kind says for which links a case is.
type kind uint8

const (
	every    kind = iota
	commands      // those that take commands
	owing         // those that owe what they began
	debtors       // and can tell
	readOnly
)

func (h Harness) wants(k kind) bool {
	switch k {
	case commands:
		return !h.ReadOnly
	case owing:
		return !h.ReadOnly && h.Pulse.Verb != elevator.VerbUnknown
	case debtors:
		return h.Debts
	case readOnly:
		return h.ReadOnly
	}
	return true
}

// Run plays every case.
func Run(t *testing.T, h Harness) {
	cases := []struct {
		name string
		run  func(*rig)
		of   kind
	}{
		{"a read is fresh", freshRead, every},
		{"a wrong answer never becomes a value", wrongAnswers, every},
		{"a command acts once for its id", onceForID, commands},
		{"commands of two ids both act", twiceForTwo, commands},
		{"a command past its life is not sent", expired, commands},
		{"a command for an absent controller is not sent", absentCommand, commands},
		{"a command taken back before it left is not sent", takenBack, commands},
		{"a refusal is told with its code", refused, commands},
		{"an unanswered command is unknown and not repeated", unknown, commands},
		{"a late acknowledgement is unknown and not repeated", lateAck, commands},
		{"a controller absent at the start comes up", absentAtStart, every},
		{"a controller that goes comes back", goneAndBack, every},
		{"watching delivers by the period", watchByPeriod, every},
		{"watching ends with its context", watchEnds, every},
		{"closing pays what is owed", closePays, owing},
		{"what is owed is told", tellsDebts, debtors},
		{"each command is refused, unsent", noCommands, readOnly},
		{"a closed link does nothing", closed, every},
	}
	for _, c := range cases {
		if !h.wants(c.of) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { h.play(t, c.run) })
	}
}

// rig is one link in one case.
type rig struct {
	*testing.T
	Harness
	far  Controller
	link drivers.Link
	last atomic.Pointer[elevator.Snapshot] // the latest that Watch delivered
	all  chan elevator.Snapshot
	n    uint32
}

func (h Harness) play(t *testing.T, run func(*rig)) {
	if h.Virtual {
		synctest.Test(t, func(t *testing.T) { h.open(t, run) })
		return
	}
	if h.Parallel {
		t.Parallel()
	} else {
		defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	}
	h.open(t, run)
}

func (h Harness) open(t *testing.T, run func(*rig)) {
	far, opener := h.Start(t)
	r := &rig{T: t, Harness: h, far: far, all: make(chan elevator.Snapshot, 4096)}
	far.Show(faceA)
	link, err := opener.Open(context.Background())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	r.link = link
	ended := r.watch()
	defer far.Power(false)
	defer func() { <-ended }()
	defer func() {
		if err := link.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	run(r)
}

// watch follows the link, so that a case sees whatever is ever delivered.
func (r *rig) watch() <-chan struct{} {
	w, ok := drivers.As[drivers.Watcher](r.link)
	ended := make(chan struct{})
	if !ok {
		r.Fatal("the link is no Watcher")
	}
	go func() {
		defer close(ended)
		_ = w.Watch(context.Background(), func(s elevator.Snapshot) {
			r.last.Store(&s)
			select {
			case r.all <- s:
			default:
			}
		})
	}()
	return ended
}

// until waits for a delivered snapshot that fits.
func (r *rig) until(what string, fits func(elevator.Snapshot) bool) elevator.Snapshot {
	r.Helper()
	end := time.Now().Add(r.Return)
	for time.Now().Before(end) {
		if s := r.last.Load(); s != nil && fits(*s) {
			return *s
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.Fatalf("not seen within %s: %s; last was %+v", r.Return, what, r.last.Load())
	return elevator.Snapshot{}
}

// up switches the controller on and waits for the link.
func (r *rig) up() {
	r.Helper()
	r.far.Power(true)
	r.until("online with face A", func(s elevator.Snapshot) bool {
		return s.Link == elevator.Online && faceA.shown(s)
	})
}

// command is a landing call at the second floor, alive for a minute.
func (r *rig) command() elevator.Command {
	r.n++
	return elevator.Command{
		ID: elevator.CommandID{Ride: "suite", N: r.n}, Verb: elevator.LandingCall,
		Floor: 2, Side: elevator.Front, Direction: elevator.Up, Reason: "conformance",
		Until: r.Now().Add(time.Minute),
	}
}

// do carries out c with more patience than any driver needs.
func (r *rig) do(c elevator.Command) elevator.Outcome {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), r.Return+time.Minute)
	defer cancel()
	o := r.link.Do(ctx, c)
	if o.ID != c.ID {
		r.Errorf("outcome of %v answers command %v", o.ID, c.ID)
	}
	return o
}

func (r *rig) wantResult(o elevator.Outcome, want elevator.Result) {
	r.Helper()
	if o.Result != want {
		r.Errorf("result %v, want %v: %+v", o.Result, want, o)
	}
}

func (r *rig) wantPresses(n int) {
	r.Helper()
	if got := r.far.Pressed(); len(got) != n {
		r.Errorf("the controller felt %v, want %d presses", got, n)
	}
}

// Two faces that differ in each part.
var (
	faceA = Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen}
	faceB = Face{Floor: 3, Motion: elevator.MovingUp, Door: elevator.DoorClosed}
)

// shown reports whether the snapshot shows f, good in each part.
func (f Face) shown(s elevator.Snapshot) bool {
	d := s.Door(elevator.Front)
	return s.Floor.Value == f.Floor && s.Motion.Value == f.Motion && d.Value == f.Door &&
		s.Floor.At != 0 && !s.Floor.Failed && !s.Motion.Failed && !d.Failed
}

// touches reports whether any part shows f's value.
func (f Face) touches(s elevator.Snapshot) bool {
	return s.Floor.Value == f.Floor || s.Motion.Value == f.Motion || s.Door(elevator.Front).Value == f.Door
}
