package modbus

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
)

// Schemes of link URLs.
const (
	SchemeTCP        = "modbus+tcp"
	SchemeRTU        = "modbus+rtu"
	SchemeRTUOverTCP = "modbus+rtu+tcp"
)

// target is a checked link URL.
type target struct {
	line    fieldbus.Spec
	rtu     bool
	unit    byte
	timeout time.Duration
	timed   bool // the link says its timeout
	echo    bool // the adapter gives back what is sent
}

// parseTarget reads a link URL; it tells the first fault.
func parseTarget(u *url.URL) (target, error) {
	t := target{rtu: u.Scheme != SchemeTCP, timeout: time.Second}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return t, fmt.Errorf("the part after ?: %w", err)
	}
	p := params{q: q}
	if u.Scheme == SchemeRTU {
		t.timeout = 500 * time.Millisecond
		t.line = p.serialLine(u)
	} else {
		t.line = p.tcpLine(u, t.rtu)
	}
	t.unit = p.unit(t.rtu)
	t.timed = q.Has("timeout")
	if t.rtu {
		t.echo = p.flag("echo")
	}
	t.timeout = p.duration("timeout", t.timeout, 10*time.Millisecond, 30*time.Second)
	p.nothingElse()
	return t, p.err
}

// params takes parameters out of a query and keeps the first fault.
type params struct {
	q   url.Values
	use []string
	err error
}

func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *params) get(name, missing string) string {
	p.use = append(p.use, name)
	v, ok := p.q[name]
	if !ok {
		return missing
	}
	if len(v) > 1 {
		p.fail("%s is given %d times", name, len(v))
	}
	return v[0]
}

func (p *params) tcpLine(u *url.URL, rtu bool) fieldbus.Spec {
	s := fieldbus.Spec{Network: fieldbus.TCP, Speech: "modbus-tcp"}
	if rtu {
		s.Speech, s.Blind = "modbus-rtu", true
	}
	if u.Hostname() == "" {
		p.fail("no host: write %s://host:port", u.Scheme)
	}
	if u.Path != "" && u.Path != "/" || u.User != nil || u.Fragment != "" {
		p.fail("only host and port are expected before the ?")
	}
	port := u.Port()
	if port == "" {
		port = "502"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		p.fail("port %s: a number from 1 to 65535 is expected", port)
	}
	s.Address = net.JoinHostPort(u.Hostname(), port)
	return s
}

func (p *params) serialLine(u *url.URL) fieldbus.Spec {
	if u.Host != "" || !strings.HasPrefix(u.Path, "/") || len(u.Path) < 2 {
		p.fail("no device: write %s:///dev/serial/by-id/…", u.Scheme)
	}
	m := drivers.SerialMode{DataBits: 8}
	m.Baud = p.number("baud", 9600, 300, 4_000_000)
	m.StopBits = p.number("stop", 1, 1, 2)
	m.Parity = p.get("parity", "none")
	if !slices.Contains([]string{"none", "even", "odd"}, m.Parity) {
		p.fail("parity %s: none, even or odd is expected", m.Parity)
	}
	return fieldbus.Spec{Network: fieldbus.Serial, Address: u.Path, Mode: m, Speech: "modbus-rtu", Blind: true}
}

// unit reads the address of the device. On a line of RTU frames 0 means all of
// them and is never answered; over TCP devices answer to 0. 255 is outside the
// standard, and what some relay boards are delivered with.
func (p *params) unit(rtu bool) byte {
	low := 0
	if rtu {
		low = 1
	}
	if p.q.Get("unit") == "255" {
		_ = p.get("unit", "")
		return 255
	}
	return byte(p.number("unit", 1, low, 247))
}

func (p *params) number(name string, missing, low, high int) int {
	v := p.get(name, strconv.Itoa(missing))
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		p.fail("%s %s: a number from %d to %d is expected", name, v, low, high)
		return low
	}
	return n
}

func (p *params) flag(name string) bool {
	v := p.get(name, "off")
	if v != "on" && v != "off" {
		p.fail("%s %s: on or off is expected", name, v)
	}
	return v == "on"
}

func (p *params) duration(name string, missing, low, high time.Duration) time.Duration {
	v := p.get(name, missing.String())
	d, err := time.ParseDuration(v)
	if err != nil || d < low || d > high {
		p.fail("%s %s: a time from %s to %s is expected, as 500ms", name, v, low, high)
		return missing
	}
	return d
}

func (p *params) nothingElse() {
	for name := range p.q {
		if !slices.Contains(p.use, name) {
			p.fail("%s is not known; there are %s", name, strings.Join(p.use, ", "))
		}
	}
}
