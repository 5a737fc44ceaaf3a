package devices

import (
	"fmt"
	"slices"
	"time"
)

// pushTry is how often an address that does not answer its check is tried again.
const pushTry = time.Second

// PushLift is one lift of a service that pushes.
type PushLift struct {
	p   *Pusher
	car string
}

// Lift is one of them by its car.
func (p *Pusher) Lift(car string) *PushLift { return &PushLift{p, car} }

// Writes is the journal of the latest controls of this lift, oldest first.
func (l *PushLift) Writes() []Write {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return slices.Clone(l.p.did[l.car])
}

// PushTo has what one lift tells pushed to an address of its own, once the address answers
// its check, which is tried until then. The journal says when that is.
func (p *Pusher) PushTo(car, url string) {
	p.wg.Go(func() {
		silent := false
		for {
			err := p.check(url)
			if err == nil {
				break
			}
			if !silent {
				p.note(car, fmt.Sprintf("the address for its messages is no such yet: %v", err))
				silent = true
			}
			if !pause(pushTry, p.ctx.Done()) {
				return
			}
		}
		p.note(car, "its messages are pushed to "+url)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.callbacks[car] = url
		delete(p.shown, car) // it is told as it is
	})
}

// note writes into the journal of a lift.
func (p *Pusher) note(car, text string) {
	w := Write{At: p.world.Now(), Text: text}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.did[car]) == maxWrites {
		p.did[car] = append(p.did[car][:0], p.did[car][maxWrites/2:]...)
	}
	p.did[car] = append(p.did[car], w)
}
