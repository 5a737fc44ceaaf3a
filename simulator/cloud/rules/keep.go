package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

// Bucket is where a service's records live.
const Bucket = "cloud"

// What the second part of a record's key can be. The parts before and behind it are
// cloud and one field, and the third names the thing and what it has.
const (
	ofThing    = "thing"
	ofDocument = "shadow"
)

// seenEvery is how often, in seconds, a sign of life alone is worth a record.
const seenEvery = 600

// kept is what a thing's own record holds. It is comparable, so that a step which
// changed nothing of it writes nothing.
type kept struct {
	Serial string
	Life   life
	Holder holder
	Epoch  uint64 // as issued, or as the device told after the service forgot
	Known  bool   // registered once
}

// keptDocument is the record of one shadow.
type keptDocument struct {
	Serial, Shadow string
	Document       json.RawMessage // as [shadow.Document.Stored] writes it
}

// body spells a record's value when it is stored, and not before.
type body func() any

func (b body) Bytes() ([]byte, error) {
	raw, err := json.Marshal(b())
	if err != nil {
		return nil, fmt.Errorf("spell out a record: %w", err)
	}
	return raw, nil
}

// record is one row; id names from the thing on, from coarse to fine.
func record(entity, field string, value body, id ...string) shadow.Record {
	key := "cloud:" + entity + ":" + shadow.KeyPart(strings.Join(id, "/")) + ":" + field
	return shadow.Record{Bucket: Bucket, Key: key, Body: value}
}

func (t *thing) record() shadow.Record {
	state := t.kept
	return record(ofThing, "state", func() any { return state }, t.Serial)
}

func (t *thing) document(name string) shadow.Record {
	serial, d := t.Serial, t.shadows[name]
	return record(ofDocument, "document", func() any { return keptDocument{serial, name, d.Stored()} }, serial, name)
}

// settle puts out the thing's own record, if this step changed more than the time
// of the last sign of life.
func (c *call) settle() Result {
	t := c.thing
	was, is := t.stored, t.kept
	if is.Life.SeenAt-was.Life.SeenAt < seenEvery {
		was.Life.SeenAt, was.Life.ReportAt, was.Holder.SeenAt = is.Life.SeenAt, is.Life.ReportAt, is.Holder.SeenAt
	}
	if was != is {
		t.stored = is
		c.result.Puts = append(c.result.Puts, t.record())
	}
	return c.result
}

// Snapshot is everything that Puts ever stored, as records of now.
func (s *Service) Snapshot() []shadow.Record {
	var out []shadow.Record
	for _, t := range s.order {
		out = append(out, t.record())
		for name := range t.shadows {
			out = append(out, t.document(name))
		}
	}
	slices.SortFunc(out, func(a, b shadow.Record) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Restore takes the records of an earlier service, as a store gives them back,
// before the first message. What cannot be read is left out, and is an error each.
func (s *Service) Restore(records []shadow.Record) (bad []error) {
	for _, r := range records {
		if r.Bucket != Bucket || r.Deletes() {
			continue
		}
		if err := s.restore(r); err != nil {
			bad = append(bad, fmt.Errorf("record %.128s: %w", r.Key, err))
		}
	}
	return bad
}

func (s *Service) restore(r shadow.Record) error {
	if err := (shadow.Record{Bucket: r.Bucket, Key: r.Key}).Check(); err != nil {
		return err
	}
	raw, err := r.Bytes()
	if err != nil {
		return err
	}
	switch strings.Split(r.Key, ":")[1] {
	case ofThing:
		return s.restoreThing(raw)
	case ofDocument:
		return s.restoreDocument(raw)
	}
	return nil // of a newer program
}

func (s *Service) restoreThing(raw []byte) error {
	var k kept
	if err := decode(raw, &k); err != nil {
		return err
	}
	t, err := s.restored(k.Serial)
	if err == nil {
		t.kept, t.stored = k, k
	}
	return err
}

func (s *Service) restoreDocument(raw []byte) error {
	var k keptDocument
	if err := decode(raw, &k); err != nil {
		return err
	}
	d, err := shadow.ParseStored(k.Document)
	if err != nil {
		return err
	}
	t, err := s.restored(k.Serial)
	if err == nil {
		t.shadows[k.Shadow] = d
	}
	return err
}

// restored is the thing that a record speaks of.
func (s *Service) restored(serial string) (*thing, error) {
	if !shadow.ValidName(serial) {
		return nil, fmt.Errorf("%.64q names no thing", serial)
	}
	if t := s.thing(serial); t != nil {
		return t, nil
	}
	return nil, errTooMany
}

// decode keeps numbers as they are written.
func decode(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}
