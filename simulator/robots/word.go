package robots

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Errors of [Robot.Say]. Test with errors.Is.
var (
	ErrNoRide = errors.New("the robot has no ride")
	ErrSignal = errors.New("no such signal")
	ErrBusy   = errors.New("too many words wait already")
)

// Say has the robot give a signal of its present ride at once, as it stands and
// whatever it was told: for drills, and for the ready of a ride that was asked for
// with OnWord. A robot that says nothing now says it when it can talk again.
func (r *Robot) Say(kind string) error {
	r.mu.Lock()
	rides := len(r.follow)
	r.mu.Unlock()
	switch {
	case !slices.Contains(sayable(), kind):
		return fmt.Errorf("robot %s: %w: %q", r.o.ID, ErrSignal, kind)
	case rides == 0:
		return fmt.Errorf("robot %s: %w to speak of", r.o.ID, ErrNoRide)
	}
	select {
	case r.words <- kind:
		return nil
	default:
		return fmt.Errorf("robot %s: %w", r.o.ID, ErrBusy)
	}
}

func sayable() []string {
	return []string{
		kindHeartbeat, kindReady, kindEntering, kindEntered, kindLeaving, kindLeft, kindGaveUpEntering, kindGaveUpLeaving,
	}
}

// sayOn says what somebody has the robot say. Of several rides it speaks of the one
// that it serves.
func (r *Robot) sayOn(kind string) {
	ride := r.serving
	r.mu.Lock()
	if ride == "" {
		ride = r.someRide()
	}
	if kind == kindReady {
		delete(r.onWord, ride)
		r.readyFor, r.readyAt = ride, time.Now()
	}
	r.mu.Unlock()
	if ride != "" { // else it has ended meanwhile
		r.say(ride, r.signal(kind, ""))
	}
}

// someRide is the first by name; mu is held.
func (r *Robot) someRide() (first string) {
	for id := range r.follow {
		if first == "" || id < first {
			first = id
		}
	}
	return first
}

// holdReady keeps the robot from saying by itself that it stands at the door.
func (r *Robot) holdReady(ride string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onWord[ride] = true
}

func (r *Robot) freeReady(ride string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.onWord, ride)
}

func (r *Robot) readyOnWord(ride string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.onWord[ride]
}
