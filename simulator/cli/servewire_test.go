package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
	"hoistway/simulator/faults"
	"hoistway/simulator/page"
	"hoistway/simulator/robots"
)

const twoFloors = `floors: [{label: G, wire: 1, height_m: 0}, {label: "1", wire: 2, height_m: 4}]`

// servesOnce runs serve on a building file and ends it at once.
func servesOnce(t *testing.T, file string) (out, errOut string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, e strings.Builder
	err = serve(ctx, path, "127.0.0.1:0", &o, &e)
	return o.String(), e.String(), err
}

func takenPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String()
}

// SM-2: a port that is taken is said, with lift, address and mend, and the rest is
// served; with nothing left to serve it is an error.
func TestATakenPortIsSaidAndTheRestServed(t *testing.T) {
	at := takenPort(t)
	lift := func(id, serve string) string {
		return fmt.Sprintf("  - {id: %s, serve: %q, %s}\n", id, serve, twoFloors)
	}
	both := lift("L1", "modbus+tcp://"+at) + lift("L2", "modbus+tcp://"+at+"?unit=2")
	out, errOut, err := servesOnce(t, "lifts:\n"+both+lift("L3", "modbus+tcp://127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^L3 modbus\+tcp://127\.0\.0\.1:\d+\?unit=1\npage http://127\.0\.0\.1:\d+/\nserving`).MatchString(out) {
		t.Errorf("printed %s", out)
	}
	for _, want := range []string{"E-3004: lift L1 on modbus+tcp://" + at + ": ", "E-3004: lift L2 on modbus+tcp://" + at + "?unit=2: ", "another program has this port"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("%q is not in\n%s", want, errOut)
		}
	}
	_, _, err = servesOnce(t, "lifts:\n"+both)
	if s, ok := errors.AsType[status](err); !ok || s.code != exitReach {
		t.Errorf("with nothing served: %v", err)
	}
}

// SM-7: with no port for its picture the building is served all the same.
func TestATakenPagePortIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.yaml")
	if err := os.WriteFile(path, []byte("lifts:\n  - {id: L1, serve: \"modbus+tcp://127.0.0.1:0\", "+twoFloors+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, e strings.Builder
	if err := serve(ctx, path, takenPort(t), &o, &e); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(e.String(), "E-3004: page: ") || strings.Contains(o.String(), "page ") || !strings.Contains(o.String(), "serving") {
		t.Errorf("printed\n%s%s", o.String(), e.String())
	}
}

// SM-2: one lift on several wires, several lifts on one.
func TestWiresOfAFile(t *testing.T) {
	out, errOut, err := servesOnce(t, `lifts:
  - {id: L1, serve: "modbus+rtu://bus?unit=3", also: ["modbus+tcp://127.0.0.1:0", "modbus+tcp://127.0.0.1:0"], `+twoFloors+`}
  - {id: L2, serve: "modbus+rtu://bus?unit=4", `+twoFloors+`}
  - {id: L3, serve: "modbus+rtu://?unit=3", `+twoFloors+`}
`)
	if err != nil || errOut != "" {
		t.Fatal(err, errOut)
	}
	m := regexp.MustCompile(`^L1 modbus\+rtu://(\S+)\?unit=3\nL2 modbus\+rtu://(\S+)\?unit=4\nL1 modbus\+tcp://(\S+)\?unit=1\nL1 modbus\+tcp://(\S+)\?unit=1\nL3 modbus\+rtu://(\S+)\?unit=3\n`).FindStringSubmatch(out)
	if m == nil || m[1] != m[2] || m[3] == m[4] || m[5] == m[1] {
		t.Errorf("printed\n%s", out)
	}
}

// SM-2: 64 lifts in one process, and one more is refused with its place.
func TestManyLiftsInOneFile(t *testing.T) {
	lifts := func(n int) string {
		var b strings.Builder
		b.WriteString("lifts:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - {id: L%d, serve: %q, %s}\n", i+1, "modbus+tcp://127.0.0.1:0", twoFloors)
		}
		return b.String()
	}
	out, _, err := servesOnce(t, lifts(64))
	if err != nil || strings.Count(out, "modbus+tcp") != 64 {
		t.Errorf("%v, %d lifts", err, strings.Count(out, "modbus+tcp"))
	}
	if _, errOut, err := servesOnce(t, lifts(65)); err == nil || !strings.Contains(errOut, "b.yaml:2:3:") {
		t.Errorf("65 lifts: %v\n%s", err, errOut)
	}
}

