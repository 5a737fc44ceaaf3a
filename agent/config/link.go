package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/drivers/profiles/strict"
)

// Schemes that this version speaks.
const (
	modbusTCP    = "modbus+tcp"
	modbusRTU    = "modbus+rtu"
	modbusRTUTCP = "modbus+rtu+tcp"
	serialLine   = "serial"
	serialTCP    = "serial+tcp"
	serialUDP    = "serial+udp"
)

// lineSchemes are of devices on a line or behind one socket; serviceSchemes of services
// that many lifts may share, whose words after ? are between driver and profile.
var (
	lineSchemes    = []string{modbusTCP, modbusRTU, modbusRTUTCP, serialLine, serialTCP, serialUDP}
	serviceSchemes = []string{"http", "https", "ws", "wss", "opc.tcp", "mqtt", "mqtts", "hoistway+http", "hoistway+https"}
)

// onLine lists the schemes whose place is a device of this machine.
func onLine(scheme string) bool { return scheme == modbusRTU || scheme == serialLine }

// open lists the schemes whose links may set numbers that the profile names.
func open(scheme string) bool { return strings.HasPrefix(scheme, serialLine) }

// link is a checked link URL.
type link struct {
	scheme string
	at     string // host:port, or the path of the device
	param  [][2]string

	service *url.URL // the whole link, of a service
}

// param is one parameter of a link, with what it may be.
type param struct {
	name, missing string // missing is its default; "" leaves it to the driver
	good          func(string) bool
	looks         string
}

func number(lo, hi int) func(string) bool {
	return func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && n >= lo && n <= hi && s == strconv.Itoa(n)
	}
}

func word(words ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(words, s) }
}

func paramsOf(scheme string) []param {
	unit := param{"unit", "1", number(1, 247), "1 to 247"}
	if scheme == modbusTCP { // behind TCP a device may answer to these two as well
		unit.good = func(s string) bool { return number(0, 247)(s) || s == "255" }
		unit.looks = "0 to 247, or 255"
	}
	timeout := param{"timeout", "", func(s string) bool {
		d, err := time.ParseDuration(s)
		return err == nil && d >= 10*time.Millisecond && d <= 30*time.Second
	}, "10ms to 30s"}
	line := []param{
		{"baud", "9600", number(300, 4_000_000), "300 to 4000000"},
		{"parity", "none", word("none", "even", "odd"), "none, even or odd"},
		{"stop", "1", word("1", "2"), "1 or 2"},
	}
	some := func(s string) bool { return s != "" && len(s) < 100 }
	switch scheme {
	case modbusRTU:
		return append(line, unit, timeout)
	case serialLine:
		return append(line, param{"data", "8", number(5, 8), "5 to 8"}, timeout)
	case serialTCP:
		return []param{timeout}
	case serialUDP:
		return []param{{"listen", "", some, "an address such as :52000"}, {"group", "", some, "a multicast address"}, timeout}
	}
	return []param{unit, timeout}
}

// parseLink reads a link and finds everything wrong with it.
func parseLink(s string) (link, []problem) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" {
		return link{}, []problem{{"is not a link", "modbus+tcp://host:502?unit=1 or modbus+rtu:///dev/serial/by-id/…?baud=9600"}}
	}
	if slices.Contains(serviceSchemes, u.Scheme) {
		return serviceLink(u)
	}
	schemes := slices.Concat(lineSchemes, serviceSchemes)
	if !slices.Contains(lineSchemes, u.Scheme) {
		hint := strict.DidYouMean(u.Scheme, schemes)
		if hint == "" {
			hint = "there are " + strings.Join(schemes, ", ")
		}
		return link{}, []problem{{fmt.Sprintf("links of kind %q are not supported by this version", u.Scheme), hint}}
	}
	l := link{scheme: u.Scheme}
	ps := l.place(u)
	return l, append(ps, l.query(u)...)
}

// serviceLink reads the link of a service. What its parameters mean the driver knows.
func serviceLink(u *url.URL) (link, []problem) {
	var ps []problem
	if u.User != nil || u.Fragment != "" {
		ps = append(ps, problem{"takes no name, password or #", "secrets are in a file of their own: secrets=FILE"})
	}
	if u.Hostname() == "" {
		ps = append(ps, problem{"has no host", u.Scheme + "://host"})
	}
	if p := u.Port(); p != "" && !number(1, 65535)(p) {
		ps = append(ps, problem{fmt.Sprintf("has port %q, a port is 1 to 65535", p), ""})
	}
	q, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, ";", "%3B"))
	if err != nil {
		ps = append(ps, problem{"the part after ? cannot be read", "name=value&name=value"})
	}
	for _, name := range sorted(q) {
		if len(q[name]) > 1 {
			ps = append(ps, problem{name + " is there twice", ""})
		}
	}
	return link{scheme: u.Scheme, at: u.Scheme + "://" + u.Host, service: u}, ps
}

