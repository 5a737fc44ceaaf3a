package cloud

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

const (
	inboxSize   = 1 << 16 // requests that wait for the rules: a fleet that comes back is a burst
	lanes       = 16      // answers under way at once
	queueSize   = 4096    // answers that wait in one lane
	sendLimit   = 30 * time.Second
	firstUp     = 15 * time.Second
	watcherSize = 256
	loopback    = "127.0.0.1:0"
)

// ErrForeign is what a drill on somebody else's broker gets.
var ErrForeign = errors.New("the broker is not ours to stop or start")

// Options say where the cloud lives; the zero value is a broker of its own.
type Options struct {
	Broker string // mqtt://host:port of any broker; "" = an embedded one
	Listen string // of the embedded one, loopback only; "" = a free port of 127.0.0.1
	Prefix string // before the serial in every topic; "" = hoistway/things
	// Patient starts without waiting for the broker, which may come later.
	Patient bool
	Log     *slog.Logger
	// Post plays troubles on the way from the service to its things: it is asked once
	// for each message how often it goes out, 0 loses it, and how late. Messages of one
	// lane keep their order, so that a later one waits for a late one. It must not block,
	// nor call the cloud; nil sends each once and at once.
	Post func(shadow.Message) (copies int, late time.Duration)
	// ListenOn and Dial are another network than the machine's, for a cloud that lives
	// in one process with its things; nil is the machine's own.
	ListenOn func(network, address string) (net.Listener, error)
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// Cloud runs until Close. Its methods are for any goroutine.
type Cloud struct {
	log    *slog.Logger
	url    string
	root   string  // before the serial in every topic
	broker *broker // nil with a foreign one
	link   *mqttlink.Link
	inbox  chan shadow.Message
	post   func(shadow.Message) (copies int, late time.Duration)
	queues [lanes]chan parcel
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu       sync.Mutex
	service  *rules.Service
	watchers map[chan rules.Change]bool
}

// Start brings the cloud up and, unless it is patient, waits until it hears its
// broker, at most 15 s. It ends with ctx, and is to be closed all the same.
func Start(ctx context.Context, o Options) (*Cloud, error) {
	c, err := prepare(o)
	if err != nil {
		return nil, fmt.Errorf("start cloud: %w", err)
	}
	ctx, c.cancel = context.WithCancel(ctx)
	up := make(chan struct{})
	c.ended.Go(func() { _ = c.link.Run(ctx) }) // always nil
	c.ended.Go(func() { c.listen(ctx, sync.OnceFunc(func() { close(up) })) })
	c.ended.Go(func() { c.serve(ctx) })
	for _, lane := range c.queues {
		c.ended.Go(func() { c.send(ctx, lane) })
	}
	if o.Patient {
		return c, nil
	}
	late := time.NewTimer(firstUp)
	defer late.Stop()
	select {
	case <-up:
		return c, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = fmt.Errorf("no connection to broker %s in %s", c.url, firstUp)
	}
	return nil, fmt.Errorf("start cloud: %w", errors.Join(err, c.Close()))
}

func prepare(o Options) (*Cloud, error) {
	root := o.Prefix
	if root == "" {
		root = rules.Root
	}
	c := &Cloud{
		log:      o.Log,
		url:      o.Broker,
		root:     root,
		inbox:    make(chan shadow.Message, inboxSize),
		post:     o.Post,
		service:  rules.New(root),
		watchers: map[chan rules.Change]bool{},
	}
	for i := range c.queues {
		c.queues[i] = make(chan parcel, queueSize)
	}
	if c.post == nil {
		c.post = func(shadow.Message) (int, time.Duration) { return 1, 0 }
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if o.Broker == "" {
		addr := o.Listen
		if addr == "" {
			addr = loopback
		}
		var err error
		if c.broker, err = newBroker(addr, o.ListenOn); err != nil {
			return nil, err
		}
		c.url = c.broker.url()
	}
	var err error
	c.link, err = mqttlink.New(mqttlink.Options{
		Broker: c.url, ClientID: "cloud-" + rand.Text()[:10], Topics: c.service.Filters(), Log: c.log, Dial: o.Dial,
	})
	if err != nil && c.broker != nil {
		err = errors.Join(err, c.broker.stop())
	}
	return c, err
}

// Close ends the cloud and its broker, if it has one of its own.
func (c *Cloud) Close() error {
	c.cancel()
	c.ended.Wait()
	c.mu.Lock()
	for w := range c.watchers {
		c.unwatch(w)
	}
	c.mu.Unlock()
	if c.broker == nil {
		return nil
	}
	return c.broker.stop()
}

// URL is where devices connect, as a gateway's configuration has it.
func (c *Cloud) URL() string { return c.url }

// StopBroker takes the embedded broker down, for a drill: devices lose the cloud.
func (c *Cloud) StopBroker() error {
	if c.broker == nil {
		return ErrForeign
	}
	return c.broker.stop()
}

// StartBroker brings it back on the same port.
func (c *Cloud) StartBroker() error {
	if c.broker == nil {
		return ErrForeign
	}
	return c.broker.start()
}

// listen does nothing but take messages off the link, which gives up a connection
// whose messages are not taken: rules and waiting are not its business.
func (c *Cloud) listen(ctx context.Context, up func()) {
	for {
		select {
		case e := <-c.link.Events():
			switch e.Kind {
			case shadow.LinkUp:
				up()
			case shadow.LinkMessage:
				select {
				case c.inbox <- e.Message:
				case <-ctx.Done():
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// serve answers one message after the other.
func (c *Cloud) serve(ctx context.Context) {
	for {
		select {
		case m := <-c.inbox:
			c.take(m)
		case <-ctx.Done():
			return
		}
	}
}

func (c *Cloud) take(m shadow.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.service.Take(m, time.Now().Unix())
	if r.Note != "" {
		c.log.Debug("message", "topic", m.Topic, "note", r.Note)
	}
	c.carry(r)
}

// carry queues and tells what came of one input; mu is held, so that the order of
// versions is the order of messages. What goes to one thing goes through one lane
// and stays in order. A full lane drops: who asked asks again, and who listened sees
// the hole in the versions.
func (c *Cloud) carry(r rules.Result) {
	for _, m := range r.Messages {
		c.queue(m)
	}
	for _, change := range r.Changes {
		for w := range c.watchers {
			select {
			case w <- change:
			default:
				c.unwatch(w)
			}
		}
	}
}

// laneOf goes by the thing alone.
func (c *Cloud) laneOf(topic string) int {
	serial, _, _ := strings.Cut(strings.TrimPrefix(topic, c.root+"/"), "/")
	h := fnv.New32a()
	_, _ = h.Write([]byte(serial)) // a hash never fails
	return int(h.Sum32() % lanes)
}
