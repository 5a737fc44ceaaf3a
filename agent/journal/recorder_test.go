package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
)

var floors = elevator.Table{
	{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
}

const second = elevator.Instant(time.Second)

// site is a core that is shown to a recorder, step by step.
type site struct {
	core *core.Core
	rec  *Recorder
	now  elevator.Instant
}

func newSite(t testing.TB, dir string, lifts int, edit ...func(*Options)) *site {
	t.Helper()
	c := dispatch.Config{Params: fsm.DefaultParams()}
	o := Options{
		Dir: dir, Version: "v1", Serial: "GW", Lifts: map[string]Lift{}, Boot: core.Boot{ID: "b", Zero: 1, Wall0: 1_750_000_000_000},
		Wall: wall, Log: slog.New(slog.DiscardHandler),
	}
	for i := range lifts {
		id := fmt.Sprint("L", i+1)
		c.Lifts = append(c.Lifts, dispatch.Lift{ID: id, Floors: floors, Plan: fsm.Plan{
			Style: fsm.LandingAndCar, Confirm: fsm.ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
			AcceptWithin: 3 * time.Second, Poll: 200 * time.Millisecond,
		}})
		c.Robots = append(c.Robots, fmt.Sprint("R", i+1))
		o.Lifts[id] = Lift{Line: "line" + id, Link: "x://" + id, Profile: "p", Hash: "h", Floors: floors}
	}
	for _, e := range edit {
		e(&o)
	}
	return &site{core: core.New(core.Config{Site: c}), rec: New(o), now: second}
}

func (s *site) step(in core.Input) core.Result {
	t := core.Time{Now: s.now, Wall: 1_750_000_000_000 + int64(s.now)/1e6}
	res := s.core.Step(in, t)
	s.rec.Stepped(in, &res, s.core, t)
	for _, e := range append(append([]core.Effect{}, res.Urgent...), res.After...) {
		if c, ok := e.(core.Command); ok {
			s.rec.Given(c, false, t)
		}
	}
	return res
}

func (s *site) see(lift string, f elevator.Floor, door elevator.Door) {
	car := elevator.Snapshot{Link: elevator.Online}
	car.Floor = elevator.Seen[elevator.Floor]{At: s.now, Value: f, Source: elevator.Controller}
	car.Motion = elevator.Seen[elevator.Motion]{At: s.now, Value: elevator.Stopped}
	car.Mode = elevator.Seen[elevator.Mode]{At: s.now, Value: elevator.Normal}
	car.Doors[elevator.Front] = elevator.Seen[elevator.Door]{At: s.now, Value: door, Source: elevator.Controller}
	car.Nudging = elevator.Seen[elevator.Tri]{At: s.now, Value: elevator.No}
	car.UpCalls, car.DownCalls, car.CarCalls = elevator.Seen[elevator.FloorSet]{At: s.now}, elevator.Seen[elevator.FloorSet]{At: s.now}, elevator.Seen[elevator.FloorSet]{At: s.now}
	s.step(&core.Seen{Lift: lift, Car: car})
}

func (s *site) call(ride, robot, lift string) {
	s.step(core.Ordered{Token: 1, Order: core.CreateRide{
		Request: fsm.Request{ID: ride, Robot: robot, Lift: lift, Ready: true, Crossing: 4 * time.Second}, From: "G", To: "1",
	}})
}

// running starts the writer and gives what ends it.
func (s *site) running(t testing.TB) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.rec.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func (s *site) record(t testing.TB, ride string) *Record {
	t.Helper()
	r, err := s.rec.Record(t.Context(), ride)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// RB-4: a writer that is behind costs entries, never the loop's time; the record says
// how many, and goes on with the state as it then is.
func TestQueueThatIsFull(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := newSite(t, t.TempDir(), 1)
	s.see("L1", 2, elevator.DoorClosed)
	s.call("r1", "R1", "L1")
	for i := range 3 * maxMoments { // nobody writes yet
		s.now += second / 1000
		s.step(core.Ordered{Token: 1, Order: core.SendHeartbeat{Robot: "R1", Signal: fsm.Signal{Boot: "b", Seq: uint64(i + 1), Battery: -1}}})
	}
	if _, lost := s.rec.Use(); lost == 0 {
		t.Fatal("nothing was lost: the queue has no bound")
	}
	end := s.running(t)
	for len(s.rec.moments) > 0 {
		time.Sleep(time.Millisecond)
	}
	s.step(core.Ordered{Token: 1, Order: core.CancelRide{Ride: "r1", By: "t"}})
	end()
	s2 := newSite(t, s.rec.o.Dir, 1)
	end = s2.running(t)
	defer end()
	r := s2.record(t, "r1")
	lost := uint64(0)
	for _, n := range r.Lanes.Notes {
		if n.Kind == "gap" {
			lost += n.Lost
		}
	}
	if _, all := s.rec.Use(); lost != all || lost < 2*maxMoments || r.Phase != "cancelled" {
		t.Errorf("the record knows of %d lost, ended %s %s", lost, r.State, r.Phase)
	}
}

// RB-4: many lifts, their lines and readers at once.
func TestManyAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := newSite(t, t.TempDir(), 4, func(o *Options) { o.Budget = 300 << 10 })
	end := s.running(t)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for i := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					s.rec.Trace(drivers.Frame{Line: fmt.Sprint("lineL", i+1), Out: n%2 == 0, At: elevator.Instant(n + 1), Data: []byte{byte(n)}})
					time.Sleep(50 * time.Microsecond)
				}
			}
		})
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, err := s.rec.Record(context.Background(), "r0-"+fmt.Sprint(i))
					if gone := (*Dropped)(nil); err != nil && !errors.Is(err, ErrNone) && !errors.As(err, &gone) {
						t.Errorf("read: %v", err)
						return
					}
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	for round := range 60 {
		for i := range 4 {
			lift, robot, ride := fmt.Sprint("L", i+1), fmt.Sprint("R", i+1), fmt.Sprintf("r%d-%d", round, i)
			s.now += second / 5
			s.see(lift, 2, elevator.DoorClosed)
			s.call(ride, robot, lift)
			s.now += second / 5
			s.see(lift, 1, elevator.DoorClosed)
			s.step(core.Ordered{Token: 1, Order: core.CancelRide{Ride: ride, By: "t"}})
			s.see(lift, 1, elevator.DoorClosed)
		}
		time.Sleep(time.Millisecond)
	}
	close(stop)
	wg.Wait()
	end()
	if used := usedOn(t, s.rec.o.Dir); used > 300<<10 {
		t.Errorf("%d bytes", used)
	}
	if bytes, _ := s.rec.Use(); bytes != usedOn(t, s.rec.o.Dir) {
		t.Errorf("%d bytes are counted, %d are there", bytes, usedOn(t, s.rec.o.Dir))
	}
}

