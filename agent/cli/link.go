package cli

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"hoistway/agent/commission"
)

// isLink tells a link from the id of a lift.
func isLink(arg string) bool { return strings.Contains(arg, "://") }

// linkOf reads a link and says what one looks like where it is none.
func linkOf(arg string) (*url.URL, error) {
	u, err := url.Parse(arg)
	if err != nil {
		return nil, usagef(codeLink, "%q is no link", arg)
	}
	if !slices.Contains(commission.Schemes(), u.Scheme) {
		return nil, usagef(codeLink, "there are no links of %s://; they begin with %s://", u.Scheme, strings.Join(commission.Schemes(), "://, "))
	}
	return u, nil
}

// almostLink tells somebody who gave a port or an address how a link is written; nil
// for what may be the id of a lift.
func almostLink(arg string) error {
	if strings.HasPrefix(arg, "/") {
		return usagef(codeLink, "%q is a port, not yet a link: modbus+rtu://%s?baud=9600&unit=1, or serial://%s for a board with frames of its own", arg, arg, arg)
	}
	if host, port, err := net.SplitHostPort(arg); err == nil && host != "" && port != "" || net.ParseIP(arg) != nil {
		return usagef(codeLink, "%q is an address, not yet a link: modbus+tcp://%s?unit=1, or serial+tcp://%s for a board with frames of its own", arg, arg, arg)
	}
	return nil
}
