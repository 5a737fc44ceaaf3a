package pubsub

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// gated plays with a link whose car call needs an open door and is proven by the floor.
func gated(t *testing.T, play func(t *testing.T, b *bus, do func(n uint32) elevator.Outcome)) {
	synctest.Test(t, func(t *testing.T) {
		now, b := clock(), newBus()
		src := strings.Replace(bench(t), "  car_call: {", "  car_call: {gate: [{point: door, is: [open]}], ttl: 2s, confirm: {seen: [{point: floor, is: [wire]}], within: 3s}, ", 1)
		b.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorClosed})
		b.Power(true)
		defer b.Power(false)
		l, err := made(t, drivers.Env{Now: now, PubSub: b.open}, "mqtt://broker?site=A", src).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		time.Sleep(time.Second)
		play(t, b, func(n uint32) elevator.Outcome {
			return l.Do(t.Context(), elevator.Command{
				ID: elevator.CommandID{Ride: "r", N: n}, Verb: elevator.CarCall, Floor: 2,
				Side: elevator.Front, Until: now().Add(time.Minute),
			})
		})
	})
}

// DR-8: a command whose gate is not seen is refused before a byte of it leaves.
func TestGate(t *testing.T) {
	gated(t, func(t *testing.T, b *bus, do func(uint32) elevator.Outcome) {
		if o := do(1); o.Result != elevator.Refused || len(b.Pressed()) != 0 {
			t.Errorf("behind a closed door: %+v, %d presses", o, len(b.Pressed()))
		}
		b.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		time.Sleep(time.Second)
		if o := do(2); o.Result != elevator.Done || len(b.Pressed()) != 1 {
			t.Errorf("with the door open: %+v, %d presses", o, len(b.Pressed()))
		}
	})
}

// DR-8: what was not answered for sure is done where the lift shows it, and is said once.
func TestConfirm(t *testing.T) {
	gated(t, func(t *testing.T, b *bus, do func(uint32) elevator.Outcome) {
		b.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		time.Sleep(time.Second)
		b.Spoil(drivertest.Silent, true)
		time.AfterFunc(1500*time.Millisecond, func() {
			b.Show(drivertest.Face{Floor: 2, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		})
		if o := do(1); o.Result != elevator.Done || len(b.Pressed()) != 1 {
			t.Errorf("the floor shows it: %+v, %d presses", o, len(b.Pressed()))
		}
	})
}

// IL-6: what may close a door is not said by itself, though it ends what began.
func TestOwedThatMayClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now, b := clock(), newBus()
		b.Power(true)
		defer b.Power(false)
		src := strings.Replace(bench(t), "owed: true}", "owed: true, may_close: true}", 1)
		l, err := made(t, drivers.Env{Now: now, PubSub: b.open}, "mqtt://broker?site=A", src).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		l.Do(t.Context(), elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.CarCall, Floor: 2, Until: now().Add(time.Minute)})
		time.Sleep(10 * time.Second)
		_ = l.Close()
		if !b.Level() {
			t.Error("the output was let go")
		}
	})
}
