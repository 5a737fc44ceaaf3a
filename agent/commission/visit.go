package commission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"hoistway/drivers"
)

// Visited is what one look at a controller brought whose protocol this package
// cannot take apart: it is read once by its profile, as the agent would.
type Visited struct {
	Found  []Finding
	Told   string   // what answered, and how long that took; "" when nothing was read
	Unseen []string // what was not looked at, and why
	Err    error    // why nothing could be read; its code is the caller's to give
}

// comesUp is how long a link is given to come up before its first read counts.
const comesUp = 3 * time.Second

// Visit reads a controller once. It has the line for itself and writes nothing.
// Without a profile it only looks whether port or address can be had.
func (w World) Visit(ctx context.Context, t Target) Visited {
	w = w.filled()
	v := Visited{Unseen: []string{
		"single frames, time-outs, echo and other masters: that is known for Modbus lines only; hoistway record keeps the frames for a person",
	}}
	x := examination{World: w, url: t.Link, where: LineOf(t.Link)}
	if isSerial(t.Link) {
		x.port()
	}
	v.Found = x.found
	if slices.ContainsFunc(v.Found, func(f Finding) bool { return !f.Hint }) {
		v.Unseen = append(v.Unseen, "what the controller says: the port must be free for that")
		return v
	}
	if t.Profile == nil {
		v.Told, v.Err = w.reached(ctx, t.Link)
		v.Unseen = append(v.Unseen, "what the controller says: name its profile with --profile for that")
		return v
	}
	s, err := w.Open(ctx, t, nil)
	if err != nil {
		v.Err = err
		return v
	}
	defer func() { _ = s.Close() }()
	v.judge(s.settled(ctx), t)
	return v
}

// reached looks whether the port is there, or whether the address of a link opens; a
// datagram proves nothing.
func (w World) reached(ctx context.Context, u *url.URL) (told string, err error) {
	if isSerial(u) {
		if _, err := os.Stat(w.path(u.Path)); err != nil {
			return "", fmt.Errorf("%w: %w", drivers.ErrLink, err)
		}
		return "there is such a port", nil
	}
	if u.Scheme == "serial+udp" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, comesUp)
	defer cancel()
	c, err := w.Dial(ctx, "tcp", LineOf(u))
	if err != nil {
		return "", fmt.Errorf("%w: %w", drivers.ErrLink, err)
	}
	return "something listens there", c.Close()
}

// settled reads until the link has come up, or had its time to.
func (s *Session) settled(ctx context.Context) Trial {
	for start := time.Now(); ; sleep(ctx, 100*time.Millisecond) {
		t := s.Try(ctx, 0)
		if !errors.Is(t.Err, drivers.ErrLink) || time.Since(start) > comesUp || ctx.Err() != nil {
			return t
		}
	}
}

// judge says what one reading is worth.
func (v *Visited) judge(t Trial, at Target) {
	var good []string
	for _, r := range t.Values {
		if r.Value != "" && r.Quality == "good" {
			good = append(good, r.Point)
		}
	}
	v.Told = fmt.Sprintf("it told %s in %d ms", cmp.Or(strings.Join(good, " "), "nothing"), t.CycleMs)
	switch {
	case len(good) == 0 && t.Err != nil:
		v.Err = t.Err
	case len(t.Missing) > 0:
		v.Found = append(v.Found, Finding{
			Code: "E-6023", What: strings.TrimSuffix("no value for "+strings.Join(t.Missing, " ")+": "+t.Why, ": "),
			Where: at.Link.Redacted(), Do: "hoistway try shows each point; compare model and settings with the profile",
		})
	case len(t.Values) == 0:
		v.Unseen = append(v.Unseen, "any value: the profile reads nothing of the car")
	}
	if len(t.Plan) == 0 {
		v.Unseen = append(v.Unseen, "which questions it was asked: this link does not tell them")
		return
	}
	var asked []string
	for _, r := range t.Plan {
		asked = append(asked, r.Question)
	}
	v.Told += fmt.Sprintf(" (asked: %s)", strings.Join(asked, ", "))
}

// portNames are where services listen when their link names no port.
var portNames = map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443", "opc.tcp": "4840"}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if p := portNames[u.Scheme]; p != "" {
		return p
	}
	return "502"
}

// lineAt names the line of a link that is no serial one.
func lineAt(u *url.URL) string { return net.JoinHostPort(u.Hostname(), portOf(u)) }
