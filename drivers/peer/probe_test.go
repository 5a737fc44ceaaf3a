package peer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// CT-2: a technician may look at the other gateway by the link's own way, and write
// nothing.
func TestProbe(t *testing.T) {
	inBubble(t, func(b *bench) {
		p, ok := drivers.As[drivers.Prober](b.link)
		if !ok {
			t.Fatal("the link is no Prober")
		}
		asked := b.now()
		got, err := p.Peek(context.Background(), "/v1/lifts/L7")
		if err != nil || !strings.Contains(got.Text, `"what_a_newer_one_tells":1`) || got.At != asked {
			t.Errorf("%+v, %v", got, err)
		}
		for _, q := range []string{"", "lift", "/v1/events", "/v1/events?lift=L1", "/healthz", "http://elsewhere/v1/", "/v1/\x00"} {
			if _, err := p.Peek(context.Background(), q); !errors.Is(err, drivers.ErrConfig) {
				t.Errorf("%q: %v", q, err)
			}
		}
		before := len(b.far.Pressed())
		o := p.Poke(context.Background(), elevator.CommandID{Ride: "x", N: 1}, "/v1/rides")
		if _, err := p.Preview("/v1/rides"); !errors.Is(err, drivers.ErrNotCapable) || o.Result != elevator.NotSent || len(b.far.Pressed()) != before {
			t.Errorf("%+v, %v", o, err)
		}
	})
}
