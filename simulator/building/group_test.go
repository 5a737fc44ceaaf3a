package building

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

func grouped(t *testing.T, control Control) *Building {
	c := Bench()
	c.Groups = []Group{{ID: "g", Cars: []string{"L1", "L2"}, Control: control}}
	b, err := New(c)
	must(t, err)
	return b
}

var conventional = []Control{Nearest, Collective, Estimated}

// SM-1: L1 stands at B1 and L2 at 2: a call at 3 is L2's, one at G is L1's; the
// lifts' own lamps stay dark, and where a car stands it opens.
func TestCallGoesToTheNearCar(t *testing.T) {
	for _, control := range conventional {
		b := grouped(t, control)
		must(t, b.HallCall("g", "3", elevator.Down))
		must(t, b.HallCall("g", "G", elevator.Up))
		one, two := b.Car("L1"), b.Car("L2")
		if !one.HallUp.Has(2) || one.HallDown != 0 || !two.HallDown.Has(5) || two.HallUp != 0 || one.Up|two.Down != 0 {
			t.Errorf("%v:\n%+v\n%+v", control, one, two)
		}
		b.Advance(at(60))
		one, two = b.Car("L1"), b.Car("L2")
		if one.Floor != 2 || two.Floor != 5 || one.HallUp|two.HallDown != 0 {
			t.Errorf("%v, served:\n%+v\n%+v", control, one, two)
		}
		must(t, b.HallCall("g", "3", elevator.Down))
		if s := b.Car("L2"); s.Doors[elevator.Front].State != elevator.DoorOpening || s.HallDown != 0 {
			t.Errorf("%v, where it stands: %+v", control, s)
		}
	}
}

// SM-1: a lift's own call stays its own, and a stop for it answers the group's too.
func TestOwnCallStaysOwn(t *testing.T) {
	for _, control := range conventional {
		b := grouped(t, control)
		must(t, b.LandingCall("L1", 4, elevator.Down)) // L2 stands there
		must(t, b.HallCall("g", "3", elevator.Down))
		b.Advance(at(5))
		if s := b.Car("L1"); !s.Down.Has(4) || s.Target != 4 {
			t.Errorf("%v: %+v", control, s)
		}
		b.Advance(at(60))
		if one, two := b.Car("L1"), b.Car("L2"); one.Floor != 4 || two.Floor != 5 || one.Down != 0 {
			t.Errorf("%v:\n%+v\n%+v", control, one, two)
		}
	}
}

// SM-1: what a car drops another gets; with none left the call waits for one.
func TestCallOfALiftThatLeavesTheGroup(t *testing.T) {
	for _, control := range conventional {
		b := grouped(t, control)
		must(t, b.HallCall("g", "3", elevator.Down))
		b.Advance(at(0.2))
		must(t, b.SetMode("L2", elevator.OutOfService))
		if s := b.Car("L1"); !s.HallDown.Has(5) {
			t.Errorf("%v: %+v", control, s)
		}
		must(t, b.SetMode("L1", elevator.Independent))
		b.Advance(at(30))
		if one, two := b.Car("L1"), b.Car("L2"); one.HallDown|two.HallDown != 0 {
			t.Errorf("%v: nobody takes calls:\n%+v\n%+v", control, one, two)
		}
		must(t, b.SetMode("L2", elevator.Normal))
		b.Advance(at(60))
		if s := b.Car("L2"); s.Floor != 5 {
			t.Errorf("%v: back, and the call is forgotten: %+v", control, s)
		}
	}
}

// SM-1: L1 goes up from B1 to 3 and L2 down from 2 to B1. A call upwards at 1 suits
// L1, which comes by on its way; so says every control.
func TestCallOnTheWay(t *testing.T) {
	for _, control := range conventional {
		b := grouped(t, control)
		must(t, b.CarCall("L1", 5))
		must(t, b.CarCall("L2", 1))
		b.Advance(at(1))
		must(t, b.HallCall("g", "1", elevator.Up))
		if s := b.Car("L1"); !s.HallUp.Has(3) || s.Target != 3 {
			t.Errorf("%v: %+v", control, s)
		}
	}
}

// SM-1: the car that was to serve a call is kept at its landing by a door that is
// held. Nearest-car control waits for it; the others give the call to L2 once that
// comes to rest below.
func TestCallIsGivenAnew(t *testing.T) {
	for _, control := range conventional {
		b := grouped(t, control)
		must(t, b.LandingCall("L2", 4, elevator.Up))
		b.Advance(at(3))
		must(t, b.HallCall("g", "3", elevator.Down))
		must(t, b.Obstruct("L2", elevator.Front, true))
		must(t, b.CarCall("L1", 4))
		b.Advance(at(40))
		s := b.Car("L1")
		if again := s.Floor == 5; again != (control != Nearest) {
			t.Errorf("%v: at %v, given anew %v", control, s.Floor, again)
		}
	}
}

