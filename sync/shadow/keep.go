package shadow

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Bucket is where a session's records live.
const Bucket = "sync"

// dirt says which records no longer say what is so.
type dirt uint16

const (
	dirtWant dirt = 1 << iota
	dirtMarks
	dirtBase
	dirtAcked
	dirtVersion
	dirtEpoch
	dirtSequence
	dirtAsked
	dirtSpent
	dirtNow
	dirtEvents
	dirtOrders
	dirtHad // records of events that were had

	// What a get repairs may wait for the next commit; what only this side knows
	// may not.
	dirtLazy = dirtAcked | dirtVersion | dirtHad
)

const lazyLimit = 10 * second

// keep puts out the records that this step made stale.
func (s *Session) keep() {
	all := s.dirty
	for _, t := range s.twins {
		all |= t.dirty
	}
	if all == 0 {
		return
	}
	if all&^dirtLazy == 0 {
		if s.lazy == 0 {
			s.lazy = s.now + lazyLimit
		}
		if !s.reached(s.lazy) {
			return
		}
	}
	s.lazy = 0
	s.keepThing()
	for _, t := range s.twins {
		s.keepTwin(t)
	}
}

func (s *Session) keepThing() {
	if s.dirty&dirtEpoch != 0 {
		s.store(thingKey("epoch"), []byte(num(s.epoch)))
	}
	if s.dirty&dirtSequence != 0 {
		s.store(thingKey("sequence"), []byte(num(s.seq.stored)))
	}
	s.keepAside()
	if s.dirty&dirtAsked != 0 {
		s.store(thingKey("asked"), encodeValue(s.asked.answers))
	}
	if s.dirty&dirtSpent != 0 {
		s.store(thingKey("signed"), encodeValue(s.spent))
	}
	s.dirty = 0
}

func (s *Session) keepTwin(t *twin) {
	for _, r := range []struct {
		dirt  dirt
		field string
		value func() []byte
	}{
		{dirtWant, "want", func() []byte { return Encode(t.want) }},
		{dirtAcked, "reported", func() []byte { return Encode(t.acked) }},
		{dirtBase, "desired", func() []byte { return Encode(Tree{"desired": t.base, "metadata": t.baseMeta}) }},
		{dirtMarks, "consumed", func() []byte { return encodeValue(t.marks) }},
		{dirtVersion | dirtAcked, "version", func() []byte { return encodeValue(t.versions()) }},
	} {
		if t.dirty&r.dirt != 0 {
			s.store(shadowKey(t.name, r.field), r.value())
		}
	}
	t.dirty = 0
}

func (s *Session) store(key string, value []byte) {
	sum := sha256.Sum256(value)
	if s.stored[key] == sum {
		return
	}
	s.stored[key] = sum
	s.put(Put{Record{Bucket: Bucket, Key: key, Value: value}})
}

// erase removes a record.
func (s *Session) erase(key string) {
	delete(s.stored, key)
	s.put(Put{Record{Bucket: Bucket, Key: key}})
}

// versions is the record of how far the streams were read.
type versions struct {
	To, High, AckedAt, Epoch int64
	Exists                   bool
	Seen                     watermarks
}

func (t *twin) versions() versions {
	return versions{To: t.to, High: t.high, AckedAt: t.ackedAt, Epoch: t.epoch, Exists: t.exists, Seen: t.seen}
}

func thingKey(field string) string { return "sync:thing:-:" + field }

func shadowKey(name, field string) string { return "sync:shadow:" + KeyPart(name) + ":" + field }

// KeyPart writes a shadow's name in the lower case that keys have. A capital is
// marked, so that L1 and l1 stay two; the classic shadow is a dash.
func KeyPart(name string) string {
	if name == "" {
		return "-"
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= 'A' && c <= 'Z':
			b.WriteByte('^')
			b.WriteByte(c + 'a' - 'A')
		case isAlnum(c), c == '_', c == '-' && name != "-":
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	if b.Len() > 96 {
		sum := sha256.Sum256([]byte(name))
		return "%" + hex.EncodeToString(sum[:16])
	}
	return b.String()
}

// load takes the records of the last run. One that cannot be read is left out and
// said so: the next get brings what the service knows.
func (s *Session) load(records []Record) {
	for _, r := range records {
		if r.Bucket != Bucket || len(r.Value) == 0 {
			continue
		}
		if err := s.loadRecord(r); err != nil {
			s.note("store", "record %.128s: %v", r.Key, err)
			continue
		}
		s.stored[r.Key] = sha256.Sum256(r.Value)
	}
	for _, t := range s.twins {
		t.relearn()
		t.dirty = 0
	}
	s.loadedAside()
}

func (s *Session) loadRecord(r Record) error {
	switch r.Key {
	case thingKey("epoch"):
		return json.Unmarshal(r.Value, &s.epoch)
	case thingKey("asked"):
		return s.loadAsked(r.Value)
	case thingKey("sequence"):
		if err := json.Unmarshal(r.Value, &s.seq.stored); err != nil {
			return err
		}
		s.seq.next = s.seq.stored
		return nil
	case thingKey("signed"):
		return json.Unmarshal(r.Value, &s.spent)
	}
	for _, t := range s.twins {
		prefix := shadowKey(t.name, "")
		if field, ok := strings.CutPrefix(r.Key, prefix); ok {
			return t.load(field, r.Value)
		}
	}
	return s.loadAside(r)
}

func (t *twin) load(field string, value []byte) error {
	switch field {
	case "consumed":
		return json.Unmarshal(value, &t.marks)
	case "version":
		t.fresh = false
		var v versions
		if err := json.Unmarshal(value, &v); err != nil {
			return err
		}
		t.to, t.high, t.ackedAt, t.epoch, t.exists, t.seen = v.To, v.High, v.AckedAt, v.Epoch, v.Exists, v.Seen
		return nil
	}
	tree, err := Decode(value)
	if err != nil {
		return err
	}
	switch field {
	case "want":
		t.rest.recheckAll(t.want, tree)
		t.want = tree
		t.wantSeq++
	case "reported":
		t.rest.recheckAll(t.acked, tree)
		t.acked = tree
	case "desired":
		base, _ := tree["desired"].(Tree)
		meta, _ := tree["metadata"].(Tree)
		t.setBase(orEmpty(base), orEmpty(meta))
	}
	return nil
}

// trimMarks keeps the record of consumed writes within the size of a document's
// worth of fields: those of older documents go first.
func (t *twin) trimMarks() {
	const most = 2 * maxFields
	if len(t.marks) <= most {
		return
	}
	over := len(t.marks) - most
	old := slices.DeleteFunc(sortedKeys(t.marks), func(name string) bool {
		_, wished := t.desired[name]
		return wished
	})
	slices.SortStableFunc(old, func(a, b string) int { return cmp.Compare(t.marks[a].Epoch, t.marks[b].Epoch) })
	for _, name := range old[:min(over, len(old))] {
		delete(t.marks, name)
		t.dirty |= dirtMarks
	}
}
