package dispatch

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

func accepted(t *testing.T, out []Output) []Output {
	t.Helper()
	if r := lastReply(t, out); r.Status != Accepted {
		t.Fatalf("%+v", r)
	}
	return out
}

func refused(t *testing.T, out []Output, status Status, code, word string) {
	t.Helper()
	if r := lastReply(t, out); r.Status != status || r.Code != code || !strings.Contains(r.Detail, word) {
		t.Errorf("%+v, want %q", r, word)
	}
}

// field 22, OP-3: in maintenance nothing new begins, what runs ends, what waits keeps its
// place; it ends by itself when its time is over, and a Tick is asked for then.
func TestMaintenance(t *testing.T) {
	s := site()
	see(s, "L1", standing(1, second), second)
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(create("r2", "R2", "L1"), second, nil)
	refused(t, s.Step(Maintain{Lift: "L9", On: true, By: "kim"}, second, nil), NotFound, "E-2005", "L1, L2")
	accepted(t, s.Step(Maintain{Lift: "L1", On: true, For: time.Minute, By: "kim", Why: "ropes"}, 2*second, nil))
	see(s, "L1", standing(1, 2*second), 2*second)
	if h := holder(s, "L1"); h != "r1" {
		t.Errorf("the running ride lost its car to %q", h)
	}
	s.Step(Cancel{Ride: "r1", By: "t"}, 3*second, nil)
	for now := 4 * second; now < 10*second; now += second {
		see(s, "L1", standing(1, now), now)
	}
	c := s.Cars()[0]
	if holder(s, "L1") != "" || len(c.Queue) != 1 || c.Accepting || c.Why != WhyMaintenance || c.Maintenance == nil || c.Maintenance.Until != 62*second {
		t.Errorf("holder %q, %d wait, accepting %v %s, %+v", holder(s, "L1"), len(c.Queue), c.Accepting, c.Why, c.Maintenance)
	}
	if at := s.NextWake(); at == 0 || at > 62*second {
		t.Errorf("the next wake is %d", at)
	}
	see(s, "L1", standing(1, 61*second), 61*second)
	out := s.Step(Tick{}, 62*second, nil)
	kept := false
	for _, o := range out {
		_, standing := o.(KeepStanding)
		kept = kept || standing
	}
	if holder(s, "L1") != "r2" || !kept || s.Cars()[0].Maintenance != nil {
		t.Errorf("after its time the holder is %q, stored %v", holder(s, "L1"), kept)
	}
}

// OP-3, SH-8: the cloud's orders stand beside those of people on site. The cloud ends its own
// alone, whoever is on site ends both, and what is shown is theirs before the cloud's.
func TestTheCloudStandsBehindPeople(t *testing.T) {
	s := site()
	see(s, "L1", standing(1, second), second)
	step := func(in Input) { accepted(t, s.Step(in, 2*second, nil)) }
	l1 := func() CarView { return s.Cars()[0] }
	step(Stop{Lift: "L1", On: true, By: "ops", Cloud: true})
	step(Maintain{Lift: "L1", On: true, By: "ops", Cloud: true, Named: 1_700_000_000})
	step(Stop{Lift: "L1", On: true, By: "kim"})
	step(Maintain{Lift: "L1", On: true, By: "kim"})
	if c := l1(); c.Stopped.By != "kim" || c.Maintenance.By != "kim" {
		t.Errorf("shown %+v %+v", c.Stopped, c.Maintenance)
	}
	step(Stop{Lift: "L1", By: "ops", Cloud: true})
	step(Maintain{Lift: "L1", By: "ops", Cloud: true})
	if c := l1(); c.Stopped == nil || c.Maintenance == nil {
		t.Error("the cloud has ended what a person wants")
	}
	step(Stop{Lift: "L1", On: true, By: "ops", Cloud: true})
	step(Maintain{Lift: "L1", On: true, By: "ops", Cloud: true})
	step(Maintain{Lift: "L1", By: "kim"})
	step(Stop{Lift: "L1", By: "kim"})
	if c := l1(); c.Stopped != nil || c.Maintenance != nil {
		t.Errorf("a person has ended both: %+v %+v", c.Stopped, c.Maintenance)
	}
	step(Stop{On: true, By: "ops", Cloud: true})
	step(Stop{Lift: "L1", On: true, By: "ops", Cloud: true})
	step(Stop{By: "ops", Cloud: true})
	if s.Cars()[1].Stopped != nil || l1().Stopped == nil {
		t.Error("the end of the stop of all was not that alone")
	}
}

