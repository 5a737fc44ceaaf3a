package dispatch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const second = elevator.Instant(time.Second)

func table() elevator.Table {
	return elevator.Table{
		{Label: "B1", Wire: 1, Doors: []elevator.Side{elevator.Front}},
		{Label: "G", Wire: 2, Doors: []elevator.Side{elevator.Front, elevator.Rear}},
		{Label: "1", Wire: 3, Doors: []elevator.Side{elevator.Front}},
	}
}

func plan() fsm.Plan {
	return fsm.Plan{
		Style: fsm.LandingAndCar, Confirm: fsm.ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
		AcceptWithin: 3 * time.Second, Poll: 200 * time.Millisecond,
	}
}

// standing is a car at rest with its doors closed, all of it read at now.
func standing(f elevator.Floor, now elevator.Instant) elevator.Snapshot {
	var s elevator.Snapshot
	s.Link, s.LinkSince = elevator.Online, now
	s.Floor = elevator.Seen[elevator.Floor]{Value: f, At: now, Source: elevator.Controller}
	s.Motion = elevator.Seen[elevator.Motion]{Value: elevator.Stopped, At: now, Source: elevator.Controller}
	s.Mode = elevator.Seen[elevator.Mode]{Value: elevator.Normal, At: now, Source: elevator.Controller}
	for _, side := range []elevator.Side{elevator.Front, elevator.Rear} {
		s.Doors[side] = elevator.Seen[elevator.Door]{Value: elevator.DoorClosed, At: now, Source: elevator.Controller}
	}
	no := elevator.Seen[elevator.Tri]{Value: elevator.No, At: now, Source: elevator.Controller}
	s.Overload, s.Nudging, s.Obstruction, s.EmergencyStop = no, no, no, no
	calls := elevator.Seen[elevator.FloorSet]{At: now, Source: elevator.Controller}
	s.UpCalls, s.DownCalls, s.CarCalls = calls, calls, calls
	return s
}

// site is two lifts that share a group, and three robots.
func site() *Site {
	return New(Config{
		Lifts:  []Lift{{ID: "L1", Group: "G1", Floors: table(), Plan: plan()}, {ID: "L2", Group: "G1", Floors: table(), Plan: plan()}},
		Robots: []string{"R1", "R2", "R3"}, Params: fsm.DefaultParams(), MaxRides: 3,
	})
}

func create(id, robot, lift string) Create {
	return Create{Request: fsm.Request{ID: id, Robot: robot, Lift: lift, Ready: true, Crossing: 4 * time.Second}, From: "G", To: "1"}
}

func lastReply(t *testing.T, out []Output) Reply {
	t.Helper()
	for i := len(out) - 1; i >= 0; i-- {
		if r, ok := out[i].(Reply); ok {
			return r
		}
	}
	t.Fatalf("no reply in %v", out)
	return Reply{}
}

// places are the rides in the queue of the first lift.
func places(s *Site) (ids []string) {
	for _, q := range s.Cars()[0].Queue {
		ids = append(ids, q.Ride)
	}
	return ids
}

func holder(s *Site, lift string) string {
	for _, c := range s.Cars() {
		if c.ID == lift && c.Owner != nil {
			return c.Owner.ID
		}
	}
	return ""
}

// RB-1: what can never work is refused with the field at fault, and changes nothing.
func TestCreateRefuses(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Create)
		status Status
		code   string
		field  string
	}{
		{"unknown floor", func(c *Create) { c.To = "9" }, Impossible, "E-2101", "to"},
		{"unknown from", func(c *Create) { c.From = "g" }, Impossible, "E-2101", "from"},
		{"same place", func(c *Create) { c.To = "G" }, Impossible, "E-2102", "to"},
		{"no such lift", func(c *Create) { c.Request.Lift = "L9" }, Impossible, "E-2103", "lift"},
		{"no such group", func(c *Create) { c.Group = "G9" }, Impossible, "E-2103", "group"},
		{"no door there", func(c *Create) { c.ToDoor = "rear" }, Impossible, "E-2104", "to_door"},
		{"a door that is no word", func(c *Create) { c.FromDoor = "back" }, Impossible, "E-2104", "from_door"},
		{"unknown robot", func(c *Create) { c.Request.Robot = "R9" }, Impossible, "E-2007", "robot"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := site()
			c := create("r1", "R1", "L1")
			tc.change(&c)
			out := s.Step(c, second, nil)
			r := lastReply(t, out)
			if r.Status != tc.status || r.Code != tc.code || r.Field != tc.field || r.Detail == "" {
				t.Errorf("got %+v", r)
			}
			if len(out) != 1 || len(s.Rides()) != 0 {
				t.Errorf("a refusal changed something: %v, %v", out, s.Rides())
			}
		})
	}
}

