package localapi

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"hoistway/agent/commission"
	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const askWithin = 5 * time.Second // for the ride loop's answer

// Backend is the ride loop as this door sees it. Both methods are safe for
// concurrent use.
type Backend interface {
	// View is the latest state; never nil, never changed afterwards.
	View() *core.View
	// Ask waits for the loop's answer until ctx ends. By the time it answers, what
	// was accepted is stored. An error means that nothing is known of the order.
	Ask(ctx context.Context, o core.Order) (core.Answer, error)
}

// Options is what a server needs. Backend, Now and Wall are required.
type Options struct {
	Backend     Backend
	Now         func() elevator.Instant // the clock of the views
	Wall        func() time.Time
	Robots      []RobotAuth
	Technicians []TechAuth
	Cars        []CarSize    // what fits where; a lift that is not here takes every robot
	Log         *slog.Logger // nil: silent
	// Ready gives the answer of /readyz and its reasons; nil: ready.
	Ready func() (bool, []string)
	// Live gives the answer of /healthz; nil: alive.
	Live    func() error
	Version string
	// Metrics takes this door's collectors and is shown at /metrics; nil: one of its own.
	Metrics *prometheus.Registry
	// Hosts are names beside the loopback ones under which the door may be asked for.
	Hosts []string
	// Bench gives a lift's controller to a technician's questions; nil: of none.
	Bench func(lift string) (*commission.Bench, bool)
	// Records gives the flight records of rides; nil: none are kept.
	Records Records
	// Audit takes and shows what people did; nil: none is kept.
	Audit Audit
	// Pushes takes what lift services push; nil: there is no such door.
	Pushes Pushes
	// RMF speaks Open-RMF; nil: there is no such door.
	RMF RMF
	// Help gives, for the code of a ride's fault, the E-code that explains it and
	// what a person should do; nil: neither is told.
	Help func(fault string) (code, todo string)
	// Words says of a ride what its state does not; nil: the ride machine of this program.
	// On a robot it is the mirror of a gateway's.
	Words Words
}

// Words is what is said of a ride beside its state; the ride is only read. It is safe for concurrent use.
type Words interface {
	Withheld(*fsm.Ride, elevator.Instant) []fsm.Unmet
	Advise(*fsm.Ride, elevator.Instant) fsm.Advice
	Pass(*fsm.Ride, elevator.Instant) (fsm.LeavePass, bool)
	// Queued says what a ride in the queue waits for.
	Queued(*fsm.Ride) string
}

// Server answers robots and people. Its methods are safe for concurrent use.
type Server struct {
	o       Options
	keys    *keyring
	guesses *guesses
	metrics *metrics
	hub     *hub
	heights *heights
	rules   rules
	handler http.Handler
	limiter *limiter
	calls   chan struct{} // one slot a running call
	pushing chan struct{} // and one a pushed message

	robotSlots chan struct{} // slots of robots alone

	latest atomic.Pointer[core.View]
	peeked atomic.Pointer[string] // the last raw question, for the log
	wake   chan struct{}          // a new view is there
	once   sync.Once
	ended  chan struct{} // closed when readers must go
}

// New checks the options and builds the routes; it opens nothing and starts
// nothing. It fails on a missing part, a token that is no SHA-256, a token or
// robot id used twice, and on a registry that has these metrics already.
func New(o Options) (*Server, error) {
	if o.Backend == nil || o.Now == nil || o.Wall == nil {
		return nil, errors.New("localapi: Backend, Now and Wall are required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	keys, err := newKeyring(o.Robots, o.Technicians)
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, keys: keys, guesses: newGuesses(), heights: newHeights(), rules: machine(),
		limiter: newLimiter(), calls: make(chan struct{}, callsAtOnce), robotSlots: make(chan struct{}, robotsAtOnce), pushing: make(chan struct{}, hooksAtOnce), wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	if w := o.Words; w != nil {
		s.rules = rules{withheld: w.Withheld, advise: w.Advise, pass: w.Pass, queued: w.Queued}
	}
	s.hub = newHub(s)
	if s.metrics, err = newMetrics(s); err != nil {
		return nil, err
	}
	if s.handler, err = s.routes(); err != nil {
		return nil, err
	}
	return s, nil
}

// Handler is the whole door.
func (s *Server) Handler() http.Handler { return s.handler }

// Publish shows a new view to the readers of events. It never blocks; of views
// that come faster than they can be encoded the newest counts.
func (s *Server) Publish(v *core.View) {
	s.latest.Store(v)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run encodes events until ctx ends, then sends the readers away. Call it once.
func (s *Server) Run(ctx context.Context) error {
	defer s.end()
	ages := time.NewTicker(agesEvery)
	defer ages.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	late := time.NewTimer(agesEvery) // what can wait has waited
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-late.C:
		case <-ages.C: // values grow old without a new view
		}
		if wait := s.pass(); wait > 0 {
			late.Reset(wait)
		}
		rest.Reset(passRest)
		select {
		case <-ctx.Done():
			return nil
		case <-rest.C:
		}
	}
}

func (s *Server) pass() time.Duration {
	v := s.view()
	s.heights.learn(v)
	return s.hub.pass(v)
}

func (s *Server) end() { s.once.Do(func() { close(s.ended) }) }

// view is the newest view that is known here.
func (s *Server) view() *core.View {
	v := s.o.Backend.View()
	if p := s.latest.Load(); p != nil && p.Seq > v.Seq {
		return p
	}
	return v
}

// ask brings an order to the ride loop. The problem is nil when it was taken.
func (s *Server) ask(ctx context.Context, o core.Order) (core.Answer, *Problem) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	a, err := s.o.Backend.Ask(ctx, o)
	if err != nil {
		return a, refuse(asNoAnswer, "it is not known whether this was taken; ask for the state")
	}
	return a, refusalOf(a)
}

// newRideID names a ride whose robot did not.
func newRideID() string { return "ride-" + strings.ToLower(rand.Text()[:12]) }
