package faults

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

func at(s float64) elevator.Instant { return elevator.Instant(s * float64(time.Second)) }

// SM-3: each row of the catalogue is whole, and its usual argument is one that it takes.
func TestTheCatalogueIsWhole(t *testing.T) {
	seen, families := map[string]bool{}, map[Family]int{}
	targets := map[Aim]string{AtLift: "L1", AtRobot: "R1", AtCloud: CloudTarget, AtGateway: GatewayTarget}
	for _, k := range Catalogue() {
		if seen[k.Name] || k.Name != strings.ToLower(k.Name) || strings.ContainsAny(k.Name, " _") {
			t.Errorf("%q: twice, or not a name to type", k.Name)
		}
		seen[k.Name] = true
		families[k.Family]++
		if k.Family == FamilyUnknown || k.Aim == AimUnknown || !strings.HasSuffix(k.Does, ".") || !strings.HasSuffix(k.Owed, ".") {
			t.Errorf("%s is not whole: %+v", k.Name, k)
		}
		err := Check(Fault{Kind: k.Name, Target: targets[k.Aim]})
		if needsArg := k.Takes != Nothing && k.Usual == ""; needsArg != (err != nil) {
			t.Errorf("%s without an argument: %v", k.Name, err)
		}
	}
	for f := Controller; f <= Robot; f++ {
		if f != HTTP && families[f] == 0 {
			t.Errorf("no fault of the family %v", f)
		}
	}
}

// SM-3
func TestWhatIsWrongIsSaid(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  error
		says  string
	}{
		{Fault{Kind: "dor-reopens", Target: "L1"}, ErrKind, `did you mean "door-reopens"?`},
		{Fault{Kind: "xyzzy", Target: "L1"}, ErrKind, `"xyzzy"`},
		{Fault{Kind: "fire"}, ErrTarget, "a lift"},
		{Fault{Kind: "kill", Target: "L1"}, ErrTarget, "write: gateway"},
		{Fault{Kind: "broker-gone", Target: "gateway"}, ErrTarget, "write: cloud"},
		{Fault{Kind: "fire", Target: "L1", Arg: "3"}, ErrArg, "takes none"},
		{Fault{Kind: "fire", Target: "L1", Times: 2}, ErrRange, "on or off"},
		{Fault{Kind: "fire", Target: "L1", For: -time.Second}, ErrRange, "up to"},
		{Fault{Kind: "silent", Target: "L1", Times: -1}, ErrRange, "counts"},
		{Fault{Kind: "silent", Target: "L1", Chance: 101}, ErrRange, "per cent"},
		{Fault{Kind: "door-reopens", Target: "L1", Arg: "0"}, ErrArg, "from 1 to 1000"},
		{Fault{Kind: "late", Target: "L1", Arg: "11m"}, ErrArg, "from 1ms to 10m0s"},
		{Fault{Kind: "late", Target: "L1", Arg: "soon"}, ErrArg, "a duration"},
		{Fault{Kind: "door-stuck", Target: "L1", Arg: "top"}, ErrArg, "front, rear"},
		{Fault{Kind: "call-refused", Target: "L1"}, ErrArg, "a landing's label"},
		{Fault{Kind: "mute", Target: "R1", Arg: "heartbeat"}, ErrArg, "entering, entered"},
	} {
		err := Check(c.fault)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %v with %q", c.fault, err, c.want, c.says)
		}
	}
}

// strikes plays n meetings of L1 with a fault and writes an x for each strike.
func strikes(t *testing.T, f Fault, n int) string {
	t.Helper()
	var p Player
	if err := p.Begin(f, 0); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i := range n {
		if _, ok := p.Meet("L1", at(float64(i)), f.Kind); ok {
			out.WriteByte('x')
		} else {
			out.WriteByte('.')
		}
	}
	return out.String()
}

