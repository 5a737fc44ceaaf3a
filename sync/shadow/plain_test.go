package shadow

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What a session keeps worked out is what it would work out anew: a second session
// that forgets all of it before every input says the same, word for word; and what
// is kept is what its plain definition gives.
func TestWhatIsKeptIsWhatIsSo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(r)
		plain := New(w.config)
		w.twice = func(in Input, out []Output) {
			if _, begins := in.(Loaded); begins {
				plain = New(w.config)
			}
			for _, tw := range plain.twins {
				tw.forgetWorked()
			}
			if want := plain.Step(in, w.now, nil); !reflect.DeepEqual(out, want) {
				r.Fatalf("%#v:\n%v\nand plainly\n%v", in, out, want)
			}
			if a, b := w.stage.session.NextWake(), plain.NextWake(); a != b {
				r.Fatalf("%#v: wakes at %d, and plainly at %d", in, a, b)
			}
			for _, tw := range w.stage.session.twins {
				tw.mustBePlain(r)
			}
		}
		quiet := rapid.IntRange(0, 4).Draw(r, "quiet") // how often all is said before more happens
		for range rapid.IntRange(5, 60).Draw(r, "happenings") {
			if !w.up && quiet > 0 {
				w.connect()
			}
			w.somethingHappens(r)
			if w.up && rapid.IntRange(0, 3).Draw(r, "chance") < quiet {
				w.settle()
			}
			w.said = nil
		}
	})
}

// forgetWorked drops whatever could be worked out anew.
func (t *twin) forgetWorked() {
	t.rest = newRest()
	t.rest.recheckAll(t.want)
	t.learned = false
}

func (t *twin) mustBePlain(r *rapid.T) {
	// To look is to work out; the looking must not help.
	kept := t.rest
	t.rest = rest{patch: Clone(kept.patch), unclear: map[string]struct{}{}}
	for name := range kept.unclear {
		t.rest.recheck(name)
	}
	got := t.pending()
	t.rest = kept
	if want := plainPending(t.want, t.acked, t.doubt); !reflect.DeepEqual(got, want) {
		r.Fatalf("%s: pending %s, plainly %s", t.label(), Encode(got), Encode(want))
	}
	desired, meta := t.base, t.baseMeta
	for _, a := range t.ahead {
		meta = learnMeta(meta, desired, a.desired, a.meta)
		desired = Merge(desired, a.desired)
	}
	if !Equal(t.desired, desired) || !Equal(orEmpty(t.desiredMeta), orEmpty(meta)) {
		r.Fatalf("%s: desired %s, plainly %s", t.label(), Encode(t.desired), Encode(desired))
	}
	if want := fields(desired, meta); !reflect.DeepEqual(t.wishes, want) {
		r.Fatalf("%s: fields %v, plainly %v", t.label(), t.wishes, want)
	}
}

// plainPending goes through all there is.
func plainPending(want, acked, doubt Tree) Tree {
	out := Tree{}
	for k, w := range want {
		from, to := Tree{}, Tree{k: w}
		if a, there := acked[k]; there {
			from[k] = a
		}
		for _, v := range Diff(from, to) {
			out[k] = v
		}
		if d, touched := doubt[k]; touched {
			out[k] = force(d, w, out[k])
		}
	}
	return out
}

// A reader of a view may do with it what it likes.
func TestAViewSharesNothing(t *testing.T) {
	s := newStage(t)
	s.happen(`report L1 {"state":"IDLE","door":{"front":"open"}}`)
	s.happen("up 1")
	s.settle()
	s.step(Report{Shadow: "L1", Fields: Tree{"door": Tree{"front": "closed"}}})
	said := func() string {
		v := s.session.View().Shadows[1]
		return string(encodeValue([]any{v.Desired, v.Reported, v.Delta, v.Pending}))
	}
	before := said()
	v := s.session.View().Shadows[1]
	for _, tree := range []Tree{v.Reported, v.Pending} {
		door, ok := tree["door"].(Tree)
		if !ok {
			t.Fatalf("no door in %s", Encode(tree))
		}
		door["front"], tree["state"] = "gone", "gone"
	}
	if after := said(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// The short way of writing gives what encoding/json gives.
func TestEncodeAsJSON(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := anything(3).Draw(r, "value")
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			want.Reset()
			want.WriteString("null")
		}
		if got := string(encodeValue(v)); got != string(bytes.TrimSpace(want.Bytes())) {
			r.Fatalf("%s, and encoding/json has %s", got, want.String())
		}
	})
}

