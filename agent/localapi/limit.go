package localapi

import (
	"net/http"
	"sync"
	"time"

	"hoistway/fsm/elevator"
)

// How often calls may come. Robots have shares of their own: whatever people, pages and
// strangers do takes nothing from a ride that goes on.
const (
	robotRate    = 50  // calls a second of one robot
	othersRate   = 200 // of one technician, or of all that come from one address without a token
	allRate      = 500 // of all who are no robots
	burstFor     = 2   // seconds of a rate that may come at once
	maxBuckets   = 1024
	callsAtOnce  = 64 // running calls of all who are no robots; readers of events count apart
	robotsAtOnce = 64 // and of robots
)

// limiter counts calls by caller, in buckets that fill with time.
type limiter struct {
	mu      sync.Mutex
	buckets map[caller]*bucket
	all     bucket
}

type bucket struct {
	left float64
	at   elevator.Instant
}

func newLimiter() *limiter { return &limiter{buckets: make(map[caller]*bucket)} }

// admit counts one call. False: the caller, or all together, have asked too often.
func (l *limiter) admit(c caller, now elevator.Instant) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	rate := float64(othersRate)
	if c.role == robot {
		rate = robotRate
	}
	b := l.buckets[c]
	if b == nil {
		if len(l.buckets) >= maxBuckets {
			l.dropFull(now)
		}
		b = &bucket{left: rate * burstFor, at: now}
		l.buckets[c] = b
	}
	if !b.take(rate, now) {
		return false
	}
	if l.all.at == 0 {
		l.all = bucket{allRate * burstFor, now}
	}
	return c.role == robot || l.all.take(allRate, now)
}

func (b *bucket) take(rate float64, now elevator.Instant) bool {
	b.left = min(b.left+rate*now.Sub(b.at).Seconds(), rate*burstFor)
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

// dropFull forgets who has not asked for so long that nothing is held against them; where
// that makes no room, everybody begins anew.
func (l *limiter) dropFull(now elevator.Instant) {
	for c, b := range l.buckets {
		if now.Sub(b.at) > burstFor*time.Second {
			delete(l.buckets, c)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// limitRate stands behind who the caller is: callers without a name count by their address.
func (s *Server) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r.Context())
		if c.name == "" {
			c.name = hostOf(r.RemoteAddr)
		}
		if !isWebhook(r.URL.Path) && !s.limiter.admit(c, s.o.Now()) {
			w.Header().Set("Retry-After", "1")
			if !reads(r.Method) {
				w.Header().Set("Connection", "close") // its body is not wanted
			}
			s.metrics.tooOften.Inc()
			writeProblem(w, r, refuse(asTooOften, "%d calls a second of one robot, %d of anybody else, are answered", robotRate, othersRate))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limitCalls keeps a flood from taking more than its share of what runs at once.
func (s *Server) limitCalls(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slots := s.calls
		if callerOf(r.Context()).role == robot {
			slots = s.robotSlots
		}
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			next.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			writeProblem(w, r, refuse(asBusy, "%d calls are running", cap(slots)))
		}
	})
}
