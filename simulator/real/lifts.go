package real

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hoistway/simulator/devices"
	"hoistway/simulator/scenarios"
)

// Lift is one that is not as the bench has it. The agent knows it by a profile of the site,
// which extends the bench's.
type Lift struct {
	ID string
	scenarios.Kind
}

const plainProfile = "bench/modbus-lift"

// lift is how a lift is beside the bench's; the zero Kind where nobody says.
func (s *Site) lift(id string) Lift {
	for _, l := range s.o.Lifts {
		if l.ID == id {
			return l
		}
	}
	return Lift{ID: id}
}

func (s *Site) seat(lift string) devices.Seat {
	return devices.Seat{Car: lift, Unit: 1, Wants: s.lift(lift).wants()}
}

func (l Lift) wants() devices.Wants {
	return devices.Wants{Permission: l.Permission, Claim: l.Claim, Level: l.Level}
}

// sight is the word of the configuration.
func (l Lift) sight() string {
	if l.Sight {
		return "allowed"
	}
	return "refused"
}

// writeProfiles puts the profiles of the site beside its store.
func (s *Site) writeProfiles() error {
	s.profiles = map[string]string{}
	for _, car := range s.conf.Cars {
		l := s.lift(car.ID)
		if s.profiles[l.ID] = plainProfile; l.Kind == (scenarios.Kind{}) {
			continue
		}
		path := filepath.Join(s.o.Dir, l.ID+".yaml")
		if err := os.WriteFile(path, []byte(l.profile()), 0o600); err != nil {
			return fmt.Errorf("profile of lift %s: %w", l.ID, err)
		}
		s.profiles[l.ID] = path
	}
	return nil
}

// profile is what a technician would write for such a lift.
func (l Lift) profile() string {
	var ride, points, commands strings.Builder
	if l.Permission {
		points.WriteString("  may_enter: {address: 14, bit: 0}\n  may_leave: {address: 14, bit: 0}\n")
	}
	if l.Claim {
		ride.WriteString("  claim_within: 3s\n")
		points.WriteString("  claimed: {address: 14, bit: 1}\n")
		commands.WriteString(`  claim: {writes: [{address: 7, value: 1}]}
  give_back: {writes: [{address: 7, value: 0}], may_close: true}
`)
	}
	if l.Level {
		ride.WriteString("  style: level\n")
		commands.WriteString(`  landing_call:
    up: {writes: [{address: 0, value: wire, level: {name: up, refresh: 1s, for: 20s}}]}
    down: {writes: [{address: 1, value: wire, level: {name: down, refresh: 1s, for: 20s}}]}
  car_call: {writes: [{address: 2, value: wire, level: {name: car, refresh: 1s, for: 20s}}]}
  cancel_landing_call:
    writes: [{address: 0, value: 0, level: {name: up}}, {address: 1, value: 0, level: {name: down}}]
  cancel_car_call: {writes: [{address: 2, value: 0, level: {name: car}}]}
`)
	}
	var removed []string
	if l.NoFloor {
		removed = append(removed, "points.floor", "points.position")
	}
	if l.NoDoor {
		removed = append(removed, "points.door")
	}
	if l.NoLamps {
		ride.WriteString("  confirm: ack\n")
		removed = append(removed, "errors", "points.up_calls", "points.down_calls", "points.car_calls")
	}
	text := fmt.Sprintf("id: site/%s\ntitle: The bench lift with another controller\nmaturity: bench\nextends: %s\n", strings.ToLower(l.ID), plainProfile)
	if removed != nil {
		text += "remove: [" + strings.Join(removed, ", ") + "]\n"
	}
	for _, section := range []struct{ name, body string }{{"ride", ride.String()}, {"points", points.String()}, {"commands", commands.String()}} {
		if section.body != "" {
			text += section.name + ":\n" + section.body
		}
	}
	return text
}
