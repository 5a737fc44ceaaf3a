package laws

import (
	"slices"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

const sec = elevator.Instant(time.Second)

// story is a small site told by hand: lift L1, ride A of robot R, which waits at floor
// 2 (front) for floor 3.
type story struct {
	*Watch
	now elevator.Instant
	r   fsm.Ride
	car elevator.Snapshot
	n   uint32
}

func tell() *story {
	s := &story{Watch: New(Config{Lifts: []string{"L1", "L2"}, MaxRides: 3}), now: 100 * sec}
	s.r = fsm.Ride{
		Request: fsm.Request{ID: "A", Robot: "R", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Front},
		State:   fsm.Idle, Phase: fsm.Queued, Where: fsm.Outside, Params: fsm.DefaultParams(),
		Plan: fsm.Plan{Poll: time.Second / 5, RecallFloor: 1},
	}
	s.Robot("R", Place{Where: Landing, Floor: 2}, s.now)
	s.stands(2, elevator.DoorClosed)
	s.show()
	return s
}

// stands lets the car of L1 truly stand at f with its door so, and be seen so.
func (s *story) stands(f elevator.Floor, d elevator.Door) {
	s.truly(f, d)
	s.seeCar(f, d)
}

func (s *story) truly(f elevator.Floor, d elevator.Door) {
	c := building.CarState{ID: "L1", Floor: f, Motion: elevator.Stopped}
	c.Doors[elevator.Front].State = d
	s.Car(&c, s.now)
}

func (s *story) seeCar(f elevator.Floor, d elevator.Door) {
	c := &s.car
	c.Link = elevator.Online
	c.Floor.Value, c.Motion.Value, c.Mode.Value, c.Nudging.Value = f, elevator.Stopped, elevator.Normal, elevator.No
	c.Doors[elevator.Front].Value = d
	s.read()
}

// read shows the car as it is in s.car, read now.
func (s *story) read() {
	c := &s.car
	c.Floor.At, c.Motion.At, c.Mode.At, c.Nudging.At, c.Doors[elevator.Front].At = s.now, s.now, s.now, s.now, s.now
	c.UpCalls.At, c.CarCalls.At = s.now, s.now
	s.step(&core.Seen{Lift: "L1", Car: s.car})
}

func (s *story) after(d time.Duration) { s.now = s.now.Add(d) }

// show shows the rides: A as it is, and others.
func (s *story) show(others ...fsm.Ride) {
	s.r.Car = s.car
	s.Begin()
	s.Ride(&s.r, s.now)
	for i := range others {
		s.Ride(&others[i], s.now)
	}
	s.End(s.now)
}

func (s *story) step(in core.Input, fx ...core.Effect) {
	s.Stepped(in, &core.Result{After: fx}, s.now)
}

func move(ride string, from, to fsm.State) core.Line {
	return core.Line{Msg: "ride", Lift: "L1", Ride: ride, Attrs: []string{"robot", "R", "from", string(from), "to", string(to)}}
}

// to moves ride A along states, with a phase that fits the last.
func (s *story) to(phase fsm.Phase, path ...fsm.State) {
	for _, st := range path {
		s.step(core.Tick{}, move("A", s.r.State, st))
		s.r.State = st
	}
	s.r.Phase, s.r.Since = phase, s.now
}

func (s *story) command(v elevator.Verb) elevator.Command {
	s.n++
	c := elevator.Command{ID: elevator.CommandID{Ride: "A", N: s.n}, Verb: v, Floor: 2, Side: elevator.Front, Until: s.now + 3*sec}
	switch v {
	case elevator.LandingCall:
		c.Direction = elevator.Up
	case elevator.Lapse, elevator.GiveBack, elevator.Claim:
		c.MayClose = true
	}
	return c
}

// asks lets a command leave the core, and writes reach the controller.
func (s *story) asks(c elevator.Command)   { s.step(core.Tick{}, core.Command{Lift: "L1", Command: c}) }
func (s *story) writes(c elevator.Command) { s.Wrote("L1", &c, s.now) }

// waits brings ride A to WAITING · called, with its lease.
func (s *story) waits() *story {
	if s.r.State != fsm.Idle {
		return s
	}
	s.r.Granted, s.r.Epoch = true, 1
	s.to(fsm.Called, fsm.Requesting, fsm.Waiting)
	s.show()
	return s
}

// boards brings it to boarding, with the door open and a permit out.
func (s *story) boards() *story {
	s.waits()
	s.stands(2, elevator.DoorOpen)
	s.r.Phase, s.r.Where = fsm.Boarding, fsm.Unknown
	s.permit(fsm.Enter, 2)
	s.show()
	return s
}

func (s *story) permit(k fsm.PermitKind, f elevator.Floor) {
	s.r.PermitN++
	s.r.Permit = fsm.Permit{N: s.r.PermitN, Epoch: 1, Kind: k, Floor: f, Side: elevator.Front, Start: s.now + 2*sec, Through: s.now + 12*sec}
}

func (s *story) goesIn() {
	s.Robot("R", Place{Where: Doorway, Lift: "L1", Floor: 2, Side: elevator.Front}, s.now)
}

// rides brings it to MOVING with the robot in the car.
func (s *story) rides() *story {
	s.boards()
	s.goesIn()
	s.after(4 * time.Second)
	s.Robot("R", Place{Where: InCar, Lift: "L1"}, s.now)
	s.says(fsm.Entered)
	s.r.Permit, s.r.Where, s.r.Aboard, s.r.AboardAt = fsm.Permit{}, fsm.Inside, true, s.now
	s.to(fsm.Riding, fsm.Moving)
	s.show()
	return s
}

func (s *story) says(k fsm.SignalKind) {
	s.step(core.Ordered{Order: core.SendSignal{Ride: "A", Signal: fsm.Signal{Kind: k}}})
}

// arrives brings it to EXITING with a permit out.
func (s *story) arrives() *story {
	s.rides()
	s.after(20 * time.Second)
	s.stands(3, elevator.DoorOpen)
	s.r.Way, s.r.WayFloor, s.r.WaySide = fsm.LeaveAtTarget, 3, elevator.Front
	s.to(fsm.Leaving, fsm.Exiting)
	s.permit(fsm.LeaveAtTarget, 3)
	s.r.Where = fsm.Unknown
	s.show()
	return s
}

func (s *story) goesOut() {
	s.Robot("R", Place{Where: Doorway, Lift: "L1", Floor: 3, Side: elevator.Front}, s.now)
}

// ends brings it to the end of its lease.
func (s *story) ends() *story {
	s.arrives()
	s.goesOut()
	s.after(4 * time.Second)
	s.Robot("R", Place{Where: Landing, Floor: 3}, s.now)
	s.says(fsm.Left)
	s.r.Permit, s.r.Where = fsm.Permit{}, fsm.Outside
	s.to(fsm.Arrived, fsm.Done)
	s.show()
	s.r.Granted = false
	s.show()
	return s
}

// locks brings it to FAULT_LOCKED with the robot outside.
func (s *story) locks() *story {
	s.waits()
	s.r.Code, s.r.Latched = fsm.ModeFire, true
	s.to(fsm.Locked, fsm.Fault, fsm.FaultLocked)
	s.show()
	return s
}

func (s *story) other(id, robot, lift string) fsm.Ride {
	r := s.r
	r.ID, r.Robot, r.Lift, r.State, r.Phase, r.Where, r.Granted = id, robot, lift, fsm.Idle, fsm.Queued, fsm.Outside, false
	return r
}

// IL-9: a ride in which all goes well breaks nothing, and its edges are counted.
func TestAGoodRide(t *testing.T) {
	s := tell()
	s.waits()
	c := s.command(elevator.LandingCall)
	s.asks(c)
	s.writes(c)
	s.ends()
	s.after(2 * time.Hour)
	s.Passed(s.now)
	if len(s.Breaches()) > 0 {
		t.Fatal(s.Breaches())
	}
	want := map[Edge]bool{
		{fsm.Idle, fsm.Requesting, 1}: true, {fsm.Requesting, fsm.Waiting, 1}: true, {fsm.Waiting, fsm.Moving, 1}: true,
		{fsm.Moving, fsm.Exiting, 1}: true, {fsm.Exiting, fsm.Done, 1}: true,
	}
	for _, e := range s.Edges() {
		if (e.Count > 0) != want[e] {
			t.Errorf("edge %+v", e)
		}
	}
}

// IL-9: each law can be broken, by a story that differs in one thing from one that keeps it.
func TestEachLaw(t *testing.T) {
	tales := stories()
	for _, row := range Table() {
		tale, ok := tales[row.Law]
		if !ok {
			t.Errorf("%s has no story: a law that nothing breaks is no law", row.Law)
			continue
		}
		t.Run(string(row.Law), func(t *testing.T) {
			good := tell()
			tale.keeps(good)
			if b := good.Breaches(); len(b) > 0 {
				t.Errorf("the good story breaks %v", b)
			}
			bad := tell()
			tale.breaks(bad)
			if !slices.ContainsFunc(bad.Breaches(), func(b Breach) bool { return b.Law == row.Law }) {
				t.Errorf("the bad story breaks only %v", bad.Breaches())
			}
		})
	}
	if len(tales) != len(Table()) {
		t.Errorf("%d stories for %d laws", len(tales), len(Table()))
	}
}

// SM-4: what is not broken costs no memory.
func TestNoAllocationWhileAllIsWell(t *testing.T) {
	s := tell()
	s.arrives()
	var in core.Input = &core.Seen{Lift: "L1", Car: s.car}
	res := core.Result{}
	car := building.CarState{ID: "L1", Floor: 3, Motion: elevator.Stopped}
	car.Doors[elevator.Front].State = elevator.DoorOpen
	n := testing.AllocsPerRun(1000, func() {
		s.Stepped(in, &res, s.now)
		s.Begin()
		s.Ride(&s.r, s.now)
		s.End(s.now)
		s.Car(&car, s.now)
		s.Robot("R", Place{Where: InCar, Lift: "L1"}, s.now)
		s.Passed(s.now)
	})
	if n > 0 || s.Broken() > 0 {
		t.Fatalf("%v allocations, breaches %v", n, s.Breaches())
	}
}

// What is too much to keep in words is still counted.
func TestBreachesAreBounded(t *testing.T) {
	w := New(Config{})
	for range 1000 {
		w.Add(Breach{Law: Ends})
	}
	if len(w.Breaches()) != maxKept || w.Broken() != 1000 {
		t.Fatalf("%d kept, %d counted", len(w.Breaches()), w.Broken())
	}
}

// RD-11: the clock of a new process is its own; what was given before the restart still
// counts on the site's clock.
func TestAnotherClock(t *testing.T) {
	s := tell()
	s.boards()
	s.Restarted(s.now)
	s.Started(s.now + sec)
	s.after(90 * time.Second / 60)
	s.goesIn() // by the permit of the old process, within its two seconds
	s.r.Permit = fsm.Permit{}
	s.Begin()
	s.Ride(&s.r, s.now)
	s.End(s.now)
	if len(s.Breaches()) > 0 {
		t.Fatal(s.Breaches())
	}
	c := s.command(elevator.Hold)
	c.Until = sec / 4 // of the new clock: over for a quarter of a second
	s.writes(c)
	if b := s.Breaches(); len(b) != 1 || b[0].Law != InTime {
		t.Fatal(b)
	}
}

// SM-4: the same story has the same hash, another has another.
func TestHash(t *testing.T) {
	one, two, other := tell().ends(), tell().ends(), tell().rides()
	if one.Hash() != two.Hash() || one.Events() != two.Events() || one.Events() == 0 {
		t.Fatalf("%x %d, %x %d", one.Hash(), one.Events(), two.Hash(), two.Events())
	}
	if one.Hash() == other.Hash() {
		t.Fatal("two stories have one hash")
	}
	// Over zeros FNV-1a only multiplies, once a byte.
	w, want := New(Config{}), uint64(fnvOffset)
	w.mix(0, 0, 0, 0, 0)
	for range 40 {
		want *= fnvPrime
	}
	if w.Hash() != want {
		t.Fatalf("%x, want %x", w.Hash(), want)
	}
}

// A lift that lies for two reasons is not to be believed when one of them is over, nor
// for as long after the other as an old reading may live.
func TestAsLongAsALiftLies(t *testing.T) {
	s := tell()
	s.Lying("L1", true, s.now)
	s.Lying("L1", true, s.now)
	s.Lying("L1", false, s.now)
	s.after(time.Minute)
	s.seeCar(3, elevator.DoorOpen)
	s.Lying("L1", false, s.now)
	s.after(silence)
	s.seeCar(3, elevator.DoorOpen)
	if len(s.Breaches()) > 0 {
		t.Fatal(s.Breaches())
	}
	s.after(1)
	s.seeCar(3, elevator.DoorOpen)
	if b := s.Breaches(); len(b) != 2 || b[0].Law != SeenHeld {
		t.Fatal(b)
	}
}

// LinkUp and the like of the core's inputs are no reports of a robot, and of a robot's
// only the ride that it is about is heard.
func TestWhoIsHeard(t *testing.T) {
	s := tell()
	s.boards()
	s.step(core.Ordered{Order: core.SendSignal{Ride: "B"}})
	s.step(core.Ordered{Order: core.SendHeartbeat{Robot: "Q"}})
	s.r.Where = fsm.Inside
	s.show()
	if b := s.Breaches(); len(b) != 1 || b[0].Law != WhereByReport {
		t.Fatal(b)
	}
	s.step(core.Ordered{Order: core.SendHeartbeat{Robot: "R"}})
	s.r.Where = fsm.Outside
	s.show()
	if s.Broken() != 1 {
		t.Fatal(s.Breaches())
	}
}

// RB-5, RD-16: what a fleet claims may be taken for its place once the lift bears it out,
// and for no other.
func TestAClaimIsOfOnePlace(t *testing.T) {
	for _, c := range []struct {
		says  fsm.SignalKind
		where fsm.Where
		bad   int
	}{
		{fsm.Entered, fsm.Inside, 0},
		{fsm.Left, fsm.Outside, 0},
		{fsm.Entered, fsm.Outside, 1},
		{fsm.Left, fsm.Inside, 1},
		{fsm.GaveUpEntering, fsm.Outside, 1},
	} {
		s := tell()
		s.boards()
		s.step(core.Ordered{Order: core.ClaimRide{Ride: "A", Says: c.says}})
		s.show()
		s.step(core.Tick{})
		s.r.Where = c.where
		s.show()
		n := 0
		for _, b := range s.Breaches() {
			if b.Law == WhereByReport {
				n++
			}
		}
		if n != c.bad {
			t.Errorf("%s claimed, %s: %v", c.says, c.where, s.Breaches())
		}
	}
}
