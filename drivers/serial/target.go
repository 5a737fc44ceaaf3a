package serial

import (
	"net/url"
	"strconv"
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
	q := drivers.NewQuery(u)
	missing := time.Second
	if u.Scheme == Scheme {
		t.line, missing = fieldbus.PortLine(u, q, 0), 500*time.Millisecond
	} else {
		t.line = fieldbus.HostLine(u, q, "")
	}
	if u.Scheme == SchemeUDP {
		t.line.Network = fieldbus.UDP
		t.line.Listen, t.line.Group = q.Text("listen", ""), q.Text("group", "")
	}
	if t.timeout == 0 {
		t.timeout = missing
	}
	t.timeout = q.Duration("timeout", t.timeout, 10*time.Millisecond, 30*time.Second)
	set := site(q, p.Frames().Params())
	if q.NothingElse(); q.Err() != nil {
		return t, q.Err()
	}
	t.line.Speech, t.line.Blind = "frames of "+p.ID, !p.Frames().Numbered()
	var err error
	t.frames, err = p.Frames().With(set)
	return t, err
}

// site takes the numbers of the site.
func site(q *drivers.Query, names []string) map[string]int {
	set := map[string]int{}
	for _, name := range names {
		v := q.Text(name, "")
		if v == "" {
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil {
			q.Fail("%s %s: a whole number is expected", name, v)
		}
		set[name] = n
	}
	return set
}
