package profiles

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

var update = flag.Bool("update", false, "write REFERENCE.md")

// One change of the bench profile, and what must be said about it, and where.
// DR-7
func TestParseFaults(t *testing.T) {
	bench, _ := Lookup("bench/modbus-lift")
	for _, c := range []struct{ name, old, new, want string }{
		{"door word", "3: open, 4: closing}}   #", "3: opened, 4: closing}}   #", "`open`?"},
		{"enum word of another", "{0: stopped, 1: up", "{0: closed, 1: up", `points.motion.enum.0: "closed" is none of stopped, up, down`},
		{"unknown as a word", "{0: stopped, 1: up", "{0: unknown, 1: up", `points.motion.enum.0: "unknown" is none of`},
		{"no enum", "motion: {address: 1, enum: {0: stopped, 1: up, 2: down}}", "motion: {address: 1}", `points.motion.enum: is missing`},
		{"raw value that never comes", "1: up, 2: down}", "1: up, 65536: down}", `points.motion.enum.65536: the point never reads as this`},
		{"point", "  load: {", "  laod: {", "points.laod: unknown key (did you mean `load`?)"},
		{"address", "floor: {address: 0}", "floor: {address: 65536}", `points.floor.address: is 65536, must be 0 to 65535`},
		{"no address", "floor: {address: 0}", "floor: {poll: slow}", `points.floor.address: is missing`},
		{"beyond the table", "position: {address: 6,", "position: {address: 65535,", `points.position.address: the value ends beyond address 65535`},
		{"type", "type: i32", "type: i33", "points.position.type: \"i33\" is none of u16, i16, u32, i32 (did you mean `i32`?)"},
		{"bit outside", "bit: 3}", "bit: 16}", `points.emergency_stop.bit: the bit is not within the type`},
		{"bit and mask", "bit: 3}", "bit: 3, mask: 8}", `points.emergency_stop.bit: mask and bit exclude each other`},
		{"mask of a sign", "bit: 3}", "bit: 3, type: i16}", `points.emergency_stop: a part of a word has no sign`},
		{"mask too wide", "mask: 0x00FF", "mask: 0x1FFFF", `points.hold_left.front.mask: the mask is wider than the type`},
		{"mask of an input", "bit: 3}", "bit: 3, table: coil}", `points.emergency_stop.bit: a coil or discrete input is one bit`},
		{"order of one word", "load: {address: 8}", "load: {address: 8, order: CDAB}", `points.load.order: one register has no word order`},
		{"count of registers", "first: 1}    #", "count: 8}    #", `points.up_calls.count: count is for coils and discrete inputs`},
		{"min above max", "load: {address: 8}", "load: {address: 8, min: 5, max: 4}", `points.load.min: min is above max`},
		{"vendor width", "vendor: {address: 9}", "vendor: {address: 9, type: u32}", `points.vendor.type: a code of the controller has at most 31 bits`},
		{"32 bits in one-word reads", "max_read: 125", "max_read: 1", `points.position: the value is longer than one read may be`},
		{"holds apart", "rear: {address: 13,", "rear: {address: 99,", `points.hold_left: the sides are not in one read`},
		{"implied twice", "points:", "implied: [open_implies_stopped]\npoints:", `implied: the controller tells motion itself`},
		{"implied word", "points:", "implied: [open_implies_stoped]\npoints:", "(did you mean `open_implies_stopped`?)"},
		{"wires upside down", "{lowest: 1, highest: 16}", "{lowest: 16, highest: 1}", `wire: lowest is above highest`},
		{"slow is fast", "poll: {fast: 200ms}", "poll: {fast: 3s}", `poll: slow points would be read more often than fast ones`},

		{"value word", "car_call: {writes: [{address: 2, value: wire}]}", "car_call: {writes: [{address: 2, value: wired}]}", `commands.car_call.writes[0].value: "wired" is not a number`},
		{"value too big", "address: 3, value: 0}", "address: 3, value: 65536}", `commands.lapse.front.writes[0].value: a register holds at most 65535`},
		{"seconds in a call", "car_call: {writes: [{address: 2, value: wire}]}", "car_call: {writes: [{address: 2, value: seconds}]}", `commands.car_call.writes[0].value: this command has no seconds`},
		{"destination of a call", "car_call: {writes: [{address: 2, value: wire}]}", "car_call: {writes: [{address: 2, value: to_wire}]}", `commands.car_call.writes[0].value: this command has no to_wire`},
		{"number into a coil", "car_call: {writes: [{address: 2, value: wire}]}", "car_call: {writes: [{table: coil, address: 2, value: wire}]}", `commands.car_call.writes[0].value: a coil takes 0 or 1`},
		{"no writes", "car_call: {writes: [{address: 2, value: wire}]}", "car_call: {writes: []}", `commands.car_call.writes: has 0 elements, must have 1 to 8`},
		{"empty pulse", "{address: 2, value: wire}", "{address: 2, value: wire, pulse: 0s}", `commands.car_call.writes[0].pulse: is 0s, must be 10ms to 10s`},
		{"pulse of nothing", "{address: 2, value: wire}", "{address: 2, value: 0, pulse: 1s}", `commands.car_call.writes[0].value: the pulse ends with the value that it began with`},
		{"release alone", "{address: 2, value: wire}", "{address: 2, value: wire, release: 1}", `commands.car_call.writes[0].release: release is for a pulse`},
		{"debt first", "{address: 2, value: wire}", "{address: 2, value: wire, owed: true}", `commands.car_call.writes[0].owed: the first write of a command owes nothing`},
		{"hold without end", "longest: 30s, dies_after: 30s}\n    rear", "longest: 30s}\n    rear", `commands.hold.front: nothing says how the device ends this hold by itself`},
		{"hold with both", "longest: 30s, dies_after: 30s}\n    rear", "longest: 30s, dies_after: 30s, no_end: true}\n    rear", `commands.hold.front.no_end: dies_after and no_end exclude each other`},
		{"hold without longest", "longest: 30s, dies_after: 30s}\n    rear", "dies_after: 30s}\n    rear", `commands.hold.front: a hold in seconds needs longest`},
		{"hold longer than it lives", "longest: 30s, dies_after: 30s}\n    rear", "longest: 31s, dies_after: 30s}\n    rear", `commands.hold.front.longest: is more than dies_after`},
		{"lapse of one side", "    rear: {writes: [{address: 4, value: 0}], may_close: true}\n", "", `commands.lapse: hold and lapse are not for the same sides`},
		{"style without its call", "style: landing+car", "style: journey", `ride.style: the style needs commands.journey`},
		{"lamp without lamps", "  down_calls: {address: 11, first: 1}\n", "", `ride.confirm: confirm by lamp needs points.down_calls`},
		{"claim alone", "commands:\n", "commands:\n  claim: {writes: [{address: 9, value: 1}]}\n", `commands: claim and give_back come together`},
		{"error code 0", "errors:\n", "errors:\n  0: {advice: none, text: nothing}\n", `errors.0: code 0 is no error`},
		{"advice", "advice: config", "advice: conf", `errors.1.advice: "conf" is none of none, retry, wait, config`},
		{"refusal word", "refuses_call: last", "refuses_call: lasts", `errors.1.refuses_call: "lasts" is none of never, new, last`},
		{"refusal without its code", "  vendor: {address: 9}\n", "", `errors.1.refuses_call: the code can not be read`},
		{"refusal without a lamp", "confirm: lamp", "confirm: ack", `errors.1.refuses_call: only a lamp that stays dark shows that a call was not taken`},
		{"protocol", "protocol: modbus", "protocol: canopen", `protocol: "canopen" is none of modbus`},
		{"id", "id: bench/modbus-lift", "id: Bench Lift", `id: "Bench Lift" is not an id such as maker/model`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(string(bench), c.old, c.new, 1)
			if text == string(bench) {
				t.Fatalf("%q is not in the profile", c.old)
			}
			p, faults := Parse("p.yaml", []byte(text))
			if p != nil {
				t.Error("there is a profile all the same")
			}
			var got []string
			for _, f := range faults {
				got = append(got, f.Error())
				if f.Line < 1 || f.Col < 1 || f.File != "p.yaml" {
					t.Errorf("no place: %+v", f)
				}
			}
			if all := strings.Join(got, "\n"); !strings.Contains(all, c.want) {
				t.Errorf("got\n%s\nwant\n%s", all, c.want)
			}
			if len(faults) != 1 {
				t.Errorf("%d faults for one change:\n%s", len(faults), strings.Join(got, "\n"))
			}
		})
	}
}