// RD-14: from one door of a landing to the other is a ride.
func TestSameFloorOtherSide(t *testing.T) {
	s := site()
	c := create("r1", "R1", "L1")
	c.To, c.FromDoor, c.ToDoor = "G", "front", "rear"
	if r := lastReply(t, s.Step(c, second, nil)); r.Status != Created {
		t.Errorf("got %+v", r)
	}
}

// RB-1: posts are idempotent by ride_id.
func TestSameRideIDIsTheSameRide(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	if r := lastReply(t, s.Step(create("r1", "R1", "L1"), 2*second, nil)); r.Status != Existing || r.Ride != "r1" {
		t.Errorf("the same wish: %+v", r)
	}
	other := create("r1", "R1", "L1")
	other.To = "B1"
	if r := lastReply(t, s.Step(other, 3*second, nil)); r.Status != Conflict || r.Code != "E-2105" {
		t.Errorf("another wish under the same id: %+v", r)
	}
	if n := len(s.Rides()); n != 1 {
		t.Errorf("%d rides", n)
	}
}

func TestOneRideARobotAndABound(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	if r := lastReply(t, s.Step(create("r2", "R1", "L1"), second, nil)); r.Status != Conflict || r.Code != "E-2106" || r.Ride != "r1" {
		t.Errorf("a second ride of one robot: %+v", r)
	}
	s.maxRides = 1
	if r := lastReply(t, s.Step(create("r3", "R2", "L1"), second, nil)); r.Status != Unavailable || r.Code != "E-2109" {
		t.Errorf("one ride too many: %+v", r)
	}
}

// RD-13: one lease a lift, by arrival; places are told.
func TestQueueByArrival(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(create("r2", "R2", "L1"), 2*second, nil)
	s.Step(create("r3", "R3", "L1"), 3*second, nil)
	if h := holder(s, "L1"); h != "" {
		t.Fatalf("%q got a lift that nobody has heard of", h)
	}
	s.Step(&Seen{Lift: "L1", Car: standing(1, 4*second)}, 4*second, nil)
	if h := holder(s, "L1"); h != "r1" {
		t.Fatalf("first is %q", h)
	}
	if q := places(s); !slices.Equal(q, []string{"r2", "r3"}) {
		t.Errorf("queue is %v", q)
	}
	s.Step(Cancel{Ride: "r1", By: "test"}, 5*second, nil)
	s.Step(&Seen{Lift: "L1", Car: standing(1, 6*second)}, 6*second, nil)
	if h := holder(s, "L1"); h != "r2" {
		t.Errorf("after the cancel the holder is %q", h)
	}
}

// A reset without a fault is told so, and moves nothing.
func TestResetNeedsAFault(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(&Seen{Lift: "L1", Car: standing(1, second)}, second, nil)
	before := s.Rides()[0]
	out := s.Step(Reset{Ride: "r1", RobotIs: fsm.RobotOutside, By: "t"}, 2*second, nil)
	if r := lastReply(t, out); r.Status != Conflict || r.Code != "E-2111" || len(out) != 1 {
		t.Errorf("got %+v", out)
	}
	if s.Rides()[0] != before {
		t.Error("the ride changed")
	}
}

// RD-18: a ride that is not ready keeps its place and is overtaken.
func TestStandbyIsOvertaken(t *testing.T) {
	s := site()
	early := create("r1", "R1", "L1")
	early.Request.Ready = false
	s.Step(early, second, nil)
	s.Step(create("r2", "R2", "L1"), 2*second, nil)
	s.Step(&Seen{Lift: "L1", Car: standing(1, 3*second)}, 3*second, nil)
	if h := holder(s, "L1"); h != "r2" {
		t.Errorf("holder is %q", h)
	}
	if q := places(s); !slices.Equal(q, []string{"r1"}) {
		t.Errorf("queue is %v", q)
	}
}

// RD-13: any picks the lift with the least to do.
func TestAnyPicksTheShorterQueue(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	c := create("r2", "R2", "")
	c.Any = true
	s.Step(c, second, nil)
	for _, r := range s.Rides() {
		if r.ID == "r2" && r.Lift != "L2" {
			t.Errorf("r2 rides with %s", r.Lift)
		}
	}
}