// OP-3: in a maintenance window no lift takes rides, until its end, for which a Tick is asked.
func TestMaintenanceWindow(t *testing.T) {
	s := site()
	see(s, "L1", standing(1, second), second)
	s.Step(Window{Until: 9 * second}, 2*second, nil)
	s.Step(create("r1", "R1", "L1"), 2*second, nil)
	see(s, "L1", standing(1, 8*second), 8*second)
	if c := s.Cars()[0]; c.Why != WhyMaintenance || c.Maintenance.By != ByWindow || holder(s, "L1") != "" || s.NextWake() != 9*second {
		t.Errorf("in the window: %s %+v, holder %q, wake %d", c.Why, c.Maintenance, holder(s, "L1"), s.NextWake())
	}
	s.Step(Tick{}, 9*second, nil)
	if holder(s, "L1") != "r1" || s.Cars()[0].Maintenance != nil {
		t.Errorf("after the window the holder is %q", holder(s, "L1"))
	}
}

// OP-9: a plan of the cloud is for one fault, and taken once.
func TestRecover(t *testing.T) {
	s := pressed(t, create("r1", "R1", "L1"))
	plan := Recover{Ride: "r1", Recover: fsm.Recover{FaultNo: 3, Plan: "lock"}}
	refused(t, s.Step(plan, 2*second, nil), Conflict, "E-2111", "that fault is over")
	edit(t, s, "r1", func(r *fsm.Ride) {
		r.State, r.Phase, r.Code, r.FaultNo, r.Call = fsm.Fault, fsm.Recovering, fsm.WaitTimeout, 3, fsm.Wish{}
	})
	hold := plan
	hold.Plan = "hold"
	accepted(t, s.Step(hold, 2*second, nil))
	refused(t, s.Step(plan, 2*second, nil), Conflict, "E-2111", "has had its plan")
	edit(t, s, "r1", func(r *fsm.Ride) { r.Planned = false })
	accepted(t, s.Step(plan, 2*second, nil))
	if r := s.Ride("r1"); r.State != fsm.FaultLocked {
		t.Errorf("the ride is %s", r.State)
	}
	plan.Ride = "r9"
	refused(t, s.Step(plan, 2*second, nil), NotFound, "E-2006", "no such ride")
}

// A stop cancels what has not boarded, takes nothing from a robot that is aboard, refuses
// what is new, and outranks the choice of a car.
func TestStop(t *testing.T) {
	s := pressed(t, create("r1", "R1", "L1"))
	s.Step(create("r2", "R2", "L1"), 2*second, nil)
	see(s, "L2", standing(1, 2*second), 2*second)
	s.Step(create("r3", "R3", "L2"), 2*second, nil)
	edit(t, s, "r3", func(r *fsm.Ride) {
		r.State, r.Phase, r.Where, r.Aboard, r.Call = fsm.Moving, fsm.Riding, fsm.Inside, true, fsm.Wish{}
	})
	out := accepted(t, s.Step(Stop{On: true, By: "kim", Why: "smoke"}, 3*second, nil))
	for _, o := range out {
		if d, ok := o.(Do); ok && (!d.Urgent || d.Command.MayClose || d.Command.Verb != elevator.CancelCall && d.Lift == "L1") {
			t.Errorf("it asks %+v", d)
		}
	}
	for _, id := range []string{"r1", "r2"} {
		if r := s.Ride(id); r.State != fsm.Done || r.Phase != fsm.Cancelled {
			t.Errorf("%s is %s %s", id, r.State, r.Phase)
		}
	}
	if r := s.Ride("r3"); r.State != fsm.Moving || r.CancelAsked {
		t.Errorf("the robot aboard: %s, cancelled %v", r.State, r.CancelAsked)
	}
	if c := s.Cars()[0]; c.Stopped == nil || c.Accepting || c.Why != WhyStopped {
		t.Errorf("accepting %v %s", c.Accepting, c.Why)
	}
	refused(t, s.Step(create("r4", "R1", "L1"), 4*second, nil), Unavailable, "E-2111", "kim stopped it: smoke")
	accepted(t, s.Step(Stop{By: "kim"}, 5*second, nil))
	if r := lastReply(t, s.Step(create("r4", "R1", "L1"), 6*second, nil)); r.Status != Created {
		t.Errorf("after the stop: %+v", r)
	}
}

// A stop of one lift leaves the others.
func TestStopOfOneLift(t *testing.T) {
	s := site()
	accepted(t, s.Step(Stop{Lift: "L1", On: true, By: "kim"}, second, nil))
	refused(t, s.Step(Stop{Lift: "L9", On: true, By: "kim"}, second, nil), NotFound, "E-2005", "no such lift")
	see(s, "L1", standing(2, second), second)
	see(s, "L2", standing(1, second), second)
	s.Step(anyLift("r1", "R1"), second, nil)
	if r := s.Ride("r1"); r == nil || r.Lift != "L2" {
		t.Errorf("%+v", r)
	}
}

