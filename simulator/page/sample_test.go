package page

import (
	"math"
	"slices"

	"hoistway/simulator/picture"
)

// leg is a car that leaves for a floor.
type leg struct {
	at    float64 // s
	floor int
}

// plan is what happens to a car of a run made by hand.
type plan struct {
	legs []leg
	from int
	// lie is what the agent goes on to have from then on; "" for what is true.
	lieFrom, lieTo float64
}

const (
	storey   = 3600 // mm
	doorTime = 2.0  // s
	sampleMS = 200
)

func sampleHeader(title string) picture.Header {
	h := picture.Header{Picture: picture.Format, Title: title, Seed: 42, Virtual: true, Robots: []string{"r1", "r2"}, Again: "hoistway-sim run sample.txt --seed 42"}
	for i, label := range []string{"B1", "G", "1", "2", "3", "4", "5"} {
		h.Floors = append(h.Floors, picture.Floor{Label: label, HeightMM: i * storey})
	}
	for i, id := range []string{"L1", "L2", "L3"} {
		doors := map[string][]string{}
		for _, f := range h.Floors {
			doors[f.Label] = []string{"front"}
		}
		if i < 2 {
			doors["G"] = []string{"front", "rear"}
		}
		h.Lifts = append(h.Lifts, picture.Lift{ID: id, Wire: []string{"Modbus TCP", "Modbus RTU", "Modbus TCP"}[i], Doors: doors, Rated: 1000, Recall: "G"})
	}
	return h
}

// sample is three minutes at a site, made by hand; slower is a run in which people
// wait longer.
func sample(title string, slower float64) (picture.Header, []picture.Frame) {
	h := sampleHeader(title)
	plans := []plan{
		{from: 4, legs: []leg{{4, 1}, {30, 5}, {62, 0}, {95, 2}, {120, 6}, {150, 1}}},
		{from: 1, legs: []leg{{10, 6}, {40, 2}, {70, 1}, {110, 5}, {140, 3}}, lieFrom: 72, lieTo: 140},
		{from: 0, legs: []leg{{15, 3}, {45, 1}, {80, 4}, {125, 0}}},
	}
	var frames []picture.Frame
	for ms := int64(0); ms <= 180_000; ms += sampleMS {
		f := picture.Frame{AtMS: ms, Cloud: picture.Cloud{Online: ms < 60_000 || ms > 90_000, Version: 4 + ms/9000, Delta: ms > 90_000 && ms < 96_000}}
		for i, p := range plans {
			f.Cars = append(f.Cars, sampleCar(h, p, float64(ms)/1000, i))
			f.Wires = append(f.Wires, sampleWire(h, i, ms))
		}
		samplePeople(&f, h, slower)
		sampleRobots(&f)
		sampleFaults(&f)
		frames = append(frames, f)
	}
	return h, frames
}

// at gives height, speed and door of a car: it runs by a cosine, stands, opens,
// and closes before it leaves.
func (p plan) at(t float64) (mm, speed, open float64) {
	floor, since := float64(p.from), -100.0
	next := math.Inf(1)
	for _, l := range p.legs {
		if t < l.at {
			next = l.at
			break
		}
		far := float64(l.floor) - floor
		takes := 2.5 + 2*math.Abs(far)
		if t < l.at+takes {
			x := (t - l.at) / takes
			return (floor + far*(1-math.Cos(math.Pi*x))/2) * storey, far * storey * math.Pi / 2 / takes * math.Sin(math.Pi*x), 0
		}
		floor, since = float64(l.floor), l.at+takes
	}
	open = min((t-since-0.5)/doorTime, (since+14-t)/doorTime, (next-0.5-t)/doorTime)
	return floor * storey, 0, max(0, min(1, open))
}

func sampleCar(h picture.Header, p plan, t float64, i int) picture.Car {
	mm, speed, open := p.at(t)
	seenMM, seenSpeed, seenOpen := p.at(max(t-0.3, 0))
	if p.lieTo > 0 && t > p.lieFrom && t < p.lieTo {
		seenMM, seenSpeed, seenOpen = p.at(p.lieFrom)
	}
	label := func(mm float64) string { return h.Floors[int(math.Round(mm/storey))].Label }
	c := picture.Car{
		PositionMM: int(mm), SpeedMMS: int(speed), Floor: label(mm), Motion: motion(speed), Mode: "normal",
		Doors: map[string]float64{"front": math.Round(open*100) / 100}, Link: "online", SeenFloor: label(seenMM), State: "IDLE",
		People: (i + int(t/20)) % 4, LoadKg: 75 * ((i + int(t/20)) % 4),
	}
	if i < 2 {
		c.Doors["rear"] = 0
		c.SeenDoors = map[string]string{"front": word(seenOpen), "rear": "closed"}
	}
	c.SeenDoor = word(seenOpen)
	if seenSpeed != 0 {
		c.SeenDoor = "closed"
	}
	for _, l := range p.legs {
		if l.at > t-8 && l.at < t+6 {
			c.Calls = append(c.Calls, h.Floors[l.floor].Label)
			c.Up = append(c.Up, h.Floors[max(l.floor-1, 0)].Label)
		}
	}
	if i == 0 && t > 20 && t < 60 {
		c.Owner, c.State = "r1", map[bool]string{true: "WAITING", false: "MOVING"}[t < 30]
	}
	if i == 2 && t > 100 && t < 130 {
		c.Mode, c.Link, c.SeenFloor, c.SeenDoor = "independent", "", "", ""
	}
	return c
}

