package shadow

import (
	"cmp"
	"maps"
	"slices"
)

// maxHeld bounds what waits behind a hole; beyond it only a get helps anyway.
const maxHeld = 16

func insert(list []arrival, a arrival) []arrival {
	list = append(list, a)
	slices.SortStableFunc(list, func(x, y arrival) int { return cmp.Compare(x.version, y.version) })
	return list[max(0, len(list)-maxHeld):]
}

func has(list []arrival, version int64) bool {
	return slices.ContainsFunc(list, func(a arrival) bool { return a.version == version })
}

func (t *twin) saw(version int64) {
	if version > t.high {
		t.high = version
		t.dirty |= dirtVersion
	}
}

// catchUp takes what has come into its place. What would make more than a
// service keeps did not come from one: only a get helps then.
func (s *Session) catchUp(t *twin) {
	if !t.drain() {
		s.note("oversize", "%s: more than a service keeps; asks for the whole", t.label())
		t.held, t.ahead, t.read.why = nil, nil, "oversize"
	}
	t.relearn()
	s.watchHole(t)
}

// drain takes what is held as far as it is in order; false when it does not fit.
func (t *twin) drain() bool {
	for len(t.held) > 0 {
		a := t.held[0]
		if a.version > t.to+1 {
			return true
		}
		t.held = t.held[1:]
		if a.version > t.to && !t.take(a) {
			return false
		}
	}
	return true
}

// take makes the next version's wishes part of what is known for certain.
func (t *twin) take(a arrival) bool {
	base, meta := t.base, t.baseMeta
	if a.cleared {
		base, meta = Tree{}, Tree{}
	}
	if a.desired != nil {
		base, meta = Merge(base, a.desired), learnMeta(meta, base, a.desired, a.meta)
		if sectionSize(base) > maxSection || sectionSize(meta) > maxMeta {
			return false
		}
	}
	t.to = a.version
	t.dirty |= dirtVersion
	if a.cleared || a.desired != nil {
		t.setBase(base, meta)
		t.write.blocked = false // there may be room now
		t.dirty |= dirtBase
	}
	return true
}

func (t *twin) setBase(base, meta Tree) {
	t.base, t.baseMeta = base, meta
	t.learned = false
}

// relearn computes desired: what is complete, and on top what ran ahead of it.
// Most messages tell of reported alone and leave it as it is.
func (t *twin) relearn() {
	t.planned = false
	if t.learned && len(t.ahead) == 0 {
		return
	}
	t.ahead = slices.DeleteFunc(t.ahead, func(a arrival) bool { return a.version <= t.to && t.complete })
	t.learned = len(t.ahead) == 0
	t.desired, t.desiredMeta = t.base, t.baseMeta
	for _, a := range t.ahead {
		t.desiredMeta = learnMeta(t.desiredMeta, t.desired, a.desired, a.meta)
		t.desired = Merge(t.desired, a.desired)
	}
	if len(t.ahead) > 0 && sectionSize(t.desired) > maxSection {
		t.ahead, t.desired, t.desiredMeta = nil, t.base, t.baseMeta
		t.read.why = "oversize"
	}
	t.wishes = fields(t.desired, t.desiredMeta)
	t.sight()
}

// sight remembers at which version each write of a field was first met.
func (t *twin) sight() {
	met := make(map[string]sighting, len(t.desired))
	for _, f := range t.wishes {
		if old, ok := t.firstSeen[f.name]; ok && old.key == f.key {
			met[f.name] = old
			continue
		}
		met[f.name] = sighting{f.key, t.high}
	}
	t.firstSeen = met
}

// acknowledge takes the reported part of an accepted update. Reported has one
// writer: whatever it says, this side once sent.
func (t *twin) acknowledge(a answer) {
	v, there := a.state["reported"]
	if !there || a.version <= t.ackedAt {
		return
	}
	r, isTree := v.(Tree)
	if !isTree {
		t.rest.recheckAll(t.acked)
		t.acked = Tree{}
	}
	acked := Merge(t.acked, r)
	if sectionSize(acked) > maxSection {
		t.read.why = "oversize"
		return
	}
	t.rest.recheckAll(r)
	t.acked, t.ackedAt = acked, a.version
	t.dirty |= dirtAcked
}

