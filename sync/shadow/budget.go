package shadow

const (
	millisecond int64 = 1_000_000
	second            = 1000 * millisecond
	minute            = 60 * second
)

// bucket lets burst things pass at once and then one each gap. It lives on the
// monotonic clock: a step of the wall clock neither stalls nor opens it.
type bucket struct {
	gap, burst int64
	filled     int64 // the instant at which the full burst is there again
}

func newBucket(gap, burst int64) bucket { return bucket{gap: gap, burst: burst} }

// at is the earliest instant at which one may pass.
func (b *bucket) at() int64 { return b.filled - (b.burst-1)*b.gap }

func (b *bucket) take(now int64) { b.filled = max(b.filled, now) + b.gap }

// window lets two things pass in any minute.
type window [2]int64 // when the last two passed, the older first

func newWindow() window { return window{-minute, -minute} }

func (w *window) at() int64 { return w[0] + minute }

func (w *window) take(now int64) { *w = window{w[1], now} }

// sequence numbers the reported writes of a thing. It is stored in blocks: after
// a restart it goes on above every number that can have been used.
type sequence struct{ next, stored uint64 }

const sequenceBlock = 1024

func (q *sequence) take() (n uint64, mustStore bool) {
	n = q.next
	q.next++
	if q.next <= q.stored {
		return n, false
	}
	q.stored = n + sequenceBlock
	return n, true
}

// serverClock is the newest time that the service has told, carried on by the
// monotonic clock. A late message tells an old time, so only a later one counts.
type serverClock struct {
	at, mono int64 // epoch ms, 0 = never told
	proven   bool  // by an answer to what this connection asked, not only by what came along
}

func (c *serverClock) told(ms, now int64) {
	if ms > 0 && ms > c.ms(now) {
		c.at, c.mono = ms, now
	}
}

func (c *serverClock) ms(now int64) int64 {
	if c.at == 0 {
		return 0
	}
	return c.at + (now-c.mono)/millisecond
}
