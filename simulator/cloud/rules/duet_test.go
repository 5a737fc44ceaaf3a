package rules

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
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
	done    []string // commands that were carried out
	news    []string
	notes   []string
	lose    func(shadow.Message) bool // on the way to the service; nil loses none
}

const second = int64(1e9)

func operatorKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) }

func newDuet(t *testing.T) *duet {
	prefix := strings.TrimSuffix(x, "/")
	return &duet{
		t: t, service: New(Root), start: now, now: second,
		session: shadow.New(shadow.Config{
			Serial: "GW-1", Prefix: prefix + "/shadow", Beside: prefix, Shadows: []string{"", "L1"}, Seed: 3,
			Register:  shadow.Tree{"kind": "lift-gateway", "lifts": []any{"L1"}},
			Commands:  []shadow.Command{{Name: "self-test", Limit: 60}, {Name: "open-door", Limit: 30, Signed: true}},
			Operators: []shadow.Operator{{Name: "ops-1", Key: operatorKey().Public().(ed25519.PublicKey)}},
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
		if d.lose == nil || !d.lose(out.Message) {
			d.hear(d.service.Take(out.Message, d.sec()))
		}
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
	case shadow.Perform:
		d.done = append(d.done, out.Name+" "+string(shadow.Encode(out.Args)))
		d.inputs = append([]shadow.Input{shadow.Performed{ID: out.ID, Status: shadow.OrderDone, Result: shadow.Tree{"ok": true}}}, d.inputs...)
	case shadow.Note:
		d.notes = append(d.notes, out.Kind+": "+out.Text)
	}
}

// hear brings what the service says to the device, and notes what it tells others.
func (d *duet) hear(r Result) {
	for _, m := range r.Messages {
		d.inputs = append(d.inputs, shadow.Received{Message: m})
	}
	for _, n := range r.News {
		d.news = append(d.news, strings.Join([]string{string(n.Kind), n.Shadow, n.ID, n.Code}, "|"))
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
		d.hear(d.service.Tick(d.sec()))
		d.put(shadow.Tick{})
	}
}

func (d *duet) desire(patch shadow.Tree) {
	d.t.Helper()
	r, err := d.service.Desire("GW-1", "", patch, d.sec())
	if err != nil {
		d.t.Fatal(err)
	}
	d.hear(r)
	d.put()
}

// told are the news of some kinds since the last time.
func (d *duet) told(kinds ...Kind) string {
	var out []string
	for _, n := range d.news {
		kind, _, _ := strings.Cut(n, "|")
		if slices.Contains(kinds, Kind(kind)) {
			out = append(out, n)
		}
	}
	d.news = nil
	return strings.Join(out, " ")
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
	if got := d.told(Write); got != "write||i-31|queued write||i-31|in_force" {
		t.Errorf("told %s", got)
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

// DD-2, RD-10, SH-16: events that happened while nobody heard arrive once each, those
// that the way has lost too, and the device forgets what was had.
func TestEventsArrive(t *testing.T) {
	d := newDuet(t)
	d.begin()
	d.put(shadow.Event{Kind: "ride.done", Body: shadow.Tree{"ride": "r-1"}})
	d.put(shadow.Down{})
	for i := 2; i <= 4; i++ {
		d.put(shadow.Event{Kind: "ride.done", Body: shadow.Tree{"ride": fmt.Sprintf("r-%d", i)}})
	}
	lost := 0
	d.lose = func(m shadow.Message) bool {
		if strings.Contains(string(m.Payload), `"ride":"r-3"`) && lost == 0 {
			lost++
			return true
		}
		return false
	}
	d.put(shadow.Up{Session: 2})
	d.pass(120)
	if got := d.told(RideDone, Gap); got != "ride.done||r-1| ride.done||r-2| ride.done||r-4| gap||| ride.done||r-3|" {
		t.Errorf("told %s", got)
	}
	if v := d.session.View().Beside; v.Events != 0 || lost != 1 {
		t.Errorf("the device holds %+v, lost %d", v, lost)
	}
	if w := d.service.Received("GW-1"); w.Upto() != 4 || w.Gaps != 1 {
		t.Errorf("had %+v", w)
	}
}

// CM-1, CM-2, CM-4: a command is carried out once, though its answers are lost, one that
// waited for the line too; what moves a door only with an operator's signature.
func TestCommandsAreCarriedOut(t *testing.T) {
	d := newDuet(t)
	d.begin()
	issue := func(o Order) {
		t.Helper()
		o.Serial, o.By = "GW-1", "ops"
		_, r, err := d.service.Issue(o, d.sec())
		if err != nil {
			t.Fatal(err)
		}
		d.hear(r)
	}
	answers := 0
	d.lose = func(m shadow.Message) bool {
		if strings.HasSuffix(m.Topic, "/response") {
			answers++
		}
		return answers == 1
	}
	issue(Order{ID: "a", Name: "self-test"})
	d.put()
	d.put(shadow.Down{})
	issue(Order{ID: "b", Name: "self-test", Args: shadow.Tree{"deep": true}})
	d.inputs = nil // nobody hears it
	d.put(shadow.Up{Session: 2})
	d.pass(40)
	exp := d.sec() + 30
	sig := ed25519.Sign(operatorKey(), shadow.SignedBytes("GW-1", "c", "commands/open-door", shadow.Tree{"lift": "L1"}, exp))
	issue(Order{ID: "c", Name: "open-door", Args: shadow.Tree{"lift": "L1"}, Expires: exp, Sig: shadow.Tree{"key": "ops-1", "sig": base64.StdEncoding.EncodeToString(sig)}})
	issue(Order{ID: "d", Name: "open-door", Args: shadow.Tree{"lift": "L2"}, Expires: exp, Sig: shadow.Tree{"key": "ops-1", "sig": base64.StdEncoding.EncodeToString(sig)}})
	d.put()
	d.pass(40)
	if got := strings.Join(d.done, " "); got != `self-test {} self-test {"deep":true} open-door {"lift":"L1"}` {
		t.Errorf("carried out %s", got)
	}
	var states []string
	for _, o := range d.service.Orders("GW-1") {
		states = append(states, o.ID+" "+string(o.State))
	}
	if got := strings.Join(states, ", "); got != "a done, b done, c done, d refused" {
		t.Errorf("%s; notes %v", got, d.notes)
	}
}

// OP-9: a fault reported, a plan wished, carried out once, mirrored and gone.
func TestRecoveryIsCarriedOut(t *testing.T) {
	d := newDuet(t)
	d.service.With(Options{Planned: true, Guarded: true})
	d.begin()
	d.put(shadow.Report{Shadow: "L1", Fields: shadow.Tree{
		"state": "FAULT", "fault_code": "OVERLOAD", "retry_count": 0, "link": "online", "mode": "normal", "emergency": false,
		"maintenance": shadow.Tree{"on": false}, "occupied": false, "owner": "R1", "ride": shadow.Tree{"id": "r-1", "robot": "R1", "fault_no": 1},
	}})
	d.pass(60)
	if got := strings.Join(d.applied, " "); got != "recovery=map[do:wait fault_no:1 ride:r-1 wait_s:60]" {
		t.Errorf("applied %s", got)
	}
	if got := d.told(Recovery, Write); got != "write|L1|recovery-r-1-1|queued recovery|L1|r-1|wait write|L1|recovery-r-1-1|in_force" {
		t.Errorf("told %s", got)
	}
	if doc, _ := d.service.Document("GW-1", "L1"); doc.Desired[intentsKey] != nil {
		t.Errorf("desired %v", doc.Desired)
	}
}

// Whatever the service does wrong on demand, the two agree when it is over.
func TestTroublesHeal(t *testing.T) {
	for _, kind := range TroubleKinds() {
		for _, request := range []string{"update", "get", "register", "events", ""} {
			d := newDuet(t)
			d.service.Trouble(Trouble{Kind: kind, Request: request, Times: 3})
			d.put(shadow.Loaded{}, shadow.Report{Shadow: "L1", Fields: shadow.Tree{"state": "IDLE"}}, shadow.Report{Fields: shadow.Tree{"a": "1"}}, shadow.Up{Session: 1})
			d.pass(20)
			d.put(shadow.Report{Shadow: "L1", Fields: shadow.Tree{"state": "FAULT"}}, shadow.Event{Kind: "ride.fault"})
			d.pass(1200)
			d.put(shadow.Report{Shadow: "L1", Fields: shadow.Tree{"state": "IDLE"}})
			d.desire(shadow.Tree{"a": "2"})
			d.pass(600)
			d.agree()
			if t.Failed() {
				t.Fatalf("after %s of %q", kind, request)
			}
		}
	}
}
