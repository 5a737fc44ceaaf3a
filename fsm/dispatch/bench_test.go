package dispatch

import (
	"strings"
	"testing"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// BenchmarkStep is one step of a site by its inputs: a reading by which the permit of a
// ride is decided anew, the same of a ride that only waits, a robot's heartbeat, and a tick
// with nothing due.
func BenchmarkStep(b *testing.B) {
	at := func(script string) *world {
		w := newWorld(modelPlans()[0])
		for _, word := range strings.Fields(script) {
			a, _ := actionOf(word)
			w.do(a)
		}
		return w
	}
	boards := at("done read car-moves car-moves door-opens read")
	if boards.ride(0).Permit.N == 0 {
		b.Fatal("no permit to decide on")
	}
	waits := at("done read")
	run := func(name string, w *world, input func(now elevator.Instant) Input) {
		b.Run(name, func(b *testing.B) {
			s, now := w.site.Clone(), w.now
			var out []Output
			b.ReportAllocs()
			for b.Loop() {
				now++
				out = s.Step(input(now), now, out[:0])
			}
		})
	}
	reads := func(w *world) func(elevator.Instant) Input {
		seen := &Seen{Lift: "L1", Car: w.shown}
		return func(now elevator.Instant) Input {
			c := &seen.Car
			c.Floor.At, c.Motion.At, c.Mode.At, c.Doors[front].At = now, now, now, now
			c.Nudging.At, c.Overload.At, c.EmergencyStop.At, c.Obstruction.At = now, now, now, now
			return seen
		}
	}
	run("permit", boards, reads(boards))
	run("waiting", waits, reads(waits))
	run("tick", boards, func(elevator.Instant) Input { return Tick{} })
	seq := uint64(1000)
	run("heartbeat", waits, func(elevator.Instant) Input {
		seq++
		return Heartbeat{Robot: "R1", Signal: fsm.Signal{Boot: "b", Seq: seq, Battery: -1, View: fsm.RobotView{Where: fsm.AtLanding}}}
	})
}
