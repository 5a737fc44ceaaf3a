package shadow

import (
	"errors"
	"maps"
)

// forget gives up waiting for the write in the air. Whether it arrives nobody
// knows, so its leaves go out again, with the values of then.
func (t *twin) forget() {
	if t.write.flight == nil {
		return
	}
	t.rest.recheckAll(t.write.flight.patch)
	t.doubt = touch(t.doubt, t.write.flight.patch)
	t.write.flight = nil
}

// touch adds the leaves of patch to a shape, removed ones too.
func touch(shape, patch Tree) Tree {
	out := maps.Clone(shape)
	if out == nil {
		out = Tree{}
	}
	for k, p := range patch {
		pt, isTree := p.(Tree)
		st, was := out[k].(Tree)
		if isTree && (was || out[k] == nil) {
			out[k] = touch(st, pt)
			continue
		}
		out[k] = true
	}
	return out
}

// written: the service took our write.
func (s *Session) written(t *twin, a answer) {
	f := t.write.flight
	t.write.flight = nil
	s.proveTime()
	t.write.conflicts, t.write.retryAt, t.write.failures = 0, 0, 0
	t.rest.recheckAll(f.patch)
	t.doubt = untouch(t.doubt, f.patch)
	t.updates++
	t.ackedSeq = max(t.ackedSeq, f.seq)
	t.caughtUp = t.caughtUp || t.synced
	s.guardEcho(t)
}

// untouch removes from a shape the leaves that a patch has settled.
func untouch(shape, patch Tree) Tree {
	out := maps.Clone(shape)
	for k, p := range patch {
		st, a := out[k].(Tree)
		pt, b := p.(Tree)
		if a && b {
			if rest := untouch(st, pt); len(rest) > 0 {
				out[k] = rest
				continue
			}
		}
		delete(out, k)
	}
	return out
}

// guardEcho stops a service that accepts and yet does not keep what it is told
// from being told for ever.
func (s *Session) guardEcho(t *twin) {
	if len(t.pending()) == 0 || t.write.pausedFor != t.wantSeq {
		t.write.echoes, t.write.pausedFor = 0, t.wantSeq
		return
	}
	t.write.echoes++
	if t.write.echoes >= 3 {
		t.write.blocked = true
		s.note("refused", "%s: accepted three times and still not as reported; waits for another report", t.label())
	}
}

func (s *Session) updateRejected(t *twin, a answer) {
	f := t.write.flight
	if f == nil || a.token != f.token {
		s.note("duplicate", "%s: a refusal of no update of ours", t.label())
		return
	}
	t.write.flight = nil
	code, _ := intOf(a.Tree["code"])
	message, _ := a.Tree["message"].(string)
	switch {
	case code == 409:
		s.conflict(t, a, f)
	case code == 429 || code >= 500:
		t.write.failures++
		wait := s.jitter(min(5*second<<min(t.write.failures-1, 4), minute), 0.5)
		t.write.retryAt = s.now + wait
		s.note("rejected", "%s: update put off: %d %.100s", t.label(), code, message)
	default:
		t.write.blocked = true
		s.note("rejected", "%s: update refused: %d %.100s; waits for another report", t.label(), code, message)
	}
}

// conflict rebases on the document that came along, or on a get, and tries again.
func (s *Session) conflict(t *twin, a answer, f *flight) {
	t.write.conflicts++
	s.note("conflict", "%s: conflict %d of version %d", t.label(), t.write.conflicts, f.high)
	waits := []int64{0, second / 5, second}
	t.write.retryAt = s.now + s.jitter(waits[min(t.write.conflicts, 3)-1], 0.5)
	if err := s.rebase(t, a, f); err != nil {
		t.read.why, t.write.rebasing = "conflict", s.now
	}
}

var errNoCurrent = errors.New("no document came along")

func (s *Session) rebase(t *twin, a answer, f *flight) error {
	current, ok := a.Tree["current"].(Tree)
	if !ok {
		return errNoCurrent
	}
	d, err := ParseDocument(current)
	if err != nil {
		return err
	}
	s.learn(t, d, f.high)
	return nil
}

// sent takes the broker's word. An error says that nobody took the message.
func (s *Session) sent(in Sent) {
	if in.Err == nil || in.Token == "" {
		return
	}
	if in.Token == s.link.regToken {
		s.link.regToken, s.link.regAt = "", s.now+s.jitter(second, 0.5)
		return
	}
	if in.Token == s.link.presence {
		s.link.announceAt = s.now + s.jitter(second, 0.5)
		return
	}
	for _, t := range s.twins {
		t.unsent(in.Token, s.now+s.jitter(second, 0.5))
	}
	s.aside.unsent(in.Token, s.now+s.jitter(second, 0.5))
}

func (t *twin) unsent(token string, again int64) {
	if f := t.write.flight; f != nil && f.token == token {
		t.forget()
		t.write.retryAt = again
	}
	if f := t.read.flight; f != nil && f.token == token {
		t.read.flight = nil
	}
}
