package devices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// WebShape is the vendor whose interface a [Web] speaks.
type WebShape string

// The shapes; README.md has a page for each.
const (
	ShapeBench    WebShape = "bench"
	ShapeYunR     WebShape = "yun-r"
	ShapeLiftAuth WebShape = "liftauth"
	ShapeKONE     WebShape = "kone"
)

// Keys that the services want to be shown. They guard nothing: it is a pretend building.
const (
	WebClient = "gateway"
	WebSecret = "bench-secret"
)

// WebManners are how a service is built or goes wrong. The zero WebManners are good.
type WebManners struct {
	AnswerDelay time.Duration // before each answer
	LoginPage   bool          // a login page with status 200 instead of any answer
	ErrorBody   bool          // status 200 with an error in it
	Quota       int           // requests in ten seconds, 0 for any number; more get QuotaAs
	QuotaAs     int           // 429, which is said with Retry-After, or 401, which lies
	RetryAfter  time.Duration // with 429; 0 is 2 s
	Drip        time.Duration // between the bytes of an answer
	DropCalls   bool          // a call is carried out, and the connection cut without an answer
	TokenLife   time.Duration // 0 is an hour
	SocketLife  time.Duration // a socket is closed after it; 0 is 30 min
}

// Web is lifts behind one service over HTTP or WebSocket. Its methods may be called
// from any goroutine. The owner calls Close once.
type Web struct {
	world *World
	shape WebShape
	cars  []string
	addr  string
	srv   *http.Server
	wg    sync.WaitGroup
	end   chan struct{}

	mu      sync.Mutex // before the world's
	manners WebManners
	asked   []time.Time // within the quota's window
	tokens  map[string]time.Time
	tasks   map[string]*yunTask // by robot
	mode    string              // the socket that has robot mode on, "" for none
	journal map[string][]Write
	count   int
	closed  bool
}

// ServeWeb puts lifts behind a service at an address of any network that listen knows.
func ServeWeb(w *World, listen func(network, address string) (net.Listener, error), addr string, shape WebShape, cars ...string) (*Web, error) {
	s := &Web{world: w, shape: shape, cars: cars, end: make(chan struct{}), tokens: map[string]time.Time{}, tasks: map[string]*yunTask{}, journal: map[string][]Write{}}
	h := s.handler()
	if h == nil {
		return nil, fmt.Errorf("no service of shape %q", shape)
	}
	for _, c := range cars {
		if !slices.Contains(w.Lifts(), c) {
			return nil, fmt.Errorf("lift %q: %w", c, building.ErrNoCar)
		}
	}
	ln, err := listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve lifts over %s: %w", shape, err)
	}
	s.addr = ln.Addr().String()
	s.srv = &http.Server{Handler: s.counted(h), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: idleLimit, MaxHeaderBytes: 64 << 10}
	s.wg.Go(func() { _ = s.srv.Serve(ln) }) // ends with Close
	return s, nil
}

func (s *Web) handler() http.Handler {
	switch s.shape {
	case ShapeBench:
		return s.guard(s.bench())
	case ShapeYunR:
		return s.guard(s.yunR())
	case ShapeLiftAuth:
		return http.HandlerFunc(s.liftAuth)
	case ShapeKONE:
		return s.kone()
	}
	return nil
}

// counted has Close wait for each request, and none begin after it.
func (s *Web) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return
		}
		s.wg.Add(1)
		s.mu.Unlock()
		defer s.wg.Done()
		h.ServeHTTP(w, r)
	})
}

// Addr is where the service answers, as host:port.
func (s *Web) Addr() string { return s.addr }

// Cars are the lifts behind it.
func (s *Web) Cars() []string { return slices.Clone(s.cars) }

// Close ends the service and waits until nothing of it is left.
func (s *Web) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.end)
	err := s.srv.Close()
	s.wg.Wait()
	return err
}

// Behave changes the manners from the next request on.
func (s *Web) Behave(m WebManners) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manners = m
	s.asked = nil
}

func (s *Web) has() WebManners {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.manners
}

// Requests counts what was asked.
func (s *Web) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Lift is one lift's part of the journal.
func (s *Web) Lift(car string) WebLift { return WebLift{s, car} }

// WebLift is one lift behind a [Web].
type WebLift struct {
	web *Web
	car string
}

// Writes is what was asked of the lift, oldest first.
func (l WebLift) Writes() []Write {
	l.web.mu.Lock()
	defer l.web.mu.Unlock()
	return slices.Clone(l.web.journal[l.car])
}

