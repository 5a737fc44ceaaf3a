package robots

import (
	"context"
	"sync"
	"time"
)

// body is where the robot really is.
type body struct {
	mu    sync.Mutex
	place Place
	sure  bool // of Floor: it was put there, or sees it
	going bool // a crossing runs, or its end is not said yet
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
}

// begin sets off; the end comes on r.arr. A frozen move has no end but that of ctx.
func (r *Robot) begin(ctx context.Context, m move, frozen bool) {
	_, sure, _ := r.body.state()
	r.body.put(Place{Where: atDoorway, Lift: m.lift, Floor: m.floor}, sure && m.entering, true)
	select {
	case <-r.turn: // of an earlier crossing
	default:
	}
	r.felt(m, true)
	r.wg.Go(func() { r.cross(ctx, m, frozen) })
}

// cross takes its time, turns round when told to, and ends on one side or the other.
func (r *Robot) cross(ctx context.Context, m move, frozen bool) {
	if frozen {
		<-ctx.Done()
		return // still in the way: only a person moves it
	}
	began := time.Now()
	timer := time.NewTimer(r.o.Crossing)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.turn:
		m.turned = true
		if !sleep(ctx, time.Since(began)) {
			r.felt(m, false)
			return
		}
	case <-ctx.Done():
		r.felt(m, false) // switched off and carried away
		return
	}
	inside := m.entering != m.turned
	r.felt(m, false)
	r.weigh(m, inside)
	r.settle(m, inside)
	r.arr <- m // never blocks: there is one crossing at a time, and room for its end
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