func motion(speed float64) string {
	switch {
	case speed > 0:
		return "up"
	case speed < 0:
		return "down"
	}
	return "stopped"
}

func word(open float64) string {
	switch open {
	case 0:
		return "closed"
	case 1:
		return "open"
	}
	return "opening"
}

func sampleWire(h picture.Header, i int, ms int64) picture.Wire {
	n := uint64(ms / 200)
	w := picture.Wire{Lift: h.Lifts[i].ID, Up: true, Asked: n, Answered: n, Wrote: uint64(ms / 15_000), Last: "landing call up at G"}
	if i == 1 && ms > 72_000 {
		w.Spoiled = uint64(min(ms, 140_000)-72_000) / 200
		w.Answered -= w.Spoiled
		w.Last = "car call 2"
	}
	return w
}

func samplePeople(f *picture.Frame, h picture.Header, slower float64) {
	for i, floor := range h.Floors {
		up, down := int(f.AtMS/7000+int64(i)*3)%5-2, int(f.AtMS/11_000+int64(i)*5)%6-3
		if up = max(up, 0); i == len(h.Floors)-1 {
			up = 0
		}
		if down = max(down, 0); i == 0 {
			down = 0
		}
		if up+down > 0 {
			f.Wait = append(f.Wait, picture.Wait{Floor: floor.Label, Up: up, Down: down})
		}
	}
	if f.AtMS%3000 == 0 && f.AtMS > 0 {
		n := f.AtMS / 3000
		f.Waits = append(f.Waits, int64(slower*float64(2000+n*n*7919%29_000)), int64(slower*float64(1500+n*104_729%17_000)))
	}
	if f.AtMS%20_000 == 0 && f.AtMS > 0 {
		f.RideWaits = append(f.RideWaits, int64(slower*float64(12_000+f.AtMS*13%21_000)))
	}
}

// sampleRobots plays r1 from G to 4 with L1; r2 waits, and is lost for a while.
func sampleRobots(f *picture.Frame) {
	t := f.AtMS / 1000
	r1 := picture.Robot{ID: "r1", Where: "landing", Lift: "L1", Floor: "G", Do: "waits"}
	ride := picture.Ride{ID: "ride-1", Robot: "r1", Lift: "L1", From: "G", To: "4", State: "WAITING", Phase: "called"}
	switch {
	case t >= 50:
		r1.Floor, r1.Do = "4", "is there"
		ride.State, ride.Phase = "DONE", "arrived"
	case t >= 44:
		r1.Where, r1.Floor, r1.Do = "doorway", "4", "leaves"
		ride.State, ride.Phase, ride.Permit = "EXITING", "leaving", "leave"
	case t >= 24:
		r1.Where, r1.Do = "car", "rides"
		ride.State, ride.Phase = "MOVING", "riding"
	case t >= 18:
		r1.Where, r1.Do = "doorway", "enters"
		ride.Phase, ride.Permit = "boarding", "enter"
	}
	r2 := picture.Robot{ID: "r2", Where: "landing", Lift: "L2", Floor: "5", Do: "waits"}
	if t > 100 && t < 115 {
		r2 = picture.Robot{ID: "r2"}
	}
	f.Robots = []picture.Robot{r1, r2}
	if t > 5 && t < 110 {
		f.Rides = append(f.Rides, ride)
	}
	if t > 60 {
		second := picture.Ride{ID: "ride-2", Robot: "r2", Lift: "L2", From: "5", To: "B1", State: "WAITING", Phase: "called"}
		if t > 80 {
			second.State, second.Phase, second.Fault, second.Why = "FAULT", "outside", "STALE", "the lift was last heard 8 s ago"
		}
		f.Rides = append(f.Rides, second)
	}
}

func sampleFaults(f *picture.Frame) {
	on := func(name, target, arg string, from, to int64, struck int) {
		if f.AtMS >= from && f.AtMS < to {
			f.Faults = append(f.Faults, picture.Fault{Name: name, Target: target, Arg: arg, SinceMS: from, LeftMS: to - f.AtMS, Struck: struck})
		}
		f.Events = append(f.Events, slices.DeleteFunc([]picture.Event{
			{AtMS: from, Who: target, Text: "fault begins: " + name, Bad: true}, {AtMS: to, Who: target, Text: "fault ends, time is over: " + name},
		}, func(e picture.Event) bool { return e.AtMS <= f.AtMS-sampleMS || e.AtMS > f.AtMS })...)
	}
	on("silent", "L2", "", 72_000, 140_000, int((f.AtMS-72_000)/200))
	on("broker-gone", "cloud", "", 60_000, 90_000, 1)
	on("robot-silent", "r2", "", 100_000, 115_000, 3)
	for _, e := range []picture.Event{
		{AtMS: 5000, Who: "r1", Text: "asks for a ride from G to 4"},
		{AtMS: 18_000, Who: "ride-1", Text: "WAITING, boarding: may enter at G, front"},
		{AtMS: 24_000, Who: "r1", Text: "entered"},
		{AtMS: 44_000, Who: "ride-1", Text: "EXITING: may leave at 4, front"},
		{AtMS: 50_000, Who: "ride-1", Text: "DONE, arrived"},
		{AtMS: 80_000, Who: "ride-2", Text: "FAULT STALE", Bad: true},
	} {
		if e.AtMS == f.AtMS {
			f.Events = append(f.Events, e)
		}
	}
}
