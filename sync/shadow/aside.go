package shadow

import (
	"bytes"
	"encoding/json"
)

// aside is what a session keeps beside the documents: X/events and the like.
type aside struct {
	outbox  outbox
	orders  orders
	samples samples
}

func newAside() aside { return aside{outbox: newOutbox(), samples: newSamples()} }

// besideTopics lists what is subscribed under X.
func besideTopics() []string {
	return []string{
		BesidePresence, BesideRegisterAccepted, BesideRegisterRejected, BesideHeartbeatReply,
		BesideEventsAccepted, BesideEventsRejected, BesideResync,
		BesideCommands + "/+/request", BesideCommands + "/+/response/accepted", BesideCommands + "/+/response/rejected",
		BesidePending + "/accepted",
	}
}

func (s *Session) takeAside(in Input) {
	switch in := in.(type) {
	case Event:
		s.happened(in)
	case Sample:
		s.sample(in)
	case Performed:
		s.performed(in)
	}
}

// connectAside is what is done with a registered connection, after the reports.
func (s *Session) connectAside() {
	s.tell()
	s.answerOrders()
	s.tellSamples()
}

func (s *Session) receiveAside(topic string, t Tree) {
	switch topic {
	case BesideEventsAccepted:
		s.eventsAccepted(t)
	case BesideEventsRejected:
		s.eventsRejected(t)
	case BesideResync:
		s.resync(t)
	case BesidePending + "/accepted":
		s.pendingOrders(t)
	default:
		s.orderMessage(topic, t)
	}
}

// unsent: nobody took the message of that token.
func (a *aside) unsent(token string, again int64) {
	a.outbox.unsent(token, again)
	a.orders.unsent(token)
}

func (a *aside) reconnected() {
	a.outbox.reconnected()
	a.orders.reconnected()
	a.samples.reconnected()
}

func (s *Session) keepAside() {
	if s.dirty&(dirtEvents|dirtHad) != 0 {
		s.keepEvents()
	}
	if s.dirty&(dirtOrders|dirtHad) != 0 {
		s.keepOrders()
	}
}

func (s *Session) loadAside(r Record) error {
	if slot, ok := cutKey(r.Key, eventPrefix, "told"); ok {
		return s.loadEvent(slot, r.Value)
	}
	if slot, ok := cutKey(r.Key, orderPrefix, "record"); ok {
		return s.loadOrder(slot, r.Value)
	}
	if r.Key == thingKey("events") {
		var n numbering
		err := unmarshal(r.Value, &n)
		s.aside.outbox.next, s.aside.outbox.lost = max(1, n.Next), n.Lost
		return err
	}
	return nil // of what is no longer kept
}

func (s *Session) loadedAside() {
	s.aside.outbox.loaded()
	s.aside.orders.loaded()
}

// unmarshal keeps numbers as they are written.
func unmarshal(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// BesideView is what people see of what goes beside the documents.
type BesideView struct {
	Events   int    // wait, or were told and not yet had
	Told     int    // of them: told
	Dropped  uint64 // events that were dropped since the start
	EventsAt int64  // instant at which events were last had, 0 = not since the start
	Samples  uint64 // dropped since the start
	Commands int    // under way, or with an answer that was not yet had
}

func (a *aside) view() BesideView {
	o := &a.outbox
	return BesideView{Events: len(o.told) + len(o.waiting), Told: len(o.told), Dropped: o.dropped, EventsAt: o.ackedAt, Samples: a.samples.dropped, Commands: len(a.orders.busy)}
}