// RD-13: a lift that takes rides now comes before one that does not.
func TestAnyPicksALiftThatServes(t *testing.T) {
	off := func(s *elevator.Snapshot) { s.Mode.Value = elevator.OutOfService }
	lost := func(s *elevator.Snapshot) { s.Link = elevator.Offline }
	old := func(s *elevator.Snapshot) { s.Floor.At = 1 }
	well := func(*elevator.Snapshot) {}
	for _, c := range []struct {
		name   string
		l1, l2 func(*elevator.Snapshot)
		busy   string // a lift that has a ride already
		want   string
	}{
		{"both well", well, well, "", "L1"},
		{"the first out of service", off, well, "", "L2"},
		{"the first not heard", lost, well, "", "L2"},
		{"the first not read for long", old, well, "", "L2"},
		{"the idle one is out of service", well, off, "L1", "L1"},
		{"both out of service: the shorter queue", off, off, "L1", "L2"},
	} {
		s, now := site(), 10*second
		for id, spoil := range map[string]func(*elevator.Snapshot){"L1": c.l1, "L2": c.l2} {
			car := standing(2, now)
			spoil(&car)
			s.Step(&Seen{Lift: id, Car: car}, now, nil)
		}
		if c.busy != "" {
			s.Step(create("a", "R1", c.busy), now, nil)
		}
		in := create("b", "R2", "")
		in.Any = true
		s.Step(in, now, nil)
		if got := s.Ride("b"); got == nil || got.Lift != c.want {
			t.Errorf("%s: %+v, want lift %s", c.name, got, c.want)
		}
	}
}

// RD-13: and so does one whose car nobody has to set free first.
func TestAnyAvoidsALiftThatWaitsForAPerson(t *testing.T) {
	s, now := site(), 10*second
	s.Step(&Seen{Lift: "L1", Car: standing(2, now)}, now, nil)
	s.Step(&Seen{Lift: "L2", Car: standing(2, now)}, now, nil)
	s.Step(create("x", "R1", "L1"), now, nil)
	s.Step(create("y", "R3", "L2"), now, nil)
	r := &s.rides[0].ride
	r.State, r.Phase, r.Where = fsm.FaultLocked, fsm.Locked, fsm.Inside
	in := create("b", "R2", "")
	in.Any = true
	s.Step(in, now, nil)
	if got := s.Ride("b"); got == nil || got.Lift != "L2" {
		t.Errorf("it waits for the locked ride: %+v", got)
	}
}

// IL-5: a lease is never freed while the robot may be in the car or the doorway.
func TestLeaseStaysWithTheRobot(t *testing.T) {
	for _, where := range []fsm.Where{fsm.Inside, fsm.Crossing, fsm.Unknown} {
		s := site()
		s.Step(create("r1", "R1", "L1"), second, nil)
		s.Step(&Seen{Lift: "L1", Car: standing(1, second)}, second, nil)
		e, _ := s.find("r1")
		e.ride.Where = where
		st := step{Site: s, now: 2 * second}
		st.free(e, false)
		if holder(s, "L1") != "r1" || !s.Cars()[0].Occupied {
			t.Errorf("%s: the car was given away", where)
		}
		if n, ok := st.out[0].(Note); !ok || !strings.Contains(n.Text, string(where)) {
			t.Errorf("%s: nothing said: %v", where, st.out)
		}
	}
}

// RD-11: after a restart the old holder keeps its car before anyone is granted.
func TestResumeKeepsTheLease(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(&Seen{Lift: "L1", Car: standing(1, second)}, second, nil)
	s.Step(create("r2", "R2", "L1"), second, nil)
	stored := s.Rides()

	again := site()
	slices.Reverse(stored)
	again.Step(Resume{Rides: stored}, 2*second, nil)
	again.Step(&Seen{Lift: "L1", Car: standing(1, 3*second)}, 3*second, nil)
	if h := holder(again, "L1"); h != "r1" {
		t.Errorf("holder is %q", h)
	}
	before, _ := s.find("r1")
	after, _ := again.find("r1")
	if after.ride.Epoch != before.ride.Epoch || again.epoch < before.ride.Epoch {
		t.Errorf("epoch %d became %d, next above %d", before.ride.Epoch, after.ride.Epoch, again.epoch)
	}
}

