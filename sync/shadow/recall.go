package shadow

// recall reads from the document what an earlier store knew: this one is new, or
// the old one was damaged. A mirrored header is the record that its fields were
// consumed, and a field without a header that reported already says was too. None
// of these is executed again. What only sets a level, and was in force, is put in
// force again: the gateway shall not fall back to its file because a card failed.
func (s *Session) recall(t *twin, headers []header, owned map[string][]field, free []field) {
	t.fresh = false
	for _, h := range headers {
		if !t.mirrored(h) {
			continue
		}
		for _, f := range owned[h.id] {
			s.recallField(t, h.id, h.priority == 0, f)
		}
	}
	for _, f := range free {
		if Equal(t.acked[f.name], f.value) {
			s.recallField(t, "", false, f)
		}
	}
}

func (s *Session) recallField(t *twin, id string, promote bool, f field) {
	m := mark{Key: f.key, Code: ackDone, Seen: f.version, ID: id, Epoch: t.epoch}
	ack, _ := t.wantTree(ackKey)[f.name].(Tree)
	code, acked := intOf(ack["ac"])
	switch {
	case acked && (ack["id"] == any(id) || id == ""):
		m.Code = int(code)
		m.Detail, _ = ack["ad"].(string)
	case !Equal(t.acked[f.name], f.value):
		m.Code, m.Detail = ackNoConfirm, "consumed before this store was made"
	case Equal(t.want[f.name], f.value):
	case s.level(f.name):
		m.Restore, m.Promote = true, promote
	default:
		m.Code, m.Detail = ackNoConfirm, "carried out before this store was made"
	}
	t.consume(f.name, m)
}

// level tells a setting from an operation: it has no time to live and touches no
// controller, so that setting it twice is setting it once.
func (s *Session) level(path string) bool {
	r := s.rule(path)
	return r.TTL == 0 && !r.Touches
}

// idFor is the header's id of a mark, if it is of this write.
func (m mark) idFor(key string) string {
	if m.Key == key {
		return m.ID
	}
	return ""
}
