package shadow

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// tell sends events: what was told and not had, then the backlog of alarms, then what
// is new, then the rest of the backlog. The backlog goes at its budget.
func (s *Session) tell() {
	if !s.settledIn() || !s.reached(s.aside.outbox.retryAt) {
		return
	}
	s.unheard()
	for s.tellNext() {
	}
}

// settledIn tells that the full report is through, or has had its time: alarms do not
// wait for a shadow that never comes into step.
func (s *Session) settledIn() bool {
	behind := slices.ContainsFunc(s.twins, func(t *twin) bool { return !t.caughtUp })
	return !behind || s.reached(s.link.upAt+reportLimit)
}

// unheard has everything told again when the oldest was not answered for: after 30 s, and
// then ever more rarely, up to 16 minutes, where a service knows nothing of events.
func (s *Session) unheard() {
	o := &s.aside.outbox
	if len(o.told) == 0 || o.told[0].sentAt == 0 || !s.reached(o.told[0].sentAt+answerLimit<<min(o.silences, 5)) {
		return
	}
	o.silences++
	s.note("unanswered", "event %d unanswered, again from there", o.told[0].Seq)
	o.tellAgain(0)
}

func (o *outbox) tellAgain(from uint64) {
	for _, e := range o.told {
		if e.Seq >= from {
			e.sentAt = 0
		}
	}
}

func (s *Session) tellNext() bool {
	o := &s.aside.outbox
	if i := slices.IndexFunc(o.told, func(e *event) bool { return e.sentAt == 0 }); i >= 0 {
		return s.pacedEvent(func() *event { return o.told[i] })
	}
	if len(o.told) >= maxEventsFlying {
		return false // an answer or a time-out wakes us
	}
	if o.lost > 0 {
		return s.pacedEvent(func() *event { o.sayLost(); return o.told[len(o.told)-1] })
	}
	i, live := o.choose()
	switch {
	case i < 0:
		return false
	case live:
		s.sendEvent(o.number(i))
		return true
	}
	return s.pacedEvent(func() *event { return o.number(i) })
}

func (s *Session) pacedEvent(next func() *event) bool {
	if !s.reached(s.aside.outbox.budget.at()) {
		return false
	}
	s.aside.outbox.budget.take(s.now)
	s.sendEvent(next())
	return true
}

// choose is the place of the next to be told, -1 for none.
func (o *outbox) choose() (place int, live bool) {
	place, best := -1, 4
	for i, e := range o.waiting {
		rank := 3
		switch {
		case e.Alarm && !e.live:
			rank = 0
		case e.Alarm:
			rank = 1
		case e.live:
			rank = 2
		}
		if rank < best {
			place, best, live = i, rank, e.live
		}
	}
	return place, live
}

func (s *Session) sendEvent(e *event) {
	s.date(e)
	e.token, e.sentAt = s.token(), s.now
	s.dirty |= dirtEvents
	s.publish(e.token, s.cfg.Beside+"/"+BesideEvents, e.payload(s.epoch), 1, false)
	s.wakeAt(s.now + answerLimit)
}

// date says when it happened, once the service's clock is known.
func (s *Session) date(e *event) {
	ms := s.clock.ms(s.now)
	if ms == 0 || e.First != 0 || e.since == 0 {
		return
	}
	e.First = (ms - (s.now-e.since)/millisecond) / 1000
	e.Last = (ms - (s.now-e.late)/millisecond) / 1000
	e.changed = true
}

func (e *event) payload(epoch uint64) []byte {
	t := Clone(e.Body)
	if t == nil {
		t = Tree{}
	}
	t["epoch"], t["seq"], t["kind"], t["clientToken"] = num(epoch), num(e.Seq), e.Kind, e.token
	if e.First != 0 {
		t["at"] = num(e.First)
	}
	if e.Count > 1 {
		t["count"] = num(e.Count)
		if e.First != 0 {
			t["first"] = num(e.First)
		}
		if e.Last != 0 {
			t["last"] = num(e.Last)
		}
	}
	return Encode(t)
}

// reconnected: what waits is backlog now, and what was told is told again.
func (o *outbox) reconnected() {
	for _, e := range o.waiting {
		e.live = false
	}
	o.tellAgain(0)
	o.retryAt, o.silences = 0, 0
}

