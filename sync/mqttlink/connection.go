package mqttlink

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"sync"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"hoistway/sync/shadow"
)

// connection is one client of the library, used for one connection and thrown
// away. It dies once, for the first reason it is given.
type connection struct {
	link   *Link
	client mqtt.Client
	inbox  chan shadow.Message
	dead   chan struct{} // closed by fail
	gone   chan struct{} // closed when the library has let go of a connection
	letGo  sync.Once
	asking sync.Mutex // one SUBSCRIBE at a time: the wire counts what each may be answered

	mu   sync.Mutex
	wire *wire // nil until dialled
	err  error
}

func newConnection(ctx context.Context, l *Link, will *shadow.Message) *connection {
	c := &connection{
		link:  l,
		inbox: make(chan shadow.Message, inboxSize),
		dead:  make(chan struct{}),
		gone:  make(chan struct{}),
	}
	c.client = mqtt.NewClient(c.options(ctx, will))
	return c
}

func (c *connection) options(ctx context.Context, will *shadow.Message) *mqtt.ClientOptions {
	o := mqtt.NewClientOptions().
		AddBroker("tcp://" + c.link.target.addr). // only a label: we dial ourselves
		SetClientID(c.link.o.ClientID).
		SetUsername(c.link.o.Username).
		SetPassword(c.link.o.Password).
		SetProtocolVersion(4). // else a refusal is tried again as 3.1
		SetCleanSession(true).
		SetAutoReconnect(false).
		SetConnectRetry(false).
		SetOrderMatters(false). // in order, a handler would stand in the way of acknowledgements
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(writeTimeout).
		SetKeepAlive(keepAlive).
		SetPingTimeout(pingTimeout).
		SetStore(mqtt.NewMemoryStore()). // goes with the client
		SetCustomOpenConnectionFn(func(*url.URL, mqtt.ClientOptions) (net.Conn, error) { return c.dial(ctx) }).
		SetDefaultPublishHandler(func(_ mqtt.Client, m mqtt.Message) { c.receive(m) }).
		SetConnectionLostHandler(func(_ mqtt.Client, err error) { c.lost(err) })
	if will != nil {
		o.SetBinaryWill(will.Topic, bytes.Clone(will.Payload), will.QoS, will.Retain)
	}
	return o
}

// fail ends the connection by cutting it, so that the broker sends the will: what
// it says is true now. Called from anywhere, any number of times.
func (c *connection) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	if c.wire != nil {
		c.wire.cut()
	}
	close(c.dead)
}

func (c *connection) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *connection) isDead() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

func (c *connection) lose(err error) {
	c.fail(fmt.Errorf("%w: %w", ErrLost, c.wireError(err)))
}

// lost is what the library calls when it has let go of a connection.
func (c *connection) lost(err error) {
	c.lose(err)
	c.letGo.Do(func() { close(c.gone) })
}

// wireError prefers what our own guard on the wire refused to the library's
// paraphrase of it.
func (c *connection) wireError(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wire != nil {
		if refused := c.wire.refused(); refused != nil {
			return refused
		}
	}
	return err
}

// receive runs in a goroutine of the library's for each message: it copies, and
// never waits.
func (c *connection) receive(m mqtt.Message) {
	in := shadow.Message{Topic: m.Topic(), Payload: bytes.Clone(m.Payload()), QoS: m.Qos(), Retain: m.Retained()}
	select {
	case c.inbox <- in:
	default:
		c.fail(ErrOverflow)
	}
}

func (c *connection) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	raw, conn, err := c.link.dial(ctx)
	if err != nil {
		return nil, err
	}
	w := &wire{Conn: conn, raw: raw}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil { // given up while dialling
		return nil, errors.Join(c.err, raw.Close())
	}
	c.wire = w
	return w, nil
}

// dial returns the socket and what speaks over it: TLS, or the socket itself.
func (l *Link) dial(ctx context.Context) (raw, conn net.Conn, err error) {
	dial := l.o.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	raw, err = dial(ctx, "tcp", l.target.addr)
	if err != nil || !l.target.secure {
		return raw, raw, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if l.o.TLS != nil {
		config = l.o.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(l.target.addr) // New has joined it
	}
	secured := tls.Client(raw, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, nil, errors.Join(err, raw.Close())
	}
	return raw, secured, nil
}

func (c *connection) connect(ctx context.Context) error {
	return c.wait(ctx, c.client.Connect(), 2*connectTimeout)
}

// subscribe asks for all filters, a few at a time, and looks at every answer: the
// library does not count a refused filter as an error.
func (c *connection) subscribe(ctx context.Context, topics []string) error {
	for chunk := range slices.Chunk(topics, filterChunk) {
		filters := make(map[string]byte, len(chunk))
		for _, topic := range chunk {
			filters[topic] = 1
		}
		c.expectSuback(len(chunk))
		token, _ := c.client.SubscribeMultiple(filters, nil).(*mqtt.SubscribeToken)
		if err := c.acknowledged(ctx, token); err != nil {
			return err
		}
		granted := token.Result()
		for _, topic := range chunk {
			if code, answered := granted[topic]; !answered || code > 2 {
				return fmt.Errorf("%w: %s", ErrRefused, topic)
			}
		}
	}
	return nil
}

// subscribeMore is subscribe beside whatever else asks for topics on this connection.
func (c *connection) subscribeMore(ctx context.Context, topics []string) error {
	c.asking.Lock()
	defer c.asking.Unlock()
	return c.subscribe(ctx, topics)
}

func (c *connection) expectSuback(codes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wire.expectSuback(codes)
}

func (c *connection) publish(ctx context.Context, m shadow.Message) error {
	token := c.client.Publish(m.Topic, m.QoS, m.Retain, bytes.Clone(m.Payload))
	return c.acknowledged(ctx, token)
}

// acknowledged waits for the broker's answer. Whatever else comes is the end of
// the connection: the library would never send the packet again.
func (c *connection) acknowledged(ctx context.Context, token mqtt.Token) error {
	err := c.wait(ctx, token, ackTimeout)
	if err == nil || ctx.Err() != nil {
		return err
	}
	c.lose(err)
	return c.why()
}

// wait is for a token on a connection that must outlive it. Done is the one
// sound way to ask a token: it can be completed, without an error, by the end of
// the connection, and may never be completed at all.
func (c *connection) wait(ctx context.Context, token mqtt.Token, limit time.Duration) error {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-token.Done():
	case <-c.dead:
		return c.why()
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return ErrNoAck
	}
	if err := token.Error(); err != nil {
		return err
	}
	if c.isDead() {
		return c.why()
	}
	return nil
}

// end lets go of the client. A clean end says goodbye first.
func (c *connection) end(clean bool) {
	if clean && !c.isDead() && c.client.IsConnectionOpen() {
		c.client.Disconnect(uint(quiesce.Milliseconds()))
	}
	wasOpen := c.client.IsConnectionOpen()
	c.fail(ErrDown)
	if wasOpen {
		select {
		case <-c.gone:
		case <-time.After(writeTimeout):
			c.link.log.Error("the MQTT client did not end", slog.Duration("after", writeTimeout))
		}
	}
	c.client.Disconnect(0)
}
