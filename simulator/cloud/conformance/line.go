package conformance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
	"hoistway/sync/shadow/schema"
)

const firstUp = 15 * time.Second

// ErrSerial is the refusal of what no thing can be called.
var ErrSerial = errors.New("no serial")

// Line is a [Wire] over a broker. One goroutine uses it.
type Line struct {
	link   *mqttlink.Link
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// Dial opens connections; nil is the machine's own network.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// ToService connects as a client of the broker and hears what a service says to the
// thing. It waits at most 15 s for the broker.
func ToService(ctx context.Context, broker, serial string, dial Dial) (*Line, error) {
	return open(ctx, broker, serial, schema.Service, dial)
}

// ToDevice is [ToService] for what the thing says.
func ToDevice(ctx context.Context, broker, serial string, dial Dial) (*Line, error) {
	return open(ctx, broker, serial, schema.Device, dial)
}

func open(ctx context.Context, broker, serial string, hear schema.Speaker, dial Dial) (*Line, error) {
	if !shadow.ValidName(serial) {
		return nil, fmt.Errorf("%w: %q is not 1 to 64 letters, digits, : _ -", ErrSerial, serial)
	}
	var topics []string
	for _, f := range schema.Filters(hear) {
		topics = append(topics, Options{Serial: serial}.x()+f)
	}
	link, err := mqttlink.New(mqttlink.Options{
		Broker: broker, ClientID: "check-" + rand.Text()[:10], Topics: topics, Dial: dial, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	l := &Line{link: link}
	run, cancel := context.WithCancel(ctx)
	l.cancel = cancel
	l.ended.Go(func() { _ = link.Run(run) }) // always nil
	wait, done := context.WithTimeout(ctx, firstUp)
	defer done()
	why := errors.New("no answer")
	for {
		select {
		case e := <-link.Events():
			if e.Kind == shadow.LinkUp {
				return l, nil
			}
			if e.Err != nil {
				why = e.Err
			}
		case <-wait.Done():
			l.Close()
			return nil, fmt.Errorf("no connection to broker %s in %s: %w", broker, firstUp, why)
		}
	}
}

// Close ends the connection.
func (l *Line) Close() {
	l.cancel()
	l.ended.Wait()
}

// Publish implements [Wire].
func (l *Line) Publish(ctx context.Context, m shadow.Message) error { return l.link.Publish(ctx, m) }

// Receive implements [Wire].
func (l *Line) Receive(ctx context.Context) (shadow.Message, error) {
	for {
		select {
		case e := <-l.link.Events():
			switch e.Kind {
			case shadow.LinkMessage:
				return e.Message, nil
			case shadow.LinkDown:
				return shadow.Message{}, fmt.Errorf("the connection to the broker is lost: %w", e.Err)
			}
		case <-ctx.Done():
			return shadow.Message{}, ctx.Err()
		}
	}
}
