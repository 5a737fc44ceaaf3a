package faults

import (
	"errors"
	"fmt"

	"hoistway/fsm/elevator"
)

// ErrFull says that too many faults play already.
var ErrFull = errors.New("too many faults play already")

// maxActive bounds the faults of one player, maxEvents what it remembers for its
// owner to fetch.
const (
	maxActive = 64
	maxEvents = 1024
	// loudStrikes is how many strikes of one fault are told; the last event of the
	// fault has their number.
	loudStrikes = 3
)

// Active is a fault that is on.
type Active struct {
	Fault
	Since  elevator.Instant
	Until  elevator.Instant // 0: no end is set
	Met    int
	Struck int
	rng    uint64
}

// What happened to a fault.
type What uint8

const (
	Began What = 1 + iota
	Struck
	Ended
)

// Event is one line for the log.
type Event struct {
	At     elevator.Instant
	What   What
	Fault  Fault
	Strike int    // of Struck: which one; of Ended: how many there were
	Why    string // of Ended: worn off, time over, cleared
}

// Player keeps the faults that are on, of one owner or of many: they are told
// apart by their target. The zero Player has none. It has one owner; instants
// never go back.
type Player struct {
	active []Active
	events []Event
}

// Begin switches a fault on. The same kind on the same target begins anew.
func (p *Player) Begin(f Fault, now elevator.Instant) error {
	if err := Check(f); err != nil {
		return err
	}
	p.Expire(now)
	p.end(now, "begun anew", func(a *Active) bool { return a.Kind == f.Kind && a.Target == f.Target && a.Arg == f.Arg })
	if len(p.active) >= maxActive {
		return fmt.Errorf("%s: %w", f.Kind, ErrFull)
	}
	a := Active{Fault: f, Since: now, rng: f.Seed}
	if f.For > 0 {
		a.Until = now + elevator.Instant(f.For)
	}
	p.active = append(p.active, a)
	p.tell(Event{At: now, What: Began, Fault: f})
	return nil
}

// Clear ends the faults of a target, of one kind or with "" of all, and says how
// many there were.
func (p *Player) Clear(target, kind string, now elevator.Instant) int {
	return p.end(now, "cleared", func(a *Active) bool {
		return a.Target == target && (kind == "" || a.Kind == kind)
	})
}

// On reports whether a kind is on for a target. It is no meeting.
func (p *Player) On(target, kind string, now elevator.Instant) (Fault, bool) {
	p.Expire(now)
	for i := range p.active {
		if a := &p.active[i]; a.Target == target && a.Kind == kind {
			return a.Fault, true
		}
	}
	return Fault{}, false
}

// Meet is one meeting of a target with kinds, in the order in which they are named:
// the first that strikes has it. One that is on and spares it has counted it.
func (p *Player) Meet(target string, now elevator.Instant, kinds ...string) (Fault, bool) {
	if len(p.active) == 0 {
		return Fault{}, false
	}
	p.Expire(now)
	for _, kind := range kinds {
		for i := range p.active {
			if a := &p.active[i]; a.Target == target && a.Kind == kind && a.strikes() {
				f := a.Fault
				p.struck(i, now)
				return f, true
			}
		}
	}
	return Fault{}, false
}

// strikes counts a meeting and decides.
func (a *Active) strikes() bool {
	a.Met++
	if a.Met < a.From {
		return false
	}
	return a.Chance == 0 || int(a.draw()%100) < a.Chance
}

// draw is a step of splitmix64 (Steele, Lea and Flood, 2014).
func (a *Active) draw() uint64 {
	a.rng += 0x9e3779b97f4a7c15
	z := a.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (p *Player) struck(i int, now elevator.Instant) {
	a := &p.active[i]
	a.Struck++
	if a.Struck <= loudStrikes {
		p.tell(Event{At: now, What: Struck, Fault: a.Fault, Strike: a.Struck})
	}
	if a.Times > 0 && a.Struck >= a.Times {
		p.endAt(i, now, "worn off")
	}
}

// Next is the instant at which the earliest fault ends by itself, 0 for none.
func (p *Player) Next() elevator.Instant {
	var next elevator.Instant
	for i := range p.active {
		if u := p.active[i].Until; u != 0 && (next == 0 || u < next) {
			next = u
		}
	}
	return next
}

// Expire ends what is over at now.
func (p *Player) Expire(now elevator.Instant) {
	for i := len(p.active) - 1; i >= 0; i-- {
		if u := p.active[i].Until; u != 0 && u <= now {
			p.endAt(i, u, "time over")
		}
	}
}

// List shows the faults that are on, oldest first.
func (p *Player) List() []Active { return append([]Active(nil), p.active...) }

// Events hands over what happened since the last call, oldest first.
func (p *Player) Events() []Event {
	out := p.events
	p.events = nil
	return out
}

func (p *Player) end(now elevator.Instant, why string, which func(*Active) bool) int {
	n := 0
	for i := len(p.active) - 1; i >= 0; i-- {
		if which(&p.active[i]) {
			p.endAt(i, now, why)
			n++
		}
	}
	return n
}

func (p *Player) endAt(i int, at elevator.Instant, why string) {
	a := p.active[i]
	p.active = append(p.active[:i], p.active[i+1:]...)
	p.tell(Event{At: at, What: Ended, Fault: a.Fault, Strike: a.Struck, Why: why})
}

func (p *Player) tell(e Event) {
	if len(p.events) >= maxEvents {
		p.events = p.events[1:]
	}
	p.events = append(p.events, e)
}
