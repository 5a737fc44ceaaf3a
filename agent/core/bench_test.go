package core

import (
	"fmt"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
)

// lift is a building of four lifts, of which one serves a ride by a script: the
// car of the second landing's call goes there, and then one landing up.
type lift struct {
	*Core
	now   elevator.Instant
	car   elevator.Snapshot
	seq   uint64
	n     int // rides
	told  fsm.State
	steps int
	ticks int
	kept  int // records
	asked []elevator.CommandID
	err   error
}

func newLift() *lift {
	c := dispatch.Config{Params: fsm.DefaultParams()}
	for i := range 4 {
		c.Lifts = append(c.Lifts, dispatch.Lift{ID: fmt.Sprintf("L%d", i+1), Floors: floors(), Plan: fsm.Plan{
			Style: fsm.LandingAndCar, Confirm: fsm.ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
			AcceptWithin: 3 * time.Second, Poll: 200 * time.Millisecond,
		}})
		c.Robots = append(c.Robots, fmt.Sprintf("R%d", i+1))
	}
	l := &lift{Core: New(Config{Site: c, Boot: Boot{ID: "b"}}), now: second, car: car(1, 0, second)}
	for i := range 4 {
		l.Step(&Seen{Lift: c.Lifts[i].ID, Car: l.car}, l.at())
	}
	return l
}

func (l *lift) at() Time { return Time{Now: l.now, Wall: int64(l.now) / 1e6} }

// do steps the core and answers each command as done, and what the answers ask for.
func (l *lift) do(in Input) {
	l.look(l.Step(in, l.at()))
	for len(l.asked) > 0 {
		id := l.asked[0]
		l.asked = l.asked[1:]
		l.look(l.Step(Answered{Outcome: elevator.Outcome{ID: id, Result: elevator.Done, At: l.now}}, l.at()))
	}
}

func (l *lift) look(r Result) {
	l.steps++
	l.kept += len(r.Batch)
	for _, list := range [2][]Effect{r.Urgent, r.After} {
		for _, e := range list {
			switch e := e.(type) {
			case Line:
				l.hear(e)
			case Command:
				l.asked = append(l.asked, e.Command.ID)
			}
		}
	}
}

// hear keeps the state that the log last told of.
func (l *lift) hear(line Line) {
	for i := 0; i+1 < len(line.Attrs); i += 2 {
		if line.Attrs[i] == "to" {
			l.told = fsm.State(line.Attrs[i+1])
		}
	}
}

// pass lets the time go on, with the ticks that fall due.
func (l *lift) pass(d time.Duration) {
	end := l.now.Add(d)
	for w := l.NextWake(); w != 0 && w < end; w = l.NextWake() {
		l.now = max(w, l.now)
		l.ticks++
		l.do(Tick{})
	}
	l.now = end
}

// see reads the car after d with one thing changed.
func (l *lift) see(d time.Duration, change func(*elevator.Snapshot)) {
	l.pass(d)
	s := car(l.car.Floor.Value, l.car.UpCalls.Value, l.now)
	s.Motion.Value, s.Doors[elevator.Front].Value, s.CarCalls.Value =
		l.car.Motion.Value, l.car.Doors[elevator.Front].Value, l.car.CarCalls.Value
	change(&s)
	l.car = s
	l.do(&Seen{Lift: "L1", Car: s})
}

func same(*elevator.Snapshot) {}

func (l *lift) say(kind fsm.SignalKind, where fsm.SignalWhere) {
	l.seq++
	s := fsm.Signal{Kind: kind, Boot: "b1", Seq: l.seq, View: fsm.RobotView{Where: where}, Battery: 80}
	if kind == fsm.Heartbeat {
		l.do(Ordered{Order: SendHeartbeat{Robot: "R1", Signal: s}})
		return
	}
	l.do(Ordered{Order: SendSignal{Ride: l.ride(), Signal: s}})
}

func (l *lift) ride() string { return fmt.Sprintf("ride-%06d", l.n) }

func (l *lift) want(s fsm.State) {
	if got := l.told; got != s && l.err == nil {
		l.err = fmt.Errorf("%s is %s, not %s", l.ride(), got, s)
	}
}

func floor(f elevator.Floor) func(*elevator.Snapshot) {
	return func(s *elevator.Snapshot) { s.Floor.Value = f }
}

func motion(m elevator.Motion) func(*elevator.Snapshot) {
	return func(s *elevator.Snapshot) { s.Motion.Value = m }
}

func door(d elevator.Door) func(*elevator.Snapshot) {
	return func(s *elevator.Snapshot) { s.Doors[elevator.Front].Value = d }
}

// run is one ride from its order to the end of its lease.
func (l *lift) run() {
	l.n++
	order := order()
	order.Request.ID = l.ride()
	l.do(Ordered{Token: 1, Order: order})
	l.comes()
	l.boards()
	l.rides()
	l.leaves()
	l.want(fsm.Done)
	l.pass(5 * time.Second)
	l.see(time.Second, floor(1)) // back to where the next ride finds it
}

