package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// all is every word of the language at least once.
const all = `title  Everything at once   # a comment
proves RD-7 IL-2
seed 7
site bench
robot R1 crossing 4s
setting wait_timeout 30s
setting retries 1
cloud off
lasts 5m
only virtual "a power cut"

at 12s fault L1 door-reopens 3
at 0s ride r1 R1 from G to 3 on L1 from-door front to-door front not-ready
at 1s ride r2 R2 from "G" to B1
when ride r1 phase boarding for 3s, say R1 ready
when robot R1 in doorway fault R1 freezes
after 3s cancel r1 by guard
after 800ms reset r1 robot removed
at 2s fault L1 door-reopens 3 times 2 from 2 chance 50 for 30s seed 9
at 3s clear L1 door-reopens
at 3s clear cloud
at 4s press L1 G up
at 4s press L1 car 3
at 5s people up-peak 20 per 5min for 1m
at 6s desired wait_timeout 60 expires 30s
at 6s desired name "two words"
expect ride r1 DONE within 180s
then expect lift L1 owner none within 40s
expect ride r1 permit enter for 2s within 20s of ride r1 is WAITING
at 40s expect agent sees L1 floor unknown
never not robot R1 at landing G and robot R1 in L1
once ride r1 FAULT for 1s, never lift L1 asked anything more
once ride r1 FAULT always lift L1 not accepting
always lift L1 asked landing-call at most 1 or lift L1 asked hold at least 2
finally cloud reported L1.state "IDLE" and cloud delta empty and cloud version at least 3
finally agent sees L1 door rear open or agent sees L1 mode unknown
finally ride r1 fault now none and ride r1 fault VENDOR:3 and ride r1 refused E-2103 and ride r1 on L2
`

// SM-3: the whole language is read, and read as meant.
func TestParseAll(t *testing.T) {
	s, bad := Parse("all.txt", []byte(all))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	if s.Title != "Everything at once" || s.Seed != 7 || !s.CloudOff || s.Lasts != 5*time.Minute || s.OnlyVirtual != "a power cut" {
		t.Errorf("setup %+v", s)
	}
	if fmt.Sprint(s.Proves) != "[RD-7 IL-2]" || s.Robots[0].Crossing != 4*time.Second {
		t.Errorf("setup %+v", s)
	}
	if s.Settings[0].Duration != 30*time.Second || s.Settings[0].Value != "30s" || s.Settings[1].Number != 1 {
		t.Errorf("settings %+v", s.Settings)
	}
	if n := len(s.statements); n != 26 {
		t.Errorf("%d statements", n)
	}
	want := "{ID:r1 Robot:R1 From:G To:3 FromDoor:front ToDoor:front Lift:L1 NotReady:true Open:false Toward:unknown Priority:0}"
	if got := fmt.Sprintf("%+v", s.statements[1].act); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "{Fault:L1 door-reopens 3 times 2 from 2 chance 50 for 30s}"
	if got := fmt.Sprintf("%+v", s.statements[7].act); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = `{Path:name Value:"two words" Expires:0s}`
	if got := fmt.Sprintf("%+v", s.statements[14].act); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := s.statements[6].before; got != 5 {
		t.Errorf("the second after follows statement %d", got)
	}
	if got := s.statements[20].text; got != "once ride r1 FAULT for 1s, never lift L1 asked anything more" {
		t.Errorf("text %q", got)
	}
}

// orders is each word of what people, fleets and areas say.
const orders = `robot R1 crossing 4s
lift L1 area annexe permission no-door sight
lift L2 area building claim level no-floor no-lamps
at 0s ride r1 R1 from G to open toward up priority 9
at 1s ride r1 goes to 3 to-door front aboard by dispatcher
at 2s claim r1 entered
at 3s maintenance L1 begins for 10m by mechanic
at 4s maintenance L1 ends
at 5s stop all begins
at 6s stop L2 ends by guard
at 7s car-empty L1 by guard
at 8s alarm annexe fire drill
at 9s alarm building seismic by sensor
at 10s alarm annexe cleared
expect ride r1 to open and ride r1 place at most 2 and ride r1 answered accepted
finally lift L1 maintenance and lift L1 halted and lift L1 occupied and lift L1 drill
finally lift L1 area-alarm none and lift L2 area-alarm fire and lift L1 answered E-2111
`

