package serial

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// CT-2: a write by hand that is not wanted any more in its turn never leaves.
func TestPokeAsksInItsTurn(t *testing.T) {
	onBench(t, func(b *bench) {
		p, _ := drivers.As[drivers.Prober](b.link)
		ctx := drivers.AskFirst(context.Background(), func() error { return errors.New("ride R1 holds the lift") })
		o := p.Poke(ctx, elevator.CommandID{Ride: "hand", N: 1}, "up floor=2")
		if o.Result != elevator.NotSent || !strings.Contains(o.Detail, "ride R1") || len(b.board.Pressed()) != 0 {
			b.Errorf("%+v, felt %v", o, b.board.Pressed())
		}
	})
}
