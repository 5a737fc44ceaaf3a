package shadow

import "slices"

// queue executes one intent at a time.
type queue struct {
	applying *execution // waits for its Applied
	awaiting *execution // waits for its reported update to be accepted
	config   bucket
}

type execution struct {
	twin   *twin
	intent intent
	at     int64
	seq    uint64 // of the report that tells of it
}

const (
	queueLimit    = 30 * second // an intent that nothing confirms lets the next one pass
	firstMinute   = minute
	firstTouches  = 3
	laterTouches  = 10 * second
	wholeSyncWait = 10 * second // for the gets of all shadows, so that priorities compare
)

// expire answers what came too late. It is never handed out.
func (s *Session) expire() {
	at := s.clock.ms(s.now)
	if !s.link.up || at == 0 {
		return
	}
	for _, t := range s.twins {
		for _, it := range t.waiting {
			if it.expires != 0 && at >= it.expires*1000 && !s.isApplying(t, it) {
				s.note("expired", "%s: intent %.64s came %d s too late", t.label(), it.name, at/1000-it.expires)
				s.finish(t, it, sameResult(it, ackExpired, "expired"))
			}
		}
		s.plan(t)
	}
}

// clear answers the operations that an order of priority 0 sweeps away: those that wait
// when it is carried out, and those that come while its level stands.
func (s *Session) clear(t *twin) {
	for _, it := range t.waiting {
		if it.classes.has(ClassOperation) && it.priority != 0 && !it.removal && !s.isApplying(t, it) {
			s.note("cleared", "%s: intent %.64s is cleared by an order of priority 0", t.label(), it.name)
			s.finish(t, it, sameResult(it, ackCleared, "cleared by an order of priority 0"))
		}
	}
	s.plan(t)
}

func (s *Session) isApplying(t *twin, it intent) bool {
	a := s.queue.applying
	return a != nil && a.twin == t && a.intent.name == it.name
}

func sameResult(it intent, code int, detail string) []Result {
	var out []Result
	for _, f := range it.fields {
		out = append(out, Result{Path: f.name, Code: code, Detail: detail})
	}
	return out
}

// confirm lets the queue go on when the service has the last result.
func (s *Session) confirm() {
	a := s.queue.awaiting
	if a == nil {
		return
	}
	if a.twin.ackedSeq >= a.seq || a.twin.synced && len(a.twin.pending()) == 0 {
		s.queue.awaiting = nil
		return
	}
	if s.reached(a.at + queueLimit) {
		s.note("unconfirmed", "%s: the result of intent %.64s is not confirmed after 30 s", a.twin.label(), a.intent.name)
		s.queue.awaiting = nil
	}
}

// execute hands out the next intent. Its Apply is the last output of the step.
func (s *Session) execute() {
	if a := s.queue.applying; a != nil {
		if !s.reached(a.at + queueLimit) {
			return
		}
		s.queue.applying = nil
		s.finish(a.twin, a.intent, sameResult(a.intent, ackFailed, "no answer"))
		s.wakeAt(s.now) // the answer is for the next step to send
		return
	}
	if !s.link.up || s.link.stopping {
		return
	}
	e := s.pick()
	if e == nil {
		return
	}
	if refused := s.refusal(e.twin, e.intent); refused != nil {
		s.finish(e.twin, e.intent, refused)
		s.wakeAt(s.now)
		return
	}
	s.spend(e)
	s.queue.applying = e
	s.put(s.apply(e))
	s.wakeAt(s.now + queueLimit)
}

func (s *Session) apply(e *execution) Apply {
	a := Apply{Shadow: e.twin.name, Intent: e.intent.name, Values: map[string]any{}, Now: s.clock.ms(s.now) / 1000}
	for _, f := range e.intent.fields {
		a.Values[f.name] = clone(f.value)
	}
	if h := e.intent.header; h != nil {
		a.By, a.Batch = h.by, h.batch
	}
	return a
}

func (s *Session) pick() *execution {
	var best *execution
	for _, t := range s.twins {
		for _, it := range t.waiting {
			if best != nil && compareIntents(best.intent, it) <= 0 {
				break
			}
			if s.mayExecute(t, it) {
				best = &execution{twin: t, intent: it, at: s.now}
				break
			}
		}
	}
	return best
}

