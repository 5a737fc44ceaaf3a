package profiles

import (
	"strings"
	"testing"
	"time"
)

// One change of a profile, and what must be said about it.
// DR-7
func TestTalkedFaults(t *testing.T) {
	for _, c := range []struct{ id, old, new, want string }{
		{"bench/opcua-lift", "position: {node: Car_Position, type: byte}", "position: {node: Car_Position, type: bite}", "nodes.position.type"},
		{"bench/opcua-lift", "car_call: {node: Making_Car_Call, access: write, type: byte}", "car_call: {node: Making_Car_Call, access: write}", "what is written needs a type"},
		{"bench/opcua-lift", "car_call: {node: Making_Car_Call, access: write, type: byte}", "car_call: {method: Call}", "a method belongs to an object"},
		{"bench/opcua-lift", "car_call: {node: Making_Car_Call, access: write, type: byte}", "car_call: {node: Call, method: Call, object: O}", "it is a node or a method"},
		{"bench/opcua-lift", "car_call: {node: Making_Car_Call,", "car_call: {node: \"Making{floor\",", "a { without its }"},
		{"bench/opcua-lift", "position: {node: Car_Position,", "position: {node: \"Car{n}\",", "only what is written"},
		{"bench/opcua-lift", "load: {from: load, min: 0}", "load: {from: call_up, min: 0}", "call_up is written, nothing is read from it"},
		{"bench/opcua-lift", "{message: call_up, with: {value: $wire}}", "{message: call_up}", "call_up needs with.value"},
		{"bench/opcua-lift", "{message: call_up, with: {value: $wire}}", "{message: mode, with: {value: $wire}}", "mode only comes, it cannot be sent"},
		{"bench/opcua-lift", "mode: {node: Car_Mode, type: uint16}", "mode: {node: Car_Mode, type: uint16, access: write, subscribe: 1s}", "what is written is not told"},
		{"octa/lci", "/lci/$building/$bank/$elevator/Release/$robot", "/lci/$bilding/$bank/$elevator/Release/$robot", "with.bilding"},
		{"octa/lci", "/lci/$building/$bank/$elevator/Release/$robot", "/lci/x$building/Release", "a part of a topic is a text or $name"},
		{"octa/lci", "publish: /lci/$building/$bank/$elevator/Release/$robot", "publish: /lci/+/Release", "nothing is published on"},
		{"octa/lci", `"state": "$state"`, `"state": "$stat"`, "tell needs with.stat"},
		{"octa/lci", "door: $side}}]}\n    down", "side: $side}}]}\n    down", "call_to_robot has no side"},
		{"octa/lci", "from: status.floor", "from: release_.floor", "the profile has no message release_"},
		{"octa/lci", "from: status.floor", "from: tell.floor", "needs state of a command"},
		{"octa/lci", "match: {requested_robot_id: [$robot]}, done: {result: [1, 99]}", "match: {requested_robot_id: [$robt]}, done: {result: [1, 99]}", "the link has no word robt"},
		{"eleon/s1", "floor: {subscribe: $floor,", "floor: {subscribe: $floor, publish: x,", "a message is published, or it comes by itself"},
		{"eleon/s1", "floor: {subscribe: $floor,", "floor: {subscribe: $floor, value: x,", "what is published is a document or a bare value"},
		{"flexypage/elevator2mqtt", "subscribe: \"diagnose/#\", partial: true", "subscribe: \"diagnose/#\", answer: {subscribe: x, done: {a: [1]}}", "what comes by itself has no answer"},
	} {
		src, ok := Lookup(c.id)
		text := strings.Replace(string(src), c.old, c.new, 1)
		if !ok || text == string(src) {
			t.Errorf("%s: %q is not in it", c.id, c.old)
			continue
		}
		_, faults := Parse("p.yaml", []byte(text))
		got := ""
		for _, f := range faults {
			got += f.Error() + "\n"
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: got\n%s", c.id, c.new, got)
		}
	}
}

// WH-5: the times that messages carry.
func TestEvent(t *testing.T) {
	for _, c := range []struct {
		unit, doc string
		want      time.Time
		ok        bool
	}{
		{"seconds", `{"t": 1718000000}`, time.Unix(1718000000, 0), true},
		{"seconds", `{"t": "1718000000.5"}`, time.Unix(1718000000, 5e8), true},
		{"milliseconds", `{"t": 1718000000500}`, time.Unix(1718000000, 5e8), true},
		{"text", `{"t": "2024-06-10T06:13:20+00:00"}`, time.Unix(1718000000, 0), true},
		{"text", `{"t": "10 June"}`, time.Time{}, false},
		{"seconds", `{"t": -1}`, time.Time{}, false},
		{"seconds", `{"t": 1e300}`, time.Time{}, false},
		{"seconds", `{}`, time.Time{}, false},
	} {
		p, _ := ParsePath("t")
		doc, err := Document([]byte(c.doc))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := (&Topic{dated: p, unit: c.unit}).Event(doc)
		if ok != c.ok || ok && !got.Equal(c.want) {
			t.Errorf("%s %s: %v, %v", c.unit, c.doc, got, ok)
		}
	}
}
