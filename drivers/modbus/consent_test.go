package modbus

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

// CT-2: a write by hand is asked for once more when its turn on the line has come, not
// when it is queued: a no by then, and no byte of it leaves.
func TestPokeAsksInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		k.Power(true)
		k.Show(drivertest.Face{Floor: 3, Motion: elevator.Stopped, Door: elevator.DoorClosed})
		l := benchLink(t, drivers.Env{Now: clock(), Dial: k.dial}, asItIs)
		var taken atomic.Bool
		ctx := drivers.AskFirst(t.Context(), func() error {
			if taken.Load() {
				return errors.New("ride R1 holds the lift")
			}
			return nil
		})
		busy, free := make(chan struct{}), make(chan struct{})
		port, err := l.probing.lines.Join(l.to.line, fieldbus.Member{Unit: l.to.unit, Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_ = port.Diag(context.Background(), func(*fieldbus.Wire) error { close(busy); <-free; return nil })
		}()
		<-busy
		end := make(chan elevator.Outcome)
		go func() { end <- l.Poke(ctx, elevator.CommandID{Ride: "hand", N: 1}, "holding:2=5") }()
		synctest.Wait() // it stands in the queue
		taken.Store(true)
		close(free)
		if o := <-end; o.Result != elevator.NotSent || !strings.Contains(o.Detail, "ride R1") {
			t.Errorf("%+v", o)
		}
		taken.Store(false)
		if o := l.Poke(ctx, elevator.CommandID{Ride: "hand", N: 2}, "holding:2=4"); o.Result != elevator.Done {
			t.Errorf("free again: %+v", o)
		}
		if got := k.Pressed(); len(got) != 1 || got[0].Floor != 4 {
			t.Errorf("felt %v", got)
		}
		_ = port.Close()
		l.Close()
		k.Power(false)
	})
}
