package devices

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/faults"
)

// Write is one register that a master wrote, or tried to.
type Write struct {
	At        elevator.Instant
	Area      Area // of a device with a map of its own; 0: the bench lift's commands
	Addr      uint16
	Value     uint16
	Again     bool  // it keeps up a call that stands
	Exception uint8 // 0: carried out, or refused by the controller itself with an error code
	// Text is what was asked for by a service that has no registers.
	Text string
}

// Asks is what the write asks for: landing-call, car-call, hold, cancel, claim or give-back,
// "" for a register that takes no writes and for a call that is only kept up.
func (w Write) Asks() string {
	switch {
	case w.Text != "" || w.Area != 0 || w.Again:
		return ""
	case w.Addr == regClaim && w.Value <= 1:
		return [...]string{"give-back", "claim"}[w.Value]
	case int(w.Addr) >= len(commands):
		return ""
	case w.Addr <= regCarCall && w.Value == 0:
		return "cancel"
	}
	return commands[w.Addr].kind
}

// String is the write as people read it.
func (w Write) String() string {
	if w.Text != "" {
		if w.Exception != 0 {
			return w.Text + ", refused"
		}
		return w.Text
	}
	s := fmt.Sprintf("register %d = %d", w.Addr, w.Value)
	switch {
	case w.Area != 0:
		s = fmt.Sprintf("%s:%d = %d", w.Area, w.Addr, w.Value)
	case int(w.Addr) < len(commands):
		s = fmt.Sprintf("%s = %d", commands[w.Addr].words, w.Value)
	case w.Asks() != "":
		s = w.Asks()
	}
	if w.Exception != 0 {
		s += fmt.Sprintf(" refused with exception %d", w.Exception)
	}
	return s
}

// Request names what was asked: a function code and the first address.
type Request struct {
	Function uint8
	Addr     uint16
}

// Writes reports whether the function is one that writes.
func (r Request) Writes() bool {
	return r.Function == writeOne || r.Function == writeSeveral || r.Function == 5 || r.Function == 15
}

// Bounds of what a unit remembers.
const (
	maxWrites   = 10_000
	maxRequests = 1_024 // kinds of request; what is beyond counts as Request{}
)

// Unit is one lift of a [World] behind a unit id of one wire. All methods may be
// called from any goroutine.
type Unit struct {
	world  *World
	car    string
	table  elevator.Table
	id     uint8
	serial bool   // on a serial line
	look   func() // tells the wire that faults came or went

	mu       sync.Mutex // before the world's
	writes   []Write
	requests map[Request]uint64
	player   faults.Player
	manners  Manners
	restsTil time.Time // see Manners.Turnaround
	memory   Memory    // of a face
	asked    elevator.Floor
	moved    elevator.Motion // last seen moving, and when
	movedAt  elevator.Instant
	face     Face     // nil: the bench map; never changes
	wants    *wanting // nil: nothing besides
}

func newUnit(w *World, s Seat) (*Unit, error) {
	car, id, face := s.Car, s.Unit, s.Face
	u := &Unit{world: w, car: car, id: id, look: func() {}, requests: map[Request]uint64{}, memory: Memory{}, face: face}
	w.Do(func(b *building.Building) { u.table = b.Table(car) })
	if u.table == nil {
		return nil, fmt.Errorf("lift %q: %w", car, building.ErrNoCar)
	}
	if id < 1 || id > 247 && id != 255 {
		return nil, fmt.Errorf("lift %q: unit id %d: 1 to 247", car, id)
	}
	if face != nil {
		return u, nil
	}
	if s.Wants != (Wants{}) {
		u.wants = &wanting{Wants: s.Wants, world: w, car: car, table: u.table}
	}
	for _, l := range u.table {
		if l.Wire < 1 || l.Wire > maxWire {
			return nil, fmt.Errorf("lift %q: landing %q has number %d, the map holds 1 to %d", car, l.Label, l.Wire, maxWire)
		}
		for _, s := range l.Doors {
			if s != elevator.Front && s != elevator.Rear {
				return nil, fmt.Errorf("lift %q: landing %q has a %v door, the map holds front and rear", car, l.Label, s)
			}
		}
	}
	return u, nil
}

// Writes is the journal of the latest writes, oldest first. A write that was
// carried out is in it also when its answer was lost.
func (u *Unit) Writes() []Write {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.writes)
}

// Requests counts what was asked, by function code and first address, faults
// included.
func (u *Unit) Requests() map[Request]uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.requests)
}

// Car is the lift's id.
func (u *Unit) Car() string { return u.car }

// ID is the unit id.
func (u *Unit) ID() uint8 { return u.id }

// rests begins the rest after an answer.
func (u *Unit) rests(d time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.restsTil = time.Now().Add(d)
}

// rest is what is left of it.
func (u *Unit) rest() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	return time.Until(u.restsTil)
}

func (u *Unit) count(r Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.requests[r]; !known && len(u.requests) >= maxRequests {
		r = Request{}
	}
	u.requests[r]++
}

// inputs are the input registers as they are now.
func (u *Unit) inputs() (regs []uint16) {
	u.world.Do(func(b *building.Building) {
		s := b.Shown(u.car)
		plain := read(s, u.table)
		regs = plain[:]
		if u.wants != nil {
			regs = append(regs, u.wants.word(s, b.Now()))
		}
	})
	return regs
}

// holdings is how many holding registers there are.
func (u *Unit) holdings() int {
	if u.wants != nil {
		return holdings + 1
	}
	return holdings
}

// dark reports a controller without power, which forgets what it was told.
func (u *Unit) dark() (is bool) {
	u.world.Do(func(b *building.Building) {
		if is = b.Shown(u.car).Dark; is && u.wants != nil {
			u.wants.forget()
		}
	})
	return is
}

// write carries out a write and puts it into the journal.
func (u *Unit) write(addr, value uint16) uint8 {
	w := Write{Addr: addr, Value: value}
	u.world.Do(func(b *building.Building) {
		w.At = b.Now()
		if u.wants != nil {
			w.Exception, w.Again = u.wants.write(b, addr, value)
			return
		}
		w.Exception = write(b, u.car, u.table, addr, value)
	})
	u.mu.Lock()
	defer u.mu.Unlock()
	u.note(w)
	return w.Exception
}

// note puts a write into the journal; u.mu is held.
func (u *Unit) note(w Write) {
	if len(u.writes) == maxWrites {
		u.writes = append(u.writes[:0], u.writes[maxWrites/2:]...)
	}
	u.writes = append(u.writes, w)
}
