// Package robots plays robots that ride lifts by the local API, as the maker of a
// real robot would write it against the public description: over HTTP, with JSON
// of its own, knowing nothing of how an agent works inside.
//
// A [Robot] has two halves. Its mouth and ears are [Robot.Run]: about every 150 ms
// it asks what to do, says where it is, and says again what was not heard. Its body
// crosses a door line only on a permit that it has just fetched, that it can still
// begin in time and get through in time, and only once the agent has heard that it
// goes; whatever it is told, without such a permit it stands still. Only in a car, and
// with no answer any more, it leaves by its pass and by what it sees. Nothing is ever
// inferred from silence: when a word may or may not have been heard, the same word
// is said again under the same number.
//
// A [Manner] makes a robot misbehave on purpose, for drills; [Robot.Play] does so for
// a while, by the names of simulator/faults.
package robots

import (
	"context"
	"crypto/rand"
	"log/slog"
	randv2 "math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options make a robot. ID and BaseURL are required.
type Options struct {
	ID       string
	BaseURL  string // of the agent, http://127.0.0.1:8732
	Token    string
	Client   *http.Client  // nil: one of its own
	Crossing time.Duration // through one door line; 0 is 4 s
	MassKg   int           // 0 is 60
	Log      *slog.Logger  // nil: silent
	World    World         // nil: nobody feels this robot
	Seed     uint64        // of the spread of its polls; robots of one seed keep step
	Manner   Manner
}

// World is what feels a robot's body. A World that is also [Eyes] lets it see.
// Its methods are called from the robot's goroutines and must not block for long.
type World interface {
	// Doorway says that the robot stands in a door of lift, or no longer does.
	Doorway(lift, side string, blocked bool)
	// Load says how much of this robot's mass, in kg, stands in the car: all of it or 0.
	Load(lift string, kg int)
}

// Eyes let a robot see the door in front of it and feel the car move. A robot
// without eyes says that it does not know.
type Eyes interface {
	See(lift, side string) Sight
}

// Sight is what a robot sees of a lift. An empty string is not known.
type Sight struct {
	Floor  string // the landing at which the car stands
	Motion string // still, up or down
	Open   bool   // the door of that side is seen fully open
}

// Place is where a robot really is, whatever it says.
type Place struct {
	Where string // landing, doorway or car
	Lift  string // in a doorway or a car
	Floor string // at a landing; "" is not known
}

// RideEnd tells that a ride is over, or that it is locked and waits for a person.
type RideEnd struct {
	Ride, Lift string
	State      string // DONE or FAULT_LOCKED; "" when the agent no longer knows the ride
	Phase      string // arrived, cancelled, …
	Fault      string // code, "" for none
}

const doneRoom = 64

// Robot is one pretend robot. Its methods are safe for concurrent use; Run runs once.
type Robot struct {
	o    Options
	api  caller
	done chan RideEnd
	body body
	arr  chan move // ends of crossings
	turn chan struct{}
	wg   sync.WaitGroup
	rng  *randv2.Rand // of Run
	tag  string       // of its rides' ids
	mood troubles

	mu     sync.Mutex
	asked  int
	follow map[string]int  // rides whose end is still to be told; how often each was missed
	onWord map[string]bool // rides whose ready waits for somebody's word

	words chan string // kinds of signal that somebody has it say

	mouth // of Run
}

// New makes a robot that stands at a landing which its first ride will name. It
// does nothing before Run.
func New(o Options) *Robot {
	if o.Crossing <= 0 {
		o.Crossing = 4 * time.Second
	}
	if o.MassKg <= 0 {
		o.MassKg = 60
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = o.Log.With("robot", o.ID)
	boot := newBoot()
	return &Robot{
		o: o, api: newCaller(o), done: make(chan RideEnd, doneRoom),
		body:   body{place: Place{Where: atLanding}},
		onWord: map[string]bool{}, words: make(chan string, boxRoom),
		arr: make(chan move, 1), turn: make(chan struct{}, 1),
		tag: strings.ToLower(boot[:6]), mood: troubles{id: o.ID, born: time.Now()},
		rng:    randv2.New(randv2.NewPCG(o.Seed, 0x726f626f74)),
		follow: map[string]int{}, mouth: mouth{boot: boot, grumbled: map[string]string{}},
	}
}

// newBoot is never that of an earlier life: an agent remembers (boot, seq).
func newBoot() string { return rand.Text()[:12] }

// ID is the robot's id.
func (r *Robot) ID() string { return r.o.ID }

// Where tells where the robot really is.
func (r *Robot) Where() Place { return r.body.where() }

// Done gives the end of each ride that the robot knew running, once. Ends that
// nobody fetches are dropped beyond a bound. The channel is never closed.
func (r *Robot) Done() <-chan RideEnd { return r.done }

// Run lives until ctx ends and returns nil then. It serves every ride of this
// robot, whoever asked for it.
func (r *Robot) Run(ctx context.Context) error {
	defer r.api.close()
	defer r.wg.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-r.arr:
			r.arrived(m)
			r.speak(ctx)
		case kind := <-r.words:
			r.sayOn(kind)
			r.speak(ctx)
		case <-tick.C:
			if !r.asleep() {
				r.turnOnce(ctx)
			}
			tick.Reset(r.pause())
		}
	}
}

// pause is 150 ms, a fifth more or less, so that robots do not keep step.
func (r *Robot) pause() time.Duration {
	return 120*time.Millisecond + time.Duration(r.rng.Int64N(int64(60*time.Millisecond)))
}

// turnOnce says what is to be said, asks what to do, and does it.
func (r *Robot) turnOnce(ctx context.Context) {
	if r.mustReboot() {
		r.reboot()
	}
	if !r.manner().SaysLeft {
		r.claim = Place{}
	}
	r.speak(ctx)
	asked := time.Now()
	rides, err := r.api.rides(ctx, r.o.ID)
	r.listened(err, asked)
	if r.complain("ask what to do", err) {
		r.leaveByPass(ctx)
		return
	}
	r.tellEnds(rides)
	ride := choose(rides, r.serving)
	r.serving = ride.ID
	r.told, r.toldAt = ride, asked
	r.obey(ctx, ride, asked)
	r.beat(ctx, ride)
}

// choose keeps to the ride that is being served, else takes the first that runs.
func choose(rides []ride, serving string) ride {
	var first ride
	for _, x := range rides {
		if x.State == stateDone {
			continue
		}
		if x.ID == serving {
			return x
		}
		if first.ID == "" {
			first = x
		}
	}
	return first
}