// ST-4: reading the car over and over asks for nothing to be stored, be it while
// the car comes or while a permit stands and is given anew at each poll.
func TestPollsAreNotStored(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	now := second
	poll := func(n int, car func(elevator.Instant) elevator.Snapshot) (keeps int) {
		for range n {
			now += second / 5
			for _, o := range s.Step(&Seen{Lift: "L1", Car: car(now)}, now, nil) {
				if _, ok := o.(Keep); ok {
					keeps++
				}
			}
		}
		return keeps
	}
	called := func(now elevator.Instant) elevator.Snapshot {
		c := standing(1, now)
		c.UpCalls.Value = c.UpCalls.Value.With(2)
		return c
	}
	open := func(now elevator.Instant) elevator.Snapshot {
		c := standing(2, now)
		c.Doors[elevator.Front].Value = elevator.DoorOpen
		return c
	}
	if poll(5, called); s.Rides()[0].State != fsm.Waiting {
		t.Fatalf("state %s", s.Rides()[0].State)
	}
	if n := poll(50, called); n != 0 {
		t.Errorf("%d writes for 50 polls while the car comes", n)
	}
	if poll(5, open); s.Rides()[0].Permit == (fsm.Permit{}) {
		t.Fatalf("no permit in %s", s.Rides()[0].Phase)
	}
	if n := poll(15, open); n != 0 {
		t.Errorf("%d writes for 15 polls with a permit out", n)
	}
}

func TestHistoryLooksBack(t *testing.T) {
	var h history
	if got := h.before(second, 0); got != (elevator.Snapshot{}) {
		t.Errorf("an empty history knows %v", got)
	}
	for i := range 200 {
		at := elevator.Instant(i+1) * second
		car := standing(elevator.Floor(i%3+1), at)
		h.add(at, &car)
	}
	if got := h.before(200*second, 1500*time.Millisecond); got.Floor.At != 198*second {
		t.Errorf("1.5 s ago it was %v", got.Floor)
	}
	if got := h.before(200*second, 100*time.Second); got != (elevator.Snapshot{}) {
		t.Errorf("before the oldest reading it knows %v", got.Floor)
	}
}

// A stopping site takes no new ride and grants nothing.
func TestStoppingTakesNothingNew(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(Stopping{}, second, nil)
	if r := lastReply(t, s.Step(create("r2", "R2", "L1"), second, nil)); r.Code != "E-2108" {
		t.Errorf("got %+v", r)
	}
	s.Step(&Seen{Lift: "L1", Car: standing(1, 2*second)}, 2*second, nil)
	if h := holder(s, "L1"); h != "" {
		t.Errorf("%q was granted while stopping", h)
	}
}

// RB-6: a signal that acts on a permit of another lease is refused, so that no robot
// takes its answer for a hearing; a repeat is not.
func TestForeignPermitIsRefused(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(&Seen{Lift: "L1", Car: standing(1, second)}, second, nil)
	say := func(seq uint64, permit string) Reply {
		sig := fsm.Signal{Kind: fsm.Entering, Boot: "b", Seq: seq, View: fsm.RobotView{Where: fsm.AtDoorway}, Permit: permit, Battery: -1}
		return lastReply(t, s.Step(Signal{Ride: "r1", Signal: sig}, 2*second, nil))
	}
	if r := say(1, "r9/1"); r.Status != Conflict || r.Code != "E-2111" || r.Field != "permit" {
		t.Errorf("a foreign permit: %+v", r)
	}
	if seq := s.Rides()[0].Seq; seq != 0 {
		t.Errorf("the refused signal used up number %d", seq)
	}
	if r := say(1, ""); r.Status != Accepted {
		t.Errorf("without a permit: %+v", r)
	}
	if r := say(1, "r9/1"); r.Status != Accepted {
		t.Errorf("a repeat: %+v", r)
	}
}

// Idempotence by boot and number holds over a restart of the robot.
func TestOldBootStaysOld(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(&Seen{Lift: "L1", Car: standing(1, second)}, second, nil)
	for i, boot := range []string{"a", "b", "a", "c", "b"} {
		sig := fsm.Signal{Kind: fsm.Heartbeat, Boot: boot, Seq: 5, View: fsm.RobotView{Where: fsm.AtLanding, OdoM: float64(i)}, Battery: -1}
		s.Step(Signal{Ride: "r1", Signal: sig}, elevator.Instant(i+2)*second, nil)
	}
	if r := s.Rides()[0]; r.Boot != "c" || r.Self.OdoM != 3 {
		t.Errorf("boot %s, odometer %v", r.Boot, r.Self.OdoM)
	}
}
