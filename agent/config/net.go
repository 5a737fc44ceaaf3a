package config

import (
	"fmt"
	"net"
	"net/url"
)

// listenProblems holds a door without TLS to loopback.
func listenProblems(s string, tls bool) []problem {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return []problem{{fmt.Sprintf("%q is no address to listen at", s), "127.0.0.1:8732"}}
	}
	var ps []problem
	if !number(0, 65535)(port) {
		ps = append(ps, problem{fmt.Sprintf("has port %q, a port is 0 to 65535", port), ""})
	}
	if !tls && !loopback(host) {
		ps = append(ps, problem{"an address that others can reach needs TLS", "127.0.0.1:8732 here, and that address in api.tls.listen"})
	}
	return ps
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// parseBroker reads the broker's URL and fills in its port. It never repeats what
// might be a password.
func parseBroker(s string) (string, []problem) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Opaque != "" {
		return "", []problem{{"is not a broker's URL", "mqtts://broker.example:8883"}}
	}
	ports := map[string]string{"mqtt": "1883", "mqtts": "8883"}
	port, known := ports[u.Scheme]
	if !known {
		return "", []problem{{fmt.Sprintf("brokers of kind %q are not supported by this version", u.Scheme), "mqtts://broker.example:8883"}}
	}
	at, ps := hostPort(u, port)
	if u.User != nil {
		ps = append(ps, problem{"a name and password do not belong in the URL", "username and password_file"})
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		ps = append(ps, problem{"only host and port are taken", ""})
	}
	if u.Scheme == "mqtt" && u.Hostname() != "" && !loopback(u.Hostname()) {
		ps = append(ps, problem{"mqtt:// is readable by everyone on the way", "use mqtts://; mqtt:// goes to loopback only"})
	}
	return u.Scheme + "://" + at, ps
}
