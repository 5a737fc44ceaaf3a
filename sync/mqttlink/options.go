package mqttlink

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"time"

	"hoistway/sync/shadow"
)

// Limits of a connection. The waits are on the monotonic clock.
const (
	connectTimeout = 15 * time.Second // dial, TLS and MQTT hand-shake together
	writeTimeout   = 10 * time.Second // one packet onto the socket
	keepAlive      = 30 * time.Second
	pingTimeout    = 10 * time.Second
	ackTimeout     = 30 * time.Second // SUBACK and PUBACK
	quiesce        = 250 * time.Millisecond

	maxPacket    = 256 << 10 // bytes of one packet from the broker
	inboxSize    = 256       // messages between the library and Events
	eventsSize   = 64
	filterChunk  = 8 // filters a SUBSCRIBE: the public service takes no more
	maxTopicSize = 1024
)

// Options describe one uplink. Broker and ClientID are required.
type Options struct {
	Broker             string // mqtt://host[:1883] or mqtts://host[:8883]
	ClientID           string // unique at the broker: the common name of the certificate
	Username, Password string
	TLS                *tls.Config // of mqtts; nil = the system's roots, the broker's host name
	Topics             []string    // filters, subscribed with QoS 1 before LinkUp

	// BeforeConnect runs before each attempt, so that the owner can persist the
	// number of the session that its will carries. An error counts as a failed
	// attempt. nil: no will.
	BeforeConnect func(ctx context.Context) (will *shadow.Message, err error)

	// Dial opens the raw connection, below TLS. nil = the system's dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// ConnectSpread is the window from which the wait before the first attempt,
	// and before the first after a lost connection, is drawn: it keeps a fleet
	// from coming back all at once. 0 = at once.
	ConnectSpread time.Duration
	// LongestPause bounds the wait between attempts; 0 = five minutes.
	LongestPause time.Duration
	Seed         uint64 // of the jitter; 0 = a random one
	Log          *slog.Logger
}

var errOptions = errors.New("uplink options")

// target is where to dial, from the broker's URL.
type target struct {
	addr   string
	secure bool
}

func (o *Options) parse() (target, error) {
	u, err := url.Parse(o.Broker)
	if err != nil || u.Hostname() == "" {
		return target{}, fmt.Errorf("%w: broker is not mqtt://host:port or mqtts://host:port", errOptions)
	}
	t := target{secure: u.Scheme == "mqtts"}
	port := map[string]string{"mqtt": "1883", "mqtts": "8883"}[u.Scheme]
	switch {
	case port == "":
		return target{}, fmt.Errorf("%w: broker scheme %q, want mqtt or mqtts", errOptions, u.Scheme)
	case u.User != nil:
		return target{}, fmt.Errorf("%w: broker address carries credentials; they have settings of their own", errOptions)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return target{}, fmt.Errorf("%w: broker address has something after host and port", errOptions)
	}
	if u.Port() != "" {
		port = u.Port()
	}
	t.addr = net.JoinHostPort(u.Hostname(), port)
	return t, o.check()
}

func (o *Options) check() error {
	if o.ClientID == "" {
		return fmt.Errorf("%w: no client id", errOptions)
	}
	if o.ConnectSpread < 0 {
		return fmt.Errorf("%w: connect spread %s", errOptions, o.ConnectSpread)
	}
	for _, topic := range o.Topics {
		if topic == "" || len(topic) > maxTopicSize {
			return fmt.Errorf("%w: topic filter of %d bytes", errOptions, len(topic))
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(o.Topics)))) != len(o.Topics) {
		return fmt.Errorf("%w: a topic filter is there twice", errOptions)
	}
	return nil
}
