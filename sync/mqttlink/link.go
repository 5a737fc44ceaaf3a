package mqttlink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"hoistway/sync/shadow"
)

// What Publish and LinkDown say, by errors.Is.
var (
	ErrDown     = errors.New("not connected to the broker")
	ErrLost     = errors.New("connection to the broker was lost")
	ErrRefused  = errors.New("broker refused a subscription")
	ErrNoAck    = errors.New("broker did not acknowledge in time")
	ErrOverflow = errors.New("messages came faster than they were taken")
)

// Link is one uplink. Run it once; Publish and Events are for any goroutine.
type Link struct {
	o      Options
	target target
	log    *slog.Logger
	events chan shadow.LinkEvent
	live   atomic.Pointer[connection] // between LinkUp and LinkDown
}

// New checks the options. It dials nothing.
func New(o Options) (*Link, error) {
	t, err := o.parse()
	if err != nil {
		return nil, err
	}
	o.Topics = slices.Clone(o.Topics)
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Link{
		o: o, target: t,
		log:    log.With("broker", t.addr),
		events: make(chan shadow.LinkEvent, eventsSize),
	}, nil
}

// Events tells of each connection in order: LinkUp, its messages, LinkDown with
// the reason; a failed attempt is a LinkDown alone. Each must be taken: when the
// buffers are full the connection is dropped, since a message lost in silence
// would be taken for one that never was. The channel is never closed; stop
// reading when Run has returned.
func (l *Link) Events() <-chan shadow.LinkEvent { return l.events }

// Run connects, and connects again, until ctx ends; then it says goodbye to the
// broker, so that no will is sent, and returns nil.
func (l *Link) Run(ctx context.Context) error {
	p := newPace(l.o.Seed, l.o.ConnectSpread)
	p.longest = l.o.LongestPause
	for {
		pause := p.next()
		l.log.Debug("next attempt to connect", "in", pause)
		if !sleep(ctx, pause) {
			return nil
		}
		lived, err := l.once(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if lived > 0 {
			p.lost(lived)
			l.log.Warn("connection lost", "err", err, "lived", lived)
		} else {
			p.failed()
			l.log.Warn("connection failed", "err", err, "attempts", p.fails)
		}
		l.emit(ctx, shadow.LinkEvent{Kind: shadow.LinkDown, Err: err})
	}
}

// once carries one connection from the dial to its end. lived is 0 if it never
// came up.
func (l *Link) once(ctx context.Context) (lived time.Duration, err error) {
	var will *shadow.Message
	if l.o.BeforeConnect != nil {
		if will, err = l.o.BeforeConnect(ctx); err != nil {
			return 0, fmt.Errorf("prepare to connect: %w", err)
		}
	}
	c := newConnection(ctx, l, will)
	defer func() { c.end(ctx.Err() != nil) }()
	if err := c.connect(ctx); err != nil {
		return 0, fmt.Errorf("connect: %w", err)
	}
	if err := c.subscribe(ctx, l.o.Topics); err != nil {
		return 0, fmt.Errorf("subscribe: %w", err)
	}
	l.log.Info("connected")
	start := time.Now()
	l.live.Store(c)
	defer l.live.Store(nil)
	l.emit(ctx, shadow.LinkEvent{Kind: shadow.LinkUp})
	err = l.pump(ctx, c)
	return max(time.Since(start), 1), err
}

// pump hands messages on until the connection is dead, then what is left of them.
func (l *Link) pump(ctx context.Context, c *connection) error {
	for {
		select {
		case m := <-c.inbox:
			l.emit(ctx, shadow.LinkEvent{Kind: shadow.LinkMessage, Message: m})
		case <-ctx.Done():
			return ctx.Err()
		case <-c.dead:
			for len(c.inbox) > 0 {
				l.emit(ctx, shadow.LinkEvent{Kind: shadow.LinkMessage, Message: <-c.inbox})
			}
			return c.why()
		}
	}
}

func (l *Link) emit(ctx context.Context, e shadow.LinkEvent) {
	select {
	case l.events <- e:
	case <-ctx.Done():
	}
}

// Publish sends one message, QoS 0 or 1. nil means: for QoS 1 that the broker has
// acknowledged it on a connection that still lives, which proves no right to
// publish there; for QoS 0 that it went onto the socket. After any error the
// broker may or may not have it: send it again, and let receivers tell doubles
// apart. It waits for at most ackTimeout, and when ctx ends; a socket that is
// stuck at that very moment can add writeTimeout.
func (l *Link) Publish(ctx context.Context, m shadow.Message) error {
	if err := checkMessage(m); err != nil {
		return err
	}
	c := l.live.Load()
	if c == nil {
		return ErrDown
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.publish(ctx, m); err != nil {
		return fmt.Errorf("publish on %s: %w", m.Topic, err)
	}
	return nil
}

// Subscribe asks for more topics with QoS 1, on the connection of now: after the next
// LinkUp they have to be asked for anew. An error that wraps ErrRefused leaves the
// connection as it was; any other is its end.
func (l *Link) Subscribe(ctx context.Context, topics ...string) error {
	for _, t := range topics {
		if t == "" || len(t) > maxTopicSize {
			return fmt.Errorf("subscribe: topic filter of %d bytes", len(t))
		}
	}
	c := l.live.Load()
	if c == nil {
		return ErrDown
	}
	if err := c.subscribeMore(ctx, topics); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	return nil
}

func checkMessage(m shadow.Message) error {
	if m.QoS > 1 {
		return fmt.Errorf("publish on %s: QoS %d is not supported", m.Topic, m.QoS)
	}
	if m.Topic == "" || len(m.Topic) > maxTopicSize || hasWildcard(m.Topic) {
		return fmt.Errorf("publish: topic %.80q", m.Topic)
	}
	if len(m.Payload) > shadow.MaxMessage {
		return fmt.Errorf("publish on %s: %d bytes, at most %d", m.Topic, len(m.Payload), shadow.MaxMessage)
	}
	return nil
}

func hasWildcard(topic string) bool {
	return slices.ContainsFunc([]byte(topic), func(b byte) bool { return b == '#' || b == '+' || b == 0 })
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
