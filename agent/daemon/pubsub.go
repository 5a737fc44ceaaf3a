package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

// longestAway bounds the wait before a broker of lifts is tried again: people stand
// before the lift.
const longestAway = 10 * time.Second

// brokers are the connections to the brokers of lifts, one for all lifts that reach one
// alike. It is what drivers know as PubSub, carried by the client of the uplink.
type brokers struct {
	make func(broker *url.URL) (*mqttlink.Link, error)
	log  *slog.Logger

	mu   sync.Mutex
	open map[string]*bus
}

func newBrokers(d Deps) *brokers {
	return &brokers{log: d.Log, open: map[string]*bus{}, make: func(u *url.URL) (*mqttlink.Link, error) { return brokerLink(u, d) }}
}

// brokerLink makes a client by the words of a link: user, password_file, ca, cert, key
// and client.
func brokerLink(u *url.URL, d Deps) (*mqttlink.Link, error) {
	q := u.Query()
	secret, err := readSecret(q.Get("password_file"))
	if err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	o := mqttlink.Options{
		Broker: u.Scheme + "://" + u.Host, ClientID: q.Get("client"), Username: q.Get("user"), Password: secret,
		Dial: d.Dial, LongestPause: longestAway, Seed: d.Seed, Log: d.Log,
	}
	if u.Scheme == "mqtts" {
		if o.TLS, err = tlsFor(q.Get("ca"), q.Get("cert"), q.Get("key")); err != nil {
			return nil, fmt.Errorf("certificates: %w", err)
		}
	}
	if o.ClientID == "" {
		o.ClientID = "hoistway-" + strings.ToLower(rand.Text()[:10])
	}
	return mqttlink.New(o)
}

// get is Env.PubSub.
func (b *brokers) get(_ context.Context, broker *url.URL) (drivers.PubSub, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := broker.String()
	x := b.open[key]
	if x == nil {
		link, err := b.make(broker)
		if err != nil {
			return nil, err
		}
		x = newBus(link, b.log)
		b.open[key] = x
	}
	x.users++
	return &busUser{bus: x, leave: func() { b.drop(key, x) }}, nil
}

// drop ends a connection that nobody uses any more.
func (b *brokers) drop(key string, x *bus) {
	b.mu.Lock()
	x.users--
	last := x.users == 0
	if last {
		delete(b.open, key)
	}
	b.mu.Unlock()
	if last {
		x.close()
	}
}

// busUser is one lift's share of a connection.
type busUser struct {
	*bus
	once  sync.Once
	leave func()
}

func (u *busUser) Close() error {
	u.once.Do(u.leave)
	return nil
}

// bus is one connection with those who listen on it.
type bus struct {
	link  *mqttlink.Link
	log   *slog.Logger
	users int // of brokers.mu
	stop  context.CancelFunc
	ctx   context.Context
	wg    sync.WaitGroup

	mu   sync.Mutex
	up   bool
	ears map[*ear]bool
	tell sync.Mutex // one delivery at a time
}

// ear is one subscription.
type ear struct {
	filter  string
	deliver func(drivers.Message)
	up      func(bool)
}

func newBus(link *mqttlink.Link, log *slog.Logger) *bus {
	x := &bus{link: link, log: log, ears: map[*ear]bool{}}
	x.ctx, x.stop = context.WithCancel(context.Background())
	x.wg.Go(func() { _ = link.Run(x.ctx) }) // it ends with ctx and nothing else
	x.wg.Go(x.listen)
	return x
}

func (x *bus) close() {
	x.stop()
	x.wg.Wait()
}

// listen takes what comes. Asking for topics waits for the broker, so it is not done here.
func (x *bus) listen() {
	for {
		select {
		case <-x.ctx.Done():
			return
		case e := <-x.link.Events():
			switch e.Kind {
			case shadow.LinkUp:
				x.wg.Go(x.again)
			case shadow.LinkDown:
				x.turn(false)
			case shadow.LinkMessage:
				x.hand(e.Message)
			}
		}
	}
}

// again asks for all topics on a new connection; only then it counts as up.
func (x *bus) again() {
	var filters []string
	for _, e := range x.all() {
		if !slices.Contains(filters, e.filter) {
			filters = append(filters, e.filter)
		}
	}
	for _, f := range filters {
		if err := x.link.Subscribe(x.ctx, f); err != nil && !errors.Is(err, mqttlink.ErrRefused) {
			return // the end of this connection is told next
		} else if err != nil {
			x.log.Error("the broker of a lift refuses a topic", "topic", f, "err", err)
		}
	}
	x.turn(true)
}

func (x *bus) turn(up bool) {
	x.tell.Lock()
	defer x.tell.Unlock()
	x.mu.Lock()
	x.up = up
	x.mu.Unlock()
	for _, e := range x.all() {
		e.up(up)
	}
}

func (x *bus) all() (out []*ear) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for e := range x.ears {
		out = append(out, e)
	}
	return out
}

func (x *bus) hand(m shadow.Message) {
	x.tell.Lock()
	defer x.tell.Unlock()
	for _, e := range x.all() {
		if matches(e.filter, m.Topic) {
			e.deliver(drivers.Message{Topic: m.Topic, Payload: m.Payload, Retained: m.Retain})
		}
	}
}

// Subscribe see [drivers.PubSub].
func (x *bus) Subscribe(filter string, deliver func(drivers.Message), up func(bool)) (func(), error) {
	e := &ear{filter, deliver, up}
	x.mu.Lock()
	x.ears[e] = true
	now := x.up
	x.mu.Unlock()
	if now {
		x.wg.Go(func() {
			if err := x.link.Subscribe(x.ctx, filter); err == nil {
				up(true)
			}
		})
	}
	return func() {
		x.tell.Lock() // what is being delivered is over then
		defer x.tell.Unlock()
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.ears, e)
	}, nil
}

// Publish see [drivers.PubSub].
func (x *bus) Publish(ctx context.Context, topic string, payload []byte, retain bool) error {
	err := x.link.Publish(ctx, shadow.Message{Topic: topic, Payload: payload, QoS: 1, Retain: retain})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, mqttlink.ErrDown):
		return fmt.Errorf("%w: %w: %w", drivers.ErrNotSent, drivers.ErrLink, err)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", drivers.ErrTimeout, err)
	}
	return fmt.Errorf("%w: %w", drivers.ErrLink, err)
}

// matches reports whether a topic is one of a filter, with its + and #.
func matches(filter, topic string) bool {
	if strings.HasPrefix(topic, "$") && !strings.HasPrefix(filter, "$") {
		return false // the broker's own are not meant
	}
	f, t := strings.Split(filter, "/"), strings.Split(topic, "/")
	for i, part := range f {
		if part == "#" {
			return true
		}
		if i >= len(t) || part != "+" && part != t[i] {
			return false
		}
	}
	return len(f) == len(t)
}