func (l *lift) comes() {
	l.see(300*time.Millisecond, func(s *elevator.Snapshot) { s.UpCalls.Value = elevator.FloorSet(0).With(2) })
	l.want(fsm.Waiting)
	l.say(fsm.Heartbeat, fsm.AtLanding)
	l.see(time.Second, motion(elevator.MovingUp))
	l.see(time.Second, same)
	l.see(time.Second, same)
	l.see(time.Second, floor(2))
	l.see(200*time.Millisecond, motion(elevator.Stopped))
	l.see(200*time.Millisecond, func(s *elevator.Snapshot) { s.UpCalls.Value = 0 })
	l.say(fsm.Heartbeat, fsm.AtLanding)
	l.see(500*time.Millisecond, door(elevator.DoorOpening))
	l.see(time.Second, same)
}

func (l *lift) boards() {
	l.see(time.Second, door(elevator.DoorOpen))
	l.say(fsm.Entering, fsm.AtDoorway)
	for range 3 {
		l.see(900*time.Millisecond, same)
	}
	l.say(fsm.Heartbeat, fsm.AtDoorway)
	l.see(500*time.Millisecond, same)
	l.say(fsm.Entered, fsm.InCar)
	l.want(fsm.Moving)
}

func (l *lift) rides() {
	l.see(300*time.Millisecond, func(s *elevator.Snapshot) { s.CarCalls.Value = elevator.FloorSet(0).With(3) })
	l.see(900*time.Millisecond, door(elevator.DoorClosing))
	l.see(900*time.Millisecond, same)
	l.see(900*time.Millisecond, door(elevator.DoorClosed))
	l.say(fsm.Heartbeat, fsm.InCar)
	l.see(300*time.Millisecond, motion(elevator.MovingUp))
	l.see(900*time.Millisecond, same)
	l.see(900*time.Millisecond, floor(3))
	l.see(200*time.Millisecond, motion(elevator.Stopped))
	l.see(200*time.Millisecond, func(s *elevator.Snapshot) { s.CarCalls.Value = 0 })
	l.see(300*time.Millisecond, door(elevator.DoorOpening))
	l.say(fsm.Heartbeat, fsm.InCar)
	l.see(900*time.Millisecond, same)
	l.see(900*time.Millisecond, door(elevator.DoorOpen))
	l.want(fsm.Exiting)
}

func (l *lift) leaves() {
	l.say(fsm.LeavingNow, fsm.AtDoorway)
	l.see(900*time.Millisecond, same)
	l.see(900*time.Millisecond, same)
	l.say(fsm.Left, fsm.AtLanding)
	l.see(900*time.Millisecond, door(elevator.DoorClosing))
	l.see(900*time.Millisecond, same)
	l.see(900*time.Millisecond, door(elevator.DoorClosed))
}

// BenchmarkRide is all that the core does for one ride with no cloud: about
// twenty changed readings and as many unchanged ones, ten signals, the commands
// and their outcomes, the ticks that fall due.
func BenchmarkRide(b *testing.B) {
	l := newLift()
	for range 40 {
		l.run() // so that each ride drops an ended one
	}
	l.steps, l.ticks, l.kept = 0, 0, 0
	b.ReportAllocs()
	for b.Loop() {
		l.run()
	}
	if l.err != nil {
		b.Fatal(l.err)
	}
	b.ReportMetric(float64(l.steps)/float64(b.N), "steps/op")
	b.ReportMetric(float64(l.ticks)/float64(b.N), "ticks/op")
	b.ReportMetric(float64(l.kept)/float64(b.N), "records/op")
}

// BenchmarkSeenIdle is a new reading of a lift that nobody wants.
func BenchmarkSeenIdle(b *testing.B) {
	l := newLift()
	benchSeen(b, l, nil)
}

// BenchmarkSeenSame is a reading that only has later times, of a lift whose ride
// waits for the car.
func BenchmarkSeenSame(b *testing.B) {
	l := newLift()
	l.n++
	order := order()
	order.Request.ID = l.ride()
	l.do(Ordered{Token: 1, Order: order})
	l.see(300*time.Millisecond, func(s *elevator.Snapshot) { s.UpCalls.Value = elevator.FloorSet(0).With(2) })
	l.want(fsm.Waiting)
	benchSeen(b, l, func() { l.want(fsm.Waiting) })
}

// benchSeen keeps within the wait limit however long it runs.
func benchSeen(b *testing.B, l *lift, check func()) {
	b.ReportAllocs()
	for b.Loop() {
		l.now++
		l.car.Floor.At, l.car.Motion.At, l.car.Mode.At, l.car.Doors[elevator.Front].At = l.now, l.now, l.now, l.now
		l.Step(&Seen{Lift: "L1", Car: l.car}, l.at())
	}
	if check != nil {
		check()
	}
	if l.err != nil {
		b.Fatal(l.err)
	}
}
