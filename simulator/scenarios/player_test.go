package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

func play(t *testing.T, src string, stage *tale) (Verdict, []Line) {
	t.Helper()
	s, bad := Parse("s.txt", []byte(src))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	p := NewPlayer(s)
	v, err := Play(p, stage, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v, p.Log()
}

// rider goes through a plain ride: called at 1 s, in at 20 s, out at 40 s.
func rider() []turn {
	return []turn{
		ride(1*time.Second, "r1", "REQUESTING", nil),
		ride(2*time.Second, "r1", "WAITING", nil),
		lift(2*time.Second, "L1", func(l *Lift) { l.Asked["landing-call"] = 1; l.Owner = "r1" }),
		ride(20*time.Second, "r1", "MOVING", func(r *Ride) { r.Where = "inside" }),
		ride(40*time.Second, "r1", "DONE", func(r *Ride) { r.Where = "outside" }),
		lift(41*time.Second, "L1", func(l *Lift) { l.Owner = "" }),
	}
}

// SM-3: what happens comes in its time: at, when, after, and when it has held.
func TestActs(t *testing.T) {
	stage := newTale(rider()...)
	_, log := play(t, head+`when ride r1 MOVING, fault L1 fire
after 3s clear L1
when ride r1 is MOVING for 5s fault L2 silent times 3
at 4s press L1 G up
`, stage)
	var got []string
	for _, l := range log {
		got = append(got, fmt.Sprintf("%v %s", time.Duration(l.At), l.What))
	}
	want := strings.TrimSpace(`
0s at 0s ride r1 R1 from G to 3
4s at 4s press L1 G up
20s when ride r1 MOVING, fault L1 fire
23s after 3s clear L1
25s when ride r1 is MOVING for 5s fault L2 silent times 3
45s passed`)
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if len(stage.acts) != 5 || stage.acts[0] != Act(AskRide{ID: "r1", Robot: "R1", From: "G", To: "3"}) {
		t.Errorf("acts %+v", stage.acts)
	}
	if p := stage.acts[1].(Press); p.Direction != elevator.Up {
		t.Errorf("press %+v", p)
	}
}

// SM-3: what is demanded and is so, passes.
func TestPasses(t *testing.T) {
	v, log := play(t, head+`expect ride r1 DONE within 40s
then expect lift L1 owner none within 1s
expect ride r1 MOVING within 18s of ride r1 WAITING
at 30s expect ride r1 is MOVING and ride r1 where inside
never ride r1 FAULT or lift L1 moving
never ride r1 is MOVING for 21s
always lift L1 asked landing-call at most 1
once ride r1 WAITING for 1s, never lift L1 asked anything more
finally not ride r1 is MOVING
`, newTale(rider()...))
	if !v.Passed || len(v.Failures) != 0 || v.Demands != 9 {
		t.Errorf("%+v", v)
	}
	if v.Lasted != 46*time.Second {
		t.Errorf("it lasted %v: five calm seconds after the last demand was met", v.Lasted)
	}
	if met := len(slices.DeleteFunc(log, func(l Line) bool { return !strings.HasPrefix(l.What, "met: ") })); met != 9 {
		t.Errorf("%d demands are told as met", met)
	}
}

// SM-3: a failure says which line, what was seen instead, and when.
func TestFailures(t *testing.T) {
	const (
		moving = "ride r1 is MOVING, robot inside, was REQUESTING WAITING MOVING"
		over   = "ride r1 is DONE, robot outside, was REQUESTING WAITING MOVING DONE"
	)
	for _, c := range []struct{ line, want string }{
		{"expect ride r1 DONE within 30s", "at 30.000 s " + moving},
		{"expect ride r1 EXITING within 20s of ride r1 MOVING", "at 40.000 s " + over},
		{"expect ride r1 FAULT", "at 600.000 s " + over},
		{"expect ride r1 MOVING within 3s of ride r1 FAULT", "at 600.000 s " + over},
		{"at 30s expect ride r1 DONE", "at 30.000 s " + moving},
		{"when ride r1 MOVING expect ride r1 phase riding", "at 20.000 s " + moving},
		{"when ride r1 FAULT clear L1", "at 600.000 s " + over},
		{"never ride r1 MOVING", "at 20.000 s " + moving},
		{"never ride r1 is MOVING for 15s", "at 35.000 s " + moving},
		{"always not ride r1 MOVING", "at 20.000 s " + moving},
		{"once ride r1 REQUESTING, never lift L1 asked landing-call more", "at 2.000 s lift L1 was asked landing-call 1 times, 0 of them before"},
		{"once ride r1 FAULT, never lift L1 moving", "at 600.000 s " + over},
		{"finally ride r1 fault any", "at 55.000 s " + over},
		{"finally lift L1 asked landing-call 0 and lift L1 at 3", "at 55.000 s lift L1 was asked landing-call 1 times; lift L1 is at B1, stopped, door unknown, mode unknown, link unknown, not accepting"},
		{"finally cloud online", "at 55.000 s the cloud has the agent offline, version 0, delta empty"},
		{"finally cloud reported a.b 3", "at 55.000 s the cloud has no a.b reported"},
		{"finally robot R1 in L1", "at 55.000 s there is no robot R1"},
		{"finally agent sees L1 floor 3", "at 55.000 s the agent sees L1 with floor unknown, door unknown, mode unknown"},
	} {
		v, log := play(t, head+"at 50s clear L1\n"+c.line, newTale(rider()...))
		if v.Passed || len(v.Failures) != 1 {
			t.Errorf("%s: %+v", c.line, v.Failures)
			continue
		}
		want := "s.txt:3:1: " + c.line + ": " + c.want
		if got := v.Failures[0].Error(); got != want {
			t.Errorf("\ngot  %s\nwant %s", got, want)
		}
		if l := log[len(log)-1]; !l.Bad || !strings.HasPrefix(l.What, "failed: 1 of ") {
			t.Errorf("%s: last line %+v", c.line, l)
		}
	}
}

// SM-3: what waits for a line that failed is not told a second time.
func TestOnlyTheRootIsTold(t *testing.T) {
	stage := newTale(rider()...)
	v, _ := play(t, head+"expect ride r1 FAULT within 50s\nthen expect ride r1 MOVING within 5s\nafter 2s clear L1\n", stage)
	if len(v.Failures) != 1 || v.Failures[0].Line != 2 || v.Lasted != 55*time.Second {
		t.Errorf("%v, lasted %v", v.Failures, v.Lasted)
	}
	if len(stage.acts) != 1 {
		t.Errorf("the last line was reached: %v", stage.acts)
	}
}

// SM-3: what a stage cannot do is a failure of its line, with the reason.
func TestStageRefuses(t *testing.T) {
	stage := newTale()
	stage.refuse = true
	v, _ := play(t, head, stage)
	if want := "s.txt:1:1: at 0s ride r1 R1 from G to 3: at 0.000 s this stage has no such thing"; len(v.Failures) != 1 || v.Failures[0].Error() != want {
		t.Errorf("%v", v.Failures)
	}
}

// SM-3: what is looked at comes back word for word.
func TestConditions(t *testing.T) {
	stage := newTale()
	stage.rides["r1"] = Ride{
		State: "FAULT", Phase: "recovering", Been: []string{"IDLE", "WAITING", "FAULT"}, Faults: []string{"STALE", "WAIT_TIMEOUT"},
		Fault: "WAIT_TIMEOUT", Where: "unknown", Permit: "back", Do: "clear_door", Lift: "L2",
	}
	stage.rides["no"] = Ride{Refused: "E-2103"}
	stage.lifts["L1"] = Lift{
		Floor: "G", Motion: "up", Doors: map[string]string{"front": "closed", "rear": "open"}, Mode: "fire", Link: "offline",
		Asked: map[string]int{"landing-call": 2, "hold": 1}, SeenDoors: map[string]string{"front": "closing"}, Alarms: []string{"DOOR_OPEN"},
	}
	stage.robots["R1"] = Robot{Where: "doorway", Lift: "L1"}
	stage.robots["R2"] = Robot{Where: "landing", Floor: "3"}
	stage.cloud = Cloud{Online: true, Version: 3, Delta: true, Reported: map[string]string{"L1.state": `"IDLE"`, "n": "60", "f": "null"}}
	yes := `ride r1 WAITING|ride r1 is FAULT|ride r1 fault STALE|ride r1 fault any|ride r1 fault now WAIT_TIMEOUT|ride r1 phase recovering|
ride r1 where unknown|ride r1 permit back|ride r1 permit any|ride r1 do clear_door|ride r1 on L2|ride no refused|ride no refused E-2103|
ride r1 refused none|robot R1 in doorway|robot R2 at landing 3|lift L1 at G|lift L1 door closed|lift L1 door rear open|lift L1 moving|
lift L1 moving up|lift L1 mode fire|lift L1 link offline|lift L1 owner none|lift L1 not accepting|lift L1 alarm DOOR_OPEN|lift L1 alarm any|
lift L1 asked landing-call 2|lift L1 asked hold at least 1|lift L1 asked anything 3|lift L1 asked car-call 0|agent sees L1 floor unknown|
agent sees L1 door closing|agent sees L1 door rear unknown|agent sees L1 mode unknown|cloud online|cloud version at least 3|cloud version 3|
cloud delta open|cloud reported L1.state IDLE|cloud reported L1.state "IDLE"|cloud reported n 60|cloud reported f null|cloud reported gone null`
	no := `ride r1 MOVING|ride r1 is WAITING|ride r1 fault OVERLOAD|ride r1 fault now STALE|ride r1 fault none|ride r1 permit none|ride r1 permit enter|
ride r1 on L1|ride r1 refused|ride no refused E-2101|ride gone DONE|ride gone refused|robot R1 in L1|robot R2 in doorway|robot R2 at landing G|
lift L1 stopped|lift L1 moving down|lift L1 accepting|lift L1 owner r1|lift L1 door open|lift L1 alarm none|lift L1 asked landing-call at most 1|
lift L1 asked landing-call 1|agent sees L1 floor G|agent sees L1 door closed|cloud offline|cloud delta empty|cloud version at least 4|
cloud version at most 2|cloud reported n 61|cloud reported n null|lift L2 stopped|lift L1 at 3`
	asks := head + "at 0s ride no R1 from G to 3\nat 0s ride gone R1 from G to 3\n"
	for want, list := range map[bool]string{true: yes, false: no} {
		for _, c := range strings.Split(strings.ReplaceAll(list, "\n", ""), "|") {
			s, bad := Parse("c", []byte(asks+"finally "+c))
			if len(bad) > 0 {
				t.Error(bad)
				continue
			}
			look := sight{stage: stage}
			cond := s.statements[3].want.cond
			if cond.holds(look) != want {
				t.Errorf("%s: %v", c, !want)
			}
			if cond.seen(look) == "" {
				t.Errorf("%s: nothing is seen", c)
			}
			if s, _ := Parse("c", []byte(asks+"finally not "+c)); s.statements[3].want.cond.holds(look) == want {
				t.Errorf("not %s: %v", c, want)
			}
		}
	}
}

// SM-4: each fault with a chance has a seed of the script's, unless it says one.
func TestSeeds(t *testing.T) {
	src := "seed 7\nat 0s fault L1 silent chance 50\nat 0s fault L2 silent chance 50\nat 0s fault L1 late chance 50 seed 9\n"
	stage := newTale()
	play(t, src, stage)
	var seeds []uint64
	for _, a := range stage.acts {
		seeds = append(seeds, a.(Inject).Fault.Seed)
	}
	if seeds[0] == seeds[1] || seeds[0] == 0 || seeds[2] != 9 {
		t.Errorf("seeds %v", seeds)
	}
	again := newTale()
	play(t, src, again)
	if again.acts[0] != stage.acts[0] {
		t.Error("the same script has another seed")
	}
}

// SM-4: the player's clock starts with its first look, and never goes back.
func TestTime(t *testing.T) {
	s, _ := Parse("s", []byte(head+"at 3s clear L1\nlasts 4s"))
	if s != nil {
		t.Fatal("a setup line stood last")
	}
	s, _ = Parse("s", []byte("lasts 4s\n"+head+"at 3s clear L1"))
	p, stage := NewPlayer(s), newTale()
	hour := elevator.Instant(time.Hour)
	if err := p.Look(hour, stage); err != nil || p.Next() != hour.Add(3*time.Second) {
		t.Fatalf("%v, next %v", err, p.Next())
	}
	if err := p.Look(hour-1, stage); !errors.Is(err, ErrTime) {
		t.Error(err)
	}
	if err := p.Look(hour.Add(3*time.Second), stage); err != nil || len(stage.acts) != 2 || p.Next() != hour.Add(4*time.Second) {
		t.Errorf("%v, acts %v, next %v", err, stage.acts, p.Next())
	}
	if p.Over(hour.Add(3 * time.Second)) {
		t.Error("over too soon")
	}
	if err := p.Look(hour.Add(5*time.Second), stage); err != nil || !p.Over(hour.Add(5*time.Second)) {
		t.Errorf("%v, not over", err)
	}
}

// SM-4: a run that is left ends there, with nothing passed; one that is over keeps
// its verdict.
func TestARunIsLeft(t *testing.T) {
	script, faults := Parse("x.txt", []byte("lasts 744h\nalways lift L1 stopped\n"))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	stage, p := newTale(turn{time.Second, func(*tale) {}}, turn{time.Minute, func(*tale) {}}), NewPlayer(script)
	v, err := Play(p, stage, func(now elevator.Instant) {
		if now >= elevator.Instant(time.Second) {
			p.Stop()
		}
	})
	if !errors.Is(err, ErrStopped) || v.Passed || v.Lasted != time.Second {
		t.Errorf("ended with %v, %+v", err, v)
	}
	stage, p = newTale(), NewPlayer(script)
	v, err = Play(p, stage, func(now elevator.Instant) {
		if p.Over(now) {
			p.Stop()
		}
	})
	if err != nil || !v.Passed {
		t.Errorf("ended with %v, %+v", err, v)
	}
}