// SM-1, SM-2: lifts of a file share landing buttons and people come to them; some run on
// the generator. The sample brings nobody.
func TestUseOfAFile(t *testing.T) {
	lifts := ""
	for _, id := range []string{"L1", "L2", "L3"} {
		lifts += fmt.Sprintf("  - {id: %s, serve: \"modbus+rtu://\", %s}\n", id, strings.Replace(twoFloors, "}]", `}, {label: "2", wire: 3, height_m: 8}]`, 1))
	}
	p, bad := readBuilding("b.yaml", []byte("lifts:\n"+lifts+`groups: [{id: main, lifts: [L1, L2], control: destination}]
people: {mix: up-peak, per_5min: 300, batch: 2, entrance: "1", group: main}
emergency: {landing: G, selected: [L3]}
`))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	want := building.Group{ID: "main", Cars: []string{"L1", "L2"}, Control: building.Destination}
	if e := p.conf.Emergency; !reflect.DeepEqual(p.conf.Groups, []building.Group{want}) || e.Landing != "G" || !slices.Equal(e.Selected, []string{"L3"}) {
		t.Errorf("%+v %+v", p.conf.Groups, e)
	}
	same, err := building.New(p.conf)
	if err != nil {
		t.Fatal(err)
	}
	traffic, _ := building.TrafficOf("up-peak", 300, "1", 1)
	traffic.Batch, traffic.Group = 2, "main"
	if err := same.Populate(traffic); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*building.Building{p.b, same} {
		b.Advance(elevator.Instant(10 * time.Minute))
	}
	if n := p.b.People(); n != same.People() || n.Arrived < 400 || n.Arrived > 800 || n.Delivered == 0 {
		t.Errorf("about 600 in ten minutes, not %+v; by hand %+v", n, same.People())
	}
	p, bad = readBuilding("building.yaml", []byte(sampleBuilding))
	if len(bad) > 0 || len(p.conf.Groups) != 1 || p.conf.Emergency.Landing != "G" || p.b.Next() != 0 {
		t.Errorf("the sample: %v, %+v", bad, p.conf)
	}
}

func TestUseThatCannotBe(t *testing.T) {
	lifts := `  - {id: L1, serve: "modbus+rtu://", ` + twoFloors + "}\n" +
		`  - {id: L2, serve: "modbus+rtu://", floors: [{label: G, wire: 1, height_m: 0}, {label: "2", wire: 2, height_m: 4}]}` + "\n"
	for use, want := range map[string]string{
		"groups: [{id: a, lifts: [L1, L9], control: nearest}]":                                     `b.yaml:4:30: groups[0].lifts[1]: there is no lift "L9" (known: L1, L2)`,
		"groups: [{id: a, lifts: [L1], control: nearst}]":                                          "nearest",
		"groups: [{id: a, lifts: [L1], control: nearest}, {id: a, lifts: [L2], control: nearest}]": "b.yaml:4:55: groups[1].id: a group with this id",
		"groups: [{id: a, lifts: [L1], control: nearest}, {id: b, lifts: [L1], control: nearest}]": "groups[1].lifts[0]: this lift is in a group already",
		"people: {per_5min: 9}":           "b.yaml:4:9: people: ",
		"people: {per_5min: 9, group: a}": `people.group: there is no group "a"`,
		"groups: [{id: a, lifts: [L1], control: nearest}]\npeople: {per_5min: 9, entrance: \"9\", group: a}": "b.yaml:5:9: people: ",
		"emergency: {landing: \"1\"}":                          `emergency.landing: there is no landing of every lift "1" (known: G)`,
		"emergency: {selected: [L3]}":                          `emergency.selected[0]: there is no lift "L3"`,
		"groups: [{id: a, lifts: [L1, L2], control: nearest}]": "are both at 4000 mm",
	} {
		if _, errOut, err := servesOnce(t, "lifts:\n"+lifts+use+"\n"); err == nil || !strings.Contains(errOut, want) {
			t.Errorf("%s: %v\n%s", use, err, errOut)
		}
	}
}

func TestPlacesThatCannotBe(t *testing.T) {
	for what, c := range map[string]struct{ lifts, want string }{
		"a unit twice on a line": {
			`  - {id: L1, serve: "modbus+rtu://bus?unit=3", ` + twoFloors + "}\n" + `  - {id: L2, serve: "modbus+rtu://bus?unit=3", ` + twoFloors + "}\n",
			`b.yaml:3:21: `,
		},
		"a unit twice on a port": {
			`  - {id: L1, serve: "modbus+tcp://127.0.0.1:9", also: ["modbus+tcp://127.0.0.1:9"], ` + twoFloors + "}\n",
			"lift L1 answers there already",
		},
		"a path": {`  - {id: L1, serve: "modbus+rtu:///dev/ttyS0", ` + twoFloors + "}\n", "a name, not a path"},
		"a network": {
			`  - {id: L1, serve: "modbus+rtu://", also: ["modbus+tcp://0.0.0.0:1502"], ` + twoFloors + "}\n",
			"only a loopback address",
		},
		"a device": {`  - {id: L1, serve: "modbus+rtu://", device: {lacks: [5]}, ` + twoFloors + "}\n", "b.yaml:2:"},
	} {
		if _, errOut, err := servesOnce(t, "lifts:\n"+c.lifts); err == nil || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: %v\n%s", what, err, errOut)
		}
	}
}

