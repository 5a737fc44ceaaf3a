package shadow

import "slices"

// Event is something that happened and that the service is to hear of once, however long
// the line is down: it lies in the store from the step that brought it until
// X/events/accepted tells that it was had.
type Event struct {
	Kind  string
	Alarm bool // goes before what else waits, and is the last to go for want of room
	Body  Tree // members beside those that every event has; at most 1 KB
	// Merge is the key under which one that waits takes a like one in (first, last,
	// count) and drops what came after it under the key; "" = never.
	Merge string
}

func (Event) input() {}

// EventLost is the kind of the event that tells of those which were dropped.
const EventLost = "lost"

// Bounds of what waits.
const (
	maxEvents       = 2000
	maxEventBytes   = 1 << 20
	maxEventBody    = 1 << 10
	maxEventsFlying = 32 // numbered, and not known to be had
)

// event is one that waits, as it lies in the store.
type event struct {
	N     uint64 `json:"n"`             // order of arrival
	Seq   uint64 `json:"seq,omitempty"` // 0 = not told yet
	Kind  string `json:"kind"`
	Alarm bool   `json:"alarm,omitempty"`
	Body  Tree   `json:"body,omitempty"`
	Merge string `json:"merge,omitempty"`
	First int64  `json:"first,omitempty"` // epoch seconds of the service's clock, 0 = not known
	Last  int64  `json:"last,omitempty"`
	Count int64  `json:"count"`

	slot        int
	size        int
	changed     bool
	live        bool  // of this connection
	since, late int64 // instants of First and Last in this process, 0 = of another one
	token       string
	sentAt      int64 // 0 = to be sent
}

// outbox holds what the service has not had. A number is given when an event is first
// sent, so numbers go out in order although alarms overtake.
type outbox struct {
	told     []*event // by number
	waiting  []*event // by arrival
	next     uint64   // number of the next to be told; 1 at first in each device epoch
	n        uint64   // arrivals
	lost     uint64   // dropped, and not yet said
	bytes    int
	slots    slots
	budget   bucket
	retryAt  int64
	silences int    // times in a row that nobody answered
	dropped  uint64 // since the start
	ackedAt  int64
}

func newOutbox() outbox { return outbox{next: 1, budget: newBucket(second/5, 5)} }

// happened takes an event in.
func (s *Session) happened(in Event) {
	if s.cfg.Beside == "" {
		return // nobody there hears of it
	}
	body, err := Plain(in.Body)
	t, _ := body.(Tree)
	if err != nil || sectionSize(t) > maxEventBody {
		s.note("refused", "event %.64s is no object of 1 KB", in.Kind)
		return
	}
	o := &s.aside.outbox
	e := &event{
		N: o.n + 1, Kind: in.Kind, Alarm: in.Alarm, Body: t, Merge: in.Merge, Count: 1, since: s.now, late: s.now,
		live: s.link.up, size: sectionSize(t) + len(in.Kind) + len(in.Merge) + 64,
	}
	e.First = s.clock.ms(s.now) / 1000
	e.Last = e.First
	s.dirty |= dirtEvents
	if o.merge(e) {
		return
	}
	o.n++
	o.add(e)
	o.makeRoom()
}

// merge lets one that waits take e in.
func (o *outbox) merge(e *event) bool {
	i := slices.IndexFunc(o.waiting, func(w *event) bool { return e.Merge != "" && w.Merge == e.Merge && w.Kind == e.Kind })
	if i < 0 {
		return false
	}
	w := o.waiting[i]
	for j := len(o.waiting) - 1; j > i; j-- {
		if o.waiting[j].Merge == e.Merge {
			o.dropWaiting(j)
		}
	}
	o.bytes += e.size - w.size
	w.Body, w.size, w.Last, w.late, w.changed = e.Body, e.size, e.Last, e.late, true
	w.Count++
	return true
}

func (o *outbox) add(e *event) {
	e.slot, e.changed = o.slots.take(), true
	o.bytes += e.size
	o.waiting = append(o.waiting, e)
}

func (o *outbox) dropWaiting(i int) {
	o.spend(o.waiting[i])
	o.waiting = slices.Delete(o.waiting, i, i+1)
}

func (o *outbox) spend(e *event) {
	o.bytes -= e.size
	o.slots.free(e.slot)
}

// makeRoom drops the oldest that waits, alarms last; what was told stays, as its number
// is out.
func (o *outbox) makeRoom() {
	for len(o.waiting) > 0 && (len(o.told)+len(o.waiting) > maxEvents || o.bytes > maxEventBytes) {
		i := max(0, slices.IndexFunc(o.waiting, func(e *event) bool { return !e.Alarm }))
		o.lost += uint64(o.waiting[i].Count)
		o.dropped += uint64(o.waiting[i].Count)
		o.dropWaiting(i)
	}
}

// number gives a waiting event its number: from here on it is told until it is had.
func (o *outbox) number(i int) *event {
	e := o.waiting[i]
	o.waiting = slices.Delete(o.waiting, i, i+1)
	e.Seq, e.changed = o.next, true
	o.next++
	o.told = append(o.told, e)
	return e
}

// sayLost makes the event that tells of the dropped ones. They take the numbers before
// it, so that whoever counts knows which will never come.
func (o *outbox) sayLost() {
	e := &event{N: o.n + 1, Kind: EventLost, Count: 1, Body: lostBody(o.next, o.next+o.lost-1), size: 128}
	o.n++
	o.next += o.lost
	o.lost = 0
	o.add(e)
	o.number(len(o.waiting) - 1)
}

func lostBody(from, to uint64) Tree {
	return Tree{"lost": num(to - from + 1), "from": num(from), "to": num(to)}
}

// renumber starts anew in another device epoch: nobody there has had anything.
func (o *outbox) renumber() {
	for _, e := range o.told {
		e.Seq, e.sentAt, e.changed = 0, 0, true
	}
	o.waiting = append(o.told, o.waiting...)
	o.told, o.next = nil, 1
}

// had removes what the service tells to have.
func (o *outbox) had(upto uint64) (any bool) {
	for len(o.told) > 0 && o.told[0].Seq <= upto {
		o.spend(o.told[0])
		o.told = slices.Delete(o.told, 0, 1)
		any = true
	}
	return any
}
