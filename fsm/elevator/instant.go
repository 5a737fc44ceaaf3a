package elevator

import "time"

// Instant is a point of the monotonic clock in nanoseconds since the process
// started. Zero means never. Wall time exists only at the edges of the program.
type Instant int64

// Add returns the instant d later. Never stays never.
func (i Instant) Add(d time.Duration) Instant {
	if i == 0 {
		return 0
	}
	return i + Instant(d)
}

// Sub returns the time from j to i.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i - j) }

// Reached reports whether the deadline i has come at now. A deadline that was
// never set is never reached.
func (i Instant) Reached(now Instant) bool { return i != 0 && now >= i }

// Until returns the time left to the deadline i, never less than zero.
func (i Instant) Until(now Instant) time.Duration {
	if i <= now {
		return 0
	}
	return time.Duration(i - now)
}
