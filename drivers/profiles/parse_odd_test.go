package profiles

import (
	"os"
	"strings"
	"testing"
)

// One change of a profile, and what must be said about it.
// DR-7
func TestParseOddFaults(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"odd_points", "{holding: 40001, discrete", "{holding: 40000, discrete", `base.holding: "40000" is not`},
		{"odd_points", "address: 40004, order", "address: 9, order", "points.door.rear.address: is 9, must be 40001 to 105536"},
		{"odd_points", "address: 40004, order", "address: 40031, order", "points.door.rear: is outside limits.ranges"},
		{"odd_points", "[40011, 40030]", "[40030, 40011]", "limits.ranges.holding[1]: begins behind its end"},
		{"odd_points", "[1, 2, 3]", "[1, 2]", "points.motion: needs function 3, limits.functions has [1 2]"},
		{"odd_points", "order: DCBA", "order: ABDC", `order: "ABDC" is none of ABCD, BADC, CDAB, DCBA`},
		{"odd_points", "bits: [{address: 40003}, {address: 40002}], enum", "bits: [{address: 40003}, {address: 40002}], mask: 1, enum", "points.motion.mask: bits and mask exclude each other"},
		{"odd_points", "{address: 10006}]", "{address: 10006, bit: 1}]", "points.door.front.bits[1].bit: a coil or discrete input is one bit"},
		{"odd_points", "2: down, 3: error", "2: down, 4: error", "points.motion.enum.4: the point never reads as this"},
		{"odd_points", "else: error", "else: opened", `points.door.rear.else: "opened" is none of`},
		{"odd_points", "none: error, none_in", "none_in", "points.floor.one_hot.none_in: no signal is let pass in every mode"},
		{"odd_points", "count: 5, one_hot: {none: error, none_in: [normal]}", "count: 5", "points.floor.count: count is for one_hot"},
		{"odd_points", "load: {table: holding, address: 40023", "load: {table: holding, poll: fast", "points.load.address: is missing"},
		{"odd_commands", "0x01FF, plus: wire, value: 7, raw: true", "0x01FF, plus: wire, value: 7", "value: a coil takes 0 or 1"},
		{"odd_commands", "{address: 10, values", "{raw: true, address: 10, values", "raw: is for one coil, with function 5"},
		{"odd_commands", "{address: 10, values", "{mask: 1, address: 10, values", "mask: is for one register"},
		{"odd_commands", "mask: 0x00F0, value: 0", "mask: 0x00F0, value: 16", "value: is more than the mask holds"},
		{"odd_commands", "is: [normal]", "is: [nomal]", "is[0]: the point has no such word (did you mean `normal`?)"},
		{"odd_commands", "is: [normal]", "is: [unknown]", "is[0]: the point has no such word"},
		{"odd_commands", "is: [wire, 7]", "is: [here]", "is[0]: a landing is wire, to_wire or a number"},
		{"odd_commands", "{point: claimed,", "{point: motion,", "point: the profile does not read this"},
		{"odd_commands", "refresh: 2s, for: 60s", "refresh: 2s", "level: nothing says how long it is held at most"},
		{"odd_commands", "level: {name: door}}]", "level: {name: door, for: 5s}}]", "for: a level that is not refreshed is not held"},
		{"odd_commands", "release: 0, may_close: true", "may_close: true", "may_close: there is no release that could close a door"},
		{"odd_commands", "{address: 20, value: 1,", "{address: 20, value: 0,", "a trigger that is written as it is cleared proves nothing"},
		{"odd_commands", "value: 0x0100, raw: true, pulse: 500ms", "value: 0x0100, raw: true, level: {name: a, refresh: 1s, for: 9s}, pulse: 500ms", "pulse: pulse and level exclude each other"},
		{"odd_commands", "base: {holding: 1}", "base: {holding: 1}\nlimits: {max_write: 3}", "values: is longer than one write may be"},
		{"odd_commands", "base: {holding: 1}", "base: {holding: 1}\nlimits: {functions: [3, 6, 16]}", "needs function 5"},
		{"odd_commands", "base: {holding: 1}", "base: {holding: 1}\nlimits: {functions: [5, 6, 16]}", "needs function 3"},
		{"odd_commands", "base: {holding: 1}", "base: {holding: 1}\nlimits: {heartbeat: {table: coil, address: 3, value: 2, every: 1s}}", "limits.heartbeat.value: a coil takes 0 or 1"},
	} {
		src, err := os.ReadFile("testdata/features/" + c.file + "/profile.yaml")
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(src), c.old, c.new, 1)
		if text == string(src) {
			t.Errorf("%q is not in %s", c.old, c.file)
			continue
		}
		p, faults := Parse("p.yaml", []byte(text))
		if p != nil || len(faults) == 0 {
			t.Errorf("%s: taken, want %s", c.new, c.want)
			continue
		}
		if !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, faults, c.want)
		}
	}
}

// Nothing is encoded for a controller whose profile is a draft.
// DR-7
func TestDraftIsOnlyRead(t *testing.T) {
	src, _ := Lookup("bench/modbus-lift")
	p := parsed(t, "draft", []byte(strings.Replace(string(src), "maturity: bench", "maturity: draft", 1)))
	for _, cmd := range []string{"car_call floor=G until=110s", "lapse side=front until=110s"} {
		floors := table([]string{"G=1/front"})
		c, err := readCommand(strings.Fields(cmd), floors)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Encode(c, floors, instant("100s")); err == nil || !p.Draft() || len(p.ReadPlan()) == 0 {
			t.Errorf("%s: %v", cmd, err)
		}
	}
}