// SM-1: L1 is about to leave B1 for a call at 3, or has just left, when L2, nearer at
// 2, comes back to normal use. L1 keeps the call and opens as if there were no L2
// (start 0.5, flight 9.2943, levelling 0.7): two cars that both are about to leave
// must not hand it back and forth, for then neither ever does.
func TestCallIsNotPlayedBackAndForth(t *testing.T) {
	for _, control := range conventional {
		for _, back := range []float64{0, 0.3, 0.6, 5} {
			b := grouped(t, control)
			must(t, b.SetMode("L2", elevator.Independent))
			must(t, b.HallCall("g", "3", elevator.Down))
			b.Advance(at(back))
			must(t, b.SetMode("L2", elevator.Normal))
			b.Advance(at(10.5))
			one, two := b.Car("L1"), b.Car("L2")
			if one.HallDown|two.HallDown != 0 || one.Floor != 5 || two.Floor != 4 {
				t.Errorf("%v, back at %v s:\n%+v\n%+v", control, back, one, two)
			}
		}
	}
}

// SM-1: destination control puts the same destinations together, and others where
// there is room in time.
func TestDestinationsTogether(t *testing.T) {
	b := grouped(t, Destination)
	one, err := b.DestinationCall("g", "G", "3")
	must(t, err)
	again, err := b.DestinationCall("g", "G", "3")
	must(t, err)
	if one != "L1" || again != one {
		t.Errorf("%s and %s for the same destination", one, again)
	}
	if err := b.HallCall("g", "G", elevator.Up); !errors.Is(err, ErrBusy) {
		t.Errorf("a hall call: %v", err)
	}
	if _, err := b.DestinationCall("g", "G", "G"); !errors.Is(err, ErrNoLanding) {
		t.Errorf("to where one is: %v", err)
	}
	b.groups[0].settleIn()
	for range 3 {
		b.bring(1, 2, 5)
		b.bring(1, 2, 3)
	}
	b.Advance(at(120))
	if p := b.People(); p.Delivered != 6 {
		t.Errorf("%+v", p)
	}
}

func TestGroupButtonsThatAreNotThere(t *testing.T) {
	b := grouped(t, Collective)
	for what, c := range map[string]struct{ got, want error }{
		"group":        {b.HallCall("h", "G", elevator.Up), ErrNoGroup},
		"no group":     {bench(t).HallCall("", "G", elevator.Up), ErrNoGroup},
		"level":        {b.HallCall("g", "17", elevator.Up), ErrNoLanding},
		"up at top":    {b.HallCall("g", "3", elevator.Up), ErrNoLanding},
		"down at foot": {b.HallCall("g", "B1", elevator.Down), ErrNoLanding},
		"no direction": {b.HallCall("g", "1", elevator.DirectionUnknown), ErrNoLanding},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", what, c.got, c.want)
		}
	}
	if l := b.Levels("g"); len(l) != 5 || l[1] != (Level{"G", 3800}) || b.Levels("h") != nil {
		t.Errorf("levels %+v", l)
	}
	must(t, b.SetMode("L1", elevator.Fire))
	must(t, b.SetMode("L2", elevator.Fire))
	if err := b.HallCall("g", "1", elevator.Up); !errors.Is(err, ErrBusy) {
		t.Errorf("nobody takes calls: %v", err)
	}
}

// zoned is a low-rise lift for G to 3 and a high-rise one that passes by 1 to 3 and
// serves 4 to 6, in one group.
func zoned(t *testing.T, control Control) *Building {
	var c Config
	for i, labels := range [][]string{{"G", "1", "2", "3"}, {"G", "4", "5", "6"}} {
		k := benchCar(fmt.Sprintf("L%d", i+1), "G")
		k.Landings = nil
		for w, l := range labels {
			h := map[string]int{"G": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6}[l] * 4000
			k.Landings = append(k.Landings, Landing{Label: l, Wire: w + 1, HeightMM: h, Doors: []elevator.Side{elevator.Front}})
		}
		c.Cars = append(c.Cars, k)
	}
	c.Groups = []Group{{ID: "g", Cars: []string{"L1", "L2"}, Control: control}}
	b, err := New(c)
	must(t, err)
	return b
}