// Faults of form and of meaning come together, in the order of the file.
func TestParseTellsAllAtOnce(t *testing.T) {
	_, faults := Parse("p.yaml", []byte(`id: a/b
title: x
protocol: modbus
ride: {style: car-only, confirm: lamp}
points:
  floor: {adress: 0}
  load: {address: 8, bit: 16}
commands:
  car_call: {writes: [{table: coil, address: 1, value: wire}]}
  hold: {front: {writes: [{table: coil, address: 2, value: 1}]}}
`))
	want := []string{
		"p.yaml:4:34: ride.confirm: confirm by lamp needs points.car_calls",
		"p.yaml:6:11: points.floor.adress: unknown key (did you mean `address`?)",
		"p.yaml:7:27: points.load.bit: the bit is not within the type",
		"p.yaml:9:56: commands.car_call.writes[0].value: a coil takes 0 or 1 (one coil a landing is plus: wire)",
		"p.yaml:10:17: commands.hold.front: nothing says how the device ends this hold by itself (dies_after: 30s, or no_end: true if it never does)",
	}
	for i, f := range faults {
		if i >= len(want) || f.Error() != want[i] {
			t.Errorf("fault %d: %v", i, f)
		}
	}
	if len(faults) != len(want) {
		t.Errorf("%d faults, want %d", len(faults), len(want))
	}
}

