package real

import (
	"fmt"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"

	"hoistway/simulator/scenarios"
)

func TestZZDebug(t *testing.T) {
	name := os.Getenv("ZZ")
	f, _ := scenarios.Find(name)
	script, _ := scenarios.Parse(f.Name, f.Source)
	synctest.Test(t, func(t *testing.T) {
		o := Setup(script)
		o.Net, o.Dir, o.Version = Pipes(), t.TempDir(), "test"
		if os.Getenv("ZZV") != "" { o.Log = slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug})) }
		s, err := Start(t.Context(), o)
		if err != nil { t.Fatal(err) }
		last := ""
		v, err := s.Play(t.Context(), script, func(now scenarios.Instant, fresh []scenarios.Line) {
			for _, l := range fresh { fmt.Printf("%8.3f %s %s\n", float64(now)/1e9, l.Who, l.What) }
			fr := s.Frame()
			if os.Getenv("ZZV") != "" {
				c := fr.Cars[0]
				line := fmt.Sprintf("%+v | %+v | %+v | %s %v %v", fr.Robots[0], fr.Rides, fr.Wires[0].Last, fr.Cars[0].SeenFloor, fr.Cars[0].SeenDoor, c.Doors)
				if line != last { fmt.Printf("%8.3f %s\n", float64(now)/1e9, line); last = line }
			}
			for _, e := range fr.Events { fmt.Printf("%8.3f EV %s %s\n", float64(e.AtMS)/1e3, e.Who, e.Text) }
		})
		fmt.Println(v, err)
		s.Close()
	})
}
