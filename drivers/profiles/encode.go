package profiles

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"hoistway/fsm/elevator"
)

// Kinds of errors of Encode. Test with errors.Is.
var (
	ErrExpired    = errors.New("the command's time is over")
	ErrNotCapable = errors.New("the controller has no such command")
	ErrNoFloor    = errors.New("no such landing")
	ErrDraft      = fmt.Errorf("%w: its profile is a draft, and is only read", ErrNotCapable)
	ErrNotNow     = errors.New("the lift is not in the state that the command needs")
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
	gate     []condition
	confirm  []condition
	within   time.Duration // for confirm
	ttl      time.Duration
}

// step is one write before the command's own numbers are known.
type step struct {
	table Table
	addr  int
	plus  term
	value term
	fixed int // where value is constant
	more  []number16
	multi bool
	raw   bool
	mask  uint16
	pause time.Duration
	owed  bool

	changed  bool
	mayClose bool
	level    Level
	cleared  Cleared
}

// number16 is a term with its number where it is constant.
type number16 struct {
	term  term
	fixed int
}

// term is what a number is made of.
type term uint8

const (
	constant term = iota
	wire
	toWire
	wireBit
	toWireBit
	seconds
)

// Encode says how to carry out a command. It fails with a clear error for what
// the controller cannot do or the floor table does not have, and for a command
// whose time is over; the error then wraps one of the kinds above.
func (p *Profile) Encode(c elevator.Command, floors elevator.Table, now elevator.Instant) (Action, error) {
	if c.Until <= now {
		return Action{}, fmt.Errorf("%s: %w", c.Verb, ErrExpired)
	}
	cmd, err := p.command(c)
	if err != nil {
		return Action{}, err
	}
	n, err := p.numbers(c, cmd, floors, now)
	if err != nil {
		return Action{}, fmt.Errorf("%s: %w", describe(c), err)
	}
	_, lamp := new(elevator.Snapshot).Lamp(&c)
	a := Action{
		MayClose: cmd.mayClose || closes(c.Verb), Judged: lamp && p.answersCalls(),
		Until: cmd.until(c, now), Confirmed: cmd.within,
	}
	for _, s := range cmd.writes {
		w, err := s.write(n)
		if err != nil {
			return Action{}, fmt.Errorf("%s: %w", describe(c), err)
		}
		if s.plus != constant && (lamp || c.Verb == elevator.CancelCall) {
			w.Level = w.Level.of(w.Addr)
		}
		a.Writes = append(a.Writes, w)
	}
	if c.Verb == elevator.Hold {
		a.HoldUntil = cmd.ends(n.seconds, now)
	}
	return a, nil
}

// until is the instant from which the command is not sent any more.
func (c command) until(asked elevator.Command, now elevator.Instant) elevator.Instant {
	if c.ttl > 0 {
		return min(asked.Until, now.Add(c.ttl))
	}
	return asked.Until
}

// command finds what the profile says of c. A draft may only be read.
func (p *Profile) command(c elevator.Command) (command, error) {
	cmd, ok := p.commands[p.which(c)]
	switch {
	case !ok:
		return cmd, fmt.Errorf("%s: %w", describe(c), ErrNotCapable)
	case p.Draft():
		return cmd, fmt.Errorf("%s: %w", describe(c), ErrDraft)
	}
	return cmd, nil
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
	w := Write{
		Table: s.table, Multi: s.multi, Raw: s.raw, Mask: s.mask, Pause: s.pause, Owed: s.owed,
		Changed: s.changed, MayClose: s.mayClose, Level: s.level, Cleared: s.cleared,
	}
	for _, x := range append([]number16{{s.value, s.fixed}}, s.more...) {
		v := x.term.of(n, x.fixed)
		if addr < 0 || addr+len(s.more) > 0xFFFF || v < 0 || v > s.most() {
			return Write{}, fmt.Errorf("%w: %s %d takes no %d", ErrNoFloor, s.table, addr, v)
		}
		w.Values = append(w.Values, uint16(v<<s.shift()))
	}
	w.Addr = uint16(addr)
	return w, nil
}

// shift is where the value begins in the register.
func (s step) shift() int {
	if s.mask == 0 {
		return 0
	}
	return bits.TrailingZeros16(s.mask)
}

// most is the largest value of an item.
func (s step) most() int {
	switch {
	case s.table.bits() && !s.raw:
		return 1
	case s.mask != 0:
		return int(s.mask >> s.shift())
	}
	return 0xFFFF
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
		return bitOf(n.wire)
	case toWireBit:
		return bitOf(n.to)
	}
	return fixed
}

func bitOf(wire int) int {
	if wire < 1 || wire > 16 {
		return -1
	}
	return 1 << (wire - 1)
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
