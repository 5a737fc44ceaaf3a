package loopback

import (
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// OwnName holds for a host (and port) that is this machine by itself: localhost or a
// loopback address.
func OwnName(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// FromHere is true for programs, which send neither header, and for our own page.
// Others may link to the page and no more: neither read from it nor change a thing.
func FromHere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	foreign := site != "" && site != "same-origin" && site != "none"
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		foreign = foreign || err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host)
	}
	return !foreign || r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// IsJSON holds for a request whose body says that it is JSON.
func IsJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
