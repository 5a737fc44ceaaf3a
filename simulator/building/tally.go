package building

import "time"

// Tally sums up how long something took, in bounded space.
type Tally struct {
	Count int
	Mean  time.Duration
	Max   time.Duration
	P95   time.Duration // a whole second that 95 of 100 did not exceed, at most Max
}

// buckets of a second each; what took longer is in the last.
const buckets = 900

type histogram struct {
	count int
	sum   time.Duration
	max   time.Duration
	in    [buckets]int
}

func (h *histogram) add(d time.Duration) {
	h.count++
	h.sum += d
	h.max = max(h.max, d)
	// A whole second belongs to the bucket that it ends.
	h.in[min(buckets-1, max(0, (d-1)/time.Second))]++
}

func (h *histogram) merge(o *histogram) {
	h.count += o.count
	h.sum += o.sum
	h.max = max(h.max, o.max)
	for i, n := range o.in {
		h.in[i] += n
	}
}

func (h *histogram) tally() Tally {
	if h.count == 0 {
		return Tally{}
	}
	return Tally{Count: h.count, Mean: h.sum / time.Duration(h.count), Max: h.max, P95: h.p95()}
}

func (h *histogram) p95() time.Duration {
	need, have := (h.count*95+99)/100, 0
	for i := range buckets - 1 {
		if have += h.in[i]; have >= need {
			return min(h.max, time.Duration(i+1)*time.Second)
		}
	}
	return h.max
}
