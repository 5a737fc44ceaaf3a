package robots

import (
	"context"
	"math"
	"sync"
	"time"
)

// body is where the robot really is.
type body struct {
	mu    sync.Mutex
	place Place
	sure  bool   // of Floor: it was put there, or sees it
	going bool   // a crossing runs, or its end is not said yet
	away  string // the landing to which a person carries it out of a doorway
}

// Carry is what a person does who takes the robot out of the lift: it stands at a landing
// afterwards, and says nothing of it by itself. One that stands at a landing stays there.
func (r *Robot) Carry(floor string) {
	b := &r.body
	b.mu.Lock()
	at := b.place
	switch at.Where {
	case atDoorway:
		b.away = floor // its crossing ends there
	case inCar:
		b.place, b.sure, b.going = Place{Where: atLanding, Floor: floor}, true, false
	}
	b.mu.Unlock()
	if at.Where == inCar {
		r.weigh(move{lift: at.Lift}, false)
	}
}

// carried ends a crossing of a robot that somebody has taken out of its doorway.
func (r *Robot) carried(m move) bool {
	b := &r.body
	b.mu.Lock()
	floor := b.away
	b.away = ""
	if floor != "" {
		b.place, b.sure, b.going = Place{Where: atLanding, Floor: floor}, true, false
	}
	b.mu.Unlock()
	if floor != "" {
		r.felt(m, false)
		r.weigh(m, false)
	}
	return floor != ""
}

func (b *body) where() Place {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.place
}

func (b *body) put(p Place, sure, going bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.place, b.sure, b.going = p, sure, going
}

func (b *body) state() (p Place, sure, going bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.place, b.sure, b.going
}

// move is one crossing of a door line.
type move struct {
	ride, lift, side, floor string
	entering                bool
	turned                  bool // went back to where it came from
	stays                   bool // only said
}

// begin sets off; the end comes on r.arr.
func (r *Robot) begin(ctx context.Context, m move) {
	_, sure, _ := r.body.state()
	r.body.put(Place{Where: atDoorway, Lift: m.lift, Floor: m.floor}, sure && m.entering, true)
	select {
	case <-r.turn: // of an earlier crossing
	default:
	}
	r.felt(m, true)
	r.wg.Go(func() { r.cross(ctx, m) })
}

// pretend says a crossing that is not made.
func (r *Robot) pretend(ctx context.Context, m move) {
	m.stays = true
	at, sure, _ := r.body.state()
	r.body.put(at, sure, true)
	r.claim = Place{Where: atDoorway, Floor: m.floor}
	r.wg.Go(func() {
		if sleep(ctx, r.o.Crossing) {
			r.arr <- m
		}
	})
}

// stride is how long a crossing goes on before the robot looks whether it still
// may.
const stride = 50 * time.Millisecond

// cross makes its way in strides, turns round when told to, and ends on one side or
// the other. A robot that is switched off in between is carried away; one that
// stands still stays in the way: only a person moves it.
func (r *Robot) cross(ctx context.Context, m move) {
	for left := r.o.Crossing; left > 0; {
		if r.carried(m) {
			return
		}
		still, slow := r.gait(m)
		began, takes := time.Now(), min(stride, scaled(left, slow, r.o.Crossing))
		turned, turn := false, r.turn
		if still {
			turn = nil // it turns when it can move again
		}
		timer := time.NewTimer(takes)
		select {
		case <-timer.C:
		case <-turn:
			turned = true
		case <-ctx.Done():
			timer.Stop()
			if !still {
				r.felt(m, false)
			}
			return
		}
		timer.Stop()
		if !still {
			left -= min(left, max(1, scaled(time.Since(began), r.o.Crossing, slow)))
		}
		if turned && !m.turned {
			m.turned, left = true, r.o.Crossing-left
		}
	}
	inside := m.entering != m.turned
	r.felt(m, false)
	r.weigh(m, inside)
	r.settle(m, inside)
	r.arr <- m // never blocks: there is one crossing at a time, and room for its end
}

// gait is whether the robot stands still in the doorway, and how long all of the
// crossing takes it at its present pace.
func (r *Robot) gait(m move) (still bool, takes time.Duration) {
	now := r.manner()
	takes = r.o.Crossing
	if now.Slow > 0 {
		takes = now.Slow
	}
	return r.asleep() || now.Freeze && m.entering, takes
}

// scaled is d times a over b, rounded up.
func scaled(d, a, b time.Duration) time.Duration {
	return time.Duration(math.Ceil(float64(d) * float64(a) / float64(b)))
}

// settle puts the body where it now stands. In the car nobody tells it the floor.
func (r *Robot) settle(m move, inside bool) {
	if inside {
		r.body.put(Place{Where: inCar, Lift: m.lift}, false, true)
		return
	}
	sight := r.see(m.lift, m.side)
	sure := m.entering || sight.Floor != "" // back where it came from, or seen
	floor := m.floor
	if !m.entering && sight.Floor != "" {
		floor = sight.Floor
	}
	r.body.put(Place{Where: atLanding, Floor: floor}, sure, true)
}

func (r *Robot) felt(m move, blocked bool) {
	if r.o.World != nil {
		r.o.World.Doorway(m.lift, m.side, blocked)
	}
}

func (r *Robot) weigh(m move, inside bool) {
	if r.o.World == nil {
		return
	}
	kg := 0
	if inside {
		kg = r.o.MassKg
	}
	r.o.World.Load(m.lift, kg)
}

func (r *Robot) see(lift, side string) Sight {
	if eyes, ok := r.o.World.(Eyes); ok && lift != "" {
		return eyes.See(lift, side)
	}
	return Sight{}
}
