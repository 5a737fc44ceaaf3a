package fleet

import (
	"slices"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

const s = time.Second

// SM-5: who came back when, from a history written by hand.
func TestStormsFromHistory(t *testing.T) {
	history := []absence{
		{why: arrivalCause, up: 1 * s, inStep: 2 * s},
		{why: arrivalCause, up: 3 * s, inStep: 4 * s},
		{why: dropCause, lost: 50 * s, up: 51 * s},
		{why: stormCause, lost: 100*s + 1, up: 100*s + 500*time.Millisecond, inStep: 103 * s},
		{why: stormCause, lost: 100*s + 2, up: 102 * s, inStep: 104 * s},
		{why: stormCause, lost: 100*s + 3, up: 102*s + 999*time.Millisecond},
		{why: stormCause, lost: 100*s + 4}, // never
		{why: powerCause, lost: 101 * s, up: 130 * s},
		{why: stormCause + 1, lost: 200 * s, up: 205 * s, inStep: 206 * s},
	}
	for i := range 12 { // a broker that went, and one loss long before
		history = append(history, absence{why: foreignCause, lost: 300*s + time.Duration(i)*s, up: 320 * s})
	}
	history = append(history, absence{why: foreignCause, lost: 250 * s, up: 251 * s})

	got := storms(history, []time.Duration{100 * s, 200 * s}, 20)
	if len(got) != 3 || got[0].By != "fleet" || got[2].By != "broker" {
		t.Fatalf("%+v", got)
	}
	first := got[0].Connected
	if first.Gateways != 4 || first.Back != 3 || first.P50 != 2*s || first.P95 != 0 || first.P100 != 0 || !slices.Equal(first.BySecond, []int{1, 0, 2}) {
		t.Errorf("first storm %+v", first)
	}
	if in := got[0].InStep; in.Back != 2 || in.P50 != 4*s || !slices.Equal(in.BySecond, []int{0, 0, 0, 1, 1}) {
		t.Errorf("first storm in step %+v", in)
	}
	if second := got[1].Connected; second.P50 != 5*s || second.P100 != 5*s {
		t.Errorf("second storm %+v", second)
	}
	if third := got[2]; third.At != 300*s || third.Connected.Gateways != 12 || third.Connected.P100 != 20*s {
		t.Errorf("third storm %+v", third)
	}
	if connected, caught := arrival(history); connected.Gateways != 2 || connected.P100 != 3*s || caught.P50 != 2*s {
		t.Errorf("arrival %+v %+v", connected, caught)
	}
}

// SM-5: a transition is told, overtaken or missing, and never two of them.
func TestBook(t *testing.T) {
	var b book
	b.happened(1, 7)
	b.leaves("a")
	b.happened(2, 7) // after the report left
	b.happened(3, 8)
	newest, overtaken, ok := b.accepted()
	if !ok || newest != (transition{1, 7}) || overtaken != 0 || b.missing() != 2 {
		t.Errorf("%+v %d %t, %d missing", newest, overtaken, ok, b.missing())
	}
	b.leaves("b")
	newest, overtaken, ok = b.accepted()
	if !ok || newest != (transition{3, 8}) || overtaken != 1 || b.missing() != 0 {
		t.Errorf("%+v %d %t, %d missing", newest, overtaken, ok, b.missing())
	}
	b.leaves("c")
	if _, _, ok = b.accepted(); ok {
		t.Error("a report without news told some")
	}
	b.happened(4, 8)
	b.leaves("d")
	b.lost()
	if carries([]byte(`{"clientToken":""}`), b.token) || b.missing() != 1 {
		t.Error("a lost report was answered")
	}
	for range 3 * maxOpen { // nobody answers for long
		b.happened(5, 9)
	}
	b.leaves("e")
	if _, overtaken, _ = b.accepted(); overtaken != 3*maxOpen || len(b.open) != 0 {
		t.Errorf("%d overtaken, %d kept", overtaken, len(b.open))
	}
}

// RD-9: a fleet reports the names that the agent does, and the same values by state.
func TestFieldsAreTheAgents(t *testing.T) {
	floors := elevator.Table{{Label: "G"}, {Label: "1"}}
	for leg, l := range legs {
		r := ride{id: "r", robot: "R1", from: "G", to: "1", leg: leg}
		ours := r.fields(time.Unix(1000, 0))
		theirs, err := shadow.Plain(fsm.Report(fsm.Ride{
			State: fsm.State(l.state), Phase: fsm.Phase(l.phase), WayFloor: 2,
			Request: fsm.Request{ID: "r", Robot: "R1", Lift: lift, From: 1, To: 2},
		}, floors, 1, 1000))
		if err != nil {
			t.Fatal(err)
		}
		for name := range theirs.(shadow.Tree) {
			if _, there := ours[name]; !there {
				t.Errorf("%s: %s is not reported", l.state, name)
			}
		}
		for name := range theirs.(shadow.Tree)["ride"].(shadow.Tree) {
			if _, there := ours["ride"].(shadow.Tree)[name]; !there {
				t.Errorf("%s: ride.%s is not reported", l.state, name)
			}
		}
		if theirs.(shadow.Tree)["state"] != ours["state"] || theirs.(shadow.Tree)["phase"] != ours["phase"] {
			t.Errorf("%s: %v", l.state, theirs)
		}
	}
}

func TestPercentiles(t *testing.T) {
	var some samples
	for i := range 200 {
		some.add(time.Duration(200-i) * s)
	}
	if p := percentilesOf(some); p.Samples != 200 || p.P50 != 100*s || p.P95 != 190*s || p.P99 != 198*s || p.Most != 200*s {
		t.Errorf("%+v", p)
	}
	if p := percentilesOf(samples{}); p != (Percentiles{}) {
		t.Errorf("of nothing: %+v", p)
	}
}

func TestLocalAddresses(t *testing.T) {
	for _, c := range []struct {
		broker string
		n      int
		want   string
	}{
		{"127.0.0.1:1883", 7999, ""},
		{"127.0.0.1:1883", 8000, "127.0.0.2:0"},
		{"127.0.0.1:1883", 99_999, "127.0.0.13:0"},
		{"192.0.2.1:1883", 20_000, ""},
		{"localhost:1883", 20_000, ""},
	} {
		got := ""
		if a := localAddr(c.broker, c.n); a != nil {
			got = a.String()
		}
		if got != c.want {
			t.Errorf("gateway %d at %s dials from %q, want %q", c.n, c.broker, got, c.want)
		}
	}
}
