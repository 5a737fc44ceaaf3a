package rules

import (
	"fmt"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// duet lets a device's session and the service talk, in virtual time and with
// nothing in between. Both halves are the real ones.
type duet struct {
	t       *testing.T
	session *shadow.Session
	service *Service
	start   int64 // epoch seconds at instant 0
	now     int64 // nanoseconds
	inputs  []shadow.Input
	applied []string
	notes   []string
}

const second = int64(1e9)

func newDuet(t *testing.T) *duet {
	prefix := strings.TrimSuffix(x, "/")
	return &duet{
		t: t, service: New(Root), start: now, now: second,
		session: shadow.New(shadow.Config{
			Serial: "GW-1", Prefix: prefix + "/shadow", Beside: prefix, Shadows: []string{"", "L1"}, Seed: 3,
			Register: shadow.Tree{"kind": "lift-gateway", "lifts": []any{"L1"}},
		}),
	}
}

// put hands in inputs and all that follows at this instant.
func (d *duet) put(inputs ...shadow.Input) {
	d.t.Helper()
	d.inputs = append(d.inputs, inputs...)
	for n := 0; len(d.inputs) > 0; n++ {
		if n > 10_000 {
			d.t.Fatalf("the two do not come to rest: %v", d.notes[max(0, len(d.notes)-10):])
		}
		in := d.inputs[0]
		d.inputs = d.inputs[1:]
		for _, out := range d.session.Step(in, d.now, nil) {
			d.carry(out)
		}
	}
}

func (d *duet) carry(out shadow.Output) {
	switch out := out.(type) {
	case shadow.Publish:
		d.deliver(d.service.Take(out.Message, d.sec()).Messages)
		if strings.HasSuffix(out.Topic, "/presence") {
			d.inputs = append(d.inputs, shadow.Received{Message: out.Message})
		}
		d.inputs = append(d.inputs, shadow.Sent{Token: out.Token})
	case shadow.Apply:
		done := shadow.Applied{Shadow: out.Shadow, Intent: out.Intent}
		for path, value := range out.Values {
			d.applied = append(d.applied, fmt.Sprintf("%s=%v", path, value))
			done.Results = append(done.Results, shadow.Result{Path: path, Code: 200, Value: value})
		}
		d.inputs = append([]shadow.Input{done}, d.inputs...)
	case shadow.Note:
		d.notes = append(d.notes, out.Kind+": "+out.Text)
	}
}

func (d *duet) deliver(messages []shadow.Message) {
	for _, m := range messages {
		d.inputs = append(d.inputs, shadow.Received{Message: m})
	}
}

func (d *duet) sec() int64 { return d.start + d.now/second }

// pass lets time go by, stopping wherever the session wants to act.
func (d *duet) pass(seconds int64) {
	d.t.Helper()
	for end := d.now + seconds*second; d.now < end; {
		next := d.session.NextWake()
		if next <= d.now {
			next = d.now + second/10
		}
		d.now = min(next, end)
		d.put(shadow.Tick{})
	}
}

func (d *duet) desire(patch shadow.Tree) {
	d.t.Helper()
	r, err := d.service.Desire("GW-1", "", patch, d.sec())
	if err != nil {
		d.t.Fatal(err)
	}
	d.deliver(r.Messages)
	d.put()
}

// agree checks that both hold the same of each shadow, with nothing left to do.
func (d *duet) agree() {
	d.t.Helper()
	for _, s := range d.session.View().Shadows {
		held, ok := d.service.Document("GW-1", s.Name)
		if !ok || held.Version != s.Version || !shadow.Equal(held.Reported, s.Reported) || len(held.Delta())+len(s.Delta)+len(s.Pending) != 0 {
			d.t.Errorf("shadow %q: device %+v\nservice %+v\nnotes %v", s.Name, s, held, d.notes)
		}
	}
}

func (d *duet) begin() {
	d.t.Helper()
	d.put(shadow.Loaded{},
		shadow.Report{Fields: shadow.Tree{"wait_timeout": "90", "lifts": "L1"}},
		shadow.Report{Shadow: "L1", Fields: shadow.Tree{"state": "IDLE"}},
		shadow.Up{Session: 1})
	d.pass(20)
	d.agree()
}

// SH-8, RD-15: an intent from the operator's wish to its last trace: applied once,
// reported, mirrored, its header taken down, its mirror taken down, delta empty.
func TestIntentComesToRest(t *testing.T) {
	d := newDuet(t)
	d.begin()
	d.desire(shadow.Tree{"wait_timeout": "120", intentsKey: shadow.Tree{"i-31": shadow.Tree{"fields": []any{"wait_timeout"}}}})
	d.pass(90)
	d.agree()
	if got := strings.Join(d.applied, " "); got != "wait_timeout=120" {
		t.Errorf("applied %q", got)
	}
	doc, _ := d.service.Document("GW-1", "")
	if doc.Desired[intentsKey] != nil || doc.Reported[intentsKey] != nil || doc.Reported["wait_timeout"] != "120" {
		t.Errorf("desired %v, reported %v", doc.Desired, doc.Reported)
	}
	// And at rest it stays at rest.
	before := doc.Version
	d.pass(1800)
	if doc, _ = d.service.Document("GW-1", ""); doc.Version != before {
		t.Errorf("%d versions in half an hour of nothing", doc.Version-before)
	}
	if p, _ := d.service.Presence("GW-1", d.sec()); !p.Online || p.Semi {
		t.Errorf("after half an hour of beats: %+v", p)
	}
}

// SH-12: a service that has lost its memory is found out by the beats, and
// gets everything again; nothing is executed twice.
func TestServiceForgets(t *testing.T) {
	d := newDuet(t)
	d.begin()
	d.desire(shadow.Tree{"wait_timeout": "120"})
	d.pass(20)
	d.service = New(Root)
	d.pass(300)
	d.put(shadow.Report{Shadow: "L1", Fields: shadow.Tree{"state": "REQUESTING"}})
	d.pass(60)
	d.agree()
	if doc, _ := d.service.Document("GW-1", ""); doc.Reported["wait_timeout"] != "120" {
		t.Errorf("reported %v", doc.Reported)
	}
	if len(d.applied) != 1 {
		t.Errorf("applied %q", d.applied)
	}
}

// A message lost on the way is found by the next beat.
func TestLostDelta(t *testing.T) {
	d := newDuet(t)
	d.begin()
	if _, err := d.service.Desire("GW-1", "", shadow.Tree{"wait_timeout": "120"}, d.sec()); err != nil {
		t.Fatal(err)
	}
	d.pass(60)
	d.agree()
	if got := strings.Join(d.applied, " "); got != "wait_timeout=120" {
		t.Errorf("applied %q", got)
	}
}