// place reads where the device is.
func (l *link) place(u *url.URL) (ps []problem) {
	if u.User != nil || u.Fragment != "" || u.Opaque != "" {
		ps = append(ps, problem{"only the place of the device and parameters are taken", "no name, password or #"})
	}
	if onLine(l.scheme) {
		l.at = u.Path
		if u.Host != "" || !strings.HasPrefix(u.Path, "/") || len(u.Path) < 2 {
			ps = append(ps, problem{"has no device", "three slashes: " + l.scheme + ":///dev/serial/by-id/…"})
		}
		return ps
	}
	if u.Path != "" && u.Path != "/" {
		ps = append(ps, problem{fmt.Sprintf("takes no path, has %q", u.Path), ""})
	}
	missing := "502"
	if open(l.scheme) {
		missing = "" // there is no usual one
	}
	at, p := hostPort(u, missing)
	l.at = at
	return append(ps, p...)
}

// hostPort reads the host and the port of a URL.
func hostPort(u *url.URL, missing string) (string, []problem) {
	if u.Hostname() == "" {
		return "", []problem{{"has no host", u.Scheme + "://host:" + missing}}
	}
	port := u.Port()
	if port == "" {
		port = missing
	}
	if !number(1, 65535)(port) {
		return "", []problem{{fmt.Sprintf("has port %q, a port is 1 to 65535", port), ""}}
	}
	return net.JoinHostPort(u.Hostname(), port), nil
}

// query reads the parameters and fills in those that are not given.
func (l *link) query(u *url.URL) (ps []problem) {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return []problem{{"the part after ? cannot be read", "name=value&name=value"}}
	}
	var names []string
	for _, p := range paramsOf(l.scheme) {
		names = append(names, p.name)
		given, ok := q[p.name]
		switch {
		case !ok && p.missing == "":
		case !ok:
			l.param = append(l.param, [2]string{p.name, p.missing})
		case len(given) > 1:
			ps = append(ps, problem{p.name + " is there twice", ""})
		case !p.good(given[0]):
			ps = append(ps, problem{fmt.Sprintf("%s is %q, must be %s", p.name, given[0], p.looks), ""})
		default:
			l.param = append(l.param, [2]string{p.name, given[0]})
		}
	}
	for _, name := range sorted(q) {
		if !slices.Contains(names, name) && open(l.scheme) && len(q[name]) == 1 && number(-65536, 65535)(q[name][0]) {
			l.param = append(l.param, [2]string{name, q[name][0]}) // the driver asks the profile
			continue
		}
		if !slices.Contains(names, name) {
			hint := strict.DidYouMean(name, names)
			if hint == "" {
				hint = "there are " + strings.Join(names, ", ")
			}
			ps = append(ps, problem{fmt.Sprintf("has no parameter %q", name), hint})
		}
	}
	return ps
}

func sorted(q url.Values) []string {
	var out []string
	for name := range q {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (l link) get(name string) string {
	for _, p := range l.param {
		if p[0] == name {
			return p[1]
		}
	}
	return ""
}

// unit tells the devices of one line apart.
func (l link) unit() string {
	if l.service != nil {
		return l.service.RequestURI()
	}
	if !open(l.scheme) {
		return l.get("unit")
	}
	return l.url().RawQuery
}

// url is the link with nothing left to defaults.
func (l link) url() *url.URL {
	if l.service != nil {
		return l.service
	}
	u := &url.URL{Scheme: l.scheme}
	if onLine(l.scheme) {
		u.Path = l.at
	} else {
		u.Host = l.at
	}
	q := url.Values{}
	for _, p := range l.param {
		q.Set(p[0], p[1])
	}
	u.RawQuery = q.Encode()
	return u
}

// lines finds two lifts that claim the same device, or one line in two ways.
type lines struct {
	c     *checker
	units *once
	mode  map[string]string
	named map[string]named // by the device that it is
}

// named is what a device of this machine was called first, and where.
type named struct {
	path string
	at   *strict.Value
}

func (ls *lines) add(v *strict.Value) {
	if !v.OK() {
		return
	}
	l, ps := parseLink(v.Text())
	ls.c.all(v, ps)
	if len(ps) > 0 {
		return
	}
	if onLine(l.scheme) && ls.renamed(v, l.at) {
		return
	}
	at := strings.Replace(l.at, "localhost:", "127.0.0.1:", 1) // one line, whatever it is called
	ls.units.add(v, at+" "+l.unit())
	mode := strings.Join([]string{l.scheme, l.get("baud"), l.get("parity"), l.get("stop")}, " ")
	if first, ok := ls.mode[at]; ok && first != mode {
		ls.c.fault(v, "another lift speaks otherwise on the same line", "there it is "+strings.TrimSpace(first))
		return
	}
	ls.mode[at] = mode
}

// renamed finds a device that another lift calls otherwise: its line would have two masters.
func (ls *lines) renamed(v *strict.Value, path string) bool {
	is := ls.c.device(path)
	first, known := ls.named[is]
	if !known {
		ls.named[is] = named{path, v}
		return false
	}
	if first.path == path {
		return false
	}
	at := first.at.Fault("", "")
	ls.c.fault(v, fmt.Sprintf("%s is %s by another name, and a line has one master", path, first.path),
		fmt.Sprintf("call it as at %s:%d:%d", at.File, at.Line, at.Col))
	return true
}
