package pubsub

import (
	"bytes"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// mostWords is the longest payload that is read.
const mostWords = 64 << 10

// subscribe asks the broker for whatever may come: answers, and what comes by itself.
func (l *link) subscribe() error {
	for _, name := range l.api.Names() {
		m := l.api.Topic(name)
		filter, err := l.api.From(m, profiles.Given{Site: l.to.site})
		if err != nil {
			return err
		}
		if filter == "" {
			continue
		}
		stop, err := l.bus.Subscribe(filter, func(in drivers.Message) { l.hear(m, in) }, l.broker)
		if err != nil {
			return fmt.Errorf("subscribe to %s: %w", filter, err)
		}
		l.stops = append(l.stops, stop)
	}
	return nil
}

// hear takes one message of a topic. It does not wait for anything.
func (l *link) hear(m *profiles.Topic, in drivers.Message) {
	now := l.env.Now()
	doc, err := l.document(in, now)
	switch {
	case m.Heard && err != nil:
		l.lose(m.Name)
		l.complain(m.Name, err)
	case m.Heard && m.Comes(doc, l.to.site):
		l.heard(m, in, doc, now)
	case !m.Heard && err == nil && !in.Retained:
		l.answered(m, doc)
	}
}

func (l *link) document(in drivers.Message, now elevator.Instant) (doc any, err error) {
	if len(in.Payload) > mostWords {
		err = fmt.Errorf("%w: %d bytes on %s", drivers.ErrProtocol, len(in.Payload), in.Topic)
	} else if doc, err = profiles.Document(in.Payload); err != nil {
		err = fmt.Errorf("%w: on %s: %w", drivers.ErrProtocol, in.Topic, err)
	}
	note := ""
	if err != nil {
		note = err.Error()
	}
	l.trace(false, in.Topic, in.Payload, now, note)
	return doc, err
}

func (l *link) trace(out bool, topic string, payload []byte, at elevator.Instant, note string) {
	if l.env.Trace != nil {
		l.env.Trace(drivers.Frame{Line: l.to.broker.Host, Out: out, At: at, Data: append([]byte(topic+" "), payload...), Note: note})
	}
}

// heard lays what came by itself over the view.
func (l *link) heard(m *profiles.Topic, in drivers.Message, doc any, now elevator.Instant) {
	l.mu.Lock()
	l.latest[m.Name] = bytes.Clone(in.Payload)
	l.mu.Unlock()
	at, ok := l.when(m, doc, in.Retained, now)
	if !ok {
		l.lose(m.Name)
		l.complain(m.Name, fmt.Errorf("%w: on %s: it does not say its time", drivers.ErrProtocol, in.Topic))
		return
	}
	lay := func(s *elevator.Snapshot) error {
		l.lay(m, doc, at, s)
		return nil
	}
	if in.Retained { // it does not show that anybody is there
		l.view.Note(func(s *elevator.Snapshot) { _ = lay(s) })
		return
	}
	_ = l.view.Good(lay)
}

// when is the time of what a message tells, never newer than now. One that the broker
// kept is as old as the program, unless it says its time.
func (l *link) when(m *profiles.Topic, doc any, kept bool, now elevator.Instant) (elevator.Instant, bool) {
	if !m.Dated() {
		if kept {
			return 1, true
		}
		return now, true
	}
	event, ok := m.Event(doc)
	if !ok {
		return 0, false
	}
	return max(1, now.Add(-l.lead.Age(event, time.Now()))), true
}

// answered hands an answer to the question that it names.
func (l *link) answered(m *profiles.Topic, doc any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.waits {
		if w.m != m || !l.api.Answers(m, doc, w.id, l.to.site) {
			continue
		}
		if v, final := m.Judge(doc, l.to.site); final {
			delete(l.waits, w)
			w.got <- v // it has room for the one
		}
	}
}
