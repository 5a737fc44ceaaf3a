package opcua

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// CT-2: a write by hand that is not wanted any more in its turn never leaves.
func TestPokeAsksInItsTurn(t *testing.T) {
	t.Parallel()
	b, l := opened(t, drivers.Env{Now: clock()}, nil)
	b.Show(drivertest.Face{Floor: 3})
	b.shown(t, l, "the floor", func(s elevator.Snapshot) bool { return s.Floor.Value == 3 })
	ctx := drivers.AskFirst(context.Background(), func() error { return errors.New("ride R1 holds the lift") })
	o := l.Poke(ctx, elevator.CommandID{Ride: "hand", N: 1}, "car_call value=2")
	if o.Result != elevator.NotSent || !strings.Contains(o.Detail, "ride R1") || len(b.Pressed()) != 0 {
		t.Errorf("%+v, felt %v", o, b.Pressed())
	}
}
