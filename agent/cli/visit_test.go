package cli

import (
	"net"
	"os"
	"strings"
	"testing"

	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

// served is a board with frames of its own, and a floor table.
func served(t *testing.T, speaks string) (link string) {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	d, err := devices.ServeBoardTCP(devices.NewRealWorld(b), speaks, net.Listen, "127.0.0.1:0", devices.Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	t.Chdir(t.TempDir())
	if err := os.WriteFile("floors.yaml", []byte(`floors: [{label: B1, wire: 1, doors: [front]}, {label: G, wire: 2, doors: [front]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	return "serial+tcp://" + d.Where()
}

// A board that is not Modbus is read once, and what was not looked at is said; the
// command of a draft is refused, that of another shown before it is asked for. CT-4, CT-2
func TestABoardWithFramesOfItsOwn(t *testing.T) {
	draft := served(t, "stx-board")
	plc := served(t, "mc1e")
	for _, c := range []struct {
		line string
		exit int
		says []string
	}{
		{"doctor " + draft + " --profile robotboard/auto-elevator --floors floors.yaml", 0, []string{"it told floor motion in ", "(asked: inquire)", "not looked at: " + draft + ": single frames"}},
		{"doctor " + draft, 0, []string{"something listens there", "name its profile"}},
		{"doctor " + plc + " --profile robotboard/auto-elevator", 1, []string{"E-6002", "it told nothing in "}},
		{"doctor serial+tcp://127.0.0.1:1 --profile robotboard/auto-elevator", 1, []string{"E-6001", "refused"}},
		{"doctor serial:///dev/none-such", 1, []string{"E-6001", "no such file"}},
		{"read " + draft + " inquire --profile robotboard/auto-elevator", 0, []string{"floor="}},
		{"read " + draft + " inquiry --profile robotboard/auto-elevator", 2, []string{"E-1108", "inquire"}},
		{"profile test robotboard/auto-elevator --floors floors.yaml --command car_call --against " + draft, 1, []string{"E-1112: profile robotboard/auto-elevator is a draft"}},
		{`profile test mitsubishi/fx-lift-mc1e --floors floors.yaml --command "car_call floor=G" --against ` + plc, 2, []string{"lift_go: 02 ff 04 00 3f 01 00 00 20 4d 01 00 10", "E-1109", "6 of 6 points"}},
	} {
		said, exit := runs(c.line)
		if exit != c.exit {
			t.Errorf("%s: exit %d\n%s", c.line, exit, said)
		}
		for _, want := range c.says {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q:\n%s", c.line, want, said)
			}
		}
	}
}
