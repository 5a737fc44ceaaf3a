package profiles

import (
	"errors"
	"fmt"
	"time"

	"hoistway/fsm/elevator"
)

// Kinds of errors of Encode. Test with errors.Is.
var (
	ErrExpired    = errors.New("the command's time is over")
	ErrNotCapable = errors.New("the controller has no such command")
	ErrNoFloor    = errors.New("no such landing")
)

// ask names a command of a profile: a verb with what tells it from its siblings.
type ask struct {
	verb   elevator.Verb
	dir    elevator.Direction // LandingCall
	side   elevator.Side      // Hold, Lapse
	notice elevator.Notice    // Notify
	of     elevator.Verb      // CancelCall: the kind of call
}

type command struct {
	writes   []step
	sends    []sending // instead, where messages are spoken
	mayClose bool
	longest  time.Duration // Hold in seconds
	dies     time.Duration // Hold
	usesFrom bool
	usesTo   bool
	timed    bool // says how many seconds
}

// step is one write before the command's own numbers are known.
type step struct {
	table Table
	addr  int
	plus  term
	value term
	fixed int // where value is constant
	multi bool
	pause time.Duration
	owed  bool
}

// term is what a number is made of.
type term uint8

const (
	constant term = iota
	wire
	toWire
	wireBit
	seconds
)

// Encode says how to carry out a command. It fails with a clear error for what
// the controller cannot do or the floor table does not have, and for a command
// whose time is over; the error then wraps one of the kinds above.
func (p *Profile) Encode(c elevator.Command, floors elevator.Table, now elevator.Instant) (Action, error) {
	if c.Until <= now {
		return Action{}, fmt.Errorf("%s: %w", c.Verb, ErrExpired)
	}
	cmd, ok := p.commands[p.which(c)]
	if !ok {
		return Action{}, fmt.Errorf("%s: %w", describe(c), ErrNotCapable)
	}
	n, err := p.numbers(c, cmd, floors, now)
	if err != nil {
		return Action{}, fmt.Errorf("%s: %w", describe(c), err)
	}
	_, lamp := new(elevator.Snapshot).Lamp(&c)
	a := Action{MayClose: cmd.mayClose || closes(c.Verb), Judged: lamp && p.answersCalls()}
	for _, s := range cmd.writes {
		w, err := s.write(n)
		if err != nil {
			return Action{}, fmt.Errorf("%s: %w", describe(c), err)
		}
		a.Writes = append(a.Writes, w)
	}
	if c.Verb == elevator.Hold {
		a.HoldUntil = cmd.ends(n.seconds, now)
	}
	return a, nil
}

// which finds the command of the profile that c asks for.
func (p *Profile) which(c elevator.Command) ask {
	a := ask{verb: c.Verb}
	switch c.Verb {
	case elevator.LandingCall:
		a.dir = c.Direction
	case elevator.Hold, elevator.Lapse:
		a.side = c.Side
	case elevator.Notify:
		a.notice = c.Notice
	case elevator.CancelCall:
		a.of = p.cancels(c.Car)
	}
	return a
}

// cancels is the kind of call that a cancel takes back in this style of calling.
func (p *Profile) cancels(car bool) elevator.Verb {
	switch {
	case p.traits.Style == "journey":
		return elevator.Journey
	case car || p.traits.Style == "car-only":
		return elevator.CarCall
	}
	return elevator.LandingCall
}

// closes lists the verbs that can start a door closing whatever a profile says.
func closes(v elevator.Verb) bool {
	return v == elevator.Lapse || v == elevator.Claim || v == elevator.GiveBack
}

// numbers are what a command's writes are filled with.
type numbers struct{ wire, to, seconds int }

func (p *Profile) numbers(c elevator.Command, cmd command, floors elevator.Table, now elevator.Instant) (n numbers, err error) {
	placed := c.Verb == elevator.Hold
	if cmd.usesFrom || placed {
		if n.wire, err = p.wire(c.Floor, floors); err != nil {
			return n, err
		}
	}
	if cmd.usesTo {
		if n.to, err = p.wire(c.To, floors); err != nil {
			return n, err
		}
	}
	if placed && !floors.Opens(c.Floor, c.Side) {
		return n, fmt.Errorf("%w: %q has no %s door", ErrNoFloor, floors.Label(c.Floor), c.Side)
	}
	left := min(c.Until.Until(now), cmd.longest)
	n.seconds = max(1, int(left/time.Second)) // 0 would be a lapse
	return n, nil
}

func (p *Profile) wire(f elevator.Floor, floors elevator.Table) (int, error) {
	n, ok := floors.Wire(f)
	if !ok {
		return 0, fmt.Errorf("%w: floor %s is not in the table", ErrNoFloor, f)
	}
	if n < p.lowest || n > p.highest {
		return 0, fmt.Errorf("%w: controller's number %d of %q is not within %d to %d", ErrNoFloor, n, floors.Label(f), p.lowest, p.highest)
	}
	return n, nil
}

// ends is when the device will end a hold that it takes now, told too early
// rather than too late: a device that counts ticks of a second may cut the first.
func (c command) ends(asked int, now elevator.Instant) elevator.Instant {
	switch {
	case c.longest > 0:
		return now.Add(time.Duration(asked-1) * time.Second)
	case c.dies > 0:
		return now.Add(max(0, c.dies-time.Second))
	}
	return 0
}

func (s step) write(n numbers) (Write, error) {
	addr := s.addr + s.plus.of(n, 0)
	v := s.value.of(n, s.fixed)
	most := 0xFFFF
	if s.table.bits() {
		most = 1
	}
	if addr < 0 || addr > 0xFFFF || v < 0 || v > most {
		return Write{}, fmt.Errorf("%w: %s %d takes no %d", ErrNoFloor, s.table, addr, v)
	}
	return Write{
		Table: s.table, Addr: uint16(addr), Values: []uint16{uint16(v)},
		Multi: s.multi, Pause: s.pause, Owed: s.owed,
	}, nil
}

// of is the number of a term; -1 where it has none.
func (t term) of(n numbers, fixed int) int {
	switch t {
	case wire:
		return n.wire
	case toWire:
		return n.to
	case seconds:
		return n.seconds
	case wireBit:
		if n.wire < 1 || n.wire > 16 {
			return -1
		}
		return 1 << (n.wire - 1)
	}
	return fixed
}

func describe(c elevator.Command) string {
	s := c.Verb.String()
	switch c.Verb {
	case elevator.LandingCall:
		s += " " + c.Direction.String()
	case elevator.Hold, elevator.Lapse:
		s += " " + c.Side.String()
	case elevator.CancelCall:
		if c.Car {
			s += " of a car call"
		}
	}
	return s
}