// SM-3: the nth meeting, so many times, for so long, by seeded chance.
func TestWhichMeetingsAreStruck(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  string
	}{
		{Fault{}, "xxxxxxxx"},
		{Fault{Times: 2}, "xx......"},
		{Fault{From: 3}, "..xxxxxx"},
		{Fault{From: 3, Times: 1}, "..x....."},
		{Fault{For: 3 * time.Second}, "xxx....."},
		{Fault{From: 2, For: 4 * time.Second}, ".xxx...."},
	} {
		c.fault.Kind, c.fault.Target = "silent", "L1"
		if got := strikes(t, c.fault, 8); got != c.want {
			t.Errorf("%+v struck %s, want %s", c.fault, got, c.want)
		}
	}
}

// SM-4: the same seed strikes the same meetings, another one others, and the
// share is the chance: 2000 draws of 30 % lie within 570 and 630 (three sigma
// are 61).
func TestChanceIsSeeded(t *testing.T) {
	f := Fault{Kind: "silent", Target: "L1", Chance: 30, Seed: 7}
	one, same := strikes(t, f, 2000), strikes(t, f, 2000)
	f.Seed = 8
	other := strikes(t, f, 2000)
	if one != same || one == other {
		t.Error("a seed does not decide")
	}
	if n := strings.Count(one, "x"); n < 539 || n > 661 {
		t.Errorf("%d of 2000 struck at 30 %%", n)
	}
}

func TestOthersAreNotStruck(t *testing.T) {
	var p Player
	if err := p.Begin(Fault{Kind: "silent", Target: "L1"}, 0); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Meet("L2", 1, "silent"); ok {
		t.Error("another lift is struck")
	}
	if _, ok := p.Meet("L1", 1, "late"); ok {
		t.Error("another fault strikes")
	}
	if _, on := p.On("L1", "silent", 1); !on {
		t.Error("it is not on")
	}
	if p.Clear("L1", "late", 2) != 0 || p.Clear("L1", "", 2) != 1 || p.Clear("L1", "", 2) != 0 {
		t.Error("clearing counts wrongly")
	}
}

// SM-3: each fault leaves its line in the log.
func TestTheLog(t *testing.T) {
	var p Player
	begin := func(f Fault, now elevator.Instant) {
		if err := p.Begin(f, now); err != nil {
			t.Fatal(err)
		}
	}
	begin(Fault{Kind: "silent", Target: "L1", Times: 5}, at(1))
	begin(Fault{Kind: "fire", Target: "L2", For: 4 * time.Second}, at(2))
	if got := p.Next(); got != at(6) {
		t.Errorf("next is %v", got)
	}
	for i := range 5 {
		p.Meet("L1", at(3)+elevator.Instant(i), "silent")
	}
	begin(Fault{Kind: "kill", Target: GatewayTarget, Arg: "3s"}, at(7))
	p.Clear(GatewayTarget, "kill", at(8))
	var lines []string
	for _, e := range p.Events() {
		lines = append(lines, e.String())
	}
	want := []string{
		"fault begins: L1 silent times 5",
		"fault begins: L2 fire for 4s",
		"fault strikes (1): L1 silent",
		"fault strikes (2): L1 silent",
		"fault strikes (3): L1 silent",
		"fault ends, worn off: L1 silent, struck 5 times",
		"fault ends, time over: L2 fire",
		"fault begins: gateway kill 3s",
		"fault ends, cleared: gateway kill",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("log:\n%s", got)
	}
	if len(p.Events()) != 0 || len(p.List()) != 0 {
		t.Error("something is left")
	}
}

func TestAPlayerIsBounded(t *testing.T) {
	var p Player
	for i := range maxActive {
		if err := p.Begin(Fault{Kind: "silent", Target: strings.Repeat("x", i+1)}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Begin(Fault{Kind: "silent", Target: "L1"}, 0); !errors.Is(err, ErrFull) {
		t.Errorf("one too many: %v", err)
	}
	for range 3 * maxEvents {
		p.Clear("x", "", 0)
		_ = p.Begin(Fault{Kind: "silent", Target: "x"}, 0)
	}
	if n := len(p.Events()); n != maxEvents {
		t.Errorf("%d events are kept", n)
	}
}
