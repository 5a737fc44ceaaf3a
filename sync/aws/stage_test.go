package aws

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hoistway/sync/aws/awstest"
	"hoistway/sync/shadow"
)

const (
	x      = "hoistway/things/GW-1"
	minute = 60 * second
	second = int64(1_000_000_000)
	epoch  = 1_700_000_000
)

// stage is the real session, the service, and a broker between them that has whatever
// was subscribed delivered at once.
type stage struct {
	t         *testing.T
	session   *shadow.Session
	service   *awstest.Service
	now       int64
	up        bool
	records   map[string]shadow.Record
	judge     map[string]shadow.Result // by path; 200 for what is not in it
	applied   []string
	performed []string
	beside    []shadow.Message // what went to topics that are no service's
	sent      []string         // topics, in order
	notes     []string
}

func newStage(t *testing.T) *stage {
	s := &stage{
		t: t, service: awstest.New("GW-1"), records: map[string]shadow.Record{}, now: second,
		judge: map[string]shadow.Result{},
	}
	s.begin()
	t.Cleanup(func() {
		if len(s.service.Odd) > 0 {
			t.Errorf("the public service would not have understood: %q", s.service.Odd)
		}
	})
	return s
}

// begin starts a process with what the store holds.
func (s *stage) begin() {
	s.session = shadow.New(shadow.Config{
		Serial: "GW-1", Prefix: Prefix("GW-1"), Beside: x, Shadows: []string{"", "L1"}, Seed: 1, Dialect: New("GW-1", x),
		Register: shadow.Tree{"kind": "lift-gateway", "store": "fresh", "static": shadow.Tree{"campus": "C"}},
		Rules:    []shadow.Rule{{Path: "recall", TTL: 600}},
		Commands: []shadow.Command{{Name: "restart", Limit: 120}},
	})
	s.up = false
	var rows []shadow.Record
	for _, k := range slices.Sorted(maps.Keys(s.records)) {
		rows = append(rows, s.records[k])
	}
	s.step(shadow.Loaded{Records: rows})
}

func (s *stage) connect(n uint64) {
	s.up = true
	s.step(shadow.Up{Session: n})
}

func (s *stage) cut() {
	s.up = false
	s.step(shadow.Down{})
}

func (s *stage) time() int64 { return epoch + s.now/second }

func (s *stage) step(in shadow.Input) {
	for _, o := range s.session.Step(in, s.now, nil) {
		switch o := o.(type) {
		case shadow.Publish:
			s.carry(o)
		case shadow.Put:
			s.records[o.Key] = o.Record
		case shadow.Apply:
			s.apply(o)
		case shadow.Perform:
			s.performed = append(s.performed, o.Name+" "+o.ID)
		case shadow.Note:
			s.notes = append(s.notes, o.Kind)
		}
	}
}

// carry takes one message of the thing to where it belongs, if there is a line.
func (s *stage) carry(p shadow.Publish) {
	if !s.up {
		s.t.Fatalf("%s said without a connection", p.Topic)
	}
	s.sent = append(s.sent, p.Topic)
	if !strings.HasPrefix(p.Topic, "$aws/") {
		s.beside = append(s.beside, p.Message)
		s.step(shadow.Sent{Token: p.Token}) // the broker took it
		return
	}
	s.deliver(s.service.Take(p.Message, s.time()))
}

// deliver brings what the thing has subscribed, and nothing else.
func (s *stage) deliver(messages []shadow.Message) {
	for _, m := range messages {
		if s.up && slices.ContainsFunc(s.session.Topics(), func(f string) bool { return matches(f, m.Topic) }) {
			s.step(shadow.Received{Message: m})
		}
	}
}

func matches(filter, topic string) bool {
	f, t := strings.Split(filter, "/"), strings.Split(topic, "/")
	for i := range f {
		if i >= len(t) || f[i] != "+" && f[i] != t[i] {
			return false
		}
	}
	return len(f) == len(t)
}

func (s *stage) apply(a shadow.Apply) {
	var results []shadow.Result
	for _, path := range slices.Sorted(maps.Keys(a.Values)) {
		s.applied = append(s.applied, path)
		r, ok := s.judge[path]
		if !ok {
			r = shadow.Result{Code: 200, Value: a.Values[path]}
		}
		r.Path = path
		results = append(results, r)
	}
	s.step(shadow.Applied{Shadow: a.Shadow, Intent: a.Intent, Results: results})
}

func (s *stage) wait(d int64) {
	end := s.now + d
	for wake := s.session.NextWake(); wake != 0 && wake <= end; wake = s.session.NextWake() {
		s.now = max(wake, s.now)
		s.step(shadow.Tick{})
	}
	s.now = end
}

func (s *stage) report(name string, fields shadow.Tree) {
	s.step(shadow.Report{Shadow: name, Fields: fields})
}

// ack is the answer that stands in reported for a field.
func (s *stage) ack(name, field string) string {
	acks, _ := s.service.Reported(name, "_ack").(map[string]any)
	ack, _ := acks[field].(map[string]any)
	return fmt.Sprint(ack["ac"])
}
