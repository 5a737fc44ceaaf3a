package mqttlink

import (
	"cmp"
	"math/rand/v2"
	"time"
)

const (
	firstPause = time.Second
	longPause  = 5 * time.Minute
	settled    = time.Minute // a connection that lived this long clears the record
)

// pace draws the wait before each attempt: uniform in a window that doubles with
// each failure. A connection that did not last counts as a failure, or two
// clients of one id would throw each other out as fast as they can connect.
type pace struct {
	rng     *rand.Rand
	spread  time.Duration
	window  time.Duration
	fails   int
	longest time.Duration // 0 is longPause
}

func newPace(seed uint64, spread time.Duration) *pace {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &pace{rng: rand.New(rand.NewPCG(seed, 0)), spread: spread, window: spread}
}

func (p *pace) next() time.Duration {
	if p.window <= 0 {
		return 0
	}
	return time.Duration(p.rng.Int64N(int64(p.window) + 1))
}

func (p *pace) failed() {
	p.fails++
	p.window = min(ceiling(p.fails), cmp.Or(p.longest, longPause))
}

func (p *pace) lost(lived time.Duration) {
	p.fails++
	if lived >= settled {
		p.fails = 0
	}
	p.window = max(p.spread, min(ceiling(p.fails), cmp.Or(p.longest, longPause)))
}

func ceiling(fails int) time.Duration {
	if fails <= 0 {
		return 0
	}
	pause := firstPause
	for ; fails > 1 && pause < longPause; fails-- {
		pause *= 2
	}
	return min(pause, longPause)
}
