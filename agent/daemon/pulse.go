package daemon

import (
	"sync/atomic"
	"time"

	"hoistway/fsm/elevator"
)

// pulse is fed by each pass of the ride loop, and by nothing else: a loop that
// hangs stops the watchdog's pings, and the service manager starts a new agent.
type pulse struct {
	now    func() elevator.Instant
	every  time.Duration
	notify func(string)
	last   atomic.Int64
	fed    elevator.Instant // of the loop's goroutine
}

func newPulse(now func() elevator.Instant, every time.Duration, notify func(string)) *pulse {
	p := &pulse{now: now, every: every, notify: notify}
	p.last.Store(int64(now()))
	return p
}

// beat is called by the loop after each pass.
func (p *pulse) beat() {
	now := p.now()
	p.last.Store(int64(now))
	if p.fed == 0 {
		p.notify("READY=1")
		p.fed = now
	}
	if p.every > 0 && now.Sub(p.fed) >= p.every/3 {
		p.notify("WATCHDOG=1")
		p.fed = now
	}
}

// age is the time since the last pass. Any goroutine may ask.
func (p *pulse) age() time.Duration { return p.now().Sub(elevator.Instant(p.last.Load())) }
