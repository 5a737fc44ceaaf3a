package shadow

import "strings"

// answer is a message of the service, read once.
type answer struct {
	Tree
	version int64
	has     bool // a version
	token   string
	meta    Tree
	state   Tree
}

func (s *Session) receive(m Message) {
	if m.Retain && m.Topic != s.cfg.Beside+"/"+BesidePresence {
		s.note("retained", "on %s: the broker kept it for whoever comes; no service does that", m.Topic)
		return
	}
	t, err := Decode(m.Payload)
	if err != nil {
		s.note("malformed", "on %s: %v", m.Topic, err)
		return
	}
	if name, op, ok := ParseShadowTopic(s.cfg.Prefix, m.Topic); ok {
		s.shadowMessage(name, op, t)
		return
	}
	if s.cfg.Beside == "" {
		return
	}
	switch m.Topic {
	case s.cfg.Beside + "/" + BesidePresence:
		s.watchPresence(t)
	case s.cfg.Beside + "/" + BesideRegisterAccepted:
		s.registerAccepted(t)
	case s.cfg.Beside + "/" + BesideRegisterRejected:
		s.registerRejected(t)
	case s.cfg.Beside + "/" + BesideHeartbeatReply:
		s.beatReply(t)
	default:
		s.receiveAside(strings.TrimPrefix(m.Topic, s.cfg.Beside+"/"), t)
	}
}

func (s *Session) shadowMessage(name, op string, tree Tree) {
	t := s.twin(name)
	if t == nil {
		return // the wildcard also brings shadows that are not ours to keep
	}
	a := answer{Tree: tree}
	a.version, a.has = intOf(tree["version"])
	a.token, _ = tree["clientToken"].(string)
	a.state, _ = tree["state"].(Tree)
	a.meta, _ = tree["metadata"].(Tree)
	if at, ok := intOf(tree["timestamp"]); ok {
		s.clock.told(epochMs(at), s.now)
	}
	switch op {
	case OpGetAccepted:
		s.getAccepted(t, a)
	case OpGetRejected:
		s.getRejected(t, a)
	case OpUpdateAccepted:
		s.updateAccepted(t, a)
	case OpUpdateRejected:
		s.updateRejected(t, a)
	case OpUpdateDelta:
		s.delta(t, a)
	case OpDeleteAccepted:
		s.deleted(t, a)
	case OpUpdateDocuments:
		s.documents(t, a)
	}
}

// newer keeps one stream's watermark; what is not above it is dropped and counted.
func (s *Session) newer(t *twin, stream string, mark *int64, version int64) bool {
	if version <= *mark {
		s.note("duplicate", "%s: %s of version %d, already at %d", t.label(), stream, version, *mark)
		return false
	}
	*mark = version
	t.dirty |= dirtVersion
	return true
}

func (s *Session) delta(t *twin, a answer) {
	if !a.has || a.state == nil || !s.newer(t, "delta", &t.seen.Delta, a.version) {
		return
	}
	if a.version < t.to {
		return // complete knowledge reaches beyond it
	}
	if sectionSize(a.state) > maxSection {
		s.note("oversize", "%s: a delta of %d bytes is more than a service keeps", t.label(), sectionSize(a.state))
		return
	}
	t.saw(a.version)
	t.ahead = insert(t.ahead, arrival{version: a.version, desired: a.state, meta: a.meta})
	t.relearn()
}

func (s *Session) documents(t *twin, a answer) {
	current, _ := a.Tree["current"].(Tree)
	if v, ok := intOf(current["version"]); ok {
		s.newer(t, "documents", &t.seen.Documents, v)
	}
}

func (s *Session) updateAccepted(t *twin, a answer) {
	if !a.has {
		return
	}
	ours := t.write.flight != nil && a.token == t.write.flight.token
	if ours && a.version <= t.write.flight.high {
		s.note("epoch", "%s was made anew at version %d after %d", t.label(), a.version, t.high)
		t.lost(0)
	}
	if a.version <= t.to || has(t.held, a.version) {
		if ours { // a get already told of it
			s.written(t, a)
			return
		}
		s.note("duplicate", "%s: accepted of version %d, already at %d", t.label(), a.version, t.to)
		return
	}
	t.exists = true
	t.saw(a.version)
	t.acknowledge(a)
	if ours {
		s.written(t, a)
	}
	arrived := arrival{version: a.version}
	arrived.desired, _ = a.state["desired"].(Tree)
	arrived.meta, _ = a.meta["desired"].(Tree)
	if v, there := a.state["desired"]; there && v == nil {
		arrived.cleared = true
	}
	t.held = insert(t.held, arrived)
	s.catchUp(t)
}

// watchHole gives a missing version two seconds to come.
func (s *Session) watchHole(t *twin) {
	switch {
	case len(t.held) == 0:
		t.holeSince = 0
	case t.holeSince == 0 && t.synced:
		t.holeSince = s.now
	}
}

func (s *Session) deleted(t *twin, a answer) {
	if !a.has || !s.newer(t, "deleted", &t.seen.Deleted, a.version) {
		return
	}
	if a.version < t.to {
		return
	}
	s.note("deleted", "%s was deleted at version %d", t.label(), a.version)
	t.lost(a.version)
	t.seen.Deleted = a.version
}
