package fieldbus

import (
	"cmp"
	"slices"
	"time"

	"hoistway/drivers/fieldbus/schedule"
)

const (
	// partLife is how long the begin of a frame is kept for its rest.
	partLife = 500 * time.Millisecond
	// maxUnasked bounds what was heard and not yet told to the schedule.
	maxUnasked = 16
)

// came takes what an idle line brought.
func (l *line) came(b []byte) {
	if time.Since(l.active) > partLife || l.spec.Network == UDP {
		l.cut(len(l.in), "half a frame")
	}
	l.heardAt(b)
	l.overhear("came unasked")
}

// overhear cuts frames out of what came unasked and offers each to the users. The
// begin of one stays; so much and no more.
func (l *line) overhear(note string) {
	for len(l.in) > 0 {
		h := l.spec.Cut(l.in)
		fits := h.N > 0 && h.N <= len(l.in)
		switch {
		case h.Verdict == Take && fits:
			l.cut(h.N, l.offer(l.in[:h.N], note))
		case h.Verdict == Skip && fits:
			l.nobodys()
			l.cut(h.N, cmp.Or(h.Note, note))
		case h.Verdict == More && len(l.in) < maxStray && l.spec.Network != UDP:
			return
		default:
			l.nobodys()
			l.cut(len(l.in), cmp.Or(h.Note, note))
		}
	}
}

// skip offers what a question did not want. It reports whether somebody else did.
func (l *line) skip(n int, note string) (wanted bool) {
	if l.spec.Cut != nil {
		wanted = l.offerAll(l.in[:n], note)
	}
	if wanted {
		note = ""
	} else {
		l.meter.skipped(1)
	}
	l.cut(n, note)
	return wanted
}

func (l *line) offerAll(part []byte, note string) (wanted bool) {
	for len(part) > 0 {
		h := l.spec.Cut(part)
		if h.N <= 0 || h.N > len(part) || h.Verdict != Take && h.Verdict != Skip {
			return wanted
		}
		if h.Verdict == Take && l.offer(part[:h.N], note) == "" {
			wanted = true
		}
		part = part[h.N:]
	}
	return wanted
}

// offer shows a frame to the users in order of their joining, until one says that
// it is for it. It returns the note for the trace, "" when it was somebody's.
func (l *line) offer(frame []byte, note string) string {
	ports := l.ports()
	slices.SortFunc(ports, func(a, b *Port) int { return cmp.Compare(a.owner, b.owner) })
	for _, p := range ports {
		if p.m.Overhear == nil {
			continue
		}
		reply, mine := p.m.Overhear(slices.Clone(frame), l.cameAt)
		if !mine {
			continue
		}
		l.answered()
		l.overheard(p, reply)
		return ""
	}
	l.nobodys()
	return cmp.Or(note, "nobody's")
}

// overheard tells the schedule, as soon as it can be told.
func (l *line) overheard(p *Port, reply []byte) {
	ev := schedule.Overheard{Owner: p.owner}
	if len(reply) > 0 {
		ev.Key = l.nextKey()
	}
	if len(l.unasked) >= maxUnasked || ev.Key == 0 && len(l.unasked) > 0 {
		return
	}
	if ev.Key != 0 {
		l.replies[ev.Key] = slices.Clone(reply)
	}
	l.unasked = append(l.unasked, ev)
}

// nextUnasked takes the oldest event that was overheard, nil for none.
func (l *line) nextUnasked() schedule.Event {
	if len(l.unasked) == 0 {
		return nil
	}
	ev := l.unasked[0]
	l.unasked = append(l.unasked[:0], l.unasked[1:]...)
	return ev
}

func (l *line) heardAt(b []byte) {
	l.active = time.Now()
	if l.spec.Cut != nil {
		l.cameAt = l.now()
	}
	l.in = append(l.in, b...)
}

// nobodys counts what came unasked and is for nobody.
func (l *line) nobodys() {
	l.meter.late()
	l.meter.skipped(1)
}