// SM-1: express zones: people take the lift that serves both their landings, and
// the high-rise lift does not stop on its way.
func TestExpressZones(t *testing.T) {
	for _, control := range []Control{Nearest, Collective, Estimated, Destination} {
		b := zoned(t, control)
		must(t, b.Populate(Traffic{Seed: 3, Rate: 0.1, Batch: 1.5, Mix: Mix{In: 1, Out: 1}, Entrance: "G", Transfer: time.Second}))
		b.Advance(elevator.Instant(2 * time.Hour))
		must(t, b.Populate(Traffic{}))
		b.Advance(elevator.Instant(3 * time.Hour))
		p := b.People()
		if p.Arrived < 500 || p.Delivered != p.Arrived || b.Next() != 0 {
			t.Errorf("%v: %+v", control, p)
		}
		if len(b.Levels("g")) != 7 {
			t.Errorf("levels %v", b.Levels("g"))
		}
	}
	b := zoned(t, Collective)
	b.groups[0].settleIn()
	b.bring(1, 1, 7)
	b.bring(1, 1, 2)
	if b.Inside("L1")+b.Inside("L2") != 0 || len(b.Waiting()) != 1 || b.Waiting()[0] != (WaitingAt{"G", 2, 0}) {
		t.Errorf("waiting %+v", b.Waiting())
	}
	b.Advance(at(3))
	if one, two := b.Car("L1"), b.Car("L2"); !one.Car.Has(2) || !two.Car.Has(4) || b.Inside("L1") != 1 || b.Inside("L2") != 1 {
		t.Errorf("aboard:\n%+v\n%+v", one, two)
	}
	if w := b.Waits(); len(w) != 2 || w[0] != 1800*time.Millisecond || len(b.Waits()) != 0 {
		t.Errorf("waits %v", w)
	}
}

// SM-1, SM-4: an office's lunch hour under every control: nobody is lost, the same
// seed gives the same hour, and control that looks ahead is not worse than counting
// landings.
func TestControlsOfAnOffice(t *testing.T) {
	lunch, err := TrafficOf("lunch", 11*600/100, "0", 5)
	must(t, err)
	hour := func(control Control) People {
		b, err := New(office(control))
		must(t, err)
		must(t, b.Populate(lunch))
		b.Advance(elevator.Instant(4 * time.Hour))
		must(t, b.Populate(Traffic{}))
		b.Advance(elevator.Instant(5 * time.Hour))
		p := b.People()
		if p.Delivered != p.Arrived || b.Next() != 0 {
			t.Errorf("%v: %+v", control, p)
		}
		return p
	}
	nearest := hour(Nearest)
	for _, control := range []Control{Nearest, Collective, Estimated, Destination} {
		p := hour(control)
		t.Logf("%v: mean wait %v, journey %v", control, p.Wait.Mean, p.Journey.Mean)
		if again := hour(control); again != p {
			t.Errorf("%v: the same seed gave\n%+v\n%+v", control, p, again)
		}
		if p.Journey.Mean > nearest.Journey.Mean {
			t.Errorf("%v: a journey of %v, nearest-car control %v", control, p.Journey.Mean, nearest.Journey.Mean)
		}
	}
}

func TestGroupsThatCannotBe(t *testing.T) {
	c := Bench()
	c.Cars[1].Landings[4].HeightMM++
	c.Groups = []Group{
		{ID: "g", Cars: []string{"L1", "L2", "L3"}, Control: Collective},
		{ID: "g", Cars: []string{"L1"}},
		{ID: "h", Control: alone},
	}
	c.Emergency = Emergency{Landing: "17", Selected: []string{"L9"}}
	c.Cars[0].Landings[2].HeightMM = c.Cars[0].Landings[1].HeightMM
	c.Cars[0].DwellCar = time.Second
	c.Cars[0].AdvanceOpening = time.Second
	_, err := New(c)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`landing "3" is at 15200 mm and, of car "L2", at 15201`, `no car "L3"`, `group 2: id "g"`, `control 0`,
		`car "L1" is in group "g"`, `"h" has no car`, "control 5", `no landing "17"`, `no car "L9"`,
		"is not 250 above the one below", "slower than the dwell of 1s after a car call", "advance opening 1s",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not among\n%v", want, err)
		}
	}
	for _, word := range ControlNames() {
		if k, ok := ParseControl(word); !ok || k.String() != word {
			t.Errorf("%s: %v, %v", word, k, ok)
		}
	}
	if _, ok := ParseControl("unknown"); ok {
		t.Error("unknown is a control")
	}
}
