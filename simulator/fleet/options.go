package fleet

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"
)

// Limits of what can be asked for.
const (
	maxGateways = 100_000 // as many things as the stand-in cloud keeps
	maxRides    = 100_000 // a day and gateway
	maxStorms   = 100
)

// Options say how many gateways there are and what befalls them. Gateways and
// Broker are required; For too, unless it shall go on until the context ends.
type Options struct {
	Gateways int
	Broker   string        // mqtt://host[:port]
	For      time.Duration // of life, between the arrival and the end; 0 = until the context ends

	RidesPerDay   float64       // of each gateway; 0 = 20, below 0 = none
	Storms        int           // spread evenly over For: all connections are cut at once
	Drift         time.Duration // wall clocks are off by up to so much either way
	OnlinePercent float64       // others are without power, in turn; 0 = 97
	DropsPerHour  float64       // connections cut, of each gateway; 0 = 1, below 0 = none
	Settings      int           // wished by the operator during For; 0 = one for each fifth gateway, below 0 = none
	Spread        time.Duration // the client's window for the first attempt; 0 = 30 s as shipped, below 0 = none

	Name     string // before the number in serials and client ids; "" = fleet
	Seed     uint64 // of everything random that is ours
	Log      *slog.Logger
	Progress func(Progress) // once a second, from one goroutine; it must not block
}

var errOptions = errors.New("fleet options")

// filled puts in what was left out.
func (o Options) filled() Options {
	o.RidesPerDay = orFloat(o.RidesPerDay, 20)
	o.OnlinePercent = orFloat(o.OnlinePercent, 97)
	o.DropsPerHour = orFloat(o.DropsPerHour, 1)
	if o.Settings == 0 {
		o.Settings = max(1, o.Gateways/5)
	}
	if o.Spread == 0 {
		o.Spread = 30 * time.Second
	}
	o.Settings, o.Spread = max(0, o.Settings), max(0, o.Spread)
	if o.Name == "" {
		o.Name = "fleet"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func orFloat(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return max(0, v)
}

// Check says what [Run] would refuse, before anything is started for it.
func (o Options) Check() error { return o.filled().check() }

func (o Options) check() error {
	switch {
	case o.Gateways < 1 || o.Gateways > maxGateways:
		return fmt.Errorf("%w: %d gateways, want 1 to %d", errOptions, o.Gateways, maxGateways)
	case o.For < 0:
		return fmt.Errorf("%w: a life of %s", errOptions, o.For)
	case !(o.RidesPerDay <= maxRides):
		return fmt.Errorf("%w: %g rides a day, at most %d", errOptions, o.RidesPerDay, maxRides)
	case o.Storms < 0 || o.Storms > maxStorms:
		return fmt.Errorf("%w: %d storms, want 0 to %d", errOptions, o.Storms, maxStorms)
	case o.Storms > 0 && o.For == 0:
		return fmt.Errorf("%w: storms are spread over a life that has an end", errOptions)
	case o.Drift < 0 || o.Drift > 24*time.Hour:
		return fmt.Errorf("%w: clocks off by %s, want 0 to 24h", errOptions, o.Drift)
	case !(o.OnlinePercent <= 100):
		return fmt.Errorf("%w: %g %% online", errOptions, o.OnlinePercent)
	case !(o.DropsPerHour <= 3600):
		return fmt.Errorf("%w: %g drops an hour, at most 3600", errOptions, o.DropsPerHour)
	case !validName(o.Name):
		return fmt.Errorf("%w: name %.40q, want 1 to 32 of A-Z a-z 0-9 _ -", errOptions, o.Name)
	}
	_, err := brokerAddr(o.Broker)
	return err
}

func validName(s string) bool {
	if len(s) > 32 {
		return false
	}
	for _, c := range []byte(s) {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return s != ""
}

// brokerAddr is host:port of a broker without TLS: ten thousand handshakes would
// measure the machine's cipher and not the sync.
func brokerAddr(broker string) (string, error) {
	u, err := url.Parse(broker)
	if err != nil || u.Scheme != "mqtt" || u.Hostname() == "" {
		return "", fmt.Errorf("%w: the broker is written mqtt://host[:port], without TLS, not %.80q", errOptions, broker)
	}
	port := u.Port()
	if port == "" {
		port = "1883"
	}
	return net.JoinHostPort(u.Hostname(), port), nil
}