// A robot in the doorway when the stop comes is not shut in: the stop sends nothing that may
// close a door, withdraws its permit, and waits for its word.
func TestStopClosesNoDoorOnARobot(t *testing.T) {
	s := pressed(t, create("r1", "R1", "L1"))
	see(s, "L1", opened(2, 3*second), 3*second)
	say(s, "r1", fsm.Entering, fsm.AtDoorway, 4*second)
	if r := s.Ride("r1"); r.Where != fsm.Crossing {
		t.Fatalf("the robot is %s in %s", r.Where, r.Phase)
	}
	out := s.Step(Stop{On: true, By: "kim"}, 4*second, nil)
	for now := 4 * second; now < 40*second; now += second {
		out = append(out, see(s, "L1", opened(2, now), now)...)
		out = append(out, s.Step(Tick{}, now, nil)...)
	}
	for _, o := range out {
		if d, ok := o.(Do); ok && d.Command.MayClose {
			t.Errorf("asked %+v", d)
		}
	}
	if r := s.Ride("r1"); r.State == fsm.Done || r.Permit != (fsm.Permit{}) || !s.Cars()[0].Occupied {
		t.Errorf("it is %s, permit %+v", r.State, r.Permit)
	}
}

// field 14, IL-5: only a person's word empties a car, not against a robot that says otherwise
// just now, nor into a ride under way.
func TestCarEmpty(t *testing.T) {
	s := site()
	see(s, "L1", standing(1, second), second)
	s.Step(create("r1", "R1", "L1"), second, nil)
	refused(t, s.Step(CarEmpty{Lift: "L9", By: "kim"}, second, nil), NotFound, "E-2005", "no such lift")
	edit(t, s, "r1", func(r *fsm.Ride) { r.State, r.Phase, r.Where, r.Aboard = fsm.Moving, fsm.Riding, fsm.Inside, true })
	refused(t, s.Step(CarEmpty{Lift: "L1", By: "kim"}, 2*second, nil), Conflict, "E-2111", "under way")
	edit(t, s, "r1", func(r *fsm.Ride) {
		r.State, r.Phase, r.Code = fsm.FaultLocked, fsm.Locked, fsm.ExitTimeout
		r.Self.Where, r.Self.At = fsm.InCar, 3*second
	})
	refused(t, s.Step(CarEmpty{Lift: "L1", By: "kim"}, 12*second, nil), Conflict, "E-2111", "R1 said 9s ago that it is in the car")
	accepted(t, s.Step(CarEmpty{Lift: "L1", By: "kim"}, 13*second, nil))
	if c := s.Cars()[0]; c.Occupied || s.Ride("r1").State != fsm.Done {
		t.Errorf("occupied %v, ride %s", c.Occupied, s.Ride("r1").State)
	}
	accepted(t, s.Step(CarEmpty{Lift: "L1", By: "kim"}, 14*second, nil)) // again: nothing to do
}

// areas is three lifts: L1 and L2 in A, L3 in B.
func areas() *Site {
	return New(Config{
		Lifts: []Lift{
			{ID: "L1", Area: "A", Floors: table(), Plan: plan()},
			{ID: "L2", Area: "A", Floors: table(), Plan: plan()},
			{ID: "L3", Area: "B", Floors: table(), Plan: plan()},
		},
		Robots: []string{"R1", "R2", "R3"}, Params: fsm.DefaultParams(),
	})
}

// field 9, IL-8: a lift that shows fire warns all lifts of its area and no other; the alarm is
// to their rides as the mode itself; it stands until a person clears it, and not before the
// lifts are normal.
func TestAreaOfFire(t *testing.T) {
	s := areas()
	for i, lift := range []string{"L1", "L2", "L3"} {
		see(s, lift, standing(1, second), second)
		s.Step(create("r"+lift, []string{"R1", "R2", "R3"}[i], lift), second, nil)
	}
	fire := standing(1, 2*second)
	fire.Mode.Value = elevator.Fire
	out := see(s, "L1", fire, 2*second)
	if r := s.Ride("rL2"); r.State != fsm.Fault || r.Code != fsm.ModeFire || !r.Latched {
		t.Errorf("the ride with L2: %s %s", r.State, r.Code)
	}
	if r := s.Ride("rL3"); r.State != fsm.Requesting {
		t.Errorf("the ride in the other area: %s", r.State)
	}
	for _, d := range dos(out) {
		t.Errorf("asked %s in a fire", d)
	}
	c := s.Cars()[1]
	if c.Accepting || c.Why != fsm.ModeFire || c.Car.Mode.Value != elevator.Normal || c.AreaAlarm == nil || !c.AreaAlarm.Latched || c.AreaAlarm.Source != "L1" {
		t.Errorf("L2 shows %s, accepting %v %s, %+v", c.Car.Mode.Value, c.Accepting, c.Why, c.AreaAlarm)
	}
	refused(t, s.Step(ClearArea{Area: "A", By: "kim"}, 3*second, nil), Conflict, "E-2111", "L1 still shows fire")
	refused(t, s.Step(ClearArea{Area: "Z", By: "kim"}, 3*second, nil), NotFound, "E-2020", `"Z"`)
	see(s, "L1", standing(1, 4*second), 4*second)
	if c := s.Cars()[0]; c.Accepting {
		t.Error("L1 is normal again, and takes rides though nobody cleared its area")
	}
	accepted(t, s.Step(ClearArea{Area: "A", By: "kim"}, 5*second, nil))
	see(s, "L2", standing(1, 5*second), 5*second)
	if c := s.Cars()[1]; !c.Accepting || c.AreaAlarm != nil || s.Ride("rL2").State != fsm.Fault {
		t.Errorf("cleared: accepting %v %s, ride %s", c.Accepting, c.Why, s.Ride("rL2").State)
	}
}

