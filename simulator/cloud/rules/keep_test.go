package rules

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// disk is a store as simple as one can be.
type disk map[string]string

func (d disk) commit(t *testing.T, r Result) {
	t.Helper()
	for _, p := range r.Puts {
		value, err := p.Bytes()
		if err == nil {
			err = shadow.Record{Bucket: p.Bucket, Key: p.Key}.Check()
		}
		if err != nil {
			t.Fatalf("record %s: %v", p.Key, err)
		}
		if p.Deletes() {
			delete(d, p.Key)
			continue
		}
		d[p.Key] = string(value)
	}
}

func (d disk) records() (out []shadow.Record) {
	for _, key := range slices.Sorted(maps.Keys(d)) {
		out = append(out, shadow.Record{Bucket: Bucket, Key: key, Value: []byte(d[key])})
	}
	return out
}

// agrees checks that what was put is what a snapshot says, and that a service made
// of it says the same again.
func (d disk) agrees(t *testing.T, s *Service) *Service {
	t.Helper()
	again := New(Root)
	if bad := again.Restore(d.records()); bad != nil {
		t.Fatal(bad)
	}
	for name, snapshot := range map[string][]shadow.Record{"of the service": s.Snapshot(), "of the one restored": again.Snapshot()} {
		held := disk{}
		held.commit(t, Result{Puts: snapshot})
		if !maps.Equal(held, d) {
			t.Errorf("snapshot %s\n%v\nstored\n%v", name, held, d)
		}
	}
	return again
}

// ST-5, ST-6: a service is what its records say, at every step.
func TestRestart(t *testing.T) {
	s, d := New(Root), disk{}
	for i, m := range []struct{ topic, payload string }{
		{"presence", `{"online":true,"epoch":3,"session":9,"reason":"connect"}`},
		{"register", `{"store":"kept","instance":"a"}`},
		{"shadow/update", `{"state":{"desired":{"wait_timeout":120,"b":0.10,"_intents":{"i-7":{"fields":["b"],"ttl_s":9000,"batch":"B-1"}}}}}`},
		{"events", `{"epoch":3,"seq":1,"kind":"ride.done"}`},
		{"events", `{"epoch":3,"seq":4,"kind":"ride.done"}`},
		{"shadow/name/L1/update", `{"state":{"reported":{"state":"IDLE"}},"order":{"epoch":3,"seq":4}}`},
		{"shadow/name/L1/update", `{"state":{"reported":{"state":null}},"order":{"epoch":3,"seq":5}}`},
		{"shadow/delete", ``},
	} {
		// Each step is over ten minutes after the last, so that signs of life are kept too.
		d.commit(t, s.Take(shadow.Message{Topic: x + m.topic, Payload: []byte(m.payload)}, now+int64(i)*601))
		s = d.agrees(t, s)
		if m.topic == "register" {
			_, r, err := s.Issue(Order{Serial: "GW-1", Name: "restart", Args: shadow.Tree{"n": number(1)}}, now+int64(i)*601)
			if err != nil {
				t.Fatal(err)
			}
			d.commit(t, r)
		}
		d.commit(t, s.Tick(now+int64(i)*601+40))
		s = d.agrees(t, s)
	}
	keys := strings.Join(slices.Sorted(maps.Keys(d)), "\n")
	if want := `cloud:command:^g^w-1%2fc-1:state
cloud:events:^g^w-1:window
cloud:facts:^g^w-1:told
cloud:shadow:^g^w-1%2f:document
cloud:shadow:^g^w-1%2f^l1:document
cloud:thing:^g^w-1:state
cloud:write:^g^w-1%2f%2fi-7:state
cloud:write:^g^w-1%2f%2fwait_timeout%401:state`; keys != want {
		t.Errorf("keys\n%s", keys)
	}
	r := take(s, "register", `{"store":"fresh","instance":"a"}`)
	if got := string(r.Messages[0].Payload); !strings.Contains(got, `"created":false,"epoch":4`) {
		t.Errorf("the device epoch goes on: %s", got)
	}
	r = take(s, "shadow/name/L1/update", `{"state":{"reported":{"state":"IDLE"}},"order":{"epoch":3,"seq":4}}`)
	if got := string(r.Messages[0].Payload); !strings.Contains(got, `"state":{"reported":{}}`) {
		t.Errorf("what was late before is late after: %s", got)
	}
}

// A beat alone is no reason to write; one in ten minutes is.
func TestBeatsAreNotStored(t *testing.T) {
	s := New(Root)
	puts := 0
	for i := range int64(60) {
		r := s.Take(shadow.Message{Topic: x + "heartbeat", Payload: []byte(`{"epoch":1,"session":1,"seq":1,"versions":{},"self_age_s":1}`)}, now+i*30)
		puts += len(r.Puts)
	}
	if puts != 3 { // at 0, 600 and 1200 seconds
		t.Errorf("%d records of half an hour of beats", puts)
	}
}

// A damaged record is said and left out; the others count.
func TestRestoreDamaged(t *testing.T) {
	s, d := New(Root), disk{}
	d.commit(t, take(s, "shadow/update", `{"state":{"reported":{"a":1}}}`))
	records := append(d.records(),
		shadow.Record{Bucket: Bucket, Key: "cloud:shadow:x:document", Value: []byte(`{"Serial":"GW-2","Document":{"version":`)},
		shadow.Record{Bucket: Bucket, Key: "cloud:shadow:y:document", Value: []byte(`{"Serial":"G W","Document":{"version":1}}`)},
		shadow.Record{Bucket: Bucket, Key: "cloud:thing:z:state", Value: []byte(`7`)},
		shadow.Record{Bucket: Bucket, Key: "cloud", Value: []byte(`{}`)},
		shadow.Record{Bucket: "other", Key: "cloud:thing:z:state", Value: []byte(`7`)},
	)
	again := New(Root)
	if bad := again.Restore(records); len(bad) != 4 {
		t.Errorf("bad: %v", bad)
	}
	if doc, ok := again.Document("GW-1", ""); !ok || doc.Version != 1 {
		t.Errorf("document %+v", doc)
	}
	if _, ok := again.Presence("GW-2", now); ok {
		t.Error("a thing came of a damaged record")
	}
}
