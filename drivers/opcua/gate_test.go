package opcua

import (
	"bytes"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

func carCall(now func() elevator.Instant, n uint32) elevator.Command {
	return elevator.Command{
		ID: elevator.CommandID{Ride: "r", N: n}, Verb: elevator.CarCall, Floor: 2,
		Side: elevator.Front, Until: now().Add(time.Minute),
	}
}

// DR-8: a command whose gate is not seen is refused before a byte of it leaves; what was
// not answered for sure is done where the lift shows it, and is said once.
func TestGateAndConfirm(t *testing.T) {
	now := clock()
	b, l := opened(t, drivers.Env{Now: now}, func(s *drivers.Spec) {
		s.Profile = bytes.Replace(s.Profile, []byte("  car_call: {send"), []byte("  car_call: {gate: [{point: door, is: [open]}], confirm: {seen: [{point: floor, is: [wire]}], within: 10s}, send"), 1)
	})
	door := func(f drivertest.Face) {
		b.Show(f)
		b.shown(t, l, "the door", func(s elevator.Snapshot) bool { return s.Doors[elevator.Front].Value == f.Door })
	}
	door(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorClosed})
	if o := l.Do(t.Context(), carCall(now, 1)); o.Result != elevator.Refused || len(b.Pressed()) != 0 {
		t.Errorf("behind a closed door: %+v, %d presses", o, len(b.Pressed()))
	}
	door(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
	b.Spoil(drivertest.Silent, true)
	time.AfterFunc(time.Second, func() {
		b.Show(drivertest.Face{Floor: 2, Motion: elevator.Stopped, Door: elevator.DoorOpen})
	})
	if o := l.Do(t.Context(), carCall(now, 2)); o.Result != elevator.Done || len(b.Pressed()) != 1 {
		t.Errorf("the floor shows it: %+v, %d presses", o, len(b.Pressed()))
	}
}

// IL-6: what may close a door is not said by itself, though it ends what began.
func TestOwedThatMayClose(t *testing.T) {
	now := clock()
	b, l := opened(t, drivers.Env{Now: now}, func(s *drivers.Spec) {
		s.Profile = bytes.Replace(s.Profile, []byte("owed: true}"), []byte("owed: true, may_close: true}"), 1)
	})
	b.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
	b.shown(t, l, "the door", func(s elevator.Snapshot) bool { return s.Doors[elevator.Front].Value == elevator.DoorOpen })
	if o := l.Do(t.Context(), carCall(now, 1)); o.Result != elevator.Done {
		t.Errorf("%+v", o)
	}
	_ = l.Close()
	if !b.Level() {
		t.Error("the output was let go")
	}
}
