package shadow

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func apply(t *testing.T, d Document, now int64, raw string) Document {
	t.Helper()
	u, err := ParseUpdate([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	after, err := d.Apply(u, now)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return after
}

func code(err error) int {
	var r *Rejection
	if errors.As(err, &r) {
		return r.Code
	}
	return 0
}

func same(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if !Equal(decode(t, string(got)), decode(t, want)) {
		t.Errorf("%s:\n got  %s\n want %s", what, got, want)
	}
}

// SH-1: the shapes of the public service, written out by hand from its guide, with
// our version beside each time.
func TestPayloads(t *testing.T) {
	d := apply(t, Document{}, 100, `{"state":{"desired":{"c":"RED"},"reported":{"c":"GREEN","e":"ON"}}}`)
	d = apply(t, d, 200, `{"state":{"desired":{"hold":[1,2]}}}`)
	same(t, "get/accepted", d.GetPayload(300, "t", Tree{"connection": Tree{"online": true}, "version": "not mine"}), `{
		"state": {
			"desired": {"c":"RED","hold":[1,2]}, "reported": {"c":"GREEN","e":"ON"}, "delta": {"c":"RED","hold":[1,2]}},
		"metadata": {
			"desired": {"c":{"timestamp":100,"version":1},
				"hold":[{"timestamp":200,"version":2},{"timestamp":200,"version":2}]},
			"reported": {"c":{"timestamp":100,"version":1},"e":{"timestamp":100,"version":1}},
			"delta": {"c":{"timestamp":100,"version":1},
				"hold":[{"timestamp":200,"version":2},{"timestamp":200,"version":2}]}},
		"version": 2, "timestamp": 300, "clientToken": "t",
		"last_desired": 200, "last_reported": 100, "connection": {"online": true}}`)

	u, err := ParseUpdate([]byte(`{"state":{"reported":{"c":"RED","e":null}},"version":2,"clientToken":"u"}`))
	if err != nil {
		t.Fatal(err)
	}
	before := d
	d, err = d.Apply(u, 400)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "update/accepted", d.AcceptedPayload(u, 400), `{
		"state": {"reported": {"c":"RED","e":null}},
		"metadata": {"reported": {"c":{"timestamp":400,"version":3}}},
		"version": 3, "timestamp": 400, "clientToken": "u"}`)
	delta, ok := d.DeltaPayload(400, "u")
	if !ok {
		t.Fatal("a reported-only update that leaves a difference tells no delta")
	}
	same(t, "update/delta", delta, `{
		"state": {"hold":[1,2]}, "metadata": {"hold":[{"timestamp":200,"version":2},{"timestamp":200,"version":2}]},
		"version": 3, "timestamp": 400, "clientToken": "u"}`)
	same(t, "update/documents", d.DocumentsPayload(before, 400, "u"), `{
		"previous": {"state": {"desired":{"c":"RED","hold":[1,2]},"reported":{"c":"GREEN","e":"ON"}},
			"metadata": {"desired":{"c":{"timestamp":100,"version":1},
					"hold":[{"timestamp":200,"version":2},{"timestamp":200,"version":2}]},
				"reported":{"c":{"timestamp":100,"version":1},"e":{"timestamp":100,"version":1}}},
			"version": 2, "last_desired": 200, "last_reported": 100},
		"current": {"state": {"desired":{"c":"RED","hold":[1,2]},"reported":{"c":"RED"}},
			"metadata": {"desired":{"c":{"timestamp":100,"version":1},
					"hold":[{"timestamp":200,"version":2},{"timestamp":200,"version":2}]},
				"reported":{"c":{"timestamp":400,"version":3}}},
			"version": 3, "last_desired": 200, "last_reported": 400},
		"timestamp": 400, "clientToken": "u"}`)
	same(t, "update/rejected", RejectedPayload(&Rejection{409, "Version conflict"}, 500, "x", nil),
		`{"code":409,"message":"Version conflict","timestamp":500,"clientToken":"x"}`)
}

// SH-1: the version grows at each accepted update, also at one that changes nothing.
func TestVersionGrows(t *testing.T) {
	d := apply(t, Document{}, 1, `{"state":{"reported":{"a":1}}}`)
	d = apply(t, d, 2, `{"state":{"reported":{"a":1}}}`)
	d = apply(t, d, 3, `{"state":{"reported":{"gone":null}}}`)
	if d.Version != 3 || string(Encode(d.Reported)) != `{"a":1}` {
		t.Errorf("version %d, reported %s", d.Version, Encode(d.Reported))
	}
	if _, ok := d.DeltaPayload(3, ""); ok {
		t.Error("a delta is sent where nothing differs")
	}
}

// SH-7: a write that names another version stores nothing.
func TestVersionConflict(t *testing.T) {
	d := apply(t, Document{}, 1, `{"state":{"reported":{"a":1}},"version":0}`)
	u, _ := ParseUpdate([]byte(`{"state":{"reported":{"a":2}},"version":7}`))
	after, err := d.Apply(u, 2)
	if code(err) != 409 || after.Version != 1 || string(Encode(after.Reported)) != `{"a":1}` {
		t.Errorf("%v, version %d, reported %s", err, after.Version, Encode(after.Reported))
	}
}

// SH-2: whole sections and the whole state can be cleared, and hold something again.
func TestClearing(t *testing.T) {
	for _, clear := range []string{
		`{"state":null}`, `{"state":{"desired":null,"reported":null}}`, `{"state":{"desired":{"a":null},"reported":{"b":null}}}`,
	} {
		d := apply(t, Document{}, 1, `{"state":{"desired":{"a":1},"reported":{"b":2}}}`)
		d = apply(t, d, 2, clear)
		if d.Size() != 0 || len(d.DesiredMeta) > 0 || len(d.ReportedMeta) > 0 || d.Version != 2 {
			t.Errorf("%s leaves %s", clear, d.Stored())
		}
		d = apply(t, d, 3, `{"state":{"desired":{"n":1}}}`)
		same(t, clear, d.GetPayload(4, "", nil), `{"state":{"desired":{"n":1},"delta":{"n":1}},
			"metadata":{"desired":{"n":{"timestamp":3,"version":3}},"delta":{"n":{"timestamp":3,"version":3}}},
			"version":3,"timestamp":4,"last_desired":3,"last_reported":`+fmt.Sprint(d.LastReported)+`}`)
	}
}

// SH-18: refusals by the public codes.
func TestUpdateRefusals(t *testing.T) {
	seven := strings.Repeat(`{"a":`, 7) + "1" + strings.Repeat("}", 7)
	for name, c := range map[string]struct {
		raw  string
		want int
	}{
		"no JSON":           {`{`, 400},
		"no state":          {`{"version":1}`, 400},
		"state a number":    {`{"state":1}`, 400},
		"delta written":     {`{"state":{"delta":{"a":1}}}`, 400},
		"section a list":    {`{"state":{"desired":[]}}`, 400},
		"version a word":    {`{"state":{},"version":"1"}`, 400},
		"version broken":    {`{"state":{},"version":1.5}`, 400},
		"version below 0":   {`{"state":{},"version":-1}`, 400},
		"token too long":    {`{"state":{},"clientToken":"` + strings.Repeat("t", 65) + `"}`, 400},
		"token a number":    {`{"state":{},"clientToken":5}`, 400},
		"null in a list":    {`{"state":{"reported":{"x":[null,1]}}}`, 400},
		"null deep in list": {`{"state":{"reported":{"x":[{"y":null}]}}}`, 400},
		"seven levels":      {`{"state":{"reported":` + seven + `}}`, 400},
		"order a clock":     {`{"state":{},"order":5}`, 400},
		"not UTF-8":         {"{\"state\":{\"reported\":{\"a\":\"\xff\"}}}", 415},
		"too large":         {`{"state":{"reported":{"a":"` + strings.Repeat("x", MaxMessage) + `"}}}`, 413},
	} {
		u, err := ParseUpdate([]byte(c.raw))
		if err == nil {
			_, err = Document{}.Apply(u, 1)
		}
		if code(err) != c.want {
			t.Errorf("%s: %v, want %d", name, err, c.want)
		}
	}
	six := strings.Repeat(`{"a":`, 6) + "1" + strings.Repeat("}", 6)
	if _, err := ParseUpdate([]byte(`{"state":{"reported":` + six + `}}`)); err != nil {
		t.Errorf("six levels: %v", err)
	}
}

// SH-18: 8 KB count both sections after the merge, and nothing else.
func TestDocumentSize(t *testing.T) {
	// {"d":"…"} is 8 bytes around its letters.
	half := strings.Repeat("x", MaxDocument/2-8)
	d := apply(t, Document{}, 1, `{"state":{"desired":{"d":"`+half+`"}}}`)
	d = apply(t, d, 2, `{"state":{"reported":{"r":"`+half+`"}}}`)
	if d.Size() != MaxDocument {
		t.Fatalf("%d bytes, the test wants it full", d.Size())
	}
	u, _ := ParseUpdate([]byte(`{"state":{"reported":{"r":"` + half + `y"}}}`))
	if after, err := d.Apply(u, 3); code(err) != 413 || after.Version != 2 {
		t.Errorf("one byte more: %v", err)
	}
	apply(t, d, 3, `{"state":{"reported":{"r":"`+half+`"}}}`)
}

// SH-6: of a late packet only the stale fields are dropped; a removed one stays so.
func TestReportedOrder(t *testing.T) {
	d := apply(t, Document{}, 1, `{"state":{"reported":{"a":1,"b":1,"c":1}},"order":{"epoch":2,"seq":5}}`)
	d = apply(t, d, 2, `{"state":{"reported":{"a":2,"c":null}},"order":{"epoch":2,"seq":7}}`)
	late := `{"state":{"reported":{"a":9,"b":9,"c":9,"d":9}},"order":{"epoch":2,"seq":6}}`
	d = apply(t, d, 3, late)
	if got := string(Encode(d.Reported)); got != `{"a":2,"b":9,"d":9}` {
		t.Errorf("after a late packet %s", got)
	}
	u, _ := ParseUpdate([]byte(late))
	same(t, "accepted of a late packet", d.AcceptedPayload(u, 3),
		`{"state":{"reported":{"b":9,"d":9}},"metadata":{"reported":{
			"b":{"timestamp":3,"version":3,"epoch":2,"seq":6},"d":{"timestamp":3,"version":3,"epoch":2,"seq":6}}},
			"version":3,"timestamp":3}`)

	read, err := ParseStored(d.Stored())
	if err != nil {
		t.Fatal(err)
	}
	d = apply(t, read, 4, `{"state":{"reported":{"a":0,"c":0}},"order":{"epoch":1,"seq":99}}`)
	if got := string(Encode(d.Reported)); got != `{"a":2,"b":9,"d":9}` {
		t.Errorf("an older device epoch got through: %s", got)
	}
	d = apply(t, d, 100, `{"state":{"reported":{"c":5}},"order":{"epoch":2,"seq":6}}`)
	if got := string(Encode(d.Reported)); got != `{"a":2,"b":9,"c":5,"d":9}` {
		t.Errorf("the memory of a removed field has no end: %s", got)
	}
}

// SH-5: a deleted shadow keeps its counter for two days, then begins anew.
func TestDeletedKeepsCounting(t *testing.T) {
	d := apply(t, Document{}, 1, `{"state":{"reported":{"a":1}}}`)
	d, err := d.Deleted(1000)
	if err != nil || d.Exists() || string(d.DeletedPayload(1000, "t")) != `{"clientToken":"t","timestamp":1000,"version":2}` {
		t.Fatalf("deleted: %v %s", err, d.DeletedPayload(1000, "t"))
	}
	if _, err := d.Deleted(1001); code(err) != 404 {
		t.Errorf("deleted twice: %v", err)
	}
	if again := apply(t, d, 1000+48*3600, `{"state":{"reported":{"a":1}}}`); again.Version != 3 || !again.Exists() {
		t.Errorf("within two days version %d", again.Version)
	}
	if again := apply(t, d, 1001+48*3600, `{"state":{"reported":{"a":1}}}`); again.Version != 1 {
		t.Errorf("after two days version %d", again.Version)
	}
}

// SH-1: metadata has a time for each leaf and for nothing else; documents that
// were handed out do not change; what is stored comes back.
func TestDocumentLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := Document{}
		for i := range rapid.IntRange(1, 8).Draw(r, "updates") {
			u := Update{Desired: anyTree(3).Draw(r, "desired")}
			if rapid.Bool().Draw(r, "reports") {
				u = Update{Reported: anyTree(3).Draw(r, "reported"), Order: &Order{1, uint64(rapid.IntRange(0, 9).Draw(r, "seq"))}}
			}
			held := string(d.Stored())
			after, err := d.Apply(u, int64(i))
			if err != nil {
				r.Fatal(err)
			}
			if string(d.Stored()) != held {
				r.Fatal("Apply changed the document before it")
			}
			d = after
		}
		mirrored(r, "desired", d.Desired, d.DesiredMeta)
		mirrored(r, "reported", d.Reported, d.ReportedMeta)
		back, err := ParseStored(d.Stored())
		if err != nil || string(back.Stored()) != string(d.Stored()) {
			r.Fatalf("stored %s, read %s, %v", d.Stored(), back.Stored(), err)
		}
	})
}

func mirrored(r *rapid.T, where string, state, meta any) {
	switch s := state.(type) {
	case Tree:
		m, _ := meta.(Tree)
		if len(m) != len(s) {
			r.Fatalf("%s: %d values, %d times", where, len(s), len(m))
		}
		for k := range s {
			mirrored(r, where+"."+k, s[k], m[k])
		}
	case []any:
		if m, ok := meta.([]any); !ok || len(m) != len(s) {
			r.Fatalf("%s: a list without a time for each element", where)
		}
	default:
		if _, ok := intOf(meta.(Tree)["timestamp"]); !ok {
			r.Fatalf("%s: no time", where)
		}
	}
}
