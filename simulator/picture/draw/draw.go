// Package draw puts a pretend building into the shapes of a picture: the half of a
// frame that is the truth, the same for every site that stands on a building.
package draw

import (
	"slices"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/faults"
	"hoistway/simulator/picture"
)

// Lift is one lift of a site: which car it is and what its wire is called.
type Lift struct{ ID, Wire string }

// Header is what does not change. Each of lifts must be a car of the building.
func Header(c building.Config, lifts []Lift, robots []string) picture.Header {
	h := picture.Header{Picture: picture.Format, Robots: robots, Floors: floors(c)}
	for _, l := range lifts {
		car := carOf(c, l.ID)
		h.Lifts = append(h.Lifts, picture.Lift{ID: l.ID, Wire: l.Wire, Doors: doors(car), Rated: car.RatedKg, Recall: car.Recall})
	}
	return h
}

func carOf(c building.Config, id string) (car building.Car) {
	for _, car = range c.Cars {
		if car.ID == id {
			break
		}
	}
	return car
}

// floors are those of all cars, from the bottom. A label is at one height; where two
// cars say otherwise, the first has it.
func floors(c building.Config) []picture.Floor {
	ground := lowest(c)
	var out []picture.Floor
	for _, car := range c.Cars {
		for _, l := range car.Landings {
			if !slices.ContainsFunc(out, func(f picture.Floor) bool { return f.Label == l.Label }) {
				out = append(out, picture.Floor{Label: l.Label, HeightMM: l.HeightMM - ground})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b picture.Floor) int { return a.HeightMM - b.HeightMM })
	return out
}

// lowest is the height of the lowest landing of all.
func lowest(c building.Config) int {
	ground := c.Cars[0].Landings[0].HeightMM
	for _, car := range c.Cars {
		ground = min(ground, car.Landings[0].HeightMM)
	}
	return ground
}

func doors(c building.Car) map[string][]string {
	out := map[string][]string{}
	for _, l := range c.Landings {
		for _, side := range l.Doors {
			out[l.Label] = append(out[l.Label], side.String())
		}
	}
	return out
}

// Car is a car as it really is. What the agent makes of it is left out.
func Car(b *building.Building, conf building.Config, id string) picture.Car {
	c, t := b.Car(id), b.Table(id)
	p := picture.Car{
		PositionMM: int(c.PositionMM) + carOf(conf, id).Landings[0].HeightMM - lowest(conf), SpeedMMS: int(c.Speed * 1000), Floor: t.Label(c.Floor), Motion: c.Motion.String(),
		Doors: map[string]float64{}, Up: labels(c.Up|c.HallUp, t), Down: labels(c.Down|c.HallDown, t), Calls: labels(c.Car, t),
		Mode: c.Mode.String(), LoadKg: c.LoadKg, People: b.Inside(id), Blocked: c.Obstacle, Error: c.Error,
	}
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		if c.Doors[side].State != elevator.DoorUnknown {
			p.Doors[side.String()] = c.Doors[side].Open
		}
	}
	return p
}

// Waiting is who waits where.
func Waiting(b *building.Building) []picture.Wait {
	var out []picture.Wait
	for _, w := range b.Waiting() {
		out = append(out, picture.Wait{Floor: w.Label, Up: w.Up, Down: w.Down})
	}
	return out
}

// Fault is one that is on at now.
func Fault(a faults.Active, now elevator.Instant) picture.Fault {
	p := picture.Fault{Name: a.Kind, Target: a.Target, Arg: a.Value(), SinceMS: int64(a.Since) / 1e6, Struck: a.Struck}
	if a.Until != 0 {
		p.LeftMS = max(a.Until.Sub(now).Milliseconds(), 1)
	}
	return p
}

func labels(set elevator.FloorSet, t elevator.Table) []string {
	var out []string
	for i := range t {
		if set.Has(elevator.Floor(i + 1)) {
			out = append(out, t[i].Label)
		}
	}
	return out
}
