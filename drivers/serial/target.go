package serial

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
	"hoistway/drivers/profiles"
)

// Schemes of link URLs.
const (
	Scheme    = "serial"
	SchemeTCP = "serial+tcp"
	SchemeUDP = "serial+udp"
)

// target is a checked link URL.
type target struct {
	line    fieldbus.Spec
	frames  *profiles.Frames // as they are at this link
	timeout time.Duration
}

// parseTarget reads a link URL; it tells the first fault. What it does not know is a
// parameter of the profile.
func parseTarget(u *url.URL, p *profiles.Profile) (target, error) {
	t := target{timeout: p.Frames().Within()}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return t, fmt.Errorf("the part after ?: %w", err)
	}
	in := params{q: q}
	missing := time.Second
	if u.Scheme == Scheme {
		t.line, missing = in.serialLine(u), 500*time.Millisecond
	} else {
		t.line = in.netLine(u)
	}
	if t.timeout == 0 {
		t.timeout = missing
	}
	t.timeout = in.duration("timeout", t.timeout, 10*time.Millisecond, 30*time.Second)
	set := in.site(p.Frames().Params())
	if in.nothingElse(p.Frames().Params()); in.err != nil {
		return t, in.err
	}
	t.line.Speech, t.line.Blind = "frames of "+p.ID, !p.Frames().Numbered()
	t.frames, err = p.Frames().With(set)
	return t, err
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

func (p *params) netLine(u *url.URL) fieldbus.Spec {
	s := fieldbus.Spec{Network: fieldbus.TCP}
	if u.Scheme == SchemeUDP {
		s.Network = fieldbus.UDP
		s.Listen, s.Group = p.get("listen", ""), p.get("group", "")
	}
	if u.Path != "" && u.Path != "/" || u.User != nil || u.Fragment != "" {
		p.fail("only host and port are expected before the ?")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if u.Hostname() == "" || err != nil || n == 0 {
		p.fail("no host and port: write %s://host:port", u.Scheme)
	}
	s.Address = net.JoinHostPort(u.Hostname(), u.Port())
	return s
}

func (p *params) serialLine(u *url.URL) fieldbus.Spec {
	if u.Host != "" || !strings.HasPrefix(u.Path, "/") || len(u.Path) < 2 {
		p.fail("no device: write %s:///dev/serial/by-id/…", u.Scheme)
	}
	m := drivers.SerialMode{
		Baud: p.number("baud", 9600, 300, 4_000_000), DataBits: p.number("data", 8, 5, 8),
		StopBits: p.number("stop", 1, 1, 2), Parity: p.get("parity", "none"),
	}
	if !slices.Contains([]string{"none", "even", "odd"}, m.Parity) {
		p.fail("parity %s: none, even or odd is expected", m.Parity)
	}
	return fieldbus.Spec{Network: fieldbus.Serial, Address: u.Path, Mode: m}
}

// site takes the numbers of the site.
func (p *params) site(names []string) map[string]int {
	set := map[string]int{}
	for _, name := range names {
		if v := p.get(name, ""); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil {
				p.fail("%s %s: a whole number is expected", name, v)
			}
			set[name] = n
		}
	}
	return set
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

func (p *params) duration(name string, missing, low, high time.Duration) time.Duration {
	v := p.get(name, missing.String())
	d, err := time.ParseDuration(v)
	if err != nil || d < low || d > high {
		p.fail("%s %s: a time from %s to %s is expected, as 500ms", name, v, low, high)
		return missing
	}
	return d
}

func (p *params) nothingElse(site []string) {
	for name := range p.q {
		if !slices.Contains(p.use, name) {
			p.fail("%s is not known; there are %s, and of this profile %s", name, strings.Join(p.use, ", "), strings.Join(site, ", "))
		}
	}
}
