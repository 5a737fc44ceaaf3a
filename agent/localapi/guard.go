package localapi

import (
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
)

// policy is what a page from here may load: only from here, nothing inline.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

// guard stands before every path. From the outside in: what went wrong inside is
// answered, headers are set, the host and the origin are checked, and only then is
// the caller looked at, and counted.
func (s *Server) guard(next http.Handler) http.Handler {
	for _, layer := range []func(http.Handler) http.Handler{
		s.limitRate, s.identify, s.sameOrigin, s.knownHost, headers, s.observe, s.rescue,
	} {
		next = layer(next)
	}
	return next
}

// rescue answers a call that panicked, and says so in the log.
func (s *Server) rescue(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			fault := recover()
			if fault == nil {
				return
			}
			if fault == http.ErrAbortHandler {
				panic(fault) // the way to cut a connection
			}
			s.o.Log.Error("a call failed", "method", r.Method, "path", r.URL.Path, "fault", fault, "stack", string(debug.Stack()))
			writeProblem(w, r, refuse(asInternal, "the log says more"))
		}()
		next.ServeHTTP(w, r)
	})
}

func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// knownHost refuses a request that was made for another name: a page whose name
// was made to point at this machine does not become a caller from this machine.
func (s *Server) knownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !named(r.Context()) && !s.hostAllowed(r.Host) {
			writeProblem(w, r, refuse(asForeign, "ask for localhost, or for a name that the configuration lists"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) hostAllowed(hostport string) bool {
	host := strings.Trim(hostOf(hostport), "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(s.o.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// sameOrigin lets a browser change something only from a page of this door.
// Programs send no Origin.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !reads(r.Method) && !fromHere(r) {
			writeProblem(w, r, refuse(asForeign, "use the page that this gateway shows itself"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func fromHere(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

func reads(method string) bool { return method == http.MethodGet || method == http.MethodHead }
