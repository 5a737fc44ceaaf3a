package localapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// RobotAuth is one robot that may ride.
type RobotAuth struct {
	ID          string
	TokenSHA256 string        // 64 hexadecimal digits; "" = it has no token of its own
	Crossing    time.Duration // taken where a request names none; 0 = not known
	FootprintM  [2]float64    // width and length; zero is not told
	MassKg      int           // with its load; zero is not told
}

// TechAuth is a person with rights.
type TechAuth struct{ Name, TokenSHA256 string }

type role uint8

const (
	nobody role = iota
	viewer
	robot
	technician
)

func (r role) String() string { return [...]string{"nobody", "viewer", "robot", "technician"}[r] }

// caller is who asks.
type caller struct {
	role role
	name string
}

// sees reports whether the caller may know of a ride of this robot.
func (c caller) sees(ofRobot string) bool { return c.role != robot || c.name == ofRobot }

type secret struct {
	sum [sha256.Size]byte
	who caller
}

// keyring knows callers by the SHA-256 of their tokens. Immutable.
type keyring struct {
	secrets []secret
	robots  map[string]RobotAuth
	order   []string // robot ids as configured
}

func newKeyring(robots []RobotAuth, techs []TechAuth) (*keyring, error) {
	k := &keyring{robots: make(map[string]RobotAuth, len(robots))}
	var faults []error
	for _, r := range robots {
		if _, twice := k.robots[r.ID]; twice || r.ID == "" {
			faults = append(faults, fmt.Errorf("robot %q: the id is empty or used twice", r.ID))
		}
		k.robots[r.ID] = r
		k.order = append(k.order, r.ID)
		if r.TokenSHA256 != "" {
			faults = append(faults, k.add(r.TokenSHA256, caller{robot, r.ID}))
		}
	}
	for _, t := range techs {
		faults = append(faults, k.add(t.TokenSHA256, caller{technician, t.Name}))
	}
	return k, errors.Join(faults...)
}

func (k *keyring) add(sum string, who caller) error {
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != sha256.Size {
		return fmt.Errorf("%q: token_sha256 is not 64 hexadecimal digits", who.name)
	}
	s := secret{who: who}
	copy(s.sum[:], raw)
	for _, other := range k.secrets {
		if other.sum == s.sum {
			return fmt.Errorf("%q and %q have the same token", other.who.name, who.name)
		}
	}
	k.secrets = append(k.secrets, s)
	return nil
}

// find compares with every secret, whichever matches, so that the time taken
// tells nothing.
func (k *keyring) find(token string) (caller, bool) {
	sum := sha256.Sum256([]byte(token))
	var found caller
	for i := range k.secrets {
		if subtle.ConstantTimeCompare(sum[:], k.secrets[i].sum[:]) == 1 {
			found = k.secrets[i].who
		}
	}
	return found, found.role != nobody
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// identify puts the caller into the request, or refuses a wrong token.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isWebhook(r.URL.Path) { // a service has a proof of its own, which may stand in the same header
			next.ServeHTTP(w, r)
			return
		}
		who := caller{}
		if local(r.RemoteAddr) {
			who.role = viewer
		}
		if token, given := bearer(r); given {
			found, ok := s.keys.find(token)
			if !ok {
				s.wrongToken(w, r)
				return
			}
			who = found
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
}

// wrongToken answers late, and later with each further guess from one place.
// Whoever has a right token never waits for this.
func (s *Server) wrongToken(w http.ResponseWriter, r *http.Request) {
	s.metrics.wrongTokens.Inc()
	from := hostOf(r.RemoteAddr)
	s.o.Log.Warn("refused a wrong token", "from", from, "path", r.URL.Path)
	w.Header().Set("Connection", "close") // each guess costs a connection
	w.Header().Set("WWW-Authenticate", `Bearer realm="hoistway", error="invalid_token"`)
	if !s.guesses.pause(r.Context(), from, s.o.Now()) {
		w.Header().Set("Retry-After", "5")
		writeProblem(w, r, refuse(asGuessing, "wait before trying again"))
		return
	}
	writeProblem(w, r, refuse(asWrongToken, "no robot and no technician has this token"))
}

// bearer reads the token. Anything else in the header counts as a wrong token.
func bearer(r *http.Request) (token string, given bool) {
	h := r.Header.Get("Authorization")
	if h == "" {
		return "", false
	}
	scheme, token, _ := strings.Cut(h, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return strings.TrimSpace(token), true
}

// local reports whether the peer is on this machine: a loopback address, or a
// transport that has no address (a pipe or a Unix socket).
func local(remote string) bool {
	ip := net.ParseIP(hostOf(remote))
	if ip == nil {
		return !strings.Contains(remote, ":")
	}
	return ip.IsLoopback()
}

func hostOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}
