package rest

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"hoistway/drivers/profiles"
)

// target is a checked link URL.
type target struct {
	base    *url.URL // scheme, host and path
	secrets string   // a file, or credential:NAME; "" for none
	ca      string   // a file with certificates; "" is the system's
	site    map[string]string
	timeout time.Duration // shorter patience than the profile's; 0 for none
	// unsigned: the site takes pushed messages that bring no signature.
	unsigned bool
}

// line names the service in the record of frames: host and port.
func (t target) line() string {
	port := t.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}[t.base.Scheme]
	}
	return net.JoinHostPort(t.base.Hostname(), port)
}

// parseTarget reads a link URL and the words that the profile wants of it.
func parseTarget(u *url.URL, s *profiles.Service) (target, error) {
	t := target{base: &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}}
	q, err := url.ParseQuery(u.RawQuery)
	switch {
	case err != nil:
		return t, fmt.Errorf("the part after ?: %w", err)
	case u.Hostname() == "":
		return t, fmt.Errorf("no host: write %s://host/path", u.Scheme)
	case u.User != nil:
		return t, fmt.Errorf("no name or password in a link: put it into a file, secrets=FILE")
	case u.Fragment != "":
		return t, fmt.Errorf("no # in a link")
	}
	for name, vs := range q {
		if len(vs) > 1 {
			return t, fmt.Errorf("%s is given %d times", name, len(vs))
		}
	}
	if t.timeout, err = patience(q); err != nil {
		return t, err
	}
	t.secrets, t.ca, t.unsigned = q.Get("secrets"), q.Get("ca"), q.Get("unsigned") == "accepted"
	if q.Has("unsigned") && !t.unsigned {
		return t, fmt.Errorf("unsigned is %q: only accepted can be said", q.Get("unsigned"))
	}
	if t.ca != "" && u.Scheme != "https" && u.Scheme != "wss" {
		return t, fmt.Errorf("ca is for %ss links", u.Scheme)
	}
	if len(s.Secrets) > 0 && t.secrets == "" {
		return t, fmt.Errorf("the profile wants secrets (%s): secrets=FILE, or secrets=credential:NAME", names(s.Secrets))
	}
	t.site, err = siteWords(q, s.Params)
	return t, err
}

func patience(q url.Values) (time.Duration, error) {
	v := q.Get("timeout")
	if v == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 50*time.Millisecond || d > time.Minute {
		return 0, fmt.Errorf("timeout %s: a time from 50ms to 1m is expected", v)
	}
	return d, nil
}

// siteWords are the words of the profile that the link says, and no others.
func siteWords(q url.Values, params []profiles.Param) (map[string]string, error) {
	site := make(map[string]string, len(params))
	known := []string{"secrets", "ca", "timeout", "unsigned"}
	for _, p := range params {
		known = append(known, p.Name)
		site[p.Name] = p.Default
		if q.Has(p.Name) {
			site[p.Name] = q.Get(p.Name)
		} else if p.Needed {
			return nil, fmt.Errorf("%s is missing: %s", p.Name, p.Doc)
		}
	}
	for name := range q {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s is not known; there are %s", name, strings.Join(known, ", "))
		}
	}
	return site, nil
}

func names(ps []profiles.Param) string {
	var out []string
	for _, p := range ps {
		out = append(out, p.Name)
	}
	return strings.Join(out, ", ")
}
