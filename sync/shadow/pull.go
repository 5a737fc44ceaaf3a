package shadow

// pull sends a get when one is wanted and the budget lets it.
func (s *Session) pull(t *twin) {
	s.openHole(t)
	s.pollRegularly(t)
	if f := t.read.flight; f != nil {
		if !s.reached(f.at + answerLimit) {
			return
		}
		s.note("unanswered", "%s: get unanswered for 30 s, again", t.label())
		t.read.flight = nil
	}
	if t.read.why == "" || !s.reached(t.read.budget.at()) {
		return
	}
	t.read.budget.take(s.now)
	t.read.flight = &flight{token: s.token(), at: s.now, high: t.high}
	s.publish(t.read.flight.token, ShadowTopic(s.cfg.Prefix, t.name, OpGet),
		Encode(Tree{"clientToken": t.read.flight.token}), 1, false)
	s.wakeAt(s.now + answerLimit)
}

// openHole turns a version that did not come into one get.
func (s *Session) openHole(t *twin) {
	if t.holeSince == 0 || t.read.why != "" || !s.reached(t.holeSince+2*second) {
		return
	}
	s.note("gap", "%s: version %d did not come, the next is %d", t.label(), t.to+1, t.held[0].version)
	t.read.why = "gap"
}

// pollRegularly stands in for beats where the service answers none.
func (s *Session) pollRegularly(t *twin) {
	if !s.alone() {
		return
	}
	if t.read.next == 0 {
		t.read.next = s.now + s.jitter(pollPeriod, 0.2)
	}
	if s.reached(t.read.next) {
		t.read.why = "regular"
		t.read.next = s.now + s.jitter(pollPeriod, 0.2)
		s.wakeAt(t.read.next)
	}
}

func (s *Session) getAccepted(t *twin, a answer) {
	f := t.read.flight
	if f == nil || a.token != f.token {
		s.note("duplicate", "%s: an answer to no get of ours, version %d", t.label(), a.version)
		return
	}
	d, err := ParseDocument(a.Tree)
	if err != nil {
		s.note("malformed", "%s: get: %v", t.label(), err)
		return // 30 s later it is asked again
	}
	t.read.flight = nil
	s.proveTime()
	t.seen.Get = d.Version
	s.learn(t, d, f.high)
}

func (s *Session) getRejected(t *twin, a answer) {
	f := t.read.flight
	if f == nil || a.token != f.token {
		s.note("duplicate", "%s: a refusal of no get of ours", t.label())
		return
	}
	t.read.flight = nil
	code, _ := intOf(a.Tree["code"])
	message, _ := a.Tree["message"].(string)
	if code != 404 {
		s.note("rejected", "%s: get refused: %d %.100s", t.label(), code, message)
		return // still wanted; the budget keeps it from becoming a storm
	}
	if t.exists && t.high == f.high { // else it was created while the answer was on its way
		s.note("epoch", "%s is gone after version %d", t.label(), t.high)
		t.lost(0)
	}
	t.synced, t.complete = true, true
	t.read.why, t.write.rebasing = "", 0
	s.catchUp(t)
}
