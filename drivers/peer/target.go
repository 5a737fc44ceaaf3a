package peer

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	schemeTLS   = "hoistway+https"
	schemePlain = "hoistway+http"
	defaultPort = "8732"
)

// target is a checked link URL.
type target struct {
	base    string // https://gateway:8732
	host    string // gateway:8732
	lift    string
	ca      string // a file with certificates; "" is the system's
	secrets string // a file, or credential:NAME; "" for none
	timeout time.Duration
}

var params = []string{"lift", "ca", "secrets", "timeout"}

// parseTarget reads a link URL. Without lift= the lift has the same name there.
func parseTarget(u *url.URL, lift string) (target, error) {
	t := target{lift: lift, timeout: patience}
	q, err := url.ParseQuery(u.RawQuery)
	switch {
	case err != nil:
		return t, fmt.Errorf("the part after ?: %w", err)
	case u.Hostname() == "":
		return t, fmt.Errorf("no host: write %s://gateway:%s", u.Scheme, defaultPort)
	case u.User != nil, u.Fragment != "", strings.Trim(u.Path, "/") != "":
		return t, fmt.Errorf("only host, port and parameters are taken; a token belongs into a file: secrets=FILE")
	}
	for name, vs := range q {
		if !slices.Contains(params, name) {
			return t, fmt.Errorf("%s is not known; there are %s", name, strings.Join(params, ", "))
		}
		if len(vs) > 1 || vs[0] == "" {
			return t, fmt.Errorf("%s is wanted once, with a value", name)
		}
	}
	if q.Has("lift") {
		t.lift = q.Get("lift")
	}
	t.ca, t.secrets = q.Get("ca"), q.Get("secrets")
	if q.Has("timeout") {
		if t.timeout, err = time.ParseDuration(q.Get("timeout")); err != nil || t.timeout < 100*time.Millisecond || t.timeout > 30*time.Second {
			return t, fmt.Errorf("timeout is %q, must be 100ms to 30s", q.Get("timeout"))
		}
	}
	return t, t.place(u)
}

// place settles where the gateway is. Without TLS it is on this machine.
func (t *target) place(u *url.URL) error {
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	t.host = net.JoinHostPort(u.Hostname(), port)
	switch u.Scheme {
	case schemeTLS:
		t.base = "https://" + t.host
		return nil
	case schemePlain:
		t.base = "http://" + t.host
	default:
		return fmt.Errorf("%s is no link to a gateway", u.Scheme)
	}
	switch {
	case !loopback(u.Hostname()):
		return fmt.Errorf("%s is for this machine alone: others could read the token; write %s", schemePlain, schemeTLS)
	case t.ca != "":
		return fmt.Errorf("ca is for %s", schemeTLS)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
