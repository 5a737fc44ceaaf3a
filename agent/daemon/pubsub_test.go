package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/simulator/broker"
)

// missing skips a test for want of a Debian package, unless all are required.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("HOISTWAY_REQUIRE") == "all" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// embedded is a broker at an address; stop ends it.
func embedded(t *testing.T, addr string) (at string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.Start(ln, broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b.Addr(), func() { _ = b.Close() }
}

// waitFor takes from a channel with patience.
func waitFor[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("%s never came", what)
	}
	return v
}

// brokerCarries holds a broker to what drivers.PubSub promises.
func brokerCarries(t *testing.T, at *url.URL) {
	t.Helper()
	b := newBrokers(Deps{Log: quiet()}.filled())
	one, err := b.get(context.Background(), at)
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.get(context.Background(), at)
	if err != nil || len(b.open) != 1 {
		t.Fatalf("%v, %d connections for two lifts", err, len(b.open))
	}
	got, ups := make(chan drivers.Message, 10), make(chan bool, 10)
	stop, err := one.Subscribe("a/+/c", func(m drivers.Message) { got <- m }, func(up bool) { ups <- up })
	if err != nil {
		t.Fatal(err)
	}
	for !waitFor(t, "up", ups) {
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, topic := range []string{"a/b/d", "a/b/c"} {
		if err := two.Publish(ctx, topic, []byte("x"), true); err != nil {
			t.Fatal(err)
		}
	}
	if m := waitFor(t, "the message", got); m.Topic != "a/b/c" || string(m.Payload) != "x" || m.Retained {
		t.Errorf("%+v", m)
	}
	// A later subscription gets what was kept, marked as such.
	late := make(chan drivers.Message, 1)
	if _, err := two.Subscribe("a/b/d", func(m drivers.Message) { late <- m }, func(bool) {}); err != nil {
		t.Fatal(err)
	}
	if m := waitFor(t, "what was kept", late); !m.Retained {
		t.Errorf("%+v", m)
	}
	stop()
	if err := errors.Join(one.Close(), one.Close(), two.Close()); err != nil || len(b.open) != 0 {
		t.Errorf("%v, %d connections left", err, len(b.open))
	}
}

// DR-1: brokers of lifts, shared, with what they kept marked.
func TestBrokers(t *testing.T) {
	t.Parallel()
	at, stop := embedded(t, "127.0.0.1:0")
	defer stop()
	brokerCarries(t, &url.URL{Scheme: "mqtt", Host: at})
}

// DR-11: a broker that goes is told at once, nothing is said to have been sent, and it
// comes back with its subscriptions.
func TestBrokerGoesAndComes(t *testing.T) {
	t.Parallel()
	at, stop := embedded(t, "127.0.0.1:0")
	b := newBrokers(Deps{Log: quiet()}.filled())
	p, err := b.get(context.Background(), &url.URL{Scheme: "mqtt", Host: at})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got, ups := make(chan drivers.Message, 10), make(chan bool, 10)
	if _, err := p.Subscribe("x", func(m drivers.Message) { got <- m }, func(up bool) { ups <- up }); err != nil {
		t.Fatal(err)
	}
	for !waitFor(t, "up", ups) {
	}
	stop()
	for waitFor(t, "down", ups) {
	}
	if err := p.Publish(context.Background(), "x", nil, false); !errors.Is(err, drivers.ErrNotSent) || !errors.Is(err, drivers.ErrLink) {
		t.Errorf("%v", err)
	}
	_, stop = embedded(t, at)
	defer stop()
	for !waitFor(t, "up again", ups) {
	}
	if err := p.Publish(context.Background(), "x", []byte("1"), false); err != nil {
		t.Errorf("%v", err)
	}
	waitFor(t, "a message", got)
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		filter, topic string
		want          bool
	}{
		{"a/b", "a/b", true},
		{"a/b", "a/b/c", false},
		{"a/+", "a/b", true},
		{"a/+", "a", false},
		{"a/#", "a/b/c", true},
		{"a/#", "a", true},
		{"#", "/a", true},
		{"#", "$SYS/x", false},
		{"/a/+/c", "/a//c", true},
		{"a/+/c", "a/b/d", false},
	} {
		if got := matches(c.filter, c.topic); got != c.want {
			t.Errorf("%s on %s: %v", c.topic, c.filter, got)
		}
	}
}
