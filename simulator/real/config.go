package real

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/simulator/building"
)

// Serial is the name under which the agent is known to the stand-in cloud.
const Serial = "GW-DEMO"

// Secret is a token made for one run and never written down.
func Secret() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}

func sum(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:])
}

// configuration is the agent's, as a technician would write it.
func (s *Site) configuration(listen, broker string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "device: {serial: %s, kind: lift-gateway, site: {campus: Riverside, building: A}}\nlifts:\n", Serial)
	for _, car := range s.conf.Cars {
		s.liftSection(&b, car)
	}
	if len(s.o.Rides) > 0 {
		b.WriteString("rides:\n")
		for _, r := range s.o.Rides {
			fmt.Fprintf(&b, "  %s: %s\n", r.Name, r.Value)
		}
	}
	b.WriteString("robots:\n")
	for _, r := range s.o.Robots {
		fmt.Fprintf(&b, "  - {id: %s, token_sha256: %q, crossing: %s}\n", r.ID, sum(s.tokens[r.ID]), r.told())
	}
	fmt.Fprintf(&b, "api: {listen: %q, technicians: [{name: demo, token_sha256: %q}]}\n", listen, sum(s.technician))
	if broker != "" {
		fmt.Fprintf(&b, "cloud: {broker: %q, connect_spread: 0s}\n", broker)
	}
	fmt.Fprintf(&b, "store: {dir: %q}\n", s.dir)
	return b.String()
}

func (s *Site) liftSection(b *strings.Builder, car building.Car) {
	fmt.Fprintf(b, "  - id: %s\n    profile: %q\n    link: %q\n    floors:\n", car.ID, s.profiles[car.ID], s.links[car.ID])
	for _, l := range car.Landings {
		var doors []string
		for _, d := range l.Doors {
			doors = append(doors, d.String())
		}
		slices.Sort(doors)
		fmt.Fprintf(b, "      - {label: %q, wire: %d, doors: [%s]}\n", l.Label, l.Wire, strings.Join(doors, ", "))
	}
	fmt.Fprintf(b, "    recall_floor: %q\n    safe_floor: %q\n    robot_sight: %s\n", car.Recall, car.Recall, s.lift(car.ID).sight())
}

// Setting is one line of the agent's section for rides.
type Setting struct{ Name, Value string }

// Robot is one that rides here. Crossing is how long it takes through a doorway, and
// what the agent is told, in whole seconds.
type Robot struct {
	ID       string
	Crossing time.Duration
}

func (r Robot) told() time.Duration { return (r.Crossing + time.Second - 1).Truncate(time.Second) }
