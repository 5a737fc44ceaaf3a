package fsm

import (
	"encoding/json"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// RD-9: each state reports its own fields and null for the rest.
func TestReport(t *testing.T) {
	floors := elevator.Table{{Label: "B1"}, {Label: "G"}, {Label: "M"}}
	now := elevator.Instant(100 * time.Second)
	base := Ride{Request: Request{ID: "R1", Task: "t-9", Robot: "robot-7", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Rear}, Battery: -1}
	base.Since = now - elevator.Instant(42*time.Second)
	base.Car.Link = elevator.Online
	base.Car.Floor = elevator.Seen[elevator.Floor]{Value: 2, At: now}
	base.Car.Doors[elevator.Front] = elevator.Seen[elevator.Door]{Value: elevator.DoorOpening, At: now}
	base.Car.Doors[elevator.Rear] = elevator.Seen[elevator.Door]{Value: elevator.DoorClosed, At: now}
	nothing := `"current_floor":null,"target_floor":null,"elevator_id":null,"wait_duration":null,"gate_status":null,"door_status":null,"elevator_floor":null,"complete_time":null,"fault_code":null,"retry_count":null`
	about := `,"ride":{"id":"R1","task_id":"t-9","robot":"robot-7","battery":null,"from":"G","to":"M","fault_no":0}}`
	for _, c := range []struct {
		state State
		phase Phase
		edit  func(*Ride)
		own   map[string]string // what differs from nothing
	}{
		{Idle, Queued, nil, map[string]string{"current_floor": `"G"`}},
		{Requesting, Calling, nil, map[string]string{"target_floor": `"M"`, "elevator_id": `"L1"`}},
		{Waiting, Called, nil, map[string]string{"wait_duration": `42`, "gate_status": `"opening"`}},
		{Moving, Riding, func(r *Ride) { r.LeftFrom = true }, map[string]string{"elevator_floor": `"G"`, "door_status": `"closed"`}},
		{Moving, Riding, func(r *Ride) { r.Car.Link, r.LeftFrom = elevator.Offline, true }, map[string]string{"elevator_floor": `"G"`, "door_status": `"unknown"`}},
		{Exiting, Leaving, func(r *Ride) { r.WayFloor = 3 }, map[string]string{"target_floor": `"M"`, "current_floor": `"G"`}},
		{Done, Arrived, nil, map[string]string{"complete_time": `958`}},
		{Fault, Recovering, func(r *Ride) { r.Code, r.RetryN = WaitTimeout, 2 }, map[string]string{"fault_code": `"WAIT_TIMEOUT"`, "retry_count": `2`}},
		{FaultLocked, Locked, func(r *Ride) { r.Code = ExitTimeout }, map[string]string{"fault_code": `"EXIT_TIMEOUT"`, "retry_count": `0`}},
	} {
		r := base
		r.State, r.Phase = c.state, c.phase
		if c.edit != nil {
			c.edit(&r)
		}
		got, err := json.Marshal(Report(r, floors, now, 1000))
		if err != nil {
			t.Fatal(err)
		}
		var have, want map[string]json.RawMessage
		src := `{"state":"` + string(c.state) + `","phase":"` + string(c.phase) + `",` + nothing + about
		if err := json.Unmarshal([]byte(src), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &have); err != nil {
			t.Fatal(err)
		}
		for k, v := range c.own {
			want[k] = json.RawMessage(v)
		}
		for k := range want {
			if string(have[k]) != string(want[k]) {
				t.Errorf("%s·%s reports %s %s, want %s", c.state, c.phase, k, have[k], want[k])
			}
		}
		if len(have) != len(want) {
			t.Errorf("%s reports %s", c.state, got)
		}
	}
}

// An old floor is never reported as a new one.
func TestReportForgets(t *testing.T) {
	r := Ride{State: Idle, Phase: Queued}
	r.Car.Floor = elevator.Seen[elevator.Floor]{Value: 1, At: 1}
	if f := Report(r, elevator.Table{{Label: "B1"}}, elevator.Instant(6*time.Second), 0); f.CurrentFloor != nil {
		t.Errorf("reports floor %s, read 6 s ago", *f.CurrentFloor)
	}
}

// RD-12, IL-3: which lift may take a new ride.
func TestAccepting(t *testing.T) {
	now := elevator.Instant(100 * time.Second)
	fit := elevator.Snapshot{
		Link: elevator.Online, Floor: elevator.Seen[elevator.Floor]{Value: 1, At: now},
		Mode: elevator.Seen[elevator.Mode]{Value: elevator.Normal, At: now},
	}
	for _, c := range []struct {
		edit func(*elevator.Snapshot)
		want Code
	}{
		{func(*elevator.Snapshot) {}, NoFault},
		{func(s *elevator.Snapshot) { *s = elevator.Snapshot{} }, LinkLost},
		{func(s *elevator.Snapshot) { s.Link = elevator.Offline }, LinkLost},
		{func(s *elevator.Snapshot) { s.Floor.At = now - elevator.Instant(4*time.Second) }, StaleData},
		{func(s *elevator.Snapshot) { s.Floor.Failed = true }, StaleData},
		{func(s *elevator.Snapshot) { s.Mode.Value = elevator.ModeUnknown }, StaleData},
		{func(s *elevator.Snapshot) { s.Mode.Value = elevator.Fire }, ModeFire},
		{func(s *elevator.Snapshot) { s.Mode.Value, s.Link = elevator.Fire, elevator.Offline }, ModeFire},
		{func(s *elevator.Snapshot) { s.Mode.Value = elevator.Inspection }, ModeInspection},
		{func(s *elevator.Snapshot) { s.EmergencyStop.Value = elevator.Yes }, EmergencyStop},
		{func(s *elevator.Snapshot) { s.Overload.Value = elevator.Yes }, Overload},
	} {
		car := fit
		c.edit(&car)
		if ok, code := new(Plan).Accepting(&car, now); code != c.want || ok != (c.want == NoFault) {
			t.Errorf("%+v: %v %s, want %s", car, ok, code, c.want)
		}
	}
}

// The pass of a robot inside names its destination, and the recall floor in a fire.
func TestPass(t *testing.T) {
	now := elevator.Instant(time.Second)
	r := Ride{Request: Request{To: 3, ToSide: elevator.Front}, State: Moving, Where: Inside, Aboard: true, AboardAt: now}
	if p, ok := Pass(&r, now+1); !ok || p.Floor != 3 || p.Side != elevator.Front || p.NotAfter != now.Add(10*time.Minute) {
		t.Errorf("pass %+v, %v", p, ok)
	}
	for name, edit := range map[string]func(*Ride){
		"outside":          func(r *Ride) { r.Where = Outside },
		"not yet aboard":   func(r *Ride) { r.Aboard = false },
		"fire, not recall": func(r *Ride) { r.Car.Mode.Value, r.Plan.RecallFloor = elevator.Fire, 1 },
		"seismic":          func(r *Ride) { r.Car.Mode.Value = elevator.Seismic },
		"in conflict":      func(r *Ride) { r.Clash.Kind = "floors_differ" },
		"over":             func(r *Ride) { r.AboardAt = now - elevator.Instant(11*time.Minute) },
	} {
		x := r
		edit(&x)
		if p, ok := Pass(&x, now+1); ok {
			t.Errorf("%s: pass %+v", name, p)
		}
	}
	r.Car.Mode.Value, r.Plan.RecallFloor = elevator.Fire, 3
	if _, ok := Pass(&r, now+1); !ok {
		t.Errorf("no pass in a fire though the recall floor is the destination")
	}
}

// Floors in texts become the labels of the building.
func TestInWords(t *testing.T) {
	floors := make(elevator.Table, 12)
	floors[0].Label, floors[11].Label = "B1", "10"
	if got := InWords("from #1 to #12", floors); got != "from B1 to 10" {
		t.Errorf("%q", got)
	}
}

// A poll that shows nothing new needs no write; a call, a move and a report do.
func TestDurable(t *testing.T) {
	p := newPlayer(t)
	p.scene("R1", "exiting")
	before := p.ride
	p.line("at +0.3s see")
	if p.ride == before || Durable(&p.ride) != Durable(&before) {
		t.Errorf("a reading that renews a permit is worth a write")
	}
	p.line("at +0.3s signal leaving where=doorway")
	if Durable(&p.ride) == Durable(&before) {
		t.Errorf("where the robot is is not worth a write")
	}
}

// RD-11: what became of a press that nothing shows yet is not worth a write, since
// after a restart it counts as unknown, be it stored or not.
func TestDurableOutcome(t *testing.T) {
	for _, result := range []string{"done", "unknown"} {
		p := newPlayer(t)
		p.scene("R1", "requesting")
		before := p.ride
		p.line("at +0.2s answer 1 " + result)
		if p.ride.Call == before.Call || p.ride.Call.Taken {
			t.Fatalf("%s: the outcome was not heard: %+v", result, p.ride.Call)
		}
		if Durable(&p.ride) != Durable(&before) {
			t.Errorf("%s is worth a write", result)
		}
		with, _ := Step(p.ride, Resumed{}, p.now())
		before.Stepped, before.Car = p.ride.Stepped, p.ride.Car
		if without, _ := Step(before, Resumed{}, p.now()); with != without {
			t.Errorf("%s: a restart tells the two apart: %s", result, differences(without, with))
		}
	}
}

// RB-6, DD-1: a signal counts once by boot and number, and one that quotes a permit
// of somebody else moves nothing.
func TestSignalsOnce(t *testing.T) {
	p := newPlayer(t)
	p.scene("R1", "boarding")
	for _, line := range []string{
		"signal entering where=doorway permit=R2/1", "signal entering where=doorway permit=R1/0",
		"signal entering where=doorway permit=R1/2", "signal entering where=doorway permit=1",
		"signal entering where=doorway seq=3",
	} {
		p.line(line)
		if p.ride.Where != Unknown {
			t.Fatalf("%s: robot %s", line, p.ride.Where)
		}
	}
	p.line("signal entering where=doorway boot=b2 permit=R1/1")
	if p.ride.Where != Crossing || p.ride.Boot != "b2" || p.ride.Seq != 1 {
		t.Errorf("robot %s after a new boot", p.ride.Where)
	}
	p.line("signal entered where=car boot=b1 age=5s")
	if p.ride.Where != Crossing || p.ride.Boot != "b2" {
		t.Errorf("a late signal of the boot before counted: robot %s", p.ride.Where)
	}
}

// Advice is never empty, whatever the state.
func TestAdviseAlways(t *testing.T) {
	for _, sc := range scenes {
		p := newPlayer(t)
		p.scene("R1", sc.name)
		if a := Advise(&p.ride, p.now()); a.Do == "" || a.Why == "" {
			t.Errorf("%s: advice %+v", sc.name, a)
		}
	}
	for _, s := range States() {
		for _, w := range []Where{Outside, Crossing, Inside, Unknown} {
			if a := Advise(&Ride{State: s, Where: w}, 1); a.Do == "" {
				t.Errorf("%s, robot %s: no advice", s, w)
			}
		}
	}
}

// A robot leaves under a hold, and the lift is read each fifth of a second.
func BenchmarkStepExiting(b *testing.B) {
	p := newPlayer(&testing.T{})
	p.scene("R1", "exiting")
	p.line("at +0.2s see")
	car := p.car
	b.ReportAllocs()
	for b.Loop() {
		Step(p.ride, &Seen{Car: car}, p.now())
	}
}

func BenchmarkStepSeen(b *testing.B) {
	r := New(Request{ID: "R1", From: 1, To: 2, FromSide: elevator.Front, Ready: true}, DefaultParams(), 1)
	car := elevator.Snapshot{Link: elevator.Online}
	for i := 0; b.Loop(); i++ {
		car.Floor.At = elevator.Instant(i + 2)
		r, _ = Step(r, &Seen{Car: car}, car.Floor.At)
	}
}
