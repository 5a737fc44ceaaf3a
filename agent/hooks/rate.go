package hooks

import "time"

// rate is how the answers of the last five minutes were, in steps of ten seconds.
type rate struct {
	steps [30]struct{ good, bad int }
	at    int64 // number of the newest step
}

const rateStep = 10 * time.Second

func (r *rate) add(now time.Time, good bool) {
	r.turn(now)
	s := &r.steps[r.at%int64(len(r.steps))]
	if good {
		s.good++
		return
	}
	s.bad++
}

// turn empties the steps that have become too old.
func (r *rate) turn(now time.Time) {
	n := now.UnixNano() / int64(rateStep)
	for i := int64(1); i <= min(n-r.at, int64(len(r.steps))); i++ {
		r.steps[(r.at+i)%int64(len(r.steps))] = struct{ good, bad int }{}
	}
	if r.at = max(r.at, n); n < r.at-1 { // the clock was set back
		*r = rate{at: n}
	}
}

// share is the part of the answers that were no yes, 0 to 1.
func (r *rate) share(now time.Time) (share float64, bad int) {
	r.turn(now)
	all := 0
	for _, s := range r.steps {
		bad += s.bad
		all += s.good + s.bad
	}
	if all == 0 {
		return 0, 0
	}
	return float64(bad) / float64(all), bad
}

// Services suspend at 5 % of five minutes; a person is told long before.
const (
	warnAt    = 0.02
	suspendAt = 0.05
)

// bucketOfTokens lets so many messages a second in, and a burst. With what it lets in
// within keepFor the ids that are remembered stay within their bound.
type bucketOfTokens struct {
	left float64
	at   time.Time
}

const (
	perSecond = 30
	burst     = 300
)

func newBucketOfTokens() bucketOfTokens { return bucketOfTokens{left: burst} }

func (b *bucketOfTokens) take(now time.Time) bool {
	if !b.at.IsZero() {
		b.left = min(burst, b.left+max(0, now.Sub(b.at).Seconds())*perSecond)
	}
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
