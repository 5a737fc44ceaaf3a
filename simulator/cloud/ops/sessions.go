package ops

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	sessionIdle  = 30 * 60      // seconds; a renewal begins them anew
	sessionWhole = 12 * 60 * 60 // and at most so long from the login
	maxSessions  = 1000
	maxMisses    = 5 // wrong keys in a minute, then none is looked at for the rest of it
)

// Why somebody is not let in.
var (
	ErrKey      = errors.New("no operator has this key")
	ErrSession  = errors.New("the session has ended, or never was")
	ErrTooOften = errors.New("too many wrong keys; wait a minute")
)

// Operator is who may operate, by a key of which only the hash is known.
type Operator struct {
	Name   string `json:"name"`
	SHA256 string `json:"token_sha256"` // of the key, hex
	Viewer bool   `json:"viewer"`       // reads only
}

// Session is one login. It ends by itself, is renewed, and can be revoked.
type Session struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Viewer bool   `json:"viewer,omitempty"`
	Began  int64  `json:"began"`
	Ends   int64  `json:"ends"`
}

// Sessions are those of all operators. They live in memory only: a cloud that starts
// anew has ended them all. One owner calls them.
type Sessions struct {
	operators []Operator
	live      map[[sha256.Size]byte]*Session // by hash of their secret
	next      int
	misses    int
	missesAt  int64 // minute
}

// NewSessions takes who may log in. A hash that is none is refused.
func NewSessions(operators []Operator) (*Sessions, error) {
	for _, o := range operators {
		if raw, err := hex.DecodeString(o.SHA256); err != nil || len(raw) != sha256.Size || o.Name == "" {
			return nil, fmt.Errorf("%w: operator %q: want a name and the SHA-256 of the key in 64 hex digits", ErrInvalid, o.Name)
		}
	}
	return &Sessions{operators: operators, live: map[[sha256.Size]byte]*Session{}}, nil
}

// Login begins a session with a key; secret is what the operator will show, at least
// 128 bits of chance.
func (s *Sessions) Login(key, secret string, now int64) (Session, error) {
	s.clean(now)
	if now/60 != s.missesAt {
		s.missesAt, s.misses = now/60, 0
	}
	if s.misses >= maxMisses {
		return Session{}, ErrTooOften
	}
	o, ok := s.operator(key)
	switch {
	case !ok:
		s.misses++
		return Session{}, ErrKey
	case len(s.live) >= maxSessions:
		return Session{}, fmt.Errorf("session: %w", ErrFull)
	}
	s.next++
	n := &Session{ID: fmt.Sprintf("s-%d", s.next), Name: o.Name, Viewer: o.Viewer, Began: now, Ends: now + sessionIdle}
	s.live[sha256.Sum256([]byte(secret))] = n
	return *n, nil
}

// operator compares with every key, so that the time tells nothing.
func (s *Sessions) operator(key string) (found Operator, ok bool) {
	sum := sha256.Sum256([]byte(key))
	for _, o := range s.operators {
		want, _ := hex.DecodeString(o.SHA256) // as NewSessions has looked
		if subtle.ConstantTimeCompare(want, sum[:]) == 1 {
			found, ok = o, true
		}
	}
	return found, ok
}

// Check tells whose secret it is.
func (s *Sessions) Check(secret string, now int64) (Session, error) {
	n := s.live[sha256.Sum256([]byte(secret))]
	if n == nil || now >= n.Ends {
		return Session{}, ErrSession
	}
	return *n, nil
}

// Renew gives a session another half hour, within twelve hours of its login.
func (s *Sessions) Renew(secret string, now int64) (Session, error) {
	if _, err := s.Check(secret, now); err != nil {
		return Session{}, err
	}
	n := s.live[sha256.Sum256([]byte(secret))]
	n.Ends = min(now+sessionIdle, n.Began+sessionWhole)
	return *n, nil
}

// Revoke ends sessions by id, or all of an operator by name.
func (s *Sessions) Revoke(idOrName string) error {
	found := false
	for sum, n := range s.live {
		if n.ID == idOrName || n.Name == idOrName {
			delete(s.live, sum)
			found = true
		}
	}
	if !found {
		return fmt.Errorf("%w session: %q", ErrUnknown, idOrName)
	}
	return nil
}

// Live are the sessions that have not ended.
func (s *Sessions) Live(now int64) []Session {
	s.clean(now)
	out := []Session{}
	for _, n := range s.live {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b Session) int {
		if a.Began != b.Began {
			return int(a.Began - b.Began)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

func (s *Sessions) clean(now int64) {
	for sum, n := range s.live {
		if now >= n.Ends {
			delete(s.live, sum)
		}
	}
}