// learn takes a whole document that answers a request of ours, sent when sentHigh
// was the highest version known. A version below that is another document.
func (s *Session) learn(t *twin, d Document, sentHigh int64) {
	if sectionSize(d.Desired) > maxSection || sectionSize(d.Reported) > maxSection || sectionSize(d.DesiredMeta) > maxMeta {
		s.note("oversize", "%s: a document of %d bytes is more than a service keeps", t.label(), d.Size())
		return
	}
	switch {
	case d.Version < sentHigh:
		s.note("epoch", "%s came back at version %d after %d: a new document", t.label(), d.Version, sentHigh)
		t.lost(d.Version)
		t.adopt(d)
	case d.Version >= t.to:
		t.adopt(d)
	}
	t.exists, t.synced, t.complete = true, true, true
	t.read.why = ""
	t.write.rebasing = 0
	t.holeSince = 0
	s.catchUp(t)
}

func (t *twin) adopt(d Document) {
	t.setBase(orEmpty(d.Desired), orEmpty(d.DesiredMeta))
	t.to = d.Version
	t.saw(d.Version)
	t.dirty |= dirtBase | dirtVersion
	if d.Version < t.ackedAt {
		return
	}
	t.rest.recheckAll(t.acked, d.Reported)
	t.acked, t.ackedAt = orEmpty(d.Reported), d.Version
	if t.write.flight == nil {
		t.rest.recheckAll(t.doubt)
		t.doubt = Tree{}
	}
	t.adoptMirrors()
	t.dirty |= dirtAcked
}

// adoptMirrors takes back mirrored headers and acks that this store does not know
// any more: they are the record of what was consumed. The plan drops those whose
// header is gone.
func (t *twin) adoptMirrors() {
	for _, part := range []string{intentsKey, ackKey} {
		theirs, _ := t.acked[part].(Tree)
		ours, _ := t.want[part].(Tree)
		for _, k := range sortedKeys(theirs) {
			if _, known := ours[k]; !known {
				t.setWant(part, Merge(t.wantTree(part), Tree{k: theirs[k]}))
			}
		}
	}
}

// lost begins a new document epoch: watermarks start over at version, consumed
// writes stay consumed.
func (t *twin) lost(version int64) {
	t.epoch++
	t.exists = false
	t.to, t.high, t.ackedAt = version, version, version
	t.seen = watermarks{}
	t.setBase(Tree{}, Tree{})
	t.rest.recheckAll(t.acked, t.doubt)
	t.acked, t.doubt = Tree{}, Tree{}
	t.ahead, t.held, t.holeSince = nil, nil, 0
	t.write.blocked = false
	t.dirty |= dirtBase | dirtAcked | dirtVersion
	t.relearn()
}

func orEmpty(t Tree) Tree {
	if t == nil {
		return Tree{}
	}
	return t
}

// learnMeta follows a merge of patch into state with the metadata that came along.
func learnMeta(meta, state, patch, given Tree) Tree {
	out := maps.Clone(meta)
	if out == nil {
		out = Tree{}
	}
	for k, p := range patch {
		pt, isTree := p.(Tree)
		if !isTree {
			setMeta(out, k, clone(given[k]))
			if p == nil {
				delete(out, k)
			}
			continue
		}
		var sub, m Tree
		if st, was := state[k].(Tree); was {
			sub = st
			m, _ = out[k].(Tree)
		}
		g, _ := given[k].(Tree)
		setMeta(out, k, anyOf(learnMeta(m, sub, pt, g)))
	}
	return out
}

func anyOf(t Tree) any {
	if len(t) == 0 {
		return nil
	}
	return t
}
