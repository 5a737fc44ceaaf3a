package pubsub

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"hoistway/drivers/profiles"
)

// Words of a link that are for the connection to the broker; all others are the
// profile's.
func brokerWords() []string {
	return []string{"user", "password_file", "ca", "cert", "key", "client"}
}

// target is a checked link URL.
type target struct {
	broker *url.URL // with what the connection needs, and no more
	site   map[string]string
}

// parseTarget reads a link URL and the words that the profile wants of it.
func parseTarget(u *url.URL, params []profiles.Param) (target, error) {
	t := target{broker: &url.URL{Scheme: u.Scheme, Host: u.Host}, site: map[string]string{}}
	q, err := url.ParseQuery(u.RawQuery)
	switch {
	case err != nil:
		return t, fmt.Errorf("the part after ?: %w", err)
	case u.Hostname() == "":
		return t, fmt.Errorf("no host: write %s://host", u.Scheme)
	case u.User != nil || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return t, fmt.Errorf("only host and port are expected before the ?; a password is in a file, password_file=FILE")
	}
	known, own := brokerWords(), url.Values{}
	for _, p := range params {
		known = append(known, p.Name)
		t.site[p.Name] = p.Default
		if q.Has(p.Name) {
			t.site[p.Name] = q.Get(p.Name)
		} else if p.Needed {
			return t, fmt.Errorf("%s is missing: %s", p.Name, p.Doc)
		}
	}
	for name, vs := range q {
		if len(vs) > 1 || !slices.Contains(known, name) {
			return t, fmt.Errorf("%s: not known or given twice; there are %s", name, strings.Join(known, ", "))
		}
		if slices.Contains(brokerWords(), name) {
			own.Set(name, vs[0])
		}
	}
	t.broker.RawQuery = own.Encode()
	return t, t.secured(own)
}

func (t *target) secured(own url.Values) error {
	tls := t.broker.Scheme == "mqtts"
	switch {
	case !tls && (own.Has("ca") || own.Has("cert") || own.Has("key")):
		return fmt.Errorf("ca, cert and key are for mqtts")
	case own.Has("cert") != own.Has("key"):
		return fmt.Errorf("cert and key come together")
	case own.Has("password_file") && !own.Has("user"):
		return fmt.Errorf("a password belongs to a user")
	case own.Has("password_file") && !tls:
		return fmt.Errorf("a password goes over mqtts only")
	}
	return nil
}
