package profiles

import (
	"fmt"
	"strconv"
	"time"

	"hoistway/fsm/elevator"
)

// Send is one message of a command.
type Send struct {
	Message string
	Args    map[string]Raw
	Pause   time.Duration // silence on this device after it
	Owed    bool          // ends what one before it began: paid first after a lost line
	// MayClose takes the promise of Owed back: what may start a door closing is never
	// said by itself.
	MayClose bool
}

// Asking is how one command is said.
type Asking struct {
	Sends     []Send
	HoldUntil elevator.Instant // end of the hold on the device's side; 0 = none
	MayClose  bool
	Until     elevator.Instant // never sent at or after it
	Confirmed time.Duration    // how long Proven may take to tell, where the answer leaves it open; 0 = it cannot
}

// sending is one message before the command's own values are known.
type sending struct {
	message string
	args    map[string]argument
	pause   time.Duration
	owed    bool

	mayClose bool
}

// argument is a fixed value, or a value of the command by its name.
type argument struct {
	of    string // wire, to_wire, label, …; "" is fixed
	fixed Raw
}

// Ask says how to say a command; the errors are those of Encode. Before the first
// message leaves, [Profile.Ready] has to say that the lift is as the command needs it.
func (p *Profile) Ask(c elevator.Command, floors elevator.Table, now elevator.Instant) (Asking, error) {
	if c.Until <= now {
		return Asking{}, fmt.Errorf("%s: %w", c.Verb, ErrExpired)
	}
	cmd, err := p.command(c)
	if err != nil {
		return Asking{}, err
	}
	n, err := p.numbers(c, cmd, floors, now)
	if err != nil {
		return Asking{}, fmt.Errorf("%s: %w", describe(c), err)
	}
	a := Asking{MayClose: cmd.mayClose || closes(c.Verb), Until: cmd.until(c, now), Confirmed: cmd.within}
	for _, s := range cmd.sends {
		a.Sends = append(a.Sends, Send{s.message, p.args(s, c, n, floors), s.pause, s.owed, s.mayClose})
	}
	if c.Verb == elevator.Hold {
		a.HoldUntil = cmd.ends(n.seconds, now)
	}
	return a, nil
}

func (p *Profile) args(s sending, c elevator.Command, n numbers, floors elevator.Table) map[string]Raw {
	out := make(map[string]Raw, len(s.args))
	for name, a := range s.args {
		out[name] = p.arg(a, c, n, floors)
	}
	return out
}

func (p *Profile) arg(a argument, c elevator.Command, n numbers, floors elevator.Table) Raw {
	switch a.of {
	case "wire":
		return RawOfInt(int64(n.wire))
	case "to_wire":
		return RawOfInt(int64(n.to))
	case "label":
		return RawOfText(floors.Label(c.Floor))
	case "to_label":
		return RawOfText(floors.Label(c.To))
	case "seconds":
		return RawOfInt(int64(n.seconds))
	case "side":
		return p.sides[c.Side]
	case "to_side":
		return p.sides[c.ToSide]
	case "direction":
		return p.directions[c.Direction]
	case "ride":
		return RawOfText(c.ID.Ride)
	case "id":
		return RawOfText(c.ID.String())
	case "n":
		return RawOfInt(int64(c.ID.N))
	}
	return a.fixed
}

// argTerms are the values of a command that a message may carry, with what it has to
// know of the floor table for them.
var argTerms = map[string]struct{ from, to bool }{
	"wire": {from: true}, "label": {from: true}, "side": {}, "direction": {},
	"to_wire": {to: true}, "to_label": {to: true}, "to_side": {},
	"seconds": {}, "ride": {}, "id": {}, "n": {},
}

// Literal is a value as a file or a person writes it: a whole number, true, false, or a text.
func Literal(s string) Raw {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return RawOfInt(n)
	}
	if b, err := strconv.ParseBool(s); err == nil && (s == "true" || s == "false") {
		return RawOfBool(b)
	}
	return RawOfText(s)
}
