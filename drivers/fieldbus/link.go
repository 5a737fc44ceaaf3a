package fieldbus

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"hoistway/drivers"
)

// HostLine is the line that a link's URL names by host and port; port is where it
// names none, "" if it has to. Faults go to q.
func HostLine(u *url.URL, q *drivers.Query, port string) Spec {
	if u.Path != "" && u.Path != "/" || u.User != nil || u.Fragment != "" {
		q.Fail("only host and port are expected before the ?")
	}
	if p := u.Port(); p != "" {
		port = p
	}
	if u.Hostname() == "" || port == "" {
		q.Fail("no host and port: write %s://host:port", u.Scheme)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		q.Fail("port %s: a number from 1 to 65535 is expected", port)
	}
	return Spec{Network: TCP, Address: net.JoinHostPort(u.Hostname(), port)}
}

// PortLine is the serial line that a link's URL names by the path of its device. The
// number of data bits is the caller's, or the link's where that is 0.
func PortLine(u *url.URL, q *drivers.Query, bits int) Spec {
	if u.Host != "" || !strings.HasPrefix(u.Path, "/") || len(u.Path) < 2 {
		q.Fail("no device: write %s:///dev/serial/by-id/…", u.Scheme)
	}
	m := drivers.SerialMode{
		Baud: q.Number("baud", 9600, 300, 4_000_000), DataBits: bits,
		StopBits: q.Number("stop", 1, 1, 2), Parity: q.Word("parity", "none", "even", "odd"),
	}
	if bits == 0 {
		m.DataBits = q.Number("data", 8, 5, 8)
	}
	return Spec{Network: Serial, Address: u.Path, Mode: m}
}
