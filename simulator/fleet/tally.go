package fleet

import (
	"sync"
	"sync/atomic"
	"time"
)

// maxSamples bounds what is kept for percentiles; beyond it old ones go.
const maxSamples = 1 << 20

// tally is what all gateways count together. It is for any goroutine.
type tally struct {
	online                  atomic.Int64 // now
	reached                 atomic.Int64 // were online at least once
	registered              atomic.Int64 // were answered by a cloud at least once
	sent, received          atomic.Uint64
	sentBytes, recvBytes    atomic.Uint64 // topics and payloads
	rideBytes               atomic.Uint64 // of them, on the lifts' shadows without the reads of a new connection
	wireIn, wireOut         atomic.Uint64 // what the sockets carried
	rides                   atomic.Uint64
	made, told, overtaken   atomic.Uint64 // transitions
	drops, power, foreign   atomic.Uint64 // connections lost, by cause
	failed                  atomic.Uint64 // attempts to connect
	carriedOut, confirmed   atomic.Uint64 // settings
	refused, twice, retries atomic.Uint64

	mu       sync.Mutex
	latency  samples // of a transition, report to accepted, on one connection
	wishing  samples // of a setting, wish to confirmed
	notes    map[string]int
	absences []*absence
	wishes   map[string]time.Duration // by intent, when it was wished
	lastErr  error
}

// samples is a ring of durations.
type samples struct {
	list []time.Duration
	next int
}

func (s *samples) add(d time.Duration) {
	if len(s.list) < maxSamples {
		s.list = append(s.list, d)
		return
	}
	s.list[s.next] = d
	s.next = (s.next + 1) % maxSamples
}

func (t *tally) delivered(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latency.add(d)
}

// wished notes when an intent was sent.
func (t *tally) wished(intent string, at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wishes[intent] = at
}

// unwished takes back what may not have left.
func (t *tally) unwished(intent string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.wishes, intent)
}

func (t *tally) fulfilled(intent string, now time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ours := t.wishes[intent]; ours {
		t.confirmed.Add(1)
		t.wishing.add(now - at)
	}
}

func (t *tally) note(kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes[kind]++
}

func (t *tally) couldNot(err error) {
	t.failed.Add(1)
	t.lastError(err)
}

func (t *tally) lastError(err error) {
	if err == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastErr = err
}

func (t *tally) why() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lastErr
}

// gone opens an absence; back and caughtUp go on with it.
func (t *tally) gone(why cause, at time.Duration) *absence {
	a := &absence{why: why, lost: at}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.absences = append(t.absences, a)
	return a
}

func (t *tally) back(a *absence, at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a.up = at
}

func (t *tally) caughtUp(a *absence, at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.inStep == 0 {
		a.inStep = at
	}
}

// history copies the absences.
func (t *tally) history() []absence {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]absence, len(t.absences))
	for i, a := range t.absences {
		out[i] = *a
	}
	return out
}

// traffic is what has passed up to an instant.
type traffic struct {
	at                            time.Duration
	sent, received, bytes         uint64
	wire, rides, made, rideBytes  uint64
	drops, power, foreign, failed uint64
}

func (t *tally) traffic(at time.Duration) traffic {
	return traffic{
		at: at, sent: t.sent.Load(), received: t.received.Load(), bytes: t.sentBytes.Load() + t.recvBytes.Load(),
		wire: t.wireIn.Load() + t.wireOut.Load(), rides: t.rides.Load(), made: t.made.Load(), rideBytes: t.rideBytes.Load(),
		drops: t.drops.Load(), power: t.power.Load(), foreign: t.foreign.Load(), failed: t.failed.Load(),
	}
}
