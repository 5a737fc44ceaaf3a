package rest

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// CT-2: a write by hand is asked for once more when its turn has come, behind the
// command that was under way: a no by then, and nothing is sent.
func TestPokeAsksInItsTurn(t *testing.T) {
	gated(t, func(t *testing.T, v *vendor, l *link, now func() elevator.Instant) {
		v.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		time.Sleep(time.Second)
		var taken atomic.Bool
		ctx := drivers.AskFirst(t.Context(), func() error {
			if taken.Load() {
				return errors.New("ride R1 holds the lift")
			}
			return nil
		})
		resume := l.flow.Still(t.Context())
		end := make(chan elevator.Outcome)
		go func() {
			end <- l.Poke(ctx, elevator.CommandID{Ride: "hand", N: 1}, "press floor=2 direction=car")
		}()
		synctest.Wait() // it stands in the queue
		taken.Store(true)
		resume()
		if o := <-end; o.Result != elevator.NotSent || !strings.Contains(o.Detail, "ride R1") || len(v.Pressed()) != 0 {
			t.Errorf("%+v, %d presses", o, len(v.Pressed()))
		}
	})
}
