package devices

import (
	"sync"
	"time"
)

// lookAgain is how often a wire that is out of order looks whether it may come
// back: a fault ends by the world's clock, which wakes nobody.
const lookAgain = 50 * time.Millisecond

// plug takes a wire out and puts it in again as its units' faults come and go.
type plug struct {
	units []*Unit
	// settle brings the wire to what the faults ask for and reports whether it is in
	// order. It is called under mu.
	settle func() bool
	end    chan struct{} // closed for good
	wg     sync.WaitGroup

	mu       sync.Mutex // before any unit's lock
	watching bool
	done     bool
	err      error // of the closing
}

// mount makes p the plug of its units.
func (p *plug) mount(units []*Unit, settle func() bool) {
	p.units, p.settle, p.end = units, settle, make(chan struct{})
	for _, u := range units {
		u.look = p.look
	}
}

// look settles the wire now, and again and again while it is out of order.
func (p *plug) look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done || p.settle() || p.watching {
		return
	}
	p.watching = true
	p.wg.Go(func() {
		for pause(lookAgain, p.end) && !p.again() {
		}
	})
}

func (p *plug) again() (over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if over = p.done || p.settle(); over {
		p.watching = false
	}
	return over
}

// suffer reports whether a unit of the wire has a fault of the whole wire.
func (p *plug) suffer(kind string) bool {
	for _, u := range p.units {
		if u.suffers(kind) {
			return true
		}
	}
	return false
}

// close ends the wire once, by pull under the lock, and waits for all that lives
// on it.
func (p *plug) close(pull func() error) error {
	p.mu.Lock()
	if !p.done {
		p.done = true
		close(p.end)
		p.err = pull()
	}
	err := p.err
	p.mu.Unlock()
	p.wg.Wait()
	return err
}
