package devices

import (
	"errors"
	"fmt"
	"time"

	"hoistway/simulator/faults"
)

// Faults of the line, by their names in the catalogue.
const (
	silent        = "silent"
	lostAnswer    = "lost-answer"
	late          = "late"
	slow          = "slow"
	garbled       = "garbled"
	truncated     = "truncated"
	foreign       = "foreign"
	exceptional   = "exception"
	split         = "split"
	hangUp        = "hang-up"
	unplugged     = "unplugged"
	busyElsewhere = "busy-elsewhere"
)

// metByRequest are the kinds that a request may meet, the gravest first: the first
// that strikes has the request.
var metByRequest = []string{silent, hangUp, lostAnswer, exceptional, truncated, foreign, garbled, split, late, slow}

// errNoPlace: nobody connects to a serial line, so no connection can be refused.
var errNoPlace = errors.New("a serial line has no place for a master that could be taken")

// splitPause is between the two parts of an answer: longer than the silence that
// ends a frame on a serial line at 9600 baud.
const splitPause = 5 * time.Millisecond

// Play begins a fault of the line, by its name in the catalogue, from the next
// request on. Its target is the unit's lift. unplugged and busy-elsewhere are felt
// by every lift on the wire.
func (u *Unit) Play(f faults.Fault) error {
	if err := u.playable(f); err != nil {
		return fmt.Errorf("lift %q: %w", u.car, err)
	}
	u.mu.Lock()
	err := u.player.Begin(f, u.world.Now())
	u.mu.Unlock()
	if err != nil {
		return fmt.Errorf("lift %q: %w", u.car, err)
	}
	u.look()
	return nil
}

func (u *Unit) playable(f faults.Fault) error {
	k, known := faults.Find(f.Kind)
	switch {
	case known && k.Family != faults.Line:
		return fmt.Errorf("%s: %w on a wire: it is a fault of the %v", f.Kind, faults.ErrKind, k.Family)
	case known && f.Target != u.car:
		return fmt.Errorf("%s: %w %q", f.Kind, faults.ErrTarget, f.Target)
	case u.serial && f.Kind == busyElsewhere:
		return errNoPlace
	}
	return nil // the player checks the rest
}

// ClearNamed ends the faults of a kind, all of them for "".
func (u *Unit) ClearNamed(kind string) {
	u.mu.Lock()
	u.player.Clear(u.car, kind, u.world.Now())
	u.mu.Unlock()
	u.look()
}

// Faults shows those that are on, oldest first.
func (u *Unit) Faults() []faults.Active {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.player.Expire(u.world.Now())
	return u.player.List()
}

// FaultEvents hands over what happened to faults since the last call.
func (u *Unit) FaultEvents() []faults.Event {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.player.Expire(u.world.Now())
	return u.player.Events()
}

func (u *Unit) meet() faults.Fault {
	u.mu.Lock()
	defer u.mu.Unlock()
	f, _ := u.player.Meet(u.car, u.world.Now(), metByRequest...)
	return f
}

// suffers reports whether a kind that is on or off is on.
func (u *Unit) suffers(kind string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, on := u.player.On(u.car, kind, u.world.Now())
	return on
}

// respond serves a request and spoils what is not a matter of the wire: the
// answer is nil when none is sent. A controller without power, or one that boots,
// hears nothing.
func (u *Unit) respond(req []byte) ([]byte, faults.Fault) {
	dark := u.dark()
	u.count(asked(req))
	if dark {
		return nil, faults.Fault{}
	}
	f := u.meet()
	switch f.Kind {
	case silent:
		return nil, f
	case exceptional:
		return exception(req[0], uint8(f.Number())), f
	}
	answer := u.answer(req)
	if answer == nil || u.Manners().SilentNo && answer[0]&exceptionFlag != 0 {
		return nil, f
	}
	switch f.Kind {
	case lostAnswer, hangUp:
		return nil, f
	case truncated:
		return short(answer), f
	}
	return answer, f
}

// short leaves one register out; an answer that holds none loses its last byte.
func short(answer []byte) []byte {
	read := answer[0] == readHoldings || answer[0] == readInputs
	if !read {
		return answer[:len(answer)-1]
	}
	cut := append([]byte(nil), answer[:len(answer)-2]...)
	cut[1] -= 2
	return cut
}

// deliver sends a whole frame as manners and fault have it; false means that the
// wire is gone. end cuts every wait short.
func (u *Unit) deliver(frame []byte, f faults.Fault, send func([]byte) bool, end <-chan struct{}) bool {
	m := u.Manners()
	wait := m.AnswerDelay
	if f.Kind == late || f.Kind == slow {
		wait += f.Duration()
	}
	if !pause(wait, end) {
		return false
	}
	ok := false
	switch {
	case f.Kind == split:
		cut := len(frame) / 2
		ok = send(frame[:cut]) && pause(splitPause, end) && send(frame[cut:])
	case m.BytePause > 0:
		ok = trickle(frame, m.BytePause, send, end)
	default:
		ok = send(frame)
	}
	u.rests(m.Turnaround)
	return ok
}

func trickle(frame []byte, every time.Duration, send func([]byte) bool, end <-chan struct{}) bool {
	for i := range frame {
		if i > 0 && !pause(every, end) || !send(frame[i:i+1]) {
			return false
		}
	}
	return true
}

// pause waits, and is false when the end came first.
func pause(d time.Duration, end <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-end:
		return false
	}
}
