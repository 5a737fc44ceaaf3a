package shadow

import (
	"fmt"
	"strings"
	"testing"
)

// maxRecord is what a store takes as one value; one that is refused would come
// again with each commit.
const maxRecord = 256 << 10

// checkRecords fails when a record could not be stored.
func (s *stage) checkRecords(t *testing.T) {
	t.Helper()
	s.check = func(in Input, p *pass) {
		for _, r := range p.puts {
			if len(r.Value) > maxRecord || len(r.Key) > 128 {
				t.Errorf("after %T: record %s of %d bytes", in, r.Key, len(r.Value))
			}
		}
	}
}

// SH-18: the largest documents that a service takes make no record that a store
// refuses, whatever their ids and names are.
func TestLongIDsMakeNoHugeRecord(t *testing.T) {
	for _, c := range []struct {
		name   string
		id     string
		fields int
		value  string
	}{
		{"long id", strings.Repeat("i", 2000), 400, "1"},
		{"odd id", strings.Repeat("\x01☃\n", 300), 300, "1"},
		{"many fields", "i", 400, "1"},
		{"long names", "i", 20, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			s.checkRecords(t)
			s.happen("up 1")
			s.settle()
			wish, names := Tree{}, []any{}
			for i := range c.fields {
				f := fmt.Sprintf("%03x", i)
				if c.name == "long names" {
					f = strings.Repeat("n", 150) + f
				}
				wish[f] = num(1)
				names = append(names, f)
				s.judge[f] = Result{Path: f, Code: 405, Detail: "not a setting of this shadow"}
			}
			wish[intentsKey] = Tree{c.id: Tree{"fields": names}}
			s.model.wish("", wish)
			s.settle()
			s.step(Report{Shadow: "", Fields: Tree{"state": "IDLE"}})
			s.answered = true
			s.wait(2 * minute)
			if got := s.model.docs[""].Reported["state"]; got != "IDLE" {
				t.Errorf("the report did not get through: %v\n%.2000s", got, strings.Join(s.take(), ""))
			}
		})
	}
}

// SH-8, SH-18: more headers than can be mirrored at once are mirrored some at a
// time, and all of them end.
func TestMoreHeadersThanFit(t *testing.T) {
	s := newStage(t)
	s.happen(`report - {"wait_timeout":90}`)
	s.happen("up 1")
	s.settle()
	for i := range 85 {
		id := fmt.Sprintf("i-%03d", i)
		s.model.wish("", Tree{"wait_timeout": num(100 + i), intentsKey: Tree{id: Tree{
			"fields": []any{"wait_timeout"}, "priority": num(5), "ttl_s": num(3600), "by": "somebody in operations",
		}}})
	}
	if size := s.model.docs[""].Size(); size < 7500 || size > MaxDocument {
		t.Fatalf("the document has %d bytes; want one that is nearly full", size)
	}
	s.settle()
	for round := 0; round < 100 && (round == 0 || s.model.docs[""].Reported[intentsKey] != nil); round++ {
		s.answered = true
		s.wait(2 * second)
		d := s.model.docs[""]
		mirrors, _ := d.Reported[intentsKey].(Tree)
		gone := Tree{}
		for id := range mirrors {
			gone[id] = nil
		}
		s.model.wish("", Tree{intentsKey: gone}) // as a service does that sees them consumed
		s.settle()
	}
	d := s.model.docs[""]
	if len(d.Delta()) > 0 || !Equal(d.Reported["wait_timeout"], num(184)) || d.Reported[intentsKey] != nil {
		t.Errorf("delta %.300s\nreported %.300s", Encode(d.Delta()), Encode(d.Reported))
	}
}

