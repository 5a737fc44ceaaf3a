package shadow

// report takes what the device now is. It only changes what is wanted; push sends
// the difference, so that whatever waits is coalesced by itself.
func (s *Session) report(r Report) {
	t := s.twin(r.Shadow)
	if t == nil {
		s.note("foreign", "a report for the shadow %q, which is not kept", r.Shadow)
		return
	}
	for _, k := range sortedKeys(r.Fields) {
		if k == intentsKey || k == ackKey {
			continue
		}
		v, err := Plain(r.Fields[k])
		if err != nil {
			s.note("malformed", "%s: field %s: %v", t.label(), k, err)
			continue
		}
		t.setWant(k, prune(v))
	}
}

// prune drops what a service would not keep: nulls and objects without a leaf.
func prune(v any) any {
	t, ok := v.(Tree)
	if !ok {
		return v
	}
	out := Tree{}
	for k, e := range t {
		if e = prune(e); e != nil {
			out[k] = e
		}
	}
	return anyOf(out)
}

func (t *twin) setWant(k string, v any) {
	old, known := t.want[k]
	if known && Equal(old, v) {
		return
	}
	t.want[k] = v
	t.rest.recheck(k)
	t.wantSeq++
	t.write.blocked, t.write.echoes = false, 0
	t.dirty |= dirtWant
}

func (t *twin) wantTree(k string) Tree {
	v, _ := t.want[k].(Tree)
	return v
}
