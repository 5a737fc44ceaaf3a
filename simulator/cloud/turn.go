package cloud

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// turn gathers what comes of some inputs, so that all of it is durable before a word
// of it is said. mu is held from its beginning to its end.
type turn struct {
	c        *Cloud
	now      int64
	messages []shadow.Message
	changes  []rules.Change
	notices  []ops.Notice
	puts     []shadow.Record
	writes   []ops.Write
}

func (c *Cloud) turn() *turn {
	t := &turn{c: c, now: time.Now().Unix()}
	c.seenAt = t.now
	return t
}

// take adds what the service says, and tells the desk; by is the operator behind it.
func (t *turn) take(r rules.Result, by string) {
	t.messages = append(t.messages, r.Messages...)
	t.changes = append(t.changes, r.Changes...)
	t.puts = append(t.puts, r.Puts...)
	for _, change := range r.Changes {
		m := ops.Member{Serial: change.Serial, Shadow: change.Shadow}
		t.desk(t.c.desk.Changed(m, change.Before, change.After, by, t.now))
	}
	for _, n := range r.News {
		t.heard(n)
	}
	for _, m := range r.Messages {
		if serial, conflict := t.c.conflict(m); conflict {
			t.desk(t.c.desk.Heard(ops.Happened{Kind: ops.Conflict, Serial: serial}, t.now))
		}
	}
}

func (t *turn) heard(n rules.News) {
	h := ops.Happened{Kind: string(n.Kind), Serial: n.Serial, Shadow: n.Shadow, ID: n.ID, Code: n.Code, Text: n.Text}
	if n.Kind == rules.Registered {
		t.enrol(n.Serial)
		h.Kind = ops.Online
	}
	t.desk(t.c.desk.Heard(h, t.now))
}

// enrol tells the desk where a device says that it is.
func (t *turn) enrol(serial string) {
	f, _ := t.c.service.Facts(serial)
	kind, _ := f.Facts["kind"].(string)
	static, _ := f.Facts["static"].(shadow.Tree)
	campus, _ := static["campus"].(string)
	building, _ := static["building"].(string)
	var lifts []string
	listed, _ := f.Facts["lifts"].([]any)
	for _, l := range listed {
		if id, ok := l.(string); ok && shadow.ValidName(id) {
			lifts = append(lifts, id)
		}
	}
	t.desk(t.c.desk.Enrol(serial, ops.Tags{Campus: campus, Building: building, Kind: kind}, lifts, t.now))
}

// desk adds what the operator's half wants.
func (t *turn) desk(r ops.Result) {
	t.notices = append(t.notices, r.Notices...)
	t.puts = append(t.puts, r.Puts...)
	t.writes = append(t.writes, r.Writes...)
	for _, m := range r.Touches {
		t.touch(m)
	}
	for _, serial := range r.Asks {
		t.messages = append(t.messages, t.c.service.AskReport(serial).Messages...)
	}
}

// touch shows a delta once more, in its own version.
func (t *turn) touch(m ops.Member) {
	d, ok := t.c.service.Document(m.Serial, m.Shadow)
	if payload, differs := d.DeltaPayload(t.now, ""); ok && differs {
		topic := shadow.ShadowTopic(t.c.root+"/"+m.Serial+"/shadow", m.Shadow, shadow.OpUpdateDelta)
		t.messages = append(t.messages, shadow.Message{Topic: topic, Payload: payload, QoS: 1})
	}
}

// wish carries out what the desk wrote, and what comes of that, until nothing is left.
func (t *turn) wish() {
	for len(t.writes) > 0 {
		w := t.writes[0]
		t.writes = t.writes[1:]
		intent := Intent{ID: w.ID, Priority: PlainPriority, Batch: w.Batch, By: w.By}
		r, err := t.c.service.Operate(w.Serial, w.Shadow, shadow.Update{Desired: intent.Around(w.Desired)}, t.now)
		t.take(r, w.By)
		if err != nil {
			t.desk(t.c.desk.Refused(w, codeOf(err), t.now))
		}
	}
}

// end makes all of it durable, and then says it. After an error nothing of it was, and
// nothing is said: whoever asked asks again.
func (t *turn) end() error {
	t.wish()
	if err := t.c.commit(t.puts); err != nil {
		return err
	}
	for _, change := range t.changes {
		t.c.hot.put(change.Serial, change.Shadow, change.After)
	}
	for _, m := range t.messages {
		t.c.queue(m)
	}
	for _, change := range t.changes {
		t.c.tell(Event{Change: change})
	}
	for _, n := range t.notices {
		t.c.tell(Event{Notice: &n})
	}
	return nil
}

// commit writes one batch, and makes the halves anew from the store when it cannot:
// what is not stored did not happen.
func (c *Cloud) commit(puts []shadow.Record) error {
	if c.store == nil || len(puts) == 0 {
		return nil
	}
	batch, err := spelled(puts)
	if err == nil {
		err = c.store.Commit(batch)
	}
	if err == nil {
		return nil
	}
	if again := c.restore(); again != nil {
		c.log.Error("what the cloud holds cannot be read again", "err", again)
	}
	return fmt.Errorf("keep %d records: %w", len(puts), err)
}

// spelled writes the bodies out: a store takes bytes alone.
func spelled(puts []shadow.Record) ([]shadow.Record, error) {
	batch := slices.Clone(puts)
	for i := range batch {
		value, err := batch[i].Bytes()
		if err != nil {
			return nil, err
		}
		batch[i].Value, batch[i].Body = value, nil
	}
	return batch, nil
}

// restore makes both halves from the store; from nothing without one.
func (c *Cloud) restore() error {
	service := rules.New(c.root).With(c.rules)
	c.hot.clear()
	desk := ops.New(ops.Options{Zone: c.zone, Keep: c.store != nil}, fleet{c})
	if c.store == nil {
		c.service, c.desk = service, desk
		return nil
	}
	kept, err := c.store.Load(rules.Bucket)
	if err != nil {
		return fmt.Errorf("load the service: %w", err)
	}
	rows, err := c.store.Load(ops.Bucket)
	if err != nil {
		return fmt.Errorf("load the desk: %w", err)
	}
	for _, bad := range service.Restore(kept) {
		c.log.Warn("left out", "err", bad)
	}
	if err := desk.Restore(rows); err != nil {
		c.log.Warn("left out", "err", err)
	}
	c.service, c.desk = service, desk
	return nil
}

// fleet is what the desk sees of the service.
type fleet struct{ c *Cloud }

func (f fleet) Document(serial, name string) (shadow.Document, bool) {
	return f.c.service.Document(serial, name)
}

func (f fleet) Seen(serial string) ops.Seen {
	p, _ := f.c.service.Presence(serial, f.c.seenAt)
	return ops.Seen{Online: p.Online, Semi: p.Semi, LastSeen: p.LastSeen}
}

// conflict holds for the refusal of a write for its version.
func (c *Cloud) conflict(m shadow.Message) (serial string, is bool) {
	if !strings.HasSuffix(m.Topic, "/"+shadow.OpUpdateRejected) || !bytes.Contains(m.Payload, []byte(`"code":409`)) {
		return "", false
	}
	serial, _, _ = strings.Cut(strings.TrimPrefix(m.Topic, c.root+"/"), "/")
	return serial, true
}
