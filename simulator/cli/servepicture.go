package cli

import (
	"slices"
	"sync"
	"time"

	"hoistway/simulator/building"
	"hoistway/simulator/devices"
	"hoistway/simulator/faults"
	"hoistway/simulator/picture"
	"hoistway/simulator/picture/draw"
)

// buildingPicture draws a building that nobody in this process rides: what an agent
// makes of it is not known here.
type buildingPicture struct {
	world *devices.World
	conf  building.Config
	units []*devices.Unit
	wires map[string]string // by lift

	mu    sync.Mutex
	fresh []picture.Event
}

func newBuildingPicture(world *devices.World, conf building.Config, r *raised) *buildingPicture {
	p := &buildingPicture{world: world, conf: conf, units: r.units, wires: map[string]string{}}
	name := func(lift, kind string) {
		if p.wires[lift] != "" {
			p.wires[lift] += ", "
		}
		p.wires[lift] += kind
	}
	for _, w := range r.lifts {
		name(w.lift, w.kind)
	}
	for _, w := range r.boards {
		for _, lift := range w.board.Cars() {
			name(lift, w.kind)
		}
	}
	return p
}

func (p *buildingPicture) header(title string) picture.Header {
	var lifts []draw.Lift
	for _, c := range p.conf.Cars {
		lifts = append(lifts, draw.Lift{ID: c.ID, Wire: p.wires[c.ID]})
	}
	h := draw.Header(p.conf, lifts, nil)
	h.Title = title
	return h
}

// say keeps a line for the next frame.
func (p *buildingPicture) say(at time.Duration, who, text string, bad bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.fresh) < maxFresh {
		p.fresh = append(p.fresh, picture.Event{AtMS: at.Milliseconds(), Who: who, Text: text, Bad: bad})
	}
}

// maxFresh bounds the lines of one frame.
const maxFresh = 256

func (p *buildingPicture) frame() picture.Frame {
	f := picture.Frame{}
	var on []faults.Active
	p.world.Do(func(b *building.Building) {
		f.AtMS = int64(b.Now()) / int64(time.Millisecond)
		for _, c := range p.conf.Cars {
			f.Cars = append(f.Cars, draw.Car(b, p.conf, c.ID))
		}
		f.Wait = draw.Waiting(b)
		for _, w := range b.Waits() {
			f.Waits = append(f.Waits, w.Milliseconds())
		}
		on = b.Faults()
	})
	for _, c := range p.conf.Cars {
		f.Wires = append(f.Wires, p.wire(c.ID))
	}
	for _, u := range p.units {
		on = append(on, u.Faults()...)
	}
	for _, a := range on {
		f.Faults = append(f.Faults, draw.Fault(a, p.world.Now()))
	}
	p.mu.Lock()
	f.Events, p.fresh = p.fresh, nil
	p.mu.Unlock()
	return f
}

// wire sums up what was asked of a lift on all of its wires.
func (p *buildingPicture) wire(lift string) picture.Wire {
	w := picture.Wire{Lift: lift}
	var last []devices.Write
	for _, u := range p.units {
		if u.Car() != lift {
			continue
		}
		w.Up = true
		for r, n := range u.Requests() {
			w.Asked += n
			if r.Writes() {
				w.Wrote += n
			}
		}
		for _, a := range u.Faults() {
			w.Spoiled += uint64(a.Struck)
		}
		if all := u.Writes(); len(all) > 0 {
			last = append(last, all[len(all)-1])
		}
	}
	w.Answered = w.Asked - min(w.Asked, w.Spoiled)
	if len(last) > 0 {
		w.Last = slices.MaxFunc(last, func(a, b devices.Write) int { return int(min(1, max(-1, a.At-b.At))) }).String()
	}
	return w
}
