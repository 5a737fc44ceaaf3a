package cloud

import (
	"cmp"
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

	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/mqttlink"
	"hoistway/sync/replica"
	"hoistway/sync/shadow"
)

const (
	inboxSize   = 1 << 16 // requests that wait for the rules: a fleet that comes back is a burst
	together    = 256     // requests that are made durable by one commit
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
	// Dir is where documents, commands and the desk's rows are kept; "" keeps them in
	// memory, and they end with the process. Store is another authority than a file there.
	Dir   string
	Store replica.Store
	Rules rules.Options
	Zone  int64 // seconds east of UTC, of the nightly inspection
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

	hot   *hot // documents for readers
	store replica.Store
	close func() error // the store, when it is ours
	rules rules.Options
	zone  int64

	mu       sync.Mutex
	service  *rules.Service
	desk     *ops.Desk
	seenAt   int64 // epoch seconds of the turn that goes on
	watchers map[chan Event]bool
	faults   []Fault
	held     map[int]parcel // by lane
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
		rules:    o.Rules,
		zone:     o.Zone,
		watchers: map[chan Event]bool{},
		held:     map[int]parcel{},
	}
	c.hot = newHot(c.authority)
	for i := range c.queues {
		c.queues[i] = make(chan parcel, queueSize)
	}
	if c.post == nil {
		c.post = func(shadow.Message) (int, time.Duration) { return 1, 0 }
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if err := c.open(o); err != nil {
		return nil, err
	}
	if err := c.reach(o); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// reach makes the broker, if it is to be ours, and the link to it.
func (c *Cloud) reach(o Options) (err error) {
	if o.Broker == "" {
		if c.broker, err = newBroker(cmp.Or(o.Listen, loopback), o.ListenOn); err != nil {
			return err
		}
		c.url = c.broker.url()
	}
	c.link, err = mqttlink.New(mqttlink.Options{
		Broker: c.url, ClientID: "cloud-" + rand.Text()[:10], Topics: c.service.Filters(), Log: c.log, Dial: o.Dial,
	})
	if err != nil && c.broker != nil {
		err = errors.Join(err, c.broker.stop())
	}
	return err
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
	err := c.close()
	if c.broker != nil {
		err = errors.Join(err, c.broker.stop())
	}
	return err
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

// serve answers messages as they come, those that wait together by one commit, and
// looks each second what time has brought.
func (c *Cloud) serve(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case m := <-c.inbox:
			c.take(m)
		case <-second.C:
			c.tick()
		case <-ctx.Done():
			return
		}
	}
}

// take answers a message and those that wait behind it by one commit; where that fails,
// each for itself, so that one which cannot be kept leaves no other without an answer.
func (c *Cloud) take(m shadow.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := []shadow.Message{m}
	for len(batch) < together && len(c.inbox) > 0 {
		batch = append(batch, <-c.inbox) // there is no other reader
	}
	err := c.answer(batch...)
	if err == nil {
		return
	}
	if len(batch) == 1 {
		c.log.Error("a request is left without an answer", "topic", m.Topic, "err", err)
		return
	}
	for _, m := range batch {
		if err := c.answer(m); err != nil {
			c.log.Error("a request is left without an answer", "topic", m.Topic, "err", err)
		}
	}
}

func (c *Cloud) answer(batch ...shadow.Message) error {
	t := c.turn()
	for _, m := range batch {
		r := c.service.Take(m, t.now)
		if r.Note != "" {
			c.log.Debug("message", "topic", m.Topic, "note", r.Note)
		}
		t.take(r, "")
	}
	return t.end()
}

func (c *Cloud) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.release()
	t := c.turn()
	t.take(c.service.Tick(t.now), "")
	t.desk(c.desk.Tick(t.now))
	if err := t.end(); err != nil {
		c.log.Error("what time has brought is not kept", "err", err)
	}
	if t.now%60 == 0 {
		c.hot.sweep()
	}
}

// tell hands something to all who watch; mu is held, so that the order of versions is
// the order in which they are told.
func (c *Cloud) tell(e Event) {
	for w := range c.watchers {
		select {
		case w <- e:
		default:
			c.unwatch(w)
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
