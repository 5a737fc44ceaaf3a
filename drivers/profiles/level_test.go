package profiles

import (
	"os"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

func callLevels(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("testdata/features/call_levels/profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// RD-3, DR-7: a call that is renewed is a level that ends by itself; whatever would act anew at
// each renewal, or never end, is refused where it stands.
func TestCallsThatAreNotLevels(t *testing.T) {
	src := callLevels(t)
	for _, c := range []struct{ old, new, want string }{
		{"level: {name: car, refresh: 1s, for: 15s}", "pause: 1s", "commands.car_call: nothing of this call is a level"},
		{"level: {name: up, refresh: 2s, for: 20s}", "pulse: 500ms", "commands.landing_call.up.writes[0].pulse: a pulse would be pressed anew at each renewal"},
		{"level: {name: car, refresh: 1s, for: 15s}", "level: {name: car, refresh: 1s, for: 15s}, cleared: {within: 1s}", "commands.car_call.writes[0].cleared: a trigger would be pulled anew"},
		{"refresh: 1s, for: 15s", "refresh: 1s, for: 4s", "commands.car_call.writes[0].level.for: a call that is renewed lives 5s to 1m0s"},
		{"refresh: 1s, for: 15s", "refresh: 1s, for: 61s", "level.for: a call that is renewed lives 5s to 1m0s"},
		{"refresh: 2s, for: 20s}, release: 0", "refresh: 2s, for: 20s}, release: 0, may_close: true", "commands.landing_call.up.writes[0].may_close: a release that is never written by itself"},
		{"confirm: lamp", "confirm: lamp, toggles: true", "ride.toggles: a call that is renewed would be taken back"},
		{"  car_call: {w", "  journey: {w", "ride.style: the style needs commands.car_call"},
	} {
		text := strings.Replace(src, c.old, c.new, 1)
		if text == src {
			t.Fatalf("%q is not in the profile", c.old)
		}
		_, faults := Parse("p.yaml", []byte(text))
		ok := false
		for _, f := range faults {
			ok = ok || strings.Contains(f.Error(), c.want) && f.Line > 0
		}
		if !ok {
			t.Errorf("%s: %v, want %s", c.new, faults, c.want)
		}
	}
}

// RD-3: the ride is told for how long a call stands, and that a word may close a door.
func TestCallLevelTraits(t *testing.T) {
	p, faults := Parse("p.yaml", []byte(callLevels(t)))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if tr := p.Traits(); tr.LevelFor != 15*time.Second || !tr.NotifyMayClose || tr.CancelMayClose {
		t.Errorf("%+v", tr)
	}
}

// RD-3: outputs that differ by the landing are levels of their own, and what takes one back
// ends just that one.
func TestEachLandingIsALevelOfItsOwn(t *testing.T) {
	p, faults := Parse("p.yaml", []byte(callLevels(t)))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var floors elevator.Table
	for i, l := range []string{"G", "1", "2"} {
		floors = append(floors, elevator.Landing{Label: l, Wire: i + 1, Doors: []elevator.Side{elevator.Front}})
	}
	key := func(v elevator.Verb, f elevator.Floor) uint32 {
		a, err := p.Encode(elevator.Command{Verb: v, Floor: f, Direction: elevator.Up, Until: 11}, floors, 1)
		if err != nil {
			t.Fatal(err)
		}
		return a.Writes[0].Level.Key
	}
	one, two := key(elevator.LandingCall, 1), key(elevator.LandingCall, 2)
	if one == two || one == 0 || key(elevator.CancelCall, 1) != one || key(elevator.CancelCall, 2) != two {
		t.Errorf("landing 1 is level %d, landing 2 level %d", one, two)
	}
}
