package commission

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

// World is the machine as this package sees it. The zero value is the real one.
type World struct {
	Root       string // of /dev, /proc and /sys; "" is /
	Wall       func() time.Time
	Dial       func(ctx context.Context, network, address string) (net.Conn, error)
	OpenSerial func(path string, mode drivers.SerialMode) (io.ReadWriteCloser, error)
}

func (w World) filled() World {
	if w.Root == "" {
		w.Root = "/"
	}
	if w.Wall == nil {
		w.Wall = time.Now
	}
	if w.Dial == nil {
		w.Dial = (&net.Dialer{KeepAlive: 15 * time.Second}).DialContext
	}
	if w.OpenSerial == nil {
		w.OpenSerial = fieldbus.OpenSerial
	}
	return w
}

// env makes what drivers need, with a clock that starts now.
func (w World) env(trace func(drivers.Frame)) drivers.Env {
	w = w.filled()
	start := time.Now()
	return drivers.Env{
		Now:  func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 },
		Dial: w.Dial, OpenSerial: w.OpenSerial, Trace: trace,
	}
}

func (w World) path(parts ...string) string {
	return filepath.Join(append([]string{w.filled().Root}, parts...)...)
}

// isSerial reports that a link is a serial line of this machine.
func isSerial(u *url.URL) bool { return u.Scheme == "modbus+rtu" || u.Scheme == "serial" }

// LineOf names the line of a link as its frames do: host and port, or the device.
func LineOf(u *url.URL) string {
	if isSerial(u) {
		return u.Path
	}
	return lineAt(u)
}

// SameLine reports that two links are on one line: by name, or by the device that
// two names of one port stand for.
func (w World) SameLine(a, b *url.URL) bool {
	if isSerial(a) != isSerial(b) {
		return false
	}
	if LineOf(a) == LineOf(b) {
		return true
	}
	if isSerial(a) {
		return w.device(a.Path) == w.device(b.Path)
	}
	return sameHost(a, b)
}

// sameHost reports that two links lead to one port of one machine by different names.
// A name that nobody knows is only itself.
func sameHost(a, b *url.URL) bool {
	hostA, portA, _ := net.SplitHostPort(LineOf(a))
	hostB, portB, _ := net.SplitHostPort(LineOf(b))
	if portA != portB {
		return false
	}
	of := func(host string) []string {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		addrs, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		out := []string{strings.ToLower(host)}
		for _, a := range addrs {
			out = append(out, a.Unmap().String())
		}
		return out
	}
	names := of(hostA)
	return slices.ContainsFunc(of(hostB), func(x string) bool { return slices.Contains(names, x) })
}

// device follows the links of /dev/serial to the device itself.
func (w World) device(path string) string {
	real, err := filepath.EvalSymlinks(w.path(path))
	if err != nil {
		return path
	}
	return real
}

// ModeOf reads the line settings of a serial link.
func ModeOf(u *url.URL) (drivers.SerialMode, error) {
	m := drivers.SerialMode{Baud: 9600, DataBits: 8, Parity: "none", StopBits: 1}
	q := u.Query()
	for name, into := range map[string]*int{"baud": &m.Baud, "stop": &m.StopBits} {
		if s := q.Get(name); s != "" {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 {
				return m, fmt.Errorf("link %s: %s=%s is no number", u.Redacted(), name, s)
			}
			*into = n
		}
	}
	if p := q.Get("parity"); p != "" {
		m.Parity = p
	}
	return m, nil
}

// ModeWords says line settings as technicians write them: 9600 8N1.
func ModeWords(m drivers.SerialMode) string {
	p := map[string]string{"none": "N", "even": "E", "odd": "O"}[m.Parity]
	return fmt.Sprintf("%d %d%s%d", m.Baud, m.DataBits, p, m.StopBits)
}

// timeoutOf is how long the link waits for an answer.
func timeoutOf(u *url.URL) time.Duration {
	if d, err := time.ParseDuration(u.Query().Get("timeout")); err == nil && d > 0 {
		return d
	}
	if isSerial(u) {
		return 500 * time.Millisecond
	}
	return time.Second
}