// SM-3: what is ordered during a run is read as meant.
func TestParseOrders(t *testing.T) {
	s, bad := Parse("orders.txt", []byte(orders))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	if got := fmt.Sprintf("%+v", s.Lifts); got != "[{ID:L1 Area:annexe Kind:{Permission:true Claim:false Level:false NoFloor:false NoDoor:true NoLamps:false Sight:true}} {ID:L2 Area:building Kind:{Permission:false Claim:true Level:true NoFloor:true NoDoor:false NoLamps:true Sight:false}}]" {
		t.Errorf("lifts %s", got)
	}
	for i, want := range []string{
		"{ID:r1 Robot:R1 From:G To: FromDoor: ToDoor: Lift: NotReady:false Open:true Toward:up Priority:9}",
		"{ID:r1 To:3 ToDoor:front Aboard:true By:dispatcher}",
		"{ID:r1 Says:entered By:fleet}",
		"{Lift:L1 On:true For:10m0s By:mechanic}",
		"{Lift:L1 On:false For:0s By:technician}",
		"{Lift: On:true By:technician}",
		"{Lift:L2 On:false By:guard}",
		"{Lift:L1 By:guard}",
		"{Area:annexe Kind:fire Drill:true By:panel}",
		"{Area:building Kind:seismic Drill:false By:sensor}",
		"{Area:annexe Kind: Drill:false By:technician}",
	} {
		if got := fmt.Sprintf("%+v", s.statements[i].act); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// SM-3: each condition about orders holds where it is so, and nowhere else.
func TestConditionsAboutOrders(t *testing.T) {
	whole := newTale()
	whole.rides["r1"] = Ride{State: "IDLE", To: "3", Place: 2, Answered: "E-2111"}
	whole.lifts["L1"] = Lift{Maintenance: true, Halted: true, Occupied: true, AreaAlarm: "fire", Drill: true, Answered: "accepted"}
	for _, c := range []struct {
		cond string
		want bool
	}{
		{"ride r1 to 3", true},
		{"ride r1 to 2", false},
		{"ride r1 to open", false},
		{"ride r1 place 2", true},
		{"ride r1 place at least 3", false},
		{"ride r1 answered E-2111", true},
		{"ride r1 answered accepted", false},
		{"lift L1 maintenance", true},
		{"lift L2 maintenance", false},
		{"lift L1 halted", true},
		{"lift L2 halted", false},
		{"lift L1 occupied", true},
		{"lift L2 occupied", false},
		{"lift L1 drill", true},
		{"lift L2 drill", false},
		{"lift L1 area-alarm fire", true},
		{"lift L1 area-alarm seismic", false},
		{"lift L2 area-alarm none", true},
		{"lift L1 area-alarm any", true},
		{"lift L1 answered accepted", true},
		{"lift L2 answered accepted", false},
	} {
		s, bad := Parse("x.txt", []byte(head+"finally "+c.cond+"\n"))
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		if got := s.statements[1].want.cond.holds(sight{stage: whole}); got != c.want {
			t.Errorf("%s: %v", c.cond, got)
		}
	}
}

const head = "at 0s ride r1 R1 from G to 3\n"

// SM-3: what is wrong is told with its place and with what would fit there.
func TestFaults(t *testing.T) {
	lifts := "here goes one of L1, L2"
	landings := "here goes one of B1, G, 1, 2, 3"
	for _, c := range []struct{ src, want string }{
		{"titel Doors", `1:1: no line begins with "titel" (did you mean "title"?)`},
		{"at 5s flaut L1 fire", `1:7: "flaut" is nothing that can happen (did you mean "fault"?)`},
		{"fault L1 fire", `1:1: "fault" does not say when (write for example: at 0s fault …)`},
		{"at 5 fault L1 fire", `1:4: "5" is no duration (write 12s, 800ms, 2m or 1m30s)`},
		{"at soon fault L1 fire", `1:4: "soon" is no duration (write 12s, 800ms, 2m or 1m30s)`},
		{"at -5s fault L1 fire", `1:4: "-5s" is out of range (from 0s to 744h)`},
		{"at 5s", `1:6: the end of the line is nothing that can happen (here goes one of ride, claim, cancel, reset, say, fault, clear, press, people, desired, maintenance, stop, car-empty, alarm, expect)`},
		{"at 5s fault L3 fire", `1:13: there is no lift, robot, cloud or gateway "L3" (here goes one of L1, L2, R1, R2, cloud, gateway)`},
		{"at 5s fault L1 door-reopen", `1:16: there is no fault "door-reopen" (did you mean "door-reopens"?)`},
		{"at 5s fault L1 kill", `1:13: kill is aimed at the gateway (write: gateway), not at "L1"`},
		{"at 5s fault L1 door-reopens 0", `1:29: door-reopens "0" does not fit: a whole number from 1 to 1000`},
		{"at 5s fault L1 call-refused 7", `1:29: there is no landing "7" (` + landings + `)`},
		{"at 5s fault L1 fire 3", `1:21: fire takes no "3" after its name (here goes one of times, from, chance, for, seed)`},
		{"at 5s fault L1 fire times 3", `1:21: fire: it is on or off, so it takes no number of times and no chance`},
		{"at 5s fault L1 silent times 0", `1:29: "0" is out of range (from 1 to 1000000)`},
		{"at 5s ride r1 goes to 3", `1:12: ride "r1" is never asked for (ask for it first: at 0s ride r1 R1 from G to 3)`},
		{head + "at 5s ride r1 goes to 7", `2:23: there is no landing "7" (` + landings + `)`},
		{head + "at 5s claim r1 ready", `2:16: "ready" is not what a fleet can claim (here goes one of entered, left, gave_up_entering)`},
		{"at 5s maintenance L1 ends for 3s", `1:27: what ends has no duration`},
		{"at 5s stop L1", `1:14: the end of the line is not what it does (here goes one of begins, ends)`},
		{"at 5s alarm buildin fire", `1:13: there is no area "buildin" (did you mean "building"?)`},
		{"lift L1 area annexe\nlift L2 area annexe\nat 5s alarm building fire", `3:13: there is no area "building" (here goes annexe)`},
		{"lift L1", `1:8: here goes how the lift is (one of area, permission, claim, level, no-floor, no-door, no-lamps, sight)`},
		{head + "expect ride r1 answered maybe", `2:25: "maybe" is no answer to an order (write accepted, or for example E-2111)`},
		{"at 5s ride r1 R9 from G to 3", `1:15: there is no robot "R9" (here goes one of R1, R2)`},
		{"at 5s ride r1 R1 from G to 4", `1:28: there is no landing "4" (` + landings + `)`},
		{"at 5s ride r1 R1 from G to 3 on L9", `1:33: there is no lift "L9" (` + lifts + `)`},
		{"at 5s ride r1 R1 from G too 3", `1:25: "too" stands where "to" should`},
		{"at 5s ride r! R1 from G to 3", `1:12: "r!" is no id of a ride (letters, digits, - and _, 64 at most)`},
		{"at 5s ride r1 R1 from G to 3 soon", `1:30: "soon" is not an option of a ride (here goes one of on, from-door, to-door, not-ready, priority, toward)`},
		{head + "at 1s ride r1 R2 from G to 3", `2:12: ride "r1" is asked for twice, and differently (first in line 1)`},
		{head + "expect ride r2 DONE", `2:13: ride "r2" is never asked for (here goes r1)`},
		{head + "expect ride r1 DNOE", `2:16: "DNOE" is not what can be said of a ride (did you mean "DONE"?)`},
		{head + "expect ride r1 fault FIRE", `2:22: "FIRE" is not a fault code of a ride (did you mean "MODE_FIRE"?)`},
		{head + "expect ride r1 permit leeve", `2:23: "leeve" is not a permit (did you mean "leave"?)`},
		{head + "expect ride r1 refused E-21", `2:24: "E-21" is no code of a refusal (write for example E-2103)`},
		{head + "expect ride r1 DONE within 180s please", `2:33: "please" is too much here`},
		{head + "expect ride r1 DONE and", `2:24: the end of the line is not the beginning of a condition (here goes one of ride, robot, lift, agent, cloud, not)`},
		{head + "never lift L1 moving and cloud online or cloud offline", `2:39: "and" and "or" do not mix in one condition (write two lines)`},
		{head + "expect lift L1 asked landing-call often", `2:35: "often" is no amount (write 2, at most 2, at least 2 or more)`},
		{head + "expect lift L1 door rear opened", `2:26: "opened" is not a state of a door (did you mean "open"?)`},
		{head + "expect lift L1 mode fier", `2:21: "fier" is not a mode of a lift (did you mean "fire"?)`},
		{head + "once ride r1 DONE expect cloud online", `2:19: "expect" stands where "never" or "always" should`},
		{head + "then expect cloud online within 5s of ride r1 DONE", `2:1: "then" and "of" both say from when (take one of them away)`},
		{"after 5s fault L1 fire", `1:1: "after" follows nothing (a line before it must happen or be expected)`},
		{"seed 7\nseed 8\n" + head, `2:1: seed is there twice (first in line 1)`},
		{"seed many\n" + head, `1:6: "many" is no seed (a whole number, 0 or more)`},
		{head + "seed 7", `2:1: "seed" comes after the first thing that happens (setup lines stand first)`},
		{"proves RD7\n" + head, `1:8: "RD7" is no row (write for example RD-7)`},
		{"site villa\n" + head, `1:6: there is no site "villa" (here goes bench)`},
		{"setting wait_timout 30s\n" + head, `1:9: "wait_timout" is not a setting (did you mean "wait_timeout"?)`},
		{"setting retries 11\n" + head, `1:17: "11" is out of range (from 0 to 10)`},
		{"setting hold_limit 1s\n" + head, `1:20: "1s" is out of range (from 5s to 10m)`},
		{"lasts 1m\n" + head + "at 2m fault L1 fire", `3:1: 2m is after the end of the run (it lasts 1m)`},
		{"lasts 1m\n" + head + "expect ride r1 DONE within 61s", `3:1: 1m1s is after the end of the run (it lasts 1m)`},
		{"cloud on\n" + head, `1:7: "on" stands where "off" should`},
		{"only virtual\n" + head, `1:13: here goes the reason, in quotes`},
		{"at 1s say \"R1", `1:11: the quote is not closed`},
		{"at 1s say R1\x07 ready", `1:13: there is a control character here`},
		{"at 1s say R1 \xff", `1:14: this is not UTF-8 text`},
		{"title Türen\nat 1s say Rü ready", `2:11: there is no robot "Rü" (here goes one of R1, R2)`},
		{"# nothing\n", `1:1: nothing happens in this file (write for example: at 0s ride r1 R1 from G to 3)`},
		{strings.Repeat("#", MaxBytes+1), `1:1: the file has 65537 bytes (65536 at most)`},
		{strings.Repeat("\n", MaxLines+1), `2001:1: the file has too many lines (2000 at most)`},
	} {
		s, bad := Parse("x.txt", []byte(c.src))
		switch {
		case s != nil:
			t.Errorf("%q: there is a script", c.src)
		case len(bad) != 1:
			t.Errorf("%q: %d faults: %v", c.src, len(bad), bad)
		case bad[0].Error() != "x.txt:"+c.want:
			t.Errorf("%q:\ngot  %s\nwant x.txt:%s", c.src, bad[0].Error(), c.want)
		}
	}
}

// SM-3: everything that is wrong is told at once, in order; a CRLF is no fault.
func TestAllFaultsAtOnce(t *testing.T) {
	src := "at 12s fault L3 door-reopens 3\r\nride r1 R1\r\nexpect ride r9 DONE within 180s\r\nat 1s ride r1 R9 from Q to 3 on L7\r\n"
	_, bad := Parse("f.txt", []byte(src))
	var got []string
	for _, f := range bad {
		got = append(got, fmt.Sprintf("%d:%d", f.Line, f.Col))
	}
	if want := "1:14 2:1 3:13 4:15 4:23 4:33"; strings.Join(got, " ") != want {
		t.Errorf("got %v want %s", bad, want)
	}
}

// SM-3: many faults do not make a report without end.
func TestFaultsAreBounded(t *testing.T) {
	if _, bad := Parse("f.txt", []byte(strings.Repeat("huh\n", 1999))); len(bad) != maxFaults {
		t.Errorf("%d faults", len(bad))
	}
}

// SE-3: whatever the bytes, Parse ends, and gives a script or a fault, never both.
func FuzzParse(f *testing.F) {
	f.Add([]byte(all))
	f.Add([]byte(head + "expect ride r1 DONE within 180s"))
	f.Add([]byte("at 12s fault L1 door-reopens 3 times"))
	f.Add([]byte("title \"x\"\xff, #"))
	for _, file := range Library() {
		f.Add(file.Source)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, bad := Parse("f", src)
		if (s == nil) != (len(bad) > 0) {
			t.Fatalf("script %v, faults %v", s, bad)
		}
		for _, b := range bad {
			if b.Line < 1 || b.Col < 1 || b.What == "" {
				t.Fatalf("%+v", b)
			}
		}
		if s == nil {
			return
		}
		p := NewPlayer(s)
		if _, err := Play(p, newTale(), nil); err != nil {
			t.Fatal(err)
		}
	})
}
