package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// see steps a site with a reading of a lift.
func see(s *Site, lift string, car elevator.Snapshot, now elevator.Instant) []Output {
	return s.Step(&Seen{Lift: lift, Car: car}, now, nil)
}

// say steps a site with a robot's word.
func say(s *Site, ride string, kind fsm.SignalKind, where fsm.SignalWhere, now elevator.Instant) []Output {
	sig := fsm.Signal{Kind: kind, Boot: "b", Seq: uint64(now), Battery: -1}
	sig.View.Where = where
	return s.Step(Signal{Ride: ride, Signal: sig}, now, nil)
}

func opened(f elevator.Floor, now elevator.Instant) elevator.Snapshot {
	c := standing(f, now)
	c.Doors[elevator.Front].Value = elevator.DoorOpen
	return c
}

// edit changes a ride behind the machine's back, to begin a test where it matters.
func edit(t *testing.T, s *Site, id string, change func(*fsm.Ride)) {
	t.Helper()
	e, over := s.find(id)
	if e == nil || over {
		t.Fatalf("no running ride %s", id)
	}
	change(&e.ride)
}

// What one lift shows moves no ride of another.
func TestReadingsStayWithTheirLift(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	see(s, "L1", standing(1, second), second)
	for now := 2 * second; now < 6*second; now += second / 5 {
		see(s, "L2", opened(2, now), now)
		c := standing(1, now)
		c.UpCalls.Value = c.UpCalls.Value.With(2)
		see(s, "L1", c, now)
	}
	if r := s.Rides()[0]; r.State != fsm.Waiting || r.Phase != fsm.Called || r.Where != fsm.Outside {
		t.Errorf("L2 opened at G, and the ride with L1 is in %s·%s, robot %s", r.State, r.Phase, r.Where)
	}
}

// IL-5: a robot that stands in the car without a lease closes it to all others,
// locked ride or not, until a person says that it is out.
func TestStrayRobotClosesTheCar(t *testing.T) {
	for _, locked := range []bool{false, true} {
		s := site()
		s.Step(create("r1", "R1", "L1"), second, nil)
		see(s, "L1", standing(1, second), second)
		edit(t, s, "r1", func(r *fsm.Ride) {
			r.State, r.Phase, r.Code, r.RetryAt = fsm.Fault, fsm.Recovering, fsm.WaitTimeout, 500*second
			if locked {
				r.State, r.Phase = fsm.FaultLocked, fsm.Locked
			}
		})
		see(s, "L1", standing(1, 2*second), 2*second)
		if h := holder(s, "L1"); h != "" {
			t.Fatalf("%s still has the car", h)
		}
		say(s, "r1", fsm.Heartbeat, fsm.InCar, 3*second)
		s.Step(create("r2", "R2", "L1"), 4*second, nil)
		see(s, "L1", standing(1, 5*second), 5*second)
		if h := holder(s, "L1"); h == "r2" || !s.Cars()[0].Occupied || len(s.Cars()[0].Alarms) == 0 {
			t.Errorf("locked %v: a robot is in the car, the holder is %q, alarms %v", locked, h, s.Cars()[0].Alarms)
		}
		s.Step(Reset{Ride: "r1", RobotIs: fsm.RobotRemoved, By: "kim"}, 6*second, nil)
		for now := 7 * second; now < 12*second; now += second {
			see(s, "L1", standing(1, now), now)
		}
		if h := holder(s, "L1"); h != "r2" {
			t.Errorf("locked %v: after the reset the holder is %q", locked, h)
		}
	}
}

