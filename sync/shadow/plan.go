package shadow

import (
	"slices"
	"strings"
)

// plan works out what waits to be executed, from desired and what was consumed.
// Nothing replaced can be in it: it is made anew from the present document.
func (s *Session) plan(t *twin) {
	if t.planned {
		return
	}
	t.planned = true
	t.waiting = nil
	headers := t.headers()
	owned, free := share(headers, t.wishes)
	if !t.synced {
		s.planOpen(t, headers, owned, free)
		t.waiting = slices.DeleteFunc(t.waiting, func(it intent) bool { return !it.classes.only(ClassRestrictive) })
		return
	}
	if t.fresh {
		s.recall(t, headers, owned, free)
	}
	t.renewMarks()
	s.planOpen(t, headers, owned, free)
	s.closeHeaders(t, headers, owned)
	s.planAsked(t)
	s.planRestores(t)
	s.planRemovals(t)
	t.sweep()
	t.trimMarks()
	slices.SortStableFunc(t.waiting, compareIntents)
}

// planOpen lists the wishes that were never consumed. What only restricts may be done at
// any time, so it does not share the fate of the other fields of its header.
func (s *Session) planOpen(t *twin, headers []header, owned map[string][]field, free []field) {
	for _, h := range headers {
		var levels, others []field
		for _, f := range t.open(owned[h.id]) {
			if s.rule(f.name).of(f.value) == ClassRestrictive {
				levels = append(levels, f)
				continue
			}
			others = append(others, f)
		}
		for _, part := range [][]field{levels, others} {
			if len(part) > 0 {
				t.waiting = append(t.waiting, s.makeIntent(h.id, &h, part))
			}
		}
	}
	for _, f := range t.open(free) {
		t.waiting = append(t.waiting, s.makeIntent(f.name+"@"+f.key, nil, []field{f}))
	}
}

func (t *twin) open(fields []field) []field {
	return slices.DeleteFunc(slices.Clone(fields), func(f field) bool { return t.marks[f.name].Key == f.key })
}

// closeHeaders mirrors those of which nothing is left to do.
func (s *Session) closeHeaders(t *twin, headers []header, owned map[string][]field) {
	for _, h := range headers {
		if len(t.open(owned[h.id])) > 0 {
			continue
		}
		if len(owned[h.id]) == 0 && !t.mirrored(h) {
			s.note("superseded", "%s: intent %.64s has no field left", t.label(), h.id)
		}
		t.mirror(h)
	}
}

// renewMarks brings the marks of writes that a new document still holds into its
// epoch, so that taking such a wish back counts.
func (t *twin) renewMarks() {
	for _, f := range t.wishes {
		if m, known := t.marks[f.name]; known && m.Key == f.key && m.Epoch != t.epoch {
			m.Epoch = t.epoch
			t.marks[f.name] = m
			t.dirty |= dirtMarks
		}
	}
}

func (s *Session) makeIntent(name string, h *header, fields []field) intent {
	it := intent{name: name, header: h, fields: fields, priority: defaultPriority}
	for _, f := range fields {
		r := s.rule(f.name)
		it.touches = it.touches || r.Touches
		it.classes = it.classes.with(r.of(f.value))
		it.version, it.at = max(it.version, f.version), max(it.at, f.at)
		it.endBy(f.at, r.ttl(f.value))
	}
	if h == nil {
		return it
	}
	it.priority, it.version, it.at = h.priority, h.version, h.at
	if h.ttl > 0 {
		it.expires = h.at + h.ttl
	}
	it.bound()
	return it
}

func (s *Session) rule(path string) Rule {
	i := slices.IndexFunc(s.cfg.Rules, func(r Rule) bool { return r.Path == path })
	if i < 0 {
		return Rule{Path: path}
	}
	return s.cfg.Rules[i]
}

func (t *twin) mirrored(h header) bool { return Equal(t.wantTree(intentsKey)[h.id], h.raw) }

// planRestores brings back what was in force when the store was lost.
func (s *Session) planRestores(t *twin) {
	for _, f := range t.wishes {
		if m := t.marks[f.name]; m.Restore && m.Key == f.key {
			it := s.makeIntent("restored:"+f.name+"@"+f.key, nil, []field{f})
			it.expires = 0
			t.waiting = append(t.waiting, it)
		}
	}
}

// planRemovals gives back what desired no longer asks for. Only complete
// knowledge can say so, and only of the document that asked.
func (s *Session) planRemovals(t *twin) {
	if len(t.held) > 0 || len(t.ahead) > 0 {
		return
	}
	for _, name := range sortedKeys(t.marks) {
		m := t.marks[name]
		class := s.rule(name).Class
		if _, still := t.desired[name]; still || m.Epoch != t.epoch || class == ClassRestrictive && t.levelOn(name) {
			continue // to forget a level is not to release it
		}
		if m.Code != ackDone && m.Code != ackPending && class != ClassConfig {
			delete(t.marks, name)
			t.dirty |= dirtMarks
			continue
		}
		it := s.makeIntent("removed:"+name+"@"+m.Key, nil, []field{{name: name}})
		it.removal, it.expires = true, 0
		t.waiting = append(t.waiting, it)
	}
}

// mirror says in reported that a header was consumed.
func (t *twin) mirror(h header) {
	t.setWant(intentsKey, setKey(t.wantTree(intentsKey), h.id, clone(h.raw)))
}

// sweep drops mirrors whose header is gone from desired, and acks of fields that
// desired no longer holds. An ack of a refused value that stays wished for stays
// too: it is why the difference counts as settled.
func (t *twin) sweep() {
	headers, _ := t.desired[intentsKey].(Tree)
	mirrors, acks := t.wantTree(intentsKey), t.wantTree(ackKey)
	for _, id := range sortedKeys(mirrors) {
		if _, still := headers[id]; !still {
			mirrors = setKey(mirrors, id, nil)
		}
	}
	for _, name := range sortedKeys(acks) {
		_, wished := t.desired[name]
		if m, known := t.marks[name]; !known || !wished || m.Code == ackDone {
			acks = setKey(acks, name, nil)
		}
	}
	t.setPart(intentsKey, mirrors)
	t.setPart(ackKey, acks)
}

func (t *twin) setPart(name string, part Tree) {
	if _, known := t.want[name]; known || len(part) > 0 {
		t.setWant(name, anyOf(part))
	}
}

// cut shortens s to most bytes, never within a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// setKey is t with k set, or without it when v is nil; t itself stays.
func setKey(t Tree, k string, v any) Tree {
	out := make(Tree, len(t)+1)
	for name, e := range t {
		out[name] = e
	}
	setMeta(out, k, v)
	return out
}

// consume records what became of a write, and answers it where 200 would not do.
func (t *twin) consume(name string, m mark) {
	m.Detail = cut(m.Detail, maxDetail)
	t.marks[name] = m
	t.dirty |= dirtMarks
	t.planned = false
	if m.Code == ackDone {
		t.setPart(ackKey, setKey(t.wantTree(ackKey), name, nil))
		return
	}
	ack := Tree{"ac": num(m.Code), "av": num(m.Seen)}
	if m.ID != "" {
		ack["id"] = m.ID
	}
	if m.Detail != "" {
		ack["ad"] = m.Detail
	}
	t.setPart(ackKey, setKey(t.wantTree(ackKey), name, ack))
}