// A folder that cannot be used: rides go on, and a reader is told that there is none.
func TestNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, dir, 1)
	end := s.running(t)
	defer end()
	for range 2 * maxMoments {
		s.now += second / 10
		s.call("r1", "R1", "L1")
	}
	if _, err := s.rec.Record(t.Context(), "r1"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// The record of a ride that ended in an earlier run is left alone; one that the program's
// end cut short gets its end.
func TestStartWithOldRides(t *testing.T) {
	dir := t.TempDir()
	s := newSite(t, dir, 1)
	end := s.running(t)
	s.see("L1", 2, elevator.DoorClosed)
	s.call("r1", "R1", "L1")
	s.step(core.Ordered{Token: 1, Order: core.CancelRide{Ride: "r1", By: "site-technician"}})
	s.now += 40 * second
	s.see("L1", 2, elevator.DoorClosed)
	s.step(core.Tick{})
	end()
	before := usedOn(t, dir)

	again := newSite(t, dir, 1)
	again.core, again.now = s.core, s.now
	end = again.running(t)
	again.see("L1", 2, elevator.DoorClosed)
	r := again.record(t, "r1")
	end()
	if r.State != "DONE" || r.Phase != "cancelled" || r.Running || usedOn(t, dir) != before {
		t.Errorf("%s %s, running %v, %d bytes, before %d", r.State, r.Phase, r.Running, usedOn(t, dir), before)
	}
	if o := r.Lanes.Orders; len(o) != 2 || o[1].What != "cancel" || o[1].Who != "site-technician" || o[1].Result != "accepted" {
		t.Errorf("orders %+v", o)
	}
}

// RB-4, SE-6: frames around a command: some before, those while it is under way, some
// after; each once; long ones cut; secrets masked on a line that carries them.
func TestFramesAroundACommand(t *testing.T) {
	var kept []passed
	f := newFrames(map[string]Lift{"L1": {Line: "a"}, "L2": {Line: "b"}}, func(p passed) { kept = append(kept, p) })
	frame := func(line string, at elevator.Instant) {
		f.trace(drivers.Frame{Line: line, At: at, Data: []byte{byte(at)}})
	}
	for i := range 20 {
		frame("a", elevator.Instant(i+1))
		frame("b", 1)
		frame("nowhere", 1)
	}
	cmd := func(n uint32) core.Command {
		return core.Command{Lift: "L1", Command: elevator.Command{ID: elevator.CommandID{Ride: "r1", N: n}}}
	}
	before := f.around(cmd(1), 20)
	if len(before) != framesBefore || before[0].At != 15 || before[5].At != 20 {
		t.Errorf("before: %+v", before)
	}
	frame("a", 21)
	frame("b", 21)
	if again := f.around(cmd(2), 22); len(again) != 0 {
		t.Errorf("kept twice: %+v", again)
	}
	frame("a", 23)
	f.answered(elevator.CommandID{Ride: "r1", N: 2}, 24)
	for i := range 20 {
		frame("a", elevator.Instant(30+i))
	}
	if len(kept) != 2+framesAfter || kept[0].id.N != 1 || kept[1].id.N != 2 || kept[7].f.At != 35 {
		t.Errorf("%d kept: %+v", len(kept), kept)
	}
	before = f.around(cmd(3), 60)
	f.answered(elevator.CommandID{Ride: "r1", N: 3}, 61)
	frame("a", 61+second+1) // too late to belong to it
	if len(before) != framesBefore || len(kept) != 2+framesAfter {
		t.Errorf("before %d, kept %d", len(before), len(kept))
	}
	for n := range uint32(100) { // a line on which nothing passes gathers nothing
		c := cmd(1)
		c.Command.ID.Ride = fmt.Sprint("x", n)
		f.around(c, elevator.Instant(n)*20*second+100*second)
	}
	if n := len(f.wires["a"].rides); n > 2 {
		t.Errorf("%d windows", n)
	}

	var e entry
	s := &scribe{write: func(x entry) { e = x }}
	s.frame(drivers.Frame{Data: []byte("Authorization: " + strings.Repeat("x", 1000)), Note: "n"}, 7, func(s string) string { return strings.ReplaceAll(s, "xxxxx", "") })
	if string(e.Frame.Data) != "Authorization: " || e.Frame.Cmd != 7 {
		t.Errorf("%q", e.Frame.Data)
	}
	s.frame(drivers.Frame{Data: make([]byte, 1000)}, 7, nil)
	if len(e.Frame.Data) != maxFrame || e.Frame.Len != 1000 {
		t.Errorf("%d of %d bytes", len(e.Frame.Data), e.Frame.Len)
	}
}

// What one reading of a lift costs the loop: 64 lifts with a ride each, nothing new.
func BenchmarkSteppedNothingNew(b *testing.B) {
	s := newSite(b, b.TempDir(), 64)
	for i := range 64 {
		s.see(fmt.Sprint("L", i+1), 2, elevator.DoorClosed)
		s.call(fmt.Sprint("r", i+1), fmt.Sprint("R", i+1), fmt.Sprint("L", i+1))
		drain(s.rec)
	}
	in, res := &core.Seen{Lift: "L7"}, core.Result{Changed: true}
	t := core.Time{Now: s.now, Wall: 1}
	s.rec.Stepped(in, &res, s.core, t)
	b.ReportAllocs()
	for b.Loop() {
		s.rec.Stepped(in, &res, s.core, t)
		drain(s.rec)
	}
}

// What an entry costs the loop: one ride of 64 has changed, and is copied for the writer.
func BenchmarkSteppedOneChange(b *testing.B) {
	s := newSite(b, b.TempDir(), 64)
	for i := range 64 {
		s.see(fmt.Sprint("L", i+1), 2, elevator.DoorClosed)
		s.call(fmt.Sprint("r", i+1), fmt.Sprint("R", i+1), fmt.Sprint("L", i+1))
		drain(s.rec)
	}
	in, res := &core.Seen{Lift: "L7"}, core.Result{Changed: true}
	t := core.Time{Now: s.now, Wall: 1}
	b.ReportAllocs()
	for b.Loop() {
		s.rec.sweep.known["r7"].gist.phase = "another"
		s.rec.Stepped(in, &res, s.core, t)
		drain(s.rec)
	}
}

// What a frame costs the line.
func BenchmarkTrace(b *testing.B) {
	s := newSite(b, b.TempDir(), 64)
	f := drivers.Frame{Line: "lineL7", At: 1, Data: make([]byte, 30)}
	b.ReportAllocs()
	for b.Loop() {
		s.rec.Trace(f)
	}
}

func drain(r *Recorder) {
	for len(r.moments) > 0 {
		<-r.moments
	}
}
