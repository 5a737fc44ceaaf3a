package robots

import (
	"fmt"
	"sync"
	"time"

	"hoistway/simulator/faults"
)

// Manner is how a robot misbehaves. The zero Manner behaves. What is in
// [Options] holds for its life; [Robot.Play] puts more on top for a while.
type Manner struct {
	// Silent: it neither hears nor says anything, and stands still.
	Silent bool
	// Mute is a kind of signal that it never gives ("entered"). Not having said
	// "entered" or "left", it does not claim to know where it is either.
	Mute string
	// Freeze makes it stop in the doorway when it enters, and stay there talking.
	Freeze bool
	// Dies is a signal after which it neither talks nor moves again: after
	// "entering" it blocks the doorway, after "entered" the car.
	Dies string
	// Slow is how long a crossing takes it, whatever it believes; 0 is as it said.
	Slow time.Duration
	// Repeats is how often it says each thing; 0 is once.
	Repeats int
	// SaysLeft: on a permit to leave it says that it leaves and has left, and stays
	// inside.
	SaysLeft bool
}

// Faults of a robot, by their names in the catalogue.
const (
	robotSilent   = "robot-silent"
	mute          = "mute"
	dies          = "dies"
	freezes       = "freezes"
	crossesSlowly = "crosses-slowly"
	repeats       = "repeats"
	reboots       = "reboots"
	saysLeft      = "says-left"
)

// troubles are the faults of a robot that are on. Safe for concurrent use.
type troubles struct {
	id   string
	born time.Time

	mu     sync.Mutex
	player faults.Player
	dead   bool
}

func (t *troubles) now() faults.Instant { return faults.Instant(time.Since(t.born)) }

// Play begins a fault of the robot family, by its name in the catalogue, on this
// robot. reboots is over as soon as the robot has started anew.
func (r *Robot) Play(f faults.Fault) error {
	k, known := faults.Find(f.Kind)
	switch {
	case known && k.Family != faults.Robot:
		return fmt.Errorf("robot %s: %s: %w of a robot: it is a fault of the %v", r.o.ID, f.Kind, faults.ErrKind, k.Family)
	case known && f.Target != r.o.ID:
		return fmt.Errorf("robot %s: %s: %w %q", r.o.ID, f.Kind, faults.ErrTarget, f.Target)
	}
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	if err := r.mood.player.Begin(f, r.mood.now()); err != nil {
		return fmt.Errorf("robot %s: %w", r.o.ID, err)
	}
	return nil
}

// ClearNamed ends the faults of a kind, all of them for "". A robot that died of
// one lives again.
func (r *Robot) ClearNamed(kind string) {
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	r.mood.player.Clear(r.o.ID, kind, r.mood.now())
}

// Faults shows those that are on, oldest first.
func (r *Robot) Faults() []faults.Active {
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	r.mood.player.Expire(r.mood.now())
	return r.mood.player.List()
}

// FaultEvents hands over what happened to faults since the last call.
func (r *Robot) FaultEvents() []faults.Event {
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	r.mood.player.Expire(r.mood.now())
	return r.mood.player.Events()
}

// manner is how the robot behaves now.
func (r *Robot) manner() Manner {
	m := r.o.Manner
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	if f, on := r.mood.on(mute); on {
		m.Mute = f.Value()
	}
	if f, on := r.mood.on(dies); on {
		m.Dies = f.Value()
	}
	if f, on := r.mood.on(crossesSlowly); on {
		m.Slow = f.Duration()
	}
	for kind, flag := range map[string]*bool{robotSilent: &m.Silent, freezes: &m.Freeze, saysLeft: &m.SaysLeft} {
		if _, on := r.mood.on(kind); on {
			*flag = true
		}
	}
	return m
}

func (t *troubles) on(kind string) (faults.Fault, bool) { return t.player.On(t.id, kind, t.now()) }

// times is how often the signal that is to be said now is said.
func (r *Robot) times() int {
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	if f, struck := r.mood.player.Meet(r.o.ID, r.mood.now(), repeats); struck {
		return f.Number()
	}
	return max(1, r.o.Manner.Repeats)
}

// mustReboot reports, once, that the robot is to start anew.
func (r *Robot) mustReboot() bool {
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	_, on := r.mood.on(reboots)
	if on {
		r.mood.player.Clear(r.o.ID, reboots, r.mood.now())
	}
	return on
}

// die ends the robot's talking and moving after this signal, if that is its manner.
func (r *Robot) die(after string) {
	if r.manner().Dies != after {
		return
	}
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	r.mood.dead = true
}

// asleep reports whether the robot does nothing at all now.
func (r *Robot) asleep() bool {
	m := r.manner()
	r.mood.mu.Lock()
	defer r.mood.mu.Unlock()
	r.mood.dead = r.mood.dead && m.Dies != ""
	return r.mood.dead || m.Silent
}
