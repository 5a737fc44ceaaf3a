package rest

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
)

// accounts are those of one program: lifts of one account share its quota.
type accounts struct {
	shelf drivers.Shelf[*profiles.Profile] // and what they have read
	mu    sync.Mutex
	all   map[string]*account
}

// of gives the account of a service and a file of secrets.
func (as *accounts) of(key string, r profiles.Rate) *account {
	as.mu.Lock()
	defer as.mu.Unlock()
	a := as.all[key]
	if a == nil {
		a = &account{rate: r, left: float64(r.Requests)}
		if as.all == nil {
			as.all = map[string]*account{}
		}
		as.all[key] = a
	}
	return a
}

// account is the quota at one service.
type account struct {
	mu    sync.Mutex
	rate  profiles.Rate
	left  float64   // of the quota
	at    time.Time // when left was reckoned
	until time.Time // the service asked for silence until then
	deny  time.Duration
}

// maxSilence bounds how long a service may silence us by one answer.
const maxSilence = time.Hour

// take takes one request out of the quota, or says how long until there is one. A
// command may take from the reserve.
func (a *account) take(now time.Time, command bool) (wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	each := a.rate.Per.Seconds() / float64(a.rate.Requests)
	if !a.at.IsZero() {
		a.left = min(float64(a.rate.Requests), a.left+now.Sub(a.at).Seconds()/each)
	}
	a.at = now
	if d := a.until.Sub(now); d > 0 {
		return d
	}
	keep := 1.0
	if !command {
		keep += float64(a.rate.Reserve)
	}
	if a.left < keep {
		return time.Duration(math.Ceil((keep-a.left)*each*1e9)) + time.Millisecond
	}
	a.left--
	return 0
}

// admit waits for the quota; it fails at once where ctx ends before there is any. A
// poll waits for none: its next turn comes.
func (a *account) admit(ctx context.Context, command bool) error {
	for {
		wait := a.take(time.Now(), command)
		if wait == 0 {
			return nil
		}
		end, bounded := ctx.Deadline()
		if !command || !bounded || time.Until(end) <= wait {
			return fmt.Errorf("%w: %w: the service's quota leaves nothing for %s", drivers.ErrNotSent, drivers.ErrBusy, wait.Round(time.Millisecond))
		}
		if !view.Sleep(ctx, wait) {
			return fmt.Errorf("%w: %w", drivers.ErrNotSent, ctx.Err())
		}
	}
}

// silence obeys an answer that asks for a pause.
func (a *account) silence(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if until := time.Now().Add(min(d, maxSilence)); until.After(a.until) {
		a.until = until
	}
}

// Silence after answers that do not believe who we are.
const (
	firstDenial   = 15 * time.Second
	longestDenial = 10 * time.Minute
)

// denied stops the account for a while, longer each time in a row: a service that
// sees the same wrong password again and again locks the account.
func (a *account) denied() {
	a.mu.Lock()
	a.deny = min(max(2*a.deny, firstDenial), longestDenial)
	d := a.deny
	a.mu.Unlock()
	a.silence(d)
}

func (a *account) believed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deny = 0
}

// retryAfter reads the header of that name: seconds or a date; 0 for none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
