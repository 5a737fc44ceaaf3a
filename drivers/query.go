package drivers

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query takes the parameters of a link out of its URL, and keeps the first fault. One
// goroutine reads it.
type Query struct {
	given url.Values
	known []string // those that were asked for
	err   error
}

// NewQuery reads what stands after the ?.
func NewQuery(u *url.URL) *Query {
	q := &Query{}
	var err error
	if q.given, err = url.ParseQuery(u.RawQuery); err != nil {
		q.Fail("the part after ?: %w", err)
	}
	return q
}

// Err is the first fault.
func (q *Query) Err() error { return q.err }

// Fail notes a fault, if it is the first.
func (q *Query) Fail(format string, args ...any) {
	if q.err == nil {
		q.err = fmt.Errorf(format, args...)
	}
}

// Has reports whether the link says it.
func (q *Query) Has(name string) bool { return q.given.Has(name) }

// Text is missing where the link does not say it.
func (q *Query) Text(name, missing string) string {
	q.known = append(q.known, name)
	v, ok := q.given[name]
	if !ok {
		return missing
	}
	if len(v) > 1 {
		q.Fail("%s is given %d times", name, len(v))
	}
	return v[0]
}

// Number is a whole number from low to high.
func (q *Query) Number(name string, missing, low, high int) int {
	v := q.Text(name, strconv.Itoa(missing))
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		q.Fail("%s %s: a number from %d to %d is expected", name, v, low, high)
		return low
	}
	return n
}

// Duration is a time from low to high.
func (q *Query) Duration(name string, missing, low, high time.Duration) time.Duration {
	v := q.Text(name, missing.String())
	d, err := time.ParseDuration(v)
	if err != nil || d < low || d > high {
		q.Fail("%s %s: a time from %s to %s is expected, as 500ms", name, v, low, high)
		return missing
	}
	return d
}

// Word is one of a few.
func (q *Query) Word(name string, words ...string) string {
	v := q.Text(name, words[0])
	if !slices.Contains(words, v) {
		q.Fail("%s %s: %s or %s is expected", name, v, strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
	}
	return v
}

// NothingElse finds fault with what nobody asked for.
func (q *Query) NothingElse() {
	for name := range q.given {
		if !slices.Contains(q.known, name) {
			q.Fail("%s is not known; there are %s", name, strings.Join(q.known, ", "))
		}
	}
}
