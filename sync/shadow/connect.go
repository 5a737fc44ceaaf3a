package shadow

// link is the connection as the session knows it.
type link struct {
	up         bool
	stopping   bool
	session    uint64
	requests   uint64
	upAt       int64
	presence   string // token of the last announcement
	doubted    bool   // another's announcement came before the epoch did
	announceAt int64  // it did not get through; again then, 0 = it did
	registered bool
	regToken   string
	regAt      int64 // when it was asked, or may be asked again
	beatAt     int64
	beats      uint64
	beatTold   map[string]int64 // versions in the last beat
}

const (
	answerLimit  = 30 * second // of every request
	registerBack = 5 * minute  // another live instance holds the name
	beatPeriod   = 30 * second
	pollPeriod   = 15 * minute // a get, with a service that answers no beats
)

func (s *Session) up(session uint64) {
	s.link = link{up: true, session: session, upAt: s.now, stopping: s.link.stopping}
	s.link.beatAt = s.now + s.jitter(beatPeriod, 0.2)
	s.clock = serverClock{} // of this connection only: clocks drift apart
	for _, t := range s.twins {
		t.reconnected(s.now)
	}
	s.aside.reconnected()
	if s.link.stopping {
		return
	}
	s.reportStatic()
	s.announce(true, "connect")
}

func (s *Session) down() {
	s.link.up, s.link.registered = false, false
	for _, t := range s.twins {
		t.disconnected()
	}
}

func (s *Session) stop() {
	if s.link.up && !s.link.stopping {
		s.announce(false, "stop")
	}
	s.link.stopping = true
	s.dirty |= dirtNow // what could wait cannot any more
}

// reconnected starts from what a get will say: nothing of the last connection's
// requests will be answered.
func (t *twin) reconnected(now int64) {
	t.disconnected()
	t.read.why = "connect"
	t.read.next = 0
	t.touched, t.touchedAt = 0, now
}

func (t *twin) disconnected() {
	t.synced, t.caughtUp, t.planned = false, false, false
	t.forget()
	t.read.flight = nil
	t.write.conflicts, t.write.retryAt, t.write.rebasing = 0, 0, 0
	t.write.blocked, t.write.echoes, t.write.failures = false, 0, 0
	t.holeSince = 0
}

// announce says who is here; retained, so that a late reader knows too.
func (s *Session) announce(online bool, reason string) {
	if s.cfg.Beside == "" {
		return
	}
	s.link.presence, s.link.announceAt = s.token(), 0
	s.publish(s.link.presence, s.cfg.Beside+"/"+BesidePresence, PresencePayload(online, s.epoch, s.link.session, reason), 1, true)
}

// PresencePayload is X/presence: what the session publishes, and the shape of the
// connection's will, which says online false.
func PresencePayload(online bool, epoch, session uint64, reason string) []byte {
	return Encode(Tree{"online": online, "epoch": num(epoch), "session": num(session), "reason": reason})
}

// watchPresence puts right what an older session's will left behind. Sessions are
// counted within a device epoch: a lost store counts from one again.
func (s *Session) watchPresence(t Tree) {
	online, _ := t["online"].(bool)
	session, _ := intOf(t["session"])
	epoch, _ := intOf(t["epoch"])
	if !s.link.up || s.link.stopping {
		return
	}
	theirs := Order{uint64(max(epoch, 0)), uint64(max(session, 0))}
	ours := Order{s.epoch, s.link.session}
	switch {
	case !s.registered():
		s.link.doubted = s.link.doubted || theirs != ours || !online // the epoch will tell
	case theirs.After(ours):
		s.note("presence", "a newer session %d of this thing is about; this one is %d", theirs.Seq, ours.Seq)
	case ours.After(theirs) || !online:
		s.announce(true, "correct")
	}
}

// register asks for the device epoch; nothing else is said before the answer.
func (s *Session) register() {
	if s.registered() {
		return
	}
	if s.link.regToken != "" {
		if !s.reached(s.link.regAt + answerLimit) {
			return
		}
		s.note("unanswered", "registration unanswered for 30 s, again")
	} else if !s.reached(s.link.regAt) {
		return
	}
	s.link.regToken, s.link.regAt = s.token(), s.now
	payload := Clone(s.cfg.Register)
	if payload == nil {
		payload = Tree{}
	}
	payload["store"] = "kept"
	if s.epoch == 0 {
		payload["store"] = "fresh"
	}
	payload["clientToken"] = s.link.regToken
	s.publish(s.link.regToken, s.cfg.Beside+"/"+BesideRegister, Encode(payload), 1, false)
	s.wakeAt(s.now + answerLimit)
}

func (s *Session) registered() bool { return s.alone() || s.link.registered }

func (s *Session) registerAccepted(t Tree) {
	if token, _ := t["clientToken"].(string); token != s.link.regToken || token == "" {
		s.note("duplicate", "an answer to no registration of ours")
		return
	}
	s.link.registered, s.link.regToken = true, ""
	if at, ok := intOf(t["server_time"]); ok {
		s.clock.told(epochMs(at), s.now)
		s.clock.proven = true
	}
	if epoch, ok := intOf(t["epoch"]); ok && epoch > 0 && uint64(epoch) != s.epoch {
		s.epoch = uint64(epoch)
		s.aside.outbox.renumber()
		s.dirty |= dirtEpoch
		s.link.doubted = true
	}
	if s.link.doubted {
		s.announce(true, "registered")
	}
}

func (s *Session) registerRejected(t Tree) {
	if token, _ := t["clientToken"].(string); token != s.link.regToken || token == "" {
		return
	}
	code, _ := intOf(t["code"])
	message, _ := t["message"].(string)
	back := s.jitter(answerLimit, 0.5)
	if code == 409 {
		back = s.jitter(registerBack, 0.2)
	}
	s.link.regToken, s.link.regAt = "", s.now+back
	s.note("rejected", "registration refused: %d %.100s", code, message)
}

// epochMs takes seconds or milliseconds: no service of today answers in the year 5138.
func epochMs(t int64) int64 {
	if t < 100_000_000_000 {
		return t * 1000
	}
	return t
}
