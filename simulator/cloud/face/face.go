package face

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/simulator/loopback"
)

const (
	maxBody    = 64 << 10 // bytes
	maxReaders = 64       // of the feed
)

// Face serves one cloud. Its methods are for any goroutine.
type Face struct {
	cloud *cloud.Cloud
	log   *slog.Logger
	ended chan struct{}
	seats chan struct{} // one a reader of the feed
	once  sync.Once

	mu       sync.Mutex
	sessions *ops.Sessions
	rate     ops.Rate
}

// New makes a face for these operators; log may be nil. The error is an operator whose
// hash is none.
func New(c *cloud.Cloud, operators []ops.Operator, log *slog.Logger) (*Face, error) {
	sessions, err := ops.NewSessions(operators)
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Face{cloud: c, log: log, ended: make(chan struct{}), seats: make(chan struct{}, maxReaders), sessions: sessions}, nil
}

// Serve answers on ln, which must be of this machine only, until ctx ends, and closes
// ln. It is called once.
func (f *Face) Serve(ctx context.Context, ln net.Listener) error {
	return loopback.Serve(ctx, ln, f.Handler(), func() { f.once.Do(func() { close(f.ended) }) }, f.log)
}

// Handler is all paths behind the guard.
func (f *Face) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/sessions", f.login)
	for _, routes := range []map[string]act{f.sessionRoutes(), f.thingRoutes(), f.deskRoutes(), f.faultRoutes()} {
		for pattern, a := range routes {
			mux.HandleFunc(pattern, f.with(a))
		}
	}
	mux.HandleFunc("GET /v1/feed", f.with(f.feed))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, &problem{Status: http.StatusNotFound, Detail: "there is no such path; the page of endpoints is in simulator/cloud/face/README.md"})
	})
	return guard(mux)
}

// asked is one call of somebody who is known.
type asked struct {
	w      http.ResponseWriter
	r      *http.Request
	who    ops.Session
	secret string
}

// act answers a call: a status with what is sent as JSON, or an error. Status 0 has
// been answered already.
type act func(a asked) (status int, body any, err error)

func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case !loopback.OwnName(r.Host):
			refuse(w, r, &problem{Status: http.StatusForbidden, Detail: "ask for localhost or a loopback address"})
		case !loopback.FromHere(r):
			refuse(w, r, &problem{Status: http.StatusForbidden, Detail: "pages from elsewhere may not ask here"})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// with stands before every act: whose session it is, what it may, how often.
func (f *Face) with(do act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := asked{w: w, r: r}
		status, body, err := 0, any(nil), f.admit(&a)
		if err == nil {
			status, body, err = do(a)
		}
		switch {
		case err != nil:
			refuse(w, r, asProblem(err))
		case status != 0:
			answer(w, status, body)
		}
	}
}

func (f *Face) admit(a *asked) error {
	secret, ok := bearer(a.r)
	if !ok {
		return &problem{Status: http.StatusUnauthorized, Detail: "send Authorization: Bearer with the token of a session; POST /v1/sessions with your key begins one"}
	}
	now := time.Now().Unix()
	f.mu.Lock()
	defer f.mu.Unlock()
	who, err := f.sessions.Check(secret, now)
	if err != nil {
		return err
	}
	a.who, a.secret = who, secret
	if a.r.Method == http.MethodGet {
		return nil
	}
	if who.Viewer && !ofSessions(a.r) {
		return &problem{Status: http.StatusForbidden, Detail: who.Name + " may look and change nothing"}
	}
	if wait := f.rate.Take(who.Name, a.r.Method+" "+a.r.URL.Path, now); wait > 0 {
		a.w.Header().Set("Retry-After", strconv.FormatInt(wait, 10))
		return &problem{Status: http.StatusTooManyRequests, Detail: "too many acts on this path in a minute"}
	}
	return nil
}

// ofSessions: a viewer may renew and end a session of its own.
func ofSessions(r *http.Request) bool {
	return r.URL.Path == "/v1/sessions/renew" || r.URL.Path == "/v1/sessions/own"
}

func bearer(r *http.Request) (string, bool) {
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return secret, ok && strings.EqualFold(scheme, "bearer") && secret != ""
}

// loggedIn is what a login or a renewal is answered with; the token is shown once.
type loggedIn struct {
	Token   string      `json:"token,omitempty"`
	Session ops.Session `json:"session"`
}

func (f *Face) login(w http.ResponseWriter, r *http.Request) {
	key, ok := bearer(r)
	if !ok {
		refuse(w, r, &problem{Status: http.StatusUnauthorized, Detail: "send Authorization: Bearer with your key"})
		return
	}
	secret := rand.Text()
	f.mu.Lock()
	s, err := f.sessions.Login(key, secret, time.Now().Unix())
	f.mu.Unlock()
	if err != nil {
		f.log.Warn("a login was refused", "err", err)
		refuse(w, r, asProblem(err))
		return
	}
	f.log.Info("login", "operator", s.Name, "session", s.ID)
	answer(w, http.StatusCreated, loggedIn{secret, s})
}

func (f *Face) sessionRoutes() map[string]act {
	return map[string]act{
		"GET /v1/sessions": func(asked) (int, any, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			return http.StatusOK, f.sessions.Live(time.Now().Unix()), nil
		},
		"POST /v1/sessions/renew": func(a asked) (int, any, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			s, err := f.sessions.Renew(a.secret, time.Now().Unix())
			return http.StatusOK, loggedIn{Session: s}, err
		},
		"DELETE /v1/sessions/{id}": func(a asked) (int, any, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			id := a.r.PathValue("id")
			if id == "own" {
				id = a.who.ID
			}
			return http.StatusNoContent, nil, f.sessions.Revoke(id)
		},
	}
}

// act lets the operator act on the cloud.
func (f *Face) act(a asked, do func(d cloud.Desk) (rules.Result, ops.Result, error)) error {
	err := f.cloud.Act(a.who.Name, do)
	f.log.Info("act", "operator", a.who.Name, "call", a.r.Method+" "+a.r.URL.Path, "err", err)
	return err
}

// ofDesk is an act on the desk alone.
func (f *Face) ofDesk(a asked, do func(d cloud.Desk) (ops.Result, error)) error {
	return f.act(a, func(d cloud.Desk) (r rules.Result, o ops.Result, err error) {
		o, err = do(d)
		return r, o, err
	})
}

func body(a asked, v any) error {
	status, err := loopback.Body(a.w, a.r, maxBody, v)
	if err != nil {
		return &problem{Status: status, Detail: err.Error()}
	}
	return nil
}

// seconds reads a time of the query in epoch seconds; 0 when it is not there.
func seconds(r *http.Request, name string) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, &problem{Status: http.StatusBadRequest, Detail: name + " is a whole number, not " + strconv.Quote(text)}
	}
	return n, nil
}

var errNoThing = errors.New("no thing of that serial has been heard of")