// SH-18: a peer that only ever adds, message after message, neither fills the
// memory nor makes a record that the store refuses.
func TestEndlessAdditionsStayBounded(t *testing.T) {
	for _, section := range []string{"desired", "reported"} {
		t.Run(section, func(t *testing.T) {
			s := newStage(t)
			s.checkRecords(t)
			s.happen("up 1")
			s.settle()
			for i := range 40 {
				s.step(Received{Message{
					Topic: ShadowTopic(testPrefix, "", OpUpdateAccepted),
					Payload: Encode(Tree{"version": num(i + 1), "state": Tree{
						section: Tree{fmt.Sprintf("f%d", i): strings.Repeat("x", 50<<10)},
					}}),
				}})
				s.wait(11 * second)
			}
		})
	}
}

// SH-9: after the service came back with an older copy of the same wishes, one
// that is taken back is still given back.
func TestRemovalAfterARestoredService(t *testing.T) {
	s := newStage(t)
	s.happen(`report - {"wait_timeout":90}`)
	s.happen("up 1")
	s.settle()
	s.happen(`operator - {"wait_timeout":120}`)
	s.settle()
	copied := s.model.docs[""]
	for i := range 3 {
		s.step(Report{Shadow: "", Fields: Tree{"n": i}})
		s.settle()
		s.wait(2 * second)
	}
	s.happen("down")
	s.model.docs[""] = copied
	s.wait(2 * minute)
	s.happen("up 2")
	s.settle()
	s.take()
	s.happen(`operator - {"wait_timeout":null}`)
	s.answered = true
	s.wait(minute)
	if said := strings.Join(s.take(), ""); !strings.Contains(said, `{"wait_timeout":null}`) {
		t.Errorf("the setting is not given back:\n%s", said)
	}
}

// SH-10, SE-4: a time to live beyond all bounds is refused, not taken for one that is over.
func TestAbsurdTTL(t *testing.T) {
	for _, ttl := range []string{"9223372036854775807", "9300000000000000"} {
		s := newStage(t)
		s.happen(`report - {"a":1}`)
		s.happen("up 1")
		s.settle()
		s.happen(`operator - {"a":2,"_intents":{"i":{"fields":["a"],"ttl_s":` + ttl + `}}}`)
		s.answered = true
		s.wait(minute)
		ack, _ := s.model.docs[""].Reported[ackKey].(Tree)
		a, _ := ack["a"].(Tree)
		if !Equal(a["ac"], num(400)) {
			t.Errorf("ttl_s %s: %s", ttl, Encode(ack))
		}
	}
}

// SE-4: a message that the broker kept for new subscribers is nobody's answer and no
// news: the service keeps none but presence.
func TestRetainedGarbage(t *testing.T) {
	far := `"timestamp":99999999999999`
	for _, m := range []Message{
		{Topic: ShadowTopic(testPrefix, "", OpUpdateDelta), Payload: []byte(`{"version":900000,"state":{"a":7},` + far + `}`)},
		{Topic: ShadowTopic(testPrefix, "", OpUpdateAccepted), Payload: []byte(`{"version":900000,"state":{"desired":{"a":7}},` + far + `}`)},
		{Topic: ShadowTopic(testPrefix, "", OpDeleteAccepted), Payload: []byte(`{"version":900000,` + far + `}`)},
		{Topic: testBeside + "/" + BesideHeartbeatReply, Payload: []byte(`{"seq":0,"server_time":99999999999999}`)},
	} {
		s := newStage(t)
		s.happen(`report - {"a":1}`)
		s.happen("up 1")
		m.Retain = true
		s.step(Received{m})
		s.settle()
		s.happen(`operator - {"a":2,"_intents":{"i":{"fields":["a"],"ttl_s":60}}}`)
		s.answered = true
		s.wait(minute)
		if got := s.model.docs[""]; !Equal(got.Reported["a"], num(2)) || len(got.Delta()) > 0 {
			t.Errorf("%s: reported %s, delta %s\n%s", m.Topic, Encode(got.Reported), Encode(got.Delta()), strings.Join(s.take(), ""))
		}
	}
}