// SH-18: a size is what writing would give.
func TestSizeIsWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := anything(3).Draw(r, "value")
		for _, tree := range []Tree{{"a": v}, {"a": v, "b": v}, {"a": []any{v, v, v}}} {
			if got := sectionSize(tree); got != len(Encode(tree)) {
				r.Fatalf("%d, and %s is %d", got, Encode(tree), len(Encode(tree)))
			}
		}
	})
}

// What Plain takes as it is, JSON gives back as it is; what JSON refuses is not taken.
func TestAlreadyPlain(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := anything(2).Draw(r, "value")
		for range rapid.IntRange(0, maxMessageDepth+1).Draw(r, "levels") {
			if rapid.Bool().Draw(r, "a list") {
				v = []any{v}
			} else {
				v = Tree{"in": v}
			}
		}
		if rapid.IntRange(0, 9).Draw(r, "long") == 0 {
			v = Tree{"v": v, "long": strings.Repeat("<", rapid.IntRange(MaxMessage/9, MaxMessage/5).Draw(r, "bytes"))}
		}
		plain, ok := alreadyPlain(v)
		text, isText := v.(string)
		if !ok || isText && !utf8.ValidString(text) { // JSON would mend that one
			return
		}
		raw, err := json.Marshal(Tree{"v": v})
		if err != nil {
			r.Fatal(err)
		}
		if want, err := decodeSlowly(raw); err != nil || len(raw) > MaxMessage || !reflect.DeepEqual(plain, want["v"]) {
			r.Fatalf("%#v, and by way of JSON %#v, %v", plain, want["v"], err)
		}
	})
}

// The short way of reading takes nothing that the long one refuses, and takes it alike.
func TestReadAsJSON(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		raw, err := json.Marshal(map[string]any{"a": anything(3).Draw(r, "value"), "b": 1})
		if err != nil {
			raw = []byte(`{"a":[1,-2,{"b":"c"},true,false,null],"d":{}}`)
		}
		for range rapid.IntRange(0, 3).Draw(r, "faults") {
			at := rapid.IntRange(0, len(raw)).Draw(r, "at")
			odd := rapid.SampledFrom([]string{"", " ", "\n", ",", ":", "0", "-", "1", "e", ".", "{", "}", "[", "]", `"`, `\`, "\x00", "\x01", "é", "null", `{"a":`}).Draw(r, "odd")
			raw = slices.Concat(raw[:at], []byte(odd), raw[min(len(raw), at+rapid.IntRange(0, 1).Draw(r, "less")):])
		}
		sameReading(r, raw)
	})
}

func sameReading(t rapid.TB, raw []byte) {
	got, ok := read(raw)
	if !ok || !utf8.Valid(raw) { // Decode asks that first
		return
	}
	if want, err := decodeSlowly(raw); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is read as %v, slowly %v, %v", raw, got, want, err)
	}
}

// anything is a value of JSON, and now and then one that is none.
func anything(levels int) *rapid.Generator[any] {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "<&>", `"`, `\`, "\x1f", "\x7f", "\u2028", "é", "\xff"}), rapid.String())
	leaves := []*rapid.Generator[any]{
		rapid.SampledFrom([]any{nil, true, false, num(0), num(-5), 7, int64(8), uint64(9), 1.5, json.Number(""), json.Number("x"), json.Number("-0"), json.Number("1.50"), json.Number("1e2"), json.Number(strings.Repeat("7", maxNumber+1)), Tree(nil), []any(nil), map[string]int{"b": 1, "a": 2}, func() {}}),
		rapid.Custom(func(r *rapid.T) any { return text.Draw(r, "text") }),
		rapid.Custom(func(r *rapid.T) any { return json.Number(num(rapid.Int64().Draw(r, "number"))) }),
	}
	if levels > 0 {
		inner := anything(levels - 1)
		leaves = append(leaves,
			rapid.Custom(func(r *rapid.T) any { return Tree(rapid.MapOfN(text, inner, 0, 4).Draw(r, "tree")) }),
			rapid.Custom(func(r *rapid.T) any { return rapid.SliceOfN(inner, 0, 3).Draw(r, "list") }))
	}
	return rapid.OneOf(leaves...)
}

// SH-2: the short way of comparing numbers is the long one.
func TestEqualAsNumbers(t *testing.T) {
	some := rapid.SampledFrom([]string{"0", "-0", "00", "1", "01", "-1", "10", "1e1", "1.0", "1.50", "", "-", "x", "9007199254740993", "9007199254740992"})
	rapid.Check(t, func(r *rapid.T) {
		a, b := some.Draw(r, "a"), some.Draw(r, "b")
		x, ok1 := parseNumber(a)
		y, ok2 := parseNumber(b)
		if got := Equal(json.Number(a), json.Number(b)); got != (ok1 && ok2 && x == y) {
			r.Fatalf("%q and %q: equal is %v", a, b, got)
		}
	})
}
