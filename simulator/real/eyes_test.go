package real

import (
	"fmt"
	"sort"
	"sync"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

// look is a lift and its doorway at one moment.
type look struct {
	at      elevator.Instant
	car     building.CarState
	doorway bool // a robot stands in it
}

// eyes look at a site every 10 ms, as nobody in it can.
type eyes struct {
	s    *Site
	quit chan struct{}
	once sync.Once
	wg   sync.WaitGroup

	mu    sync.Mutex
	seen  map[string][]look
	wrong []string
	looks int
}

func watch(s *Site) *eyes {
	e := &eyes{s: s, quit: make(chan struct{}), seen: map[string][]look{}}
	e.look() // before anybody can ask for anything
	e.wg.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-e.quit:
				return
			case <-tick.C:
				e.look()
			}
		}
	})
	return e
}

func (e *eyes) stop() {
	e.once.Do(func() { close(e.quit) })
	e.wg.Wait()
}

// look asks where the robots are on both sides of looking at the cars, so that a robot
// counts as in the doorway only if it was all the time.
func (e *eyes) look() {
	in := e.inDoorways()
	cars := map[string]building.CarState{}
	var at elevator.Instant
	e.s.world.Do(func(b *building.Building) {
		at = b.Now()
		for lift := range e.s.units {
			cars[lift] = b.Car(lift)
		}
	})
	still := e.inDoorways()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.looks++
	for lift, car := range cars {
		l := look{at: at, car: car, doorway: in[lift] && still[lift]}
		e.seen[lift] = append(e.seen[lift], l)
		if l.doorway && car.Motion != elevator.Stopped {
			e.wrong = append(e.wrong, fmt.Sprintf("%s moves at %v with a robot in its doorway", lift, time.Duration(at)))
		}
	}
}

func (e *eyes) inDoorways() map[string]bool {
	in := map[string]bool{}
	for _, bot := range e.s.robots {
		if p := bot.Where(); p.Where == "doorway" {
			in[p.Lift] = true
		}
	}
	return in
}

// longestHold is what the data sheet of the bench lift lets anybody ask for.
const longestHold = 30

// against says what is wrong with a write, by the looks just before and after it.
func (e *eyes) against(lift string, w devices.Write) (wrong []string) {
	before, after, ok := e.around(lift, w.At)
	if !ok {
		return []string{"was not looked at"}
	}
	mayClose := w.Asks() == "hold" && w.Value == 0
	switch {
	case mayClose && before.doorway && after.doorway:
		wrong = append(wrong, "while a robot stands in the doorway")
	case w.Asks() == "hold" && w.Value > longestHold:
		wrong = append(wrong, "has no end that is near")
	case pressedAlready(w, before.car, e.s.floorOf(lift, w.Value)):
		wrong = append(wrong, "though its lamp burns")
	}
	return wrong
}

func (e *eyes) around(lift string, at elevator.Instant) (before, after look, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	seen := e.seen[lift]
	i := sort.Search(len(seen), func(i int) bool { return seen[i].at >= at })
	if i == 0 || i == len(seen) {
		return look{}, look{}, false
	}
	return seen[i-1], seen[i], true
}

// pressedAlready is what nobody may do in these rides, in which no one else presses.
func pressedAlready(w devices.Write, car building.CarState, f elevator.Floor) bool {
	lamps := map[uint16]elevator.FloorSet{0: car.Up, 1: car.Down, 2: car.Car}
	lamp, call := lamps[w.Addr]
	return call && lamp.Has(f)
}

func (s *Site) floorOf(lift string, wire uint16) (f elevator.Floor) {
	s.world.Do(func(b *building.Building) { f = b.Table(lift).ByWire(int(wire)) })
	return f
}