// act does something with a lift and puts it into the journal.
func (s *Web) act(car, text string, do func(b *building.Building) error) error {
	w := Write{Text: text}
	var err error
	s.world.Do(func(b *building.Building) {
		w.At = b.Now()
		err = do(b)
	})
	if err != nil {
		w.Exception = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.journal[car]; len(j) == maxWrites {
		s.journal[car] = append(j[:0], j[maxWrites/2:]...)
	}
	s.journal[car] = append(s.journal[car], w)
	return err
}

func (s *Web) table(car string) (t elevator.Table) {
	s.world.Do(func(b *building.Building) { t = b.Table(car) })
	return t
}

// guard plays the manners that come before any answer.
func (s *Web) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		m := s.has()
		if !pause(m.AnswerDelay, s.end) {
			return
		}
		switch {
		case s.over():
			s.overQuota(w, m)
		case m.LoginPage:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title><form method=post action=/login></form>")
		case m.ErrorBody:
			send(w, 200, map[string]any{"success": false, "error": map[string]any{"code": "E500", "message": "internal"}})
		default:
			h.ServeHTTP(s.dripping(w, m.Drip), r)
		}
	})
}

// over counts a request and reports one too many.
func (s *Web) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if s.manners.Quota == 0 {
		return false
	}
	now := time.Now()
	s.asked = slices.DeleteFunc(s.asked, func(t time.Time) bool { return now.Sub(t) > 10*time.Second })
	if len(s.asked) >= s.manners.Quota {
		return true
	}
	s.asked = append(s.asked, now)
	return false
}

func (s *Web) overQuota(w http.ResponseWriter, m WebManners) {
	if m.QuotaAs == http.StatusUnauthorized {
		send(w, http.StatusUnauthorized, map[string]any{"message": "limit"})
		return
	}
	after := m.RetryAfter
	if after == 0 {
		after = 2 * time.Second
	}
	w.Header().Set("Retry-After", fmt.Sprint(int(after.Seconds())))
	send(w, http.StatusTooManyRequests, map[string]any{"message": "limit"})
}

// dripping writes each byte by itself.
func (s *Web) dripping(w http.ResponseWriter, every time.Duration) http.ResponseWriter {
	if every == 0 {
		return w
	}
	return &drip{w, every, s.end}
}

type drip struct {
	http.ResponseWriter
	every time.Duration
	end   chan struct{}
}

func (d *drip) Write(b []byte) (int, error) {
	rc := http.NewResponseController(d.ResponseWriter)
	for i := range b {
		if _, err := d.ResponseWriter.Write(b[i : i+1]); err != nil {
			return i, err
		}
		if err := rc.Flush(); err != nil || !pause(d.every, d.end) {
			return i, io.ErrShortWrite
		}
	}
	return len(b), nil
}

// called plays what becomes of the connection of a call that was carried out.
func (s *Web) called() {
	if s.has().DropCalls {
		panic(http.ErrAbortHandler)
	}
}

func send(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // who asked has gone
}

// grant makes a token.
func (s *Web) grant() (token string, life time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if life = s.manners.TokenLife; life == 0 {
		life = time.Hour
	}
	if len(s.tokens) > 1000 {
		clear(s.tokens)
	}
	token = fmt.Sprintf("token-%d-%d", len(s.tokens), time.Now().UnixNano())
	s.tokens[token] = time.Now().Add(life)
	return token, life
}

func (s *Web) believes(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.tokens[token]
	return ok && time.Now().Before(until)
}

// refusal words an error of the building.
func refusal(err error) (code string) {
	switch {
	case errors.Is(err, building.ErrLocked):
		return "LOCKED"
	case errors.Is(err, building.ErrBusy):
		return "MODE"
	case errors.Is(err, building.ErrNoLanding), errors.Is(err, building.ErrNoDoor), errors.Is(err, building.ErrRange):
		return "NO_LANDING"
	}
	return "FAILED"
}

// socketContext ends with the request, the service, or the socket's life.
func (s *Web) socketContext(r *http.Request) (context.Context, context.CancelFunc) {
	life := s.has().SocketLife
	if life == 0 {
		life = 30 * time.Minute
	}
	ctx, cancel := context.WithTimeout(r.Context(), life)
	s.wg.Go(func() {
		select {
		case <-s.end:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, cancel
}
