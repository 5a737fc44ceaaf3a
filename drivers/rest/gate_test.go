package rest

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/carry"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// gated has a link whose car call needs an open door, dies within two seconds and is
// proven by the floor.
func gated(t *testing.T, play func(t *testing.T, v *vendor, l *link, now func() elevator.Instant)) {
	synctest.Test(t, func(t *testing.T) {
		now, v := clock(), newVendor()
		v.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorClosed})
		v.Power(true)
		s := linkSpec(t, "http://lifts.example/api?lift=A", "testdata/plain.yaml")
		s.Profile = bytes.Replace(s.Profile, []byte("  car_call: {"), []byte("  car_call: {gate: [{point: door, is: [open]}], ttl: 2s, confirm: {seen: [{point: floor, is: [wire]}], within: 3s}, "), 1)
		l, err := opener(t, drivers.Env{Now: now, Dial: v.dial}, s).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer v.Power(false)
		defer func() { _ = l.Close() }()
		time.Sleep(1050 * time.Millisecond) // never at the very instant of a poll
		play(t, v, l.(*link), now)
	})
}

// DR-8: a command whose gate is not seen is refused before a byte of it leaves.
func TestGate(t *testing.T) {
	gated(t, func(t *testing.T, v *vendor, l *link, now func() elevator.Instant) {
		if o := l.Do(t.Context(), command(now, 1, elevator.CarCall)); o.Result != elevator.Refused || len(v.Pressed()) != 0 {
			t.Errorf("behind a closed door: %+v, %d presses", o, len(v.Pressed()))
		}
		v.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		time.Sleep(time.Second)
		if o := l.Do(t.Context(), command(now, 2, elevator.CarCall)); o.Result != elevator.Done || len(v.Pressed()) != 1 {
			t.Errorf("with the door open: %+v, %d presses", o, len(v.Pressed()))
		}
	})
}

// DR-8: what was not answered for sure is done where the lift shows it, and else
// unknown; it is said once.
func TestConfirm(t *testing.T) {
	gated(t, func(t *testing.T, v *vendor, l *link, now func() elevator.Instant) {
		v.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		time.Sleep(time.Second)
		v.Spoil(drivertest.Silent, true)
		if o := l.Do(t.Context(), command(now, 1, elevator.CarCall)); o.Result != elevator.ResultUnknown {
			t.Errorf("nothing shows it: %+v", o)
		}
		time.AfterFunc(1500*time.Millisecond, func() {
			v.Show(drivertest.Face{Floor: 2, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		})
		if o := l.Do(t.Context(), command(now, 2, elevator.CarCall)); o.Result != elevator.Done || len(v.Pressed()) != 2 {
			t.Errorf("the floor shows it: %+v, %d presses", o, len(v.Pressed()))
		}
	})
}

// DR-8: a command waits behind another one no longer than its profile lets it live, and
// a raw write not for ever.
func TestWaitsEnd(t *testing.T) {
	gated(t, func(t *testing.T, v *vendor, l *link, now func() elevator.Instant) {
		resume := l.flow.Still(t.Context())
		begun := now()
		if o := l.Do(t.Context(), command(now, 1, elevator.CarCall)); o.Result != elevator.NotSent || o.At.Sub(begun) != 2*time.Second {
			t.Errorf("a call of 2 s: %+v after %s", o, o.At.Sub(begun))
		}
		begun = now()
		o := l.Poke(context.WithoutCancel(t.Context()), elevator.CommandID{Ride: "hand", N: 1}, "press floor=2 direction=car")
		if o.Result != elevator.NotSent || o.At.Sub(begun) != carry.HandLife {
			t.Errorf("by hand: %+v after %s", o, o.At.Sub(begun))
		}
		resume()
		time.Sleep(time.Minute)
		if n := len(v.Pressed()); n != 0 {
			t.Errorf("%d presses came later", n)
		}
	})
}
