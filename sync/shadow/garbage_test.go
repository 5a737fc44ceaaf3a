package shadow

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever a service says on whatever topic: no panic, no endless talk, and a
// session that still does its work with a service in its right mind.
func TestNonsenseFromTheService(t *testing.T) {
	odd := rapid.SampledFrom([]any{
		nil, true, "x", "", num(0), num(-5), num(7), num(int64(1) << 62),
		[]any{},
		[]any{"a", nil, num(1)},
		Tree{},
		Tree{"a": num(1)},
		Tree{"desired": "x"},
		Tree{"desired": Tree{"a": num(1), intentsKey: "x"}, "reported": []any{}},
		Tree{"desired": Tree{intentsKey: Tree{"i": Tree{"fields": "a", "priority": "high", "ttl_s": num(-1)}}, "a": num(1)}},
		Tree{intentsKey: Tree{"i": num(3), "j": Tree{"fields": []any{num(1), "a", "a"}}}},
		Tree{"": num(3), "L1": "x"},
		Tree{"reported": Tree{ackKey: "x", intentsKey: []any{}}, "desired": nil},
	})
	rapid.Check(t, func(r *rapid.T) {
		s := newStage(r)
		s.happen(`report L1 {"state":"IDLE"}`)
		s.happen("up 1")
		if rapid.Bool().Draw(r, "settled") {
			s.settle()
		}
		for range rapid.IntRange(1, 12).Draw(r, "messages") {
			topic := rapid.SampledFrom(s.session.Topics()).Draw(r, "topic")
			m := Message{Topic: strings.ReplaceAll(topic, "+", "L1")}
			m.Payload = Encode(nonsense(r, s, odd))
			s.step(Received{m})
		}
		s.model.out = nil
		s.happen("down")
		s.wait(2 * minute)
		s.happen("up 2")
		s.settle()
		s.answered = true
		s.wait(3 * minute)
		s.step(Report{Shadow: "L1", Fields: Tree{"state": "WAITING"}})
		s.wait(minute)
		if got := s.model.docs["L1"].Reported["state"]; got != any("WAITING") {
			r.Fatalf("the service has %v", got)
		}
	})
}

// nonsense is an answer of which each part may be anything; its token is often ours.
func nonsense(r *rapid.T, s *stage, odd *rapid.Generator[any]) Tree {
	t := Tree{}
	for _, k := range []string{"state", "metadata", "version", "timestamp", "current", "code", "message", "versions", "seq", "epoch", "session", "online", "server_time"} {
		if rapid.Bool().Draw(r, "has "+k) {
			t[k] = odd.Draw(r, k)
		}
	}
	if rapid.Bool().Draw(r, "a version") {
		t["version"] = num(rapid.IntRange(0, 9).Draw(r, "version"))
	}
	tokens := []string{"foreign", "1-2", "1-3", "1-4", "1-5", "1-6", "1-7"}
	if f := s.session.twin("L1").write.flight; f != nil {
		tokens = append(tokens, f.token, f.token, f.token)
	}
	t["clientToken"] = rapid.SampledFrom(tokens).Draw(r, "token")
	return t
}
