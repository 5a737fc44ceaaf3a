package fieldbus

import (
	"slices"

	"hoistway/drivers/fieldbus/schedule"
)

// reader is one Port.Read under way. Its fields belong to who has the line.
type reader struct {
	owner schedule.Owner
	open  []schedule.Key // polls that it waits for
	err   error
	done  chan error
}

func newReader(o schedule.Owner) *reader { return &reader{owner: o, done: make(chan error, 1)} }

func (r *reader) waits(k schedule.Key) bool { return slices.Contains(r.open, k) }

// listen notes which polls a reader waits for. With the line down it waits for none.
func (l *line) listen(r *reader) {
	if l.conn == nil && l.tried {
		r.done <- l.notOpen()
		return
	}
	for k, p := range l.polls {
		if p.owner == r.owner {
			r.open = append(r.open, k)
		}
	}
	if len(r.open) == 0 {
		r.done <- nil
		return
	}
	l.readers = append(l.readers, r)
}

// heard ticks a poll off for those who wait for it.
func (l *line) heard(k schedule.Key, err error) {
	l.endReaders(func(r *reader) bool {
		i := slices.Index(r.open, k)
		if i < 0 {
			return false
		}
		r.open = slices.Delete(r.open, i, i+1)
		if r.err == nil {
			r.err = err
		}
		return len(r.open) == 0
	}, nil)
}

// endReaders answers the readers that over picks.
func (l *line) endReaders(over func(*reader) bool, err error) {
	kept := l.readers[:0]
	for _, r := range l.readers {
		if !over(r) {
			kept = append(kept, r)
			continue
		}
		if r.err == nil {
			r.err = err
		}
		r.done <- r.err
	}
	l.readers = kept
}
