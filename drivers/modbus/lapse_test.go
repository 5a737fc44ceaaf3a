package modbus

import (
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// RD-7: a lapse that nobody acknowledged may have let the door go: no crossing relies on
// the hold any more.
func TestLapseUnproven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		k.Power(true)
		env := drivers.Env{Now: clock(), Dial: k.dial}
		k.Show(drivertest.Face{Floor: 1, Door: elevator.DoorOpen})
		l := benchLink(t, env, asItIs)
		hold := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.Hold, Floor: 1, Side: elevator.Front, Until: env.Now().Add(time.Minute)}
		if out := l.Do(t.Context(), hold); out.Result != elevator.Done || held(t, l) == 0 {
			t.Fatalf("%+v", out)
		}
		k.Spoil(drivertest.Silent, true)
		lapse := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 2}, Verb: elevator.Lapse, Floor: 1, Side: elevator.Front, Until: env.Now().Add(time.Minute)}
		if out := l.Do(t.Context(), lapse); out.Result != elevator.ResultUnknown || held(t, l) != 0 {
			t.Errorf("%+v, held until %d", out, held(t, l))
		}
		l.Close()
		k.Power(false)
	})
}

// held is the end of the front door's hold as the link knows it, though the line may be
// down just now.
func held(t *testing.T, l drivers.Link) elevator.Instant {
	t.Helper()
	s, _ := l.Read(t.Context())
	return s.Holds[elevator.Front]
}