func (s *Session) eventsAccepted(t Tree) {
	epoch, ok1 := intOf(t["epoch"])
	upto, ok2 := intOf(t["upto"])
	if !ok1 || !ok2 || uint64(epoch) != s.epoch || upto < 0 || uint64(upto) >= s.aside.outbox.next {
		s.note("duplicate", "events accepted that were not told: epoch %v, up to %v", t["epoch"], t["upto"])
		return
	}
	if s.aside.outbox.had(uint64(upto)) {
		s.aside.outbox.ackedAt, s.aside.outbox.silences = s.now, 0
		s.dirty |= dirtHad
	}
}

// eventsRejected: one that the service will never take is given up, and its number says
// so; else it is told again later.
func (s *Session) eventsRejected(t Tree) {
	token, _ := t["clientToken"].(string)
	o := &s.aside.outbox
	i := slices.IndexFunc(o.told, func(e *event) bool { return e.token == token && token != "" })
	if i < 0 {
		s.note("duplicate", "a refusal of no event of ours")
		return
	}
	e := o.told[i]
	code, _ := intOf(t["code"])
	message, _ := t["message"].(string)
	s.note("rejected", "event %d %s refused: %d %.100s", e.Seq, e.Kind, code, message)
	e.sentAt = 0
	o.retryAt = s.now + s.jitter(5*second, 0.5)
	if code >= 400 && code < 500 && code != 429 && e.Kind != EventLost {
		e.Kind, e.Body, e.Count, e.changed = EventLost, lostBody(e.Seq, e.Seq), 1, true
		o.dropped++
		s.dirty |= dirtEvents
	}
}

// resync: the service has lost its place. What it asks for and is no longer held it
// has had once, or was told that it is lost.
func (s *Session) resync(t Tree) {
	o := &s.aside.outbox
	if from, ok := intOf(t["events_from"]); ok && from > 0 {
		first := o.next
		if len(o.told) > 0 {
			first = o.told[0].Seq
		}
		if uint64(from) < first {
			s.happened(Event{Kind: EventLost, Merge: EventLost, Body: lostBody(uint64(from), first-1)})
		}
		o.tellAgain(uint64(from))
	}
	if report, _ := t["report"].(bool); report {
		for _, t := range s.twins {
			t.rest.recheckAll(t.want)
			t.doubt = touch(t.doubt, t.want)
			t.write.blocked, t.write.echoes = false, 0
		}
	}
}

func (o *outbox) unsent(token string, again int64) {
	for _, e := range o.told {
		if e.token == token {
			e.sentAt, o.retryAt = 0, again
		}
	}
}

const eventPrefix = "sync:event:"

func eventKey(slot int) string { return eventPrefix + strconv.Itoa(slot) + ":told" }

// numbering is the record of how far the events were numbered.
type numbering struct{ Next, Lost uint64 }

func (s *Session) keepEvents() {
	o := &s.aside.outbox
	for _, slot := range o.slots.spent {
		s.erase(eventKey(slot))
	}
	o.slots.spent = nil
	for _, list := range [][]*event{o.told, o.waiting} {
		for _, e := range list {
			if e.changed {
				s.store(eventKey(e.slot), encodeValue(e))
				e.changed = false
			}
		}
	}
	s.store(thingKey("events"), encodeValue(numbering{o.next, o.lost}))
}

func (s *Session) loadEvent(slot string, value []byte) error {
	e := &event{}
	if err := unmarshal(value, e); err != nil {
		return err
	}
	o := &s.aside.outbox
	i, err := strconv.Atoi(slot)
	if err != nil || !o.slots.hold(i, maxEvents) {
		return ErrMalformed
	}
	e.slot, e.size = i, sectionSize(e.Body)+len(e.Kind)+len(e.Merge)+64
	o.bytes += e.size
	o.n = max(o.n, e.N)
	if e.Seq > 0 {
		o.told = append(o.told, e)
	} else {
		o.waiting = append(o.waiting, e)
	}
	return nil
}

// loaded puts them into their order.
func (o *outbox) loaded() {
	slices.SortFunc(o.told, func(a, b *event) int { return cmp.Compare(a.Seq, b.Seq) })
	slices.SortFunc(o.waiting, func(a, b *event) int { return cmp.Compare(a.N, b.N) })
	for _, e := range o.told {
		o.next = max(o.next, e.Seq+1)
	}
}

// cutKey gives the id of a key of a prefix and its last part.
func cutKey(key, prefix, last string) (id string, ok bool) {
	id, ok = strings.CutPrefix(key, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(id, ":"+last)
}