// DR-7: a code that is read every two seconds does not show what it was just before
// a press; where a taken call clears it that does not matter.
func TestNewCodeReadSlowly(t *testing.T) {
	src, err := os.ReadFile("testdata/features/code_stays/profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	slow := strings.Replace(string(src), "vendor: {address: 0}", "vendor: {address: 0, poll: slow}", 1)
	_, faults := Parse("p.yaml", []byte(slow))
	const want = "p.yaml:14:36: errors.7.refuses_call: a code that is read slowly does not show whether it is new (points.vendor.poll: fast)"
	if len(faults) != 1 || faults[0].Error() != want {
		t.Errorf("%v, want %s", faults, want)
	}
	if p, faults := Parse("p.yaml", []byte(strings.ReplaceAll(slow, "call: new", "call: last"))); p == nil {
		t.Error(faults)
	}
}

// A profile that only reads is one, too.
func TestReadOnlyProfile(t *testing.T) {
	p := parsed(t, "p.yaml", []byte("id: a/b\ntitle: x\nprotocol: modbus\nride: {style: landing+car, confirm: none}\npoints: {floor: {address: 0}}\n"))
	if tr := p.Traits(); tr.HasHold || tr.HasCancel || tr.HasLapse || tr.DiesAfter != 0 || tr.AcceptWithin != 5*time.Second {
		t.Errorf("%+v", tr)
	}
	if lo, hi := p.WireRange(); lo != 0 || hi != 65535 || p.LongestHold() != 0 || p.HasDoor(elevator.Front) {
		t.Errorf("wires %d to %d", lo, hi)
	}
	if _, err := p.Encode(elevator.Command{Verb: elevator.CarCall, Floor: 1, Until: 2}, elevator.Table{{Label: "G", Wire: 1}}, 1); err == nil {
		t.Error("it takes a call")
	}
}

func TestBenchFacts(t *testing.T) {
	src, _ := Lookup("bench/modbus-lift")
	p := parsed(t, "bench", src)
	want := Traits{
		Style: "landing+car", Confirm: "lamp", HasHold: true, HasLapse: true, HasCancel: true,
		AcceptWithin: 3 * time.Second, FastPoll: 200 * time.Millisecond, DiesAfter: 30 * time.Second,
	}
	if got := p.Traits(); got != want {
		t.Errorf("traits %+v", got)
	}
	plan := p.ReadPlan()
	if len(plan) != 1 || plan[0] != (Block{InputRegisters, 0, 14, 200 * time.Millisecond}) {
		t.Errorf("plan %+v", plan)
	}
	plan[0].Count = 1
	if p.ReadPlan()[0].Count != 14 {
		t.Error("the plan can be changed from outside")
	}
	lo, hi := p.WireRange()
	if lo != 1 || hi != 16 || p.LongestHold() != 30*time.Second || p.WriteSpacing() != 0 || !p.HasDoor(elevator.Rear) || p.HasDoor(elevator.Left) {
		t.Error("facts")
	}
}

func TestLookup(t *testing.T) {
	for _, id := range []string{"", "bench", "bench/", "bench/modbus-lift.yaml", "../model", "bench/../bench/modbus-lift", "/bench/modbus-lift"} {
		if _, ok := Lookup(id); ok {
			t.Errorf("%q is in the catalog", id)
		}
	}
}

// The page of the schema is written by the schema.
func TestReferenceIsFresh(t *testing.T) {
	want := "# Keys of a vendor profile\n\nWritten by the schema: `go test ./drivers/profiles -update`. How to write a profile is in README.md.\n"
	for _, protocol := range Protocols() {
		schema := Schema(protocol)
		want += "\n## protocol: " + protocol + "\n\n" + strict.Reference(&schema)
	}
	have, _ := os.ReadFile("REFERENCE.md")
	if string(have) == want {
		return
	}
	if !*update {
		t.Fatal("REFERENCE.md is stale: go test ./drivers/profiles -update")
	}
	if err := os.WriteFile("REFERENCE.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// No profile makes the parser panic; one that is taken plans within its limits.
func FuzzParse(f *testing.F) {
	for _, id := range IDs() {
		src, _ := Lookup(id)
		f.Add(src)
	}
	files, _ := filepath.Glob("testdata/features/*/profile.yaml")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		p, faults := Parse("p", src)
		if (p == nil) != (len(faults) > 0) {
			t.Fatalf("%v with %d faults", p, len(faults))
		}
		if p != nil {
			checkPlan(t, p)
			p.Traits()
		}
	})
}

// Any words of the right number are taken, of any other number refused with
// nothing changed; no value is outside what the nouns name, and a command that is
// taken stays within the map.
func FuzzDecode(f *testing.F) {
	src, _ := Lookup("bench/modbus-lift")
	p, _ := Parse("bench", src)
	floors := table(strings.Fields("B1=1/front G=2/front,rear 1=3/front"))
	f.Add([]byte{0, 2, 0, 0, 0, 3, 0, 1, 0, 1, 0, 0, 0, 0, 12, 128, 0, 75, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12}, uint8(5), uint8(2), int64(5e9))
	f.Fuzz(func(t *testing.T, raw []byte, verb, fl uint8, until int64) {
		var words []uint16
		for i := 0; i+1 < len(raw); i += 2 {
			words = append(words, uint16(raw[i])<<8|uint16(raw[i+1]))
		}
		b, s := p.ReadPlan()[0], elevator.Snapshot{Link: elevator.Online}
		before := s
		err := p.Decode(b, words, floors, 1e9, &s)
		if (err == nil) != (len(words) == int(b.Count)) || err != nil && s != before {
			t.Errorf("%d words: %v", len(words), err)
		}
		if int(s.Floor.Value) > len(floors) || s.Motion.Value > elevator.MovingDown || s.Doors[1].Value > elevator.DoorClosing || s.Mode.Value > elevator.OutOfService || s.UpCalls.Value >= 1<<len(floors) {
			t.Errorf("%+v", s)
		}
		for side, end := range s.Holds {
			if end != 0 && (end <= 1e9 || end > 1e9+255e9) {
				t.Errorf("hold of side %d until %d", side, end)
			}
		}
		c := elevator.Command{Verb: elevator.Verb(verb), Floor: elevator.Floor(fl), Side: elevator.Side(fl & 7), Direction: elevator.Direction(fl & 3), Until: elevator.Instant(until)}
		a, err := p.Encode(c, floors, 1e9)
		for _, w := range a.Writes {
			if err != nil || w.Addr > 6 || w.Values[0] > 30 || (w.Values[0] == 0) != (c.Verb == elevator.Lapse) || c.Until <= 1e9 {
				t.Errorf("%+v gave %+v", c, a)
			}
		}
	})
}
