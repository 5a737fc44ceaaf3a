package fieldbus

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
)

// LineStats is what a line has carried since it has users. Durations of answers
// are from the first byte of the question on.
type LineStats struct {
	Line      string  // its address
	Users     int     // lifts
	Up        bool    // open
	Occupancy float64 // of the last minute, 0 to 1: questions, answers and the silence after time-outs
	// Of the latest 512 commands, from being asked for to their first byte.
	QueueWaitP50, QueueWaitP99 time.Duration

	Sent, Good uint64 // transactions of which bytes left; those that were answered well
	Refused    uint64 // answered by a no
	Late       uint64 // answers that came after their time-out
	Spoilt     uint64 // answers that did not fit: checksum, length
	Skipped    uint64 // frames that were nobody's
	Reopened   uint64
	FeedsLate  uint64 // feeds of watchdogs, more than half a period late
	BeatsLate  uint64 // writes of levels, the same

	Timeouts      map[uint8]uint64        // by unit
	SlowestAnswer map[uint8]time.Duration // by unit
	LateBy        map[uint8]time.Duration // by unit: the latest of the late answers, after its time-out
}

// Diagnosis tells a unit that answers too late from one that does not answer; ""
// when it has never timed out.
func (s LineStats) Diagnosis(unit uint8) string {
	n, late := s.Timeouts[unit], s.LateBy[unit]
	switch {
	case n == 0:
		return ""
	case late > 0:
		return fmt.Sprintf("answers come up to %s after the time-out: it is too short", late.Round(time.Millisecond))
	case s.SlowestAnswer[unit] == 0:
		return fmt.Sprintf("dead: none of %d questions was ever answered; unit id, wiring or line settings", n)
	}
	return fmt.Sprintf("%d questions were not answered, nothing came afterwards either", n)
}

const (
	keptWaits = 512
	minute    = 60 // seconds of occupancy
)

// meter counts for a line. Who has the line writes, anybody may read; the lock is
// held for a few stores.
type meter struct {
	mu    sync.Mutex
	s     LineStats
	since time.Time
	opens int
	waits []time.Duration
	at    int
	busy  [minute]struct {
		second int64
		d      time.Duration
	}
	unheard struct { // the latest time-out, until the unit answers
		on   bool
		unit uint8
		by   time.Time
		row  int
	}
}

func newMeter(line string) *meter {
	return &meter{since: time.Now(), s: LineStats{
		Line: line, Timeouts: map[uint8]uint64{}, SlowestAnswer: map[uint8]time.Duration{}, LateBy: map[uint8]time.Duration{},
	}}
}

func (m *meter) opened(up bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.s.Up = up
	if up {
		m.opens++
		m.s.Reopened = uint64(m.opens - 1)
	}
}

func (m *meter) skipped(n uint64) {
	m.mu.Lock()
	m.s.Skipped += n
	m.mu.Unlock()
}

// waited notes how long a command stood in the queue.
func (m *meter) waited(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waits) < keptWaits {
		m.waits = append(m.waits, d)
		return
	}
	m.waits[m.at] = d
	m.at = (m.at + 1) % keptWaits
}

// occupied notes that the line was in use from t until now.
func (m *meter) occupied(t time.Time) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.busy[now.Unix()%minute]
	if b.second != now.Unix() {
		b.second, b.d = now.Unix(), 0
	}
	b.d += now.Sub(t)
}

// count notes how a transaction went. It returns how many were not answered in a
// row, on whatever unit.
func (m *meter) count(tx schedule.Tx, o schedule.Outcome, err error, sent bool) (row int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if sent {
		m.s.Sent++
	}
	switch {
	case o == schedule.Good && tx.Kind != schedule.Echo, o == schedule.NotYet:
		m.s.Good++
		m.unheard.row = 0
	case o == schedule.Refused, o == schedule.Unclear:
		m.s.Refused++
		m.unheard.row = 0
	case o == schedule.Silent && errors.Is(err, drivers.ErrTimeout):
		m.s.Timeouts[tx.Unit]++
		m.unheard.on, m.unheard.unit, m.unheard.by = true, tx.Unit, time.Now()
		m.unheard.row++
	case o == schedule.Silent && errors.Is(err, drivers.ErrProtocol):
		m.s.Spoilt++
	}
	return m.unheard.row
}

// answer notes how long a unit took.
func (m *meter) answer(unit uint8, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.s.SlowestAnswer[unit] = max(m.s.SlowestAnswer[unit], d)
	if m.unheard.unit == unit {
		m.unheard.on = false
	}
}

// late notes that something came with nothing asked: the first such after a
// time-out is taken for its answer.
func (m *meter) late() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if u := &m.unheard; u.on {
		u.on = false
		m.s.Late++
		m.s.LateBy[u.unit] = max(m.s.LateBy[u.unit], time.Since(u.by), time.Nanosecond)
	}
}

func (m *meter) promised(feeds, beats uint64) {
	m.mu.Lock()
	m.s.FeedsLate, m.s.BeatsLate = feeds, beats
	m.mu.Unlock()
}

// stats is a copy of what was counted.
func (m *meter) stats(users int) LineStats {
	m.mu.Lock()
	s, waits := m.s, slices.Clone(m.waits)
	s.Timeouts, s.SlowestAnswer, s.LateBy = maps.Clone(s.Timeouts), maps.Clone(s.SlowestAnswer), maps.Clone(s.LateBy)
	s.Occupancy = m.occupancy(time.Now())
	m.mu.Unlock()
	s.Users = users
	slices.Sort(waits)
	if n := len(waits); n > 0 {
		s.QueueWaitP50, s.QueueWaitP99 = waits[n/2], waits[n*99/100]
	}
	return s
}

func (m *meter) occupancy(now time.Time) float64 {
	var sum time.Duration
	for _, b := range m.busy {
		if now.Unix()-b.second < minute {
			sum += b.d
		}
	}
	span := min(now.Sub(m.since), minute*time.Second)
	if span <= 0 {
		return 0
	}
	return min(float64(sum)/float64(span), 1)
}

// Stats tells of each open line, in order of their addresses. It may be called at
// any time and holds nobody up.
func (ls *Lines) Stats() []LineStats {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	var out []LineStats
	for _, k := range slices.Sorted(maps.Keys(ls.open)) {
		l := ls.open[k]
		out = append(out, l.meter.stats(l.users))
	}
	return out
}
