package building

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// office is a building of 16 levels of 3.8 m with six lifts in a group, and 600
// people at work.
func office(control Control) Config {
	var c Config
	g := Group{ID: "main", Control: control}
	for i := range 6 {
		k := benchCar(fmt.Sprintf("L%d", i+1), "0")
		k.Recall, k.RatedKg, k.DwellLanding = "0", 1000, 3*time.Second
		k.Landings = nil
		for f := range 16 {
			k.Landings = append(k.Landings, Landing{
				Label: fmt.Sprint(f), Wire: f + 1, HeightMM: 3800 * f, Doors: []elevator.Side{elevator.Front},
			})
		}
		c.Cars = append(c.Cars, k)
		g.Cars = append(g.Cars, k.ID)
	}
	c.Groups = []Group{g}
	return c
}

// officeDay lets a building live through a day: up-peak from 8 to 9, lunch from 12
// to 13, down-peak from 17 to 18, in between a tenth of that, and a few at night.
func officeDay(t testing.TB, b *Building, day int) {
	const population = 600
	start := elevator.Instant(day) * elevator.Instant(24*time.Hour)
	for _, p := range []struct {
		hour    int
		mix     string
		percent float64 // of the population in five minutes
	}{
		{0, "two-way", 0.005},
		{7, "up-peak", 1},
		{8, "up-peak", 8},
		{9, "two-way", 0.8},
		{12, "lunch", 9},
		{13, "two-way", 0.8},
		{17, "down-peak", 8},
		{18, "down-peak", 1},
		{20, "two-way", 0.005},
	} {
		b.Advance(start + elevator.Instant(p.hour)*elevator.Instant(time.Hour))
		traffic, err := TrafficOf(p.mix, p.percent*population/100, "0", uint64(day*24+p.hour))
		must(t, err)
		must(t, b.Populate(traffic))
	}
	b.Advance(start + elevator.Instant(24*time.Hour))
}

// used is the processor time of this process: of a machine that has others to do,
// the clock on the wall tells little.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // for a figure that people read
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkGroupYear tells how many years of the office, with 251 working days of
// 365, one core lives through in a second.
func BenchmarkGroupYear(b *testing.B) {
	for _, control := range []Control{Nearest, Collective, Estimated, Destination} {
		b.Run(control.String(), func(b *testing.B) {
			h, err := New(office(control))
			must(b, err)
			day, before := 0, used()
			for b.Loop() {
				officeDay(b, h, day)
				day++
			}
			p := h.People()
			years := float64(day) / 251 // a quiet day costs next to nothing
			b.ReportMetric(years/b.Elapsed().Seconds(), "years/s")
			b.ReportMetric(years/(used()-before).Seconds(), "years/cpu-s")
			b.ReportMetric(float64(p.Delivered)/b.Elapsed().Seconds(), "people/s")
			b.ReportMetric(float64(p.Arrived)/float64(day), "people/day")
			b.ReportMetric(p.Wait.Mean.Seconds(), "wait-s")
			b.ReportMetric(p.Journey.Mean.Seconds(), "journey-s")
		})
	}
}
