package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
)

// sockets is a checked link over a WebSocket that is not started.
type sockets struct {
	spec
	as *accounts
}

func newSocket(s drivers.Spec, env drivers.Env, as *accounts) (drivers.Opener, error) {
	sp, err := newSpec(s, env, as, func(p *profiles.Profile) *profiles.Service {
		if p.Socket() == nil {
			return nil
		}
		return &p.Socket().Service
	})
	if err != nil {
		return nil, err
	}
	return &sockets{sp, as}, nil
}

// atOnce is how many commands may be under way on a socket: a claim can take minutes,
// and giving up must not wait for it.
const atOnce = 3

// noQuota is the rate of a service that tells none.
var noQuota = profiles.Rate{Requests: 100_000, Per: time.Minute}

// Open starts the connection. It fails where the secrets cannot be had, never because
// the service is absent.
func (o *sockets) Open(context.Context) (drivers.Link, error) {
	api := o.prof.Socket()
	c, err := o.open(o.as, &api.Service, noQuota)
	if err != nil {
		return nil, fmt.Errorf("lift %s: %w", o.lift, err)
	}
	silent := offlineAfter
	if !polls(o.prof, api) {
		silent = max(silent, api.Silence)
	}
	l := newLink(o.spec, view.New(o.env.Now, silent), atOnce)
	s := &socket{client: c, api: api, link: l}
	l.ask = s
	l.run(s.keep)
	l.run(l.poll)
	return l, nil
}

// polls reports whether some source is asked rather than heard.
func polls(p *profiles.Profile, api *profiles.Socket) bool {
	for _, s := range p.Sources() {
		if m := api.Message(s.Name); m != nil && !m.Heard {
			return true
		}
	}
	return false
}

// socket is the connection of one link, and the questions under way on it.
type socket struct {
	*client
	api  *profiles.Socket
	link *link

	mu       sync.Mutex
	line     *line  // nil while there is none
	changing bool   // there is none because the next one is being made, as planned
	session  string // of the connection before
}

// line is one connection.
type line struct {
	conn  *websocket.Conn
	nonce string
	fail  context.CancelCauseFunc // ends it
	gone  <-chan struct{}         // closed then

	mu      sync.Mutex
	n       int64
	waiting map[string]chan any
	heard   time.Time
}

// maxWaiting bounds the questions under way on one connection.
const maxWaiting = 64

// Why a connection ends.
var (
	errSilent   = errors.New("no message for too long")
	errLifetime = errors.New("its planned end")
	errTooMany  = errors.New("too many questions are under way")
)

// keep makes the connection again and again, until ctx ends.
func (s *socket) keep(ctx context.Context) {
	var wait backoff
	for ctx.Err() == nil {
		began := time.Now()
		err := s.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		planned := errors.Is(err, errLifetime)
		if !planned {
			s.lost(err)
		}
		if time.Since(began) > 10*time.Second {
			wait = backoff{}
		}
		d := wait.next()
		if planned {
			d = 0
		}
		view.Sleep(ctx, max(d, s.account.pause()))
	}
}

// lost marks what the connection fed: nothing of it is fresh any more.
func (s *socket) lost(err error) {
	s.mu.Lock()
	s.changing = false
	s.mu.Unlock()
	s.link.view.Down(s.link.loseAll)
	s.link.complain("connect", err)
}

// connect makes one connection and lives with it until it breaks.
func (s *socket) connect(ctx context.Context) error {
	conn, err := s.dial(ctx)
	if err != nil {
		return err
	}
	conn.SetReadLimit(maxBody)
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	ln := &line{conn: conn, nonce: nonce()[:12], fail: fail, gone: ctx.Done(), waiting: map[string]chan any{}, heard: time.Now()}
	defer func() { _ = conn.CloseNow() }() // it is over, whatever its state
	var wg sync.WaitGroup
	defer wg.Wait()
	defer fail(nil)
	wg.Go(func() { fail(s.listen(ctx, ln)) })
	if err := s.greet(ctx, ln); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	s.carry(ln)
	defer s.carry(nil)
	s.link.hurry()
	s.tend(ctx, ln, &wg)
	<-ctx.Done()
	return context.Cause(ctx)
}

func (s *socket) carry(ln *line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = ln
	s.changing = s.changing && ln == nil
}

// retire takes a connection out of use that ends as planned: what is asked until the
// next one is there waits, and nothing is lost.
func (s *socket) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line, s.changing = nil, true
}

// current is the connection to ask on, or why there is none.
func (s *socket) current() (*line, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.line != nil:
		return s.line, nil
	case s.changing:
		return nil, fmt.Errorf("%w: %w: the connection is being made anew", drivers.ErrNotSent, drivers.ErrBusy)
	}
	return nil, fmt.Errorf("%w: there is no connection", drivers.ErrLink)
}

// dial asks for the connection as the profile says.
func (s *socket) dial(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	if err := s.authorise(ctx); err != nil {
		return nil, err
	}
	said, err := s.api.Say(s.api.Connect, s.given(nil))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	if err := s.account.admit(ctx, false); err != nil {
		return nil, err
	}
	direct := *s.pooled
	direct.CheckRedirect = noRedirect
	opts := &websocket.DialOptions{HTTPClient: &direct, HTTPHeader: http.Header{}}
	if s.api.Subprotocol != "" {
		opts.Subprotocols = []string{s.api.Subprotocol}
	}
	for _, f := range said.Header {
		opts.HTTPHeader.Set(f[0], f[1])
	}
	s.trace(true, "GET "+said.Path, "")
	conn, res, err := websocket.Dial(ctx, s.whole(said), opts)
	if err != nil {
		return nil, s.notOpened(res, err)
	}
	if conn.Subprotocol() != s.api.Subprotocol {
		_ = conn.CloseNow() // it speaks something else
		return nil, fmt.Errorf("%w: the service does not speak %s", drivers.ErrConfig, s.api.Subprotocol)
	}
	s.account.believed()
	return conn, nil
}

// notOpened words a connection that was not had. The library's error is not passed on
// as it is: it may quote the address, which may hold a token.
func (s *socket) notOpened(res *http.Response, err error) error {
	if res == nil {
		return s.broken(err)
	}
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		s.tokens.drop(s.tokens.now())
		s.account.denied()
		return fmt.Errorf("%w: status %d: who we are is not believed", drivers.ErrConfig, res.StatusCode)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		s.account.silence(max(5*time.Second, retryAfter(res.Header, time.Now())))
	}
	return fmt.Errorf("%w: status %d instead of a connection", drivers.ErrProtocol, res.StatusCode)
}

func (s *socket) authorise(ctx context.Context) error {
	auth := &s.api.Auth
	if auth.Kind != "oauth2" || !s.tokens.due() {
		return nil
	}
	doc, err := s.grantBy(ctx, auth)
	if err != nil {
		return fmt.Errorf("fetch a token: %w", err)
	}
	token, lasts := auth.Token(doc)
	if token == "" {
		s.account.denied()
		return fmt.Errorf("fetch a token: %w: the answer holds none", drivers.ErrProtocol)
	}
	s.tokens.set(token, time.Now().Add(max(lasts-auth.Renew, lasts/2)))
	return nil
}

// close ends what the transport keeps.
func (s *socket) close() { s.client.close() }
