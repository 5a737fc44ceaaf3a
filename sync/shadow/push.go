package shadow

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
	if len(patch) == 0 || t.write.blocked {
		t.caughtUp = t.caughtUp || t.synced
		return
	}
	if !s.mayPush(t) {
		return
	}
	u := Update{Reported: patch}
	if s.tooLarge(t, u) {
		return
	}
	s.send(t, u)
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

func (s *Session) tooLarge(t *twin, u Update) bool {
	size := Document{Desired: t.desired, Reported: Merge(t.acked, u.Reported)}.Size()
	err := u.check()
	if size <= MaxDocument && err == nil {
		return false
	}
	t.write.blocked, t.caughtUp = true, t.caughtUp || t.synced
	if err != nil {
		s.note("refused", "%s: report not sent: %v", t.label(), err)
		return true
	}
	s.note("refused", "%s: report not sent: the document would be %d bytes, the limit is %d", t.label(), size, MaxDocument)
	return true
}

func (s *Session) send(t *twin, u Update) {
	u.Token = s.token()
	if t.exists && t.synced && t.write.conflicts < 3 && t.write.rebasing == 0 {
		high := t.high
		u.Version = &high
	}
	if s.cfg.Beside != "" {
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
