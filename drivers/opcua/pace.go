package opcua

import (
	"sync"
	"time"

	"hoistway/fsm/elevator"
)

// coarse is how far two times of one server may be apart by how coarsely it tells them.
const coarse = 50 * time.Millisecond

// pace brings times of the server onto our clock. An answer was made after its question
// had left; so the server's time of it is, by our clock, no earlier than that. What the
// server told at some time is dated by this bound, and so never later than it was, however
// long it was under way and however the two clocks stand. The newest bound counts that is
// the closest.
//
// The zero pace knows nothing. Its methods may be called from several goroutines.
type pace struct {
	mu    sync.Mutex
	known bool
	least int64 // our nanoseconds less the server's, at the least
}

// saw takes in an answer that the server dated. Where the server's clock was set forward
// meanwhile, what was known before is wrong.
func (p *pace) saw(asked, came elevator.Instant, said time.Time) {
	if said.Year() < 1970 {
		return // it does not say
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	least, most := int64(asked)-said.UnixNano(), int64(came)-said.UnixNano()
	if !p.known || least > p.least || p.least > most+int64(coarse) {
		p.known, p.least = true, least
	}
}

// instant is the earliest that a time of the server may be by our clock; false where that
// is not known, or cannot be since it would lie ahead of now.
func (p *pace) instant(said time.Time, now elevator.Instant) (elevator.Instant, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := elevator.Instant(said.UnixNano() + p.least)
	if !p.known || said.Year() < 1970 || at > now.Add(coarse) {
		return 0, false
	}
	return min(at, now), true
}