// IL-8: a drill is shown and lets nothing new begin, harms no ride, and ends at a word; a real
// alarm beside it is the graver.
func TestDrill(t *testing.T) {
	s := areas()
	see(s, "L1", standing(1, second), second)
	see(s, "L2", standing(1, second), second)
	s.Step(create("r1", "R1", "L1"), second, nil)
	refused(t, s.Step(RaiseArea{Area: "A", Kind: "flood"}, second, nil), Impossible, "E-2112", "fire or seismic")
	refused(t, s.Step(RaiseArea{Area: "Z", Kind: AreaFire}, second, nil), NotFound, "E-2020", `"Z"`)
	accepted(t, s.Step(RaiseArea{Area: "A", Kind: AreaFire, Drill: true, Source: "panel"}, 2*second, nil))
	s.Step(create("r2", "R2", "L2"), 2*second, nil)
	see(s, "L1", standing(1, 2*second), 2*second)
	see(s, "L2", standing(1, 2*second), 2*second)
	if r := s.Ride("r1"); r.State == fsm.Fault || holder(s, "L1") != "r1" {
		t.Errorf("the running ride: %s", r.State)
	}
	if c := s.Cars()[1]; holder(s, "L2") != "" || c.Why != WhyDrill || c.AreaAlarm == nil || c.AreaAlarm.Latched || !strings.Contains(c.Queue[0].Why, "fire drill in area A, raised by panel") {
		t.Errorf("holder %q, %s, %+v, %+v", holder(s, "L2"), c.Why, c.AreaAlarm, c.Queue)
	}
	s.Step(RaiseArea{Area: "A", Kind: AreaSeismic, Source: "sensor"}, 3*second, nil)
	if r := s.Ride("r1"); r.Code != fsm.ModeSeismic || s.Cars()[0].AreaAlarm.Kind != AreaSeismic {
		t.Errorf("a real alarm beside the drill: %s, %+v", r.Code, s.Cars()[0].AreaAlarm)
	}
	accepted(t, s.Step(ClearArea{Area: "A", By: "kim"}, 4*second, nil))
	see(s, "L2", standing(1, 4*second), 4*second)
	if holder(s, "L2") != "r2" {
		t.Errorf("after the drill the holder is %q", holder(s, "L2"))
	}
}

// RD-11: what stands is one record, and outlives a restart and another clock.
func TestStandingOutlivesARestart(t *testing.T) {
	s := areas()
	s.Step(Stop{Lift: "L3", On: true, By: "kim", Why: "smoke"}, second, nil)
	s.Step(Maintain{Lift: "L1", On: true, For: time.Hour, By: "lee"}, 2*second, nil)
	s.Step(RaiseArea{Area: "A", Kind: AreaFire, Source: "panel"}, 3*second, nil)
	raw, err := json.Marshal(s.Standing())
	if err != nil {
		t.Fatal(err)
	}
	var back Standing
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, s.Standing()) {
		t.Errorf("stored %+v, read %+v", s.Standing(), back)
	}
	back.Rebase(int64(-10 * second))
	again := areas()
	again.Step(Resume{Standing: back}, second, nil)
	c := again.Cars()
	if c[2].Stopped == nil || c[0].Maintenance == nil || c[0].Maintenance.Until != 3592*second || c[1].AreaAlarm == nil {
		t.Errorf("after the restart: %+v %+v %+v", c[2].Stopped, c[0].Maintenance, c[1].AreaAlarm)
	}
	see(again, "L2", standing(1, 2*second), 2*second)
	again.Step(create("r1", "R1", "L2"), 2*second, nil)
	if holder(again, "L2") != "" {
		t.Error("a lift of a burning area was given away after a restart")
	}
}