// The sample has every key, and each stands for what it says.
func TestDeviceOfAFile(t *testing.T) {
	p, bad := readBuilding("building.yaml", []byte(sampleBuilding))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	if want := (devices.Manners{MaxRegisters: 125}); p.lifts[0].manners != want || p.lifts[1].manners != (devices.Manners{}) {
		t.Errorf("the sample's devices: %+v", p.lifts)
	}
	p, bad = readBuilding("b.yaml", []byte(`lifts:
  - {id: L1, serve: "modbus+rtu://", advance_opening: 300ms, nudge: 7s, nudge_after: 30s, `+twoFloors+`, device: {answer_delay: 80ms, turnaround: 50ms,
     byte_pause: 2ms, max_registers: 8, lacks: [3, 16], other_unit: exception, one_connection: true, closes_after_answer: true}}
`))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	want := devices.Manners{
		AnswerDelay: 80 * time.Millisecond, Turnaround: 50 * time.Millisecond, BytePause: 2 * time.Millisecond, MaxRegisters: 8,
		NoReadHoldings: true, NoWriteSeveral: true, OtherUnit: devices.OtherException, OneConnection: true, ClosesAfterAnswer: true,
	}
	if p.lifts[0].manners != want {
		t.Errorf("%+v", p.lifts[0].manners)
	}
	if c := p.conf.Cars[0]; c.AdvanceOpening != 300*time.Millisecond || c.Nudge != 7*time.Second || c.NudgeAfter != 30*time.Second {
		t.Errorf("%+v", c)
	}
}

var _ page.Site = (*siteFaults)(nil)

// SM-3: a fault goes to whom it is aimed at, and what cannot be is said.
func TestSiteFaults(t *testing.T) {
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	w := devices.NewRealWorld(b)
	tcp, err := devices.ServeTCP(w, net.Listen, "127.0.0.1:0", devices.Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	rtu, err := devices.ServePTY(w, devices.Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer rtu.Close()
	bot := robots.New(robots.Options{ID: "R1", BaseURL: "http://127.0.0.1:1"})
	s := &siteFaults{world: w, units: []*devices.Unit{tcp.Unit, rtu.Unit}, robots: []*robots.Robot{bot}}
	for _, f := range []faults.Fault{
		{Kind: "silent", Target: "L1"},
		{Kind: "busy-elsewhere", Target: "L1"}, // the socket only
		{Kind: "inspection", Target: "L2"},
		{Kind: "freezes", Target: "R1"},
	} {
		if err := s.Inject(f); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
	if a, b, c, d := len(tcp.Faults()), len(rtu.Faults()), len(w.Faults()), len(bot.Faults()); a != 2 || b != 1 || c != 1 || d != 1 {
		t.Errorf("%d on TCP, %d on RTU, %d in the building, %d on the robot", a, b, c, d)
	}
	for _, f := range []faults.Fault{
		{Kind: "silent", Target: "L2"}, // on no wire
		{Kind: "inspection", Target: "L9"},
		{Kind: "freezes", Target: "R2"},
		{Kind: "broker-gone", Target: "cloud"},
		{Kind: "silence", Target: "L1"},
	} {
		if s.Inject(f) == nil {
			t.Errorf("%v was taken", f)
		}
	}
	if err := errors.Join(s.Clear("L1", "silent"), s.Clear("L1", ""), s.Clear("L2", ""), s.Clear("R1", "")); err != nil {
		t.Error(err)
	}
	if n := len(tcp.Faults()) + len(rtu.Faults()) + len(w.Faults()) + len(bot.Faults()); n != 0 {
		t.Errorf("%d faults left", n)
	}
	if s.Clear("L9", "") == nil {
		t.Error("cleared nobody's faults")
	}
	if n := len(s.Events()); n != 10 {
		t.Errorf("%d events, want 5 beginnings and 5 ends", n)
	}
	if l, r, c := s.Targets(faults.AtLift), s.Targets(faults.AtRobot), s.Targets(faults.AtCloud); len(l) != 2 || len(r) != 1 || len(c) != 0 {
		t.Errorf("targets %v %v %v", l, r, c)
	}
}
