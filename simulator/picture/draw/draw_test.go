package draw

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/picture"
)

// twoShafts has a car from B1 to 2 and one from G to 3 whose datum is the street.
func twoShafts() building.Config {
	c := building.Bench()
	low, high := c.Cars[0], c.Cars[1]
	low.Landings = low.Landings[:4]
	high.Landings = slices.Clone(high.Landings[1:])
	high.Start = "G"
	c.Cars = []building.Car{low, high}
	return c
}

// SM-7: floors are those of all lifts, and a car that stands at G stands as high as
// G whichever lift it is: 3800 mm above B1.
func TestHeightsAreThoseOfTheBuilding(t *testing.T) {
	conf := twoShafts()
	h := Header(conf, []Lift{{"L1", "Modbus TCP"}, {"L2", "Modbus RTU"}}, []string{"R1"})
	want := []picture.Floor{{Label: "B1"}, {Label: "G", HeightMM: 3800}, {Label: "1", HeightMM: 7600}, {Label: "2", HeightMM: 11400}, {Label: "3", HeightMM: 15200}}
	if !slices.Equal(h.Floors, want) {
		t.Errorf("floors %v", h.Floors)
	}
	b, err := building.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	if got := Car(b, conf, "L2"); got.Floor != "G" || got.PositionMM != 3800 {
		t.Errorf("the car at G is drawn at %q, %d mm", got.Floor, got.PositionMM)
	}
	if err := b.CarCall("L1", 2); err != nil {
		t.Fatal(err)
	}
	b.Advance(elevator.Instant(3 * time.Second))
	moving := Car(b, conf, "L1")
	if moving.Motion != "up" || moving.PositionMM <= 0 || moving.PositionMM >= 3800 || !slices.Equal(moving.Calls, []string{"G"}) {
		t.Errorf("the car on its way is drawn as %+v", moving)
	}
	var file bytes.Buffer
	if err := picture.Write(&file, h, []picture.Frame{{Cars: []picture.Car{moving, Car(b, conf, "L2")}, Wait: Waiting(b)}}); err != nil {
		t.Errorf("it cannot be recorded: %v", err)
	}
}