// RD-13: a ride that has the car and cannot use it lets the others go first.
func TestUnusableLeaseStarvesNobody(t *testing.T) {
	s := site()
	rear := create("r1", "R1", "L1")
	rear.FromDoor = "rear"
	s.Step(rear, second, nil)
	s.Step(create("r2", "R2", "L1"), 2*second, nil)
	for now := 3 * second; now < 20*second; now += second {
		c := standing(1, now)
		c.Doors[elevator.Rear] = elevator.Seen[elevator.Door]{}
		see(s, "L1", c, now)
	}
	if h := holder(s, "L1"); h != "r2" {
		t.Errorf("the rear door is not read, and the holder is %q", h)
	}
	if q := places(s); !slices.Equal(q, []string{"r1"}) {
		t.Errorf("queue is %v", q)
	}
}

// RB-3: who waits for a person waits in no queue.
func TestLockedRideHasNoPlace(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(create("r2", "R2", "L1"), second, nil)
	edit(t, s, "r1", func(r *fsm.Ride) { r.State, r.Phase = fsm.FaultLocked, fsm.Locked })
	if q := places(s); !slices.Equal(q, []string{"r2"}) {
		t.Errorf("queue is %v", q)
	}
}

// DR-8: a ride id may come again after its ride was dropped, a command's id never.
func TestDroppedIDGivesNewNumbers(t *testing.T) {
	s := site()
	s.maxEnded = 1
	used := map[elevator.CommandID]bool{}
	dropped := 0
	for i := range 6 {
		now := elevator.Instant(10*i+1) * second
		id := fmt.Sprintf("r%d", i%2)
		s.Step(create(id, "R1", "L1"), now, nil)
		out := see(s, "L1", standing(1, now), now)
		out = s.Step(Cancel{Ride: id, By: "x"}, now+second, out)
		out = append(out, see(s, "L1", standing(1, now+4*second), now+4*second)...)
		for _, o := range out {
			switch o := o.(type) {
			case Do:
				if used[o.Command.ID] {
					t.Errorf("%s comes again", o.Command.ID)
				}
				used[o.Command.ID] = true
			case Drop:
				dropped++
			}
		}
	}
	if dropped != 5 || len(used) < 6 {
		t.Errorf("%d rides dropped, %d commands", dropped, len(used))
	}
}

// An alarm of one robot does not end with the alarm of another, and that of a door
// ends when the door is seen closed, though somebody else has the car by then.
func TestAlarmsAreTheirOwners(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(create("r2", "R2", "L1"), second, nil)
	see(s, "L1", standing(1, second), second)
	codes := func() (out []string) {
		for _, a := range s.Cars()[0].Alarms {
			out = append(out, a.Code)
		}
		return out
	}
	say(s, "r1", fsm.CannotMove, fsm.AtLanding, 2*second)
	say(s, "r2", fsm.CannotMove, fsm.AtLanding, 2*second)
	say(s, "r2", fsm.Cleared, fsm.AtLanding, 3*second)
	if c := codes(); !slices.Equal(c, []string{fsm.RobotStuckAlarm}) {
		t.Errorf("R1 is stuck still, alarms %v", c)
	}
	say(s, "r1", fsm.Cleared, fsm.AtLanding, 4*second)
	edit(t, s, "r1", func(r *fsm.Ride) { r.State, r.Phase, r.Since = fsm.Done, fsm.Arrived, 4*second })
	for now := 5 * second; now < 36*second; now += second {
		see(s, "L1", opened(2, now), now)
	}
	if c := codes(); !slices.Equal(c, []string{fsm.DoorOpenAlarm}) || holder(s, "L1") != "r2" {
		t.Fatalf("alarms %v, holder %q", c, holder(s, "L1"))
	}
	see(s, "L1", standing(2, 37*second), 37*second)
	if c := codes(); len(c) != 0 {
		t.Errorf("the door is closed, alarms %v", c)
	}
}

