package ops

const (
	rateWindow = 60  // seconds
	ratePaths  = 120 // acts of one operator on one path in a window
	maxRates   = 10_000
)

// Rate bounds how often one operator acts on one path. The zero value is ready; it has
// one owner.
type Rate struct {
	counts map[rateKey]*rateCount
}

type rateKey struct{ operator, path string }

type rateCount struct {
	n     int
	until int64
}

// Take counts one act. wait is 0, or in how many seconds the next may come.
func (r *Rate) Take(operator, path string, now int64) (wait int64) {
	if r.counts == nil || len(r.counts) >= maxRates {
		r.counts = map[rateKey]*rateCount{} // a flood of paths begins anew: bounded, and rare
	}
	key := rateKey{operator, path}
	c := r.counts[key]
	if c == nil || now >= c.until {
		c = &rateCount{until: now + rateWindow}
		r.counts[key] = c
	}
	if c.n >= ratePaths {
		return c.until - now
	}
	c.n++
	return 0
}
