package shadow

import (
	"fmt"
	"maps"
)

const (
	maxFlights  = 8 // a thing
	reportLimit = 10 * second
)

// push sends the pending difference when everything lets it.
func (s *Session) push(t *twin) {
	if t.write.flight != nil && !s.overdue(t) {
		return
	}
	patch := t.pending()
	if len(patch) == 0 {
		t.write.refused = ""
	}
	if len(patch) == 0 || t.write.blocked {
		t.caughtUp = t.caughtUp || t.synced
		return
	}
	if !s.mayPush(t) {
		return
	}
	u := Update{Reported: maps.Clone(patch)}
	if why := t.unfit(u); why != "" {
		u.Reported = t.lean(u.Reported)
		s.refuseReport(t, why, len(u.Reported) > 0 && t.unfit(u) == "")
	}
	if !t.write.blocked {
		s.send(t, u)
	}
}

// lean is a report with as many answers as there is room for: a state is worth
// more than an ack, and wishes can be such that the answers to all of them do not
// fit. The service takes away what is answered, and the next ones have room.
func (t *twin) lean(patch Tree) Tree {
	out := Tree{}
	for k, v := range patch {
		if k != ackKey && k != intentsKey {
			out[k] = v
		}
	}
	room := MaxDocument - t.sizeWith(out)
	for _, part := range []string{intentsKey, ackKey} {
		answers, _ := patch[part].(Tree)
		room -= len(part) + len(`"":{},`)
		some := Tree{}
		for _, k := range sortedKeys(answers) {
			cost := len(encodeValue(k)) + len(encodeValue(answers[k])) + len(`:,`)
			if answers[k] == nil {
				cost = 0
			}
			if cost <= room {
				room -= cost
				some[k] = answers[k]
			}
		}
		if len(some) > 0 {
			out[part] = some
		}
	}
	return out
}

func (t *twin) sizeWith(reported Tree) int {
	return Document{Desired: t.desired, Reported: Merge(t.acked, reported)}.Size()
}

// refuseReport tells once why a report can not go out whole; helps says that a
// lean one can.
func (s *Session) refuseReport(t *twin, why string, helps bool) {
	t.write.blocked = !helps
	t.caughtUp = t.caughtUp || t.synced
	if t.write.refused == "" {
		s.note("refused", "%s: report not sent whole: %s", t.label(), why)
	}
	t.write.refused = why
}

func (s *Session) overdue(t *twin) bool {
	if !s.reached(t.write.flight.at + answerLimit) {
		return false
	}
	s.note("unanswered", "%s: update unanswered for 30 s, again", t.label())
	t.forget()
	return true
}

// mayPush: after a get, or without one when it has not come for as long as a
// report may wait; that is safe once this process has read the document.
func (s *Session) mayPush(t *twin) bool {
	if !t.synced && (!t.complete || !s.reached(s.link.upAt+reportLimit)) {
		return false
	}
	if t.write.rebasing != 0 && !s.reached(t.write.rebasing+reportLimit) {
		return false
	}
	if s.flights() >= maxFlights {
		return false // an answer or a time-out wakes us
	}
	return s.reached(max(t.write.retryAt, t.write.budget.at(), s.thing.at()))
}

func (s *Session) flights() int {
	n := 0
	for _, t := range s.twins {
		if t.write.flight != nil {
			n++
		}
	}
	return n
}

// unfit says why a service would not take u, "" when it would.
func (t *twin) unfit(u Update) string {
	if err := u.check(); err != nil {
		return err.Error()
	}
	if size := t.sizeWith(u.Reported); size > MaxDocument {
		return fmt.Sprintf("the document would be %d bytes, the limit is %d", size, MaxDocument)
	}
	return ""
}

func (s *Session) send(t *twin, u Update) {
	u.Token = s.token()
	if t.exists && t.synced && t.write.conflicts < 3 && t.write.rebasing == 0 {
		high := t.high
		u.Version = &high
	}
	if !s.alone() {
		n, mustStore := s.seq.take()
		u.Order = &Order{Epoch: s.epoch, Seq: n}
		if mustStore {
			s.dirty |= dirtSequence
		}
	}
	t.write.flight = &flight{token: u.Token, patch: u.Reported, seq: t.wantSeq, at: s.now, high: t.high}
	t.write.budget.take(s.now)
	s.thing.take(s.now)
	s.publish(u.Token, ShadowTopic(s.cfg.Prefix, t.name, OpUpdate), u.Payload(), 1, false)
	s.wakeAt(s.now + answerLimit)
}
