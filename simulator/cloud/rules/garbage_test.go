package rules

import (
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// SE-3: whatever comes over a device's topics, the service answers under that device's
// own topics or not at all, and stays what its records say.
func FuzzTake(f *testing.F) {
	for _, seed := range [][2]string{
		{"shadow/update", `{"state":{"desired":{"a":1,"_intents":{"i":{"fields":["a"],"ttl_s":60,"priority":0}}}}}`},
		{"shadow/name/L1/update", `{"state":{"reported":{"_ack":{"a":{"ac":400,"av":1,"id":"i"}},"_intents":{"i":7},"state":"FAULT"}}}`},
		{"events", `{"epoch":1,"seq":9,"kind":"lost","from":1,"to":8}`},
		{"events", `{"epoch":1,"seq":18446744073709551615,"kind":"ride.fault","lift":"L1"}`},
		{"commands/restart/response", `{"id":"c-1","status":"done","result":{}}`},
		{"commands/pending/get", ``},
		{"intents/get", `{"page":3}`},
		{"intents/i/get", ``},
		{"telemetry", `{"samples":[["a",1700000000,1e308],["a",-1,7]]}`},
		{"register", `{"store":"fresh","static":{"groups":{"G":["L1",7]}}}`},
		{"presence", `{"online":true,"epoch":1,"session":1}`},
		{"heartbeat", `{"seq":1,"versions":{"":9,"L1":"x"}}`},
	} {
		f.Add(seed[0], []byte(seed[1]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, topic string, first, second []byte) {
		s, d := New(Root).With(Options{Planned: true}), disk{}
		for i, payload := range [][]byte{first, second} {
			r := s.Take(shadow.Message{Topic: x + topic, Payload: payload}, now+int64(i)*601)
			r.add(s.Tick(now + int64(i)*601 + 300))
			for _, m := range r.Messages {
				if _, err := shadow.Decode(m.Payload); err != nil || !strings.HasPrefix(m.Topic, x) {
					t.Errorf("%s %s: %v", m.Topic, m.Payload, err)
				}
			}
			d.commit(t, r)
		}
		d.agrees(t, s)
	})
}
