package shadow

// An order of priority 0 comes before all others. It sweeps away the operations that wait,
// and where it put a level on, settings are held for as long as that stands.

// levelOn tells whether the level of that name is reported to be on.
func (t *twin) levelOn(name string) bool {
	v := t.want[name]
	return v != nil && !isOff(v)
}

// promotes tells whether the level of a field now stands by an order of priority 0. A
// release that was refused leaves that as it was.
func (s *Session) promotes(t *twin, it intent, f field, code int) bool {
	if s.rule(f.name).Class != ClassRestrictive {
		return false
	}
	if code != ackDone && code != ackPending {
		return t.marks[f.name].Promote
	}
	return !isOff(f.value) && (it.priority == 0 || t.marks[f.name].Restore && t.marks[f.name].Promote)
}

// promoted tells whether such a level stands over a shadow: its own, or one of the classic
// shadow, which stands over all.
func (s *Session) promoted(t *twin) bool {
	classic := s.twin("")
	return t.promote() || classic != nil && classic != t && classic.promote()
}

func (t *twin) promote() bool {
	for name, m := range t.marks {
		if m.Promote && t.levelOn(name) {
			return true
		}
	}
	return false
}

// hold answers the operations that come while such a level stands.
func (s *Session) hold() {
	for _, t := range s.twins {
		if len(t.waiting) > 0 && t.synced && s.promoted(t) {
			s.clear(t)
		}
	}
}

// sweepFor clears what waits under the shadow of an order of priority 0 that was carried out.
func (s *Session) sweepFor(t *twin) {
	for _, other := range s.twins {
		if other == t || t.name == "" {
			s.plan(other)
			s.clear(other)
		}
	}
}

// amended takes what became of values after they were put in force.
func (s *Session) amended(in Amended) {
	t := s.twin(in.Shadow)
	if t == nil {
		return
	}
	for _, r := range in.Results {
		if m, known := t.marks[r.Path]; known && m.Code == ackDone {
			m.Code, m.Detail = r.Code, r.Detail
			t.consume(r.Path, m)
			s.inForce(t, r)
		}
	}
}
