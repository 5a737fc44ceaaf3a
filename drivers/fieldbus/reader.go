package fieldbus

import (
	"hoistway/drivers/fieldbus/schedule"
)

// reader is one Port.Read under way. Its fields belong to the line's goroutine.
type reader struct {
	owner schedule.Owner
	open  map[schedule.Key]bool
	err   error
	done  chan error
}

func newReader(n int) *reader {
	return &reader{open: make(map[schedule.Key]bool, n), done: make(chan error, 1)}
}

// listen notes which polls a reader waits for. With the line down it waits for none.
func (l *line) listen(n note) {
	n.reader.owner = n.owner
	for k, p := range l.polls {
		if p.owner == n.owner {
			n.reader.open[k] = true
		}
	}
	if l.conn == nil && l.tried {
		n.reader.done <- l.notOpen()
		return
	}
	if len(n.reader.open) == 0 {
		n.reader.done <- nil
		return
	}
	l.readers = append(l.readers, n.reader)
}

// heard ticks a poll off for those who wait for it.
func (l *line) heard(k schedule.Key, err error) {
	l.endReaders(func(r *reader) bool {
		if !r.open[k] {
			return false
		}
		delete(r.open, k)
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
