package rules

import (
	"encoding/json"
	"fmt"
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
	ofFacts    = "facts"
	ofEvents   = "events"
	ofOrder    = "command"
	ofWish     = "write"
)

// seenEvery is how often, in seconds, a sign of life alone is worth a record.
const seenEvery = 600

// kept is what a thing's own record holds. It is comparable, so that a step which
// changed nothing of it writes nothing.
type kept struct {
	Serial   string
	Life     life
	Standing standing
	Holder   holder
	Epoch    uint64 // as issued, or as the device told after the service forgot
	Known    bool   // registered once
	Orders   int64  // that were issued and got their id here

	OfflineAfter, ReportPeriod int64 // seconds, of its template; 0 = as usual
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