// mayExecute: what only restricts waits for nothing, and an order of priority 0 only for
// the document itself.
func (s *Session) mayExecute(t *twin, it intent) bool {
	if it.classes.only(ClassRestrictive) {
		return true
	}
	if !t.synced || !s.registered() || !s.timely(it) {
		return false
	}
	if it.priority == 0 {
		return true
	}
	if it.classes.has(ClassConfig) && s.promoted(t) {
		return false
	}
	if s.queue.awaiting != nil || !t.caughtUp || t.write.conflicts > 0 || !s.allSynced() {
		return false
	}
	if it.touches {
		return s.reached(t.touchAt(s.link.upAt))
	}
	return s.reached(s.queue.config.at())
}

func (s *Session) allSynced() bool {
	waits := slices.ContainsFunc(s.twins, func(t *twin) bool { return !t.synced })
	return !waits || s.reached(s.link.upAt+wholeSyncWait)
}

// touchAt is when the next intent may touch this shadow's controller.
func (t *twin) touchAt(upAt int64) int64 {
	if t.touched < firstTouches {
		return upAt
	}
	return max(upAt+firstMinute, t.touchedAt+laterTouches)
}

func (s *Session) spend(e *execution) {
	switch {
	case e.intent.priority == 0, e.intent.classes.only(ClassRestrictive):
	case e.intent.touches:
		e.twin.touched++
		e.twin.touchedAt = s.now
	default:
		s.queue.config.take(s.now)
	}
}

// applied takes the results of an Apply, or what later became of a pending one.
func (s *Session) applied(in Applied) {
	t := s.twin(in.Shadow)
	if t == nil || s.answeredLater(t, in) {
		return
	}
	a := s.queue.applying
	if a == nil || a.twin != t || a.intent.name != in.Intent {
		s.later(t, in)
		return
	}
	s.queue.applying = nil
	s.spent.add(s, a.intent)
	s.finish(t, a.intent, in.Results)
	if a.intent.priority == 0 {
		s.sweepFor(t)
	}
	a.seq = t.wantSeq
	if a.intent.priority != 0 || s.queue.awaiting == nil {
		s.queue.awaiting = a
	}
}

func (s *Session) later(t *twin, in Applied) {
	for _, r := range in.Results {
		m, ok := t.marks[r.Path]
		if !ok || m.Name != in.Intent || m.Code != ackPending {
			continue
		}
		m.Code, m.Detail = r.Code, r.Detail
		t.consume(r.Path, m)
		s.inForce(t, r)
	}
}

// finish consumes every field of an intent: done, refused or expired, it is not
// handed out again. Header, values and acks go in one report.
func (s *Session) finish(t *twin, it intent, results []Result) {
	for _, f := range it.fields {
		r := resultFor(results, f.name)
		s.inForce(t, r)
		if it.asked {
			continue
		}
		if it.removal {
			delete(t.marks, f.name)
			t.dirty |= dirtMarks
			continue
		}
		m := mark{
			Key: f.key, Code: r.Code, Seen: t.firstSeen[f.name].version, Detail: r.Detail, Epoch: t.epoch,
		}
		if m.Code == ackPending {
			m.Name = it.name
		}
		m.Promote = s.promotes(t, it, f, r.Code)
		m.ID = t.marks[f.name].idFor(f.key)
		if it.header != nil {
			m.ID = it.header.shortID()
		}
		t.consume(f.name, m)
	}
	if it.asked {
		s.answer(it, results)
	}
	t.planned = false
}

func resultFor(results []Result, path string) Result {
	i := slices.IndexFunc(results, func(r Result) bool { return r.Path == path })
	if i < 0 {
		return Result{Path: path, Code: ackFailed, Detail: "no result"}
	}
	return results[i]
}

// inForce reports the plain value that holds now, where the result names one.
func (s *Session) inForce(t *twin, r Result) {
	if r.Value == nil {
		return
	}
	v, err := Plain(r.Value)
	if err != nil {
		s.note("malformed", "%s: value of %s: %v", t.label(), r.Path, err)
		return
	}
	t.setWant(r.Path, prune(v))
}
