package pubsub

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// CT-2: a write by hand waits for the command that is under way, and is not published
// when it is not wanted any more in its turn.
func TestPokeAsksInItsTurn(t *testing.T) {
	playing(t, bench(t), "mqtt://broker?site=A", func(b *bus, l *link) {
		ctx := drivers.AskFirst(context.Background(), func() error { return errors.New("ride R1 holds the lift") })
		o := l.Poke(ctx, elevator.CommandID{Ride: "hand"}, `call floor=3 direction=1`)
		if o.Result != elevator.NotSent || !strings.Contains(o.Detail, "ride R1") || len(b.Pressed()) != 0 {
			t.Errorf("%+v, felt %v", o, b.Pressed())
		}
	})
}
