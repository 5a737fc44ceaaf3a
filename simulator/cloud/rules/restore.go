package rules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

// Snapshot is everything that Puts ever stored, as records of now, sorted by key.
func (s *Service) Snapshot() []shadow.Record {
	var out []shadow.Record
	for _, t := range s.order {
		out = append(out, t.record())
		for name := range t.shadows {
			out = append(out, t.document(name))
		}
		if t.facts.told() {
			out = append(out, t.facts.record(t.Serial))
		}
		if t.events.window.Last > 0 {
			out = append(out, t.windowRecord())
		}
		for _, o := range t.orders {
			out = append(out, o.record())
		}
		for _, w := range t.wishes {
			out = append(out, w.record())
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
	for _, t := range s.order {
		slices.SortStableFunc(t.orders, func(a, b *Order) int { return cmp.Compare(a.At, b.At) })
		slices.SortStableFunc(t.wishes, func(a, b *Wish) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Version, b.Version)) })
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
		return restoreAs(s, raw, func(k kept) string { return k.Serial }, func(t *thing, k kept) { t.kept, t.stored = k, k })
	case ofDocument:
		return s.restoreDocument(raw)
	case ofFacts:
		return restoreAs(s, raw, func(f Facts) string { return f.Serial }, func(t *thing, f Facts) { t.facts = f })
	case ofEvents:
		return restoreAs(s, raw, func(k keptWindow) string { return k.Serial }, func(t *thing, k keptWindow) { t.events.window = k.Window })
	case ofOrder:
		return restoreAs(s, raw, func(o Order) string { return o.Serial }, func(t *thing, o Order) { t.orders = append(t.orders, &o) })
	case ofWish:
		return restoreAs(s, raw, func(w Wish) string { return w.Serial }, func(t *thing, w Wish) { t.wishes = append(t.wishes, &w) })
	}
	return nil // of a newer program
}

// restoreAs reads a record of one kind, and gives it to the thing of its serial.
func restoreAs[K any](s *Service, raw []byte, serial func(K) string, give func(*thing, K)) error {
	var k K
	if err := decode(raw, &k); err != nil {
		return err
	}
	t, err := s.restored(serial(k))
	if err == nil {
		give(t, k)
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