// RD-11: what the store holds is taken over within bounds, and a lease only once.
func TestResumeIsBounded(t *testing.T) {
	var stored []fsm.Ride
	for i := range 40 {
		stored = append(stored, fsm.Ride{
			Request: fsm.Request{ID: fmt.Sprintf("r%d", i), Lift: "L1"}, State: fsm.Done, Phase: fsm.Arrived, Where: fsm.Outside,
			Since: elevator.Instant(i + 1), Epoch: uint32(i + 1),
		})
	}
	two := fsm.New(fsm.Request{ID: "a", Robot: "R1", Lift: "L1", From: 2, To: 3, Ready: true}, fsm.DefaultParams(), second)
	two.Granted = true
	other := two
	other.ID, other.Robot = "b", "R2"
	gone := two
	gone.ID, gone.Robot, gone.Lift = "c", "R3", "L9"
	s := site()
	out := s.Step(Resume{Rides: append(stored, two, other, gone)}, 2*second, nil)
	if len(s.ended) != 32 || s.epoch != 40 || s.Cars()[0].Last.ID != "r39" {
		t.Errorf("%d ended, epoch %d, last %v", len(s.ended), s.epoch, s.Cars()[0].Last.ID)
	}
	if h := holder(s, "L1"); h != "a" || s.Rides()[1].Granted || s.Rides()[2].Granted {
		t.Errorf("holder %q of %v", h, s.Rides()[:3])
	}
	drops, notes := 0, 0
	for _, o := range out {
		switch o := o.(type) {
		case Drop:
			drops++
		case Note:
			if strings.Contains(o.Text, "lease") {
				notes++
			}
		}
	}
	if drops != 8 || notes != 2 {
		t.Errorf("%d dropped, %d notes", drops, notes)
	}
}

// The copy of a site and the site itself share nothing that changes.
func TestCloneIsApart(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	see(s, "L1", standing(1, second), second)
	twin := s.Clone()
	s.Step(Cancel{Ride: "r1", By: "x"}, 2*second, nil)
	see(s, "L1", standing(1, 2*second), 2*second)
	if h := holder(twin, "L1"); h != "r1" || twin.Rides()[0].State != fsm.Requesting || twin.Cars()[0].Last != nil {
		t.Errorf("the copy: holder %q, %s", h, twin.Rides()[0].State)
	}
	if got := twin.Cars()[0].Car.Floor.At; got != second {
		t.Errorf("the copy read the car at %s", time.Duration(got))
	}
}

// IL-6: with two robots in one car neither ride gets it: what helps one could close
// the door on the other.
func TestTwoInOneCarNeedAPerson(t *testing.T) {
	s := site()
	for i, id := range []string{"r1", "r2"} {
		s.Step(create(id, fmt.Sprintf("R%d", i+1), "L1"), second, nil)
		edit(t, s, id, func(r *fsm.Ride) { r.State, r.Phase, r.Where = fsm.Fault, fsm.Recovering, fsm.Inside })
	}
	see(s, "L1", standing(1, 2*second), 2*second)
	if h := holder(s, "L1"); h != "" {
		t.Errorf("%s got the car", h)
	}
	s.Step(Reset{Ride: "r1", RobotIs: fsm.RobotRemoved, By: "kim"}, 3*second, nil)
	if h := holder(s, "L1"); h != "r2" {
		t.Errorf("after the reset the holder is %q", h)
	}
}

// IL-5, RD-11: a robot in the car is alarmed after a restart too.
func TestAlarmsOutliveARestart(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	see(s, "L1", standing(1, second), second)
	stored := s.Rides()
	r := &stored[0]
	r.State, r.Phase, r.Where, r.Code, r.Alarmed, r.Stuck = fsm.Fault, fsm.Recovering, fsm.Inside, fsm.ExitTimeout, fsm.ExitTimeout, true
	again := site()
	again.Step(Resume{Rides: stored}, 2*second, nil)
	var codes []string
	for _, a := range again.Cars()[0].Alarms {
		codes = append(codes, a.Code)
	}
	if !slices.Equal(codes, []string{string(fsm.ExitTimeout), fsm.RobotStuckAlarm}) {
		t.Errorf("alarms after the restart: %v", codes)
	}
}
