package shadow

import (
	"testing"

	"pgregory.net/rapid"
)

func decode(t testing.TB, raw string) Tree {
	t.Helper()
	tree, err := Decode([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return tree
}

// SH-2: null removes, arrays are whole, an object without a leaf does not exist.
func TestMerge(t *testing.T) {
	for _, c := range []struct{ base, patch, want string }{
		{`{}`, `{"a":1}`, `{"a":1}`},
		{`{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		{`{"a":1}`, `{"b":null}`, `{"a":1}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":3}}`, `{"a":{"b":3,"c":2}}`},
		{`{"a":{"b":1}}`, `{"a":{"b":null,"c":null}}`, `{}`},
		{`{"a":{"b":1}}`, `{"a":null}`, `{}`},
		{`{"a":[1,2,3]}`, `{"a":[9]}`, `{"a":[9]}`},
		{`{"a":1}`, `{"a":{"b":2}}`, `{"a":{"b":2}}`},
		{`{"a":{"b":2}}`, `{"a":1}`, `{"a":1}`},
		{`{"a":{"b":2}}`, `{"a":[]}`, `{"a":[]}`},
		{`{"a":1}`, `{"b":{}}`, `{"a":1}`},
		{`{"a":1}`, `{"b":{"c":{"d":null}}}`, `{"a":1}`},
	} {
		base, patch := decode(t, c.base), decode(t, c.patch)
		if got := string(Encode(Merge(base, patch))); got != c.want {
			t.Errorf("%s merged with %s: %s, want %s", c.base, c.patch, got, c.want)
		}
		if string(Encode(base)) != c.base || string(Encode(patch)) != c.patch {
			t.Errorf("merging %s with %s changed them", c.base, c.patch)
		}
	}
}

// SH-2: the difference is what desired wishes and reported does not say.
func TestDelta(t *testing.T) {
	for _, c := range []struct{ desired, reported, want string }{
		{`{}`, `{"a":1}`, `{}`},
		{`{"a":1}`, `{}`, `{"a":1}`},
		{`{"a":1}`, `{"a":1.0}`, `{}`},
		{`{"a":1}`, `{"a":"1"}`, `{"a":1}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"d":4}}`, `{"a":{"c":2}}`},
		{`{"a":{"b":1}}`, `{"a":7}`, `{"a":{"b":1}}`},
		{`{"a":7}`, `{"a":{"b":1}}`, `{"a":7}`},
		{`{"a":[1,2]}`, `{"a":[1,3]}`, `{"a":[1,2]}`},
		{`{"a":false}`, `{"a":null}`, `{"a":false}`},
	} {
		if got := string(Encode(Delta(decode(t, c.desired), decode(t, c.reported)))); got != c.want {
			t.Errorf("desired %s, reported %s: %s, want %s", c.desired, c.reported, got, c.want)
		}
	}
}

// SH-2: numbers are compared by what they are, never by a double.
func TestEqualNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"1", "1e0", true},
		{"100", "1E+2", true},
		{"0.5", "5e-1", true},
		{"0", "-0", true},
		{"0e5", "0.00", true},
		{"1", "-1", false},
		{"9007199254740992", "9007199254740993", false},
		{"0.1", "0.10000000000000001", false},
		{"1e300", "1e301", false},
		{"1", `"1"`, false},
		{"0", "null", false},
		{"0", "false", false},
	} {
		a, b := decode(t, `{"v":`+c.a+`}`)["v"], decode(t, `{"v":`+c.b+`}`)["v"]
		if Equal(a, b) != c.want || Equal(b, a) != c.want {
			t.Errorf("Equal(%s, %s) is not %v", c.a, c.b, c.want)
		}
	}
	if !Equal(3, decode(t, `{"v":3.0}`)["v"]) || !Equal(2.5, decode(t, `{"v":25e-1}`)["v"]) {
		t.Error("Go's own numbers are not compared by value")
	}
}

func anyTree(levels int) *rapid.Generator[Tree] {
	key := rapid.SampledFrom([]string{"a", "b", "c"})
	leaf := rapid.SampledFrom([]any{true, false, "x", "", num(1), num(2), []any{num(1)}, []any{}})
	value := rapid.Custom(func(r *rapid.T) any {
		if levels > 1 && rapid.Bool().Draw(r, "object") {
			return anyTree(levels-1).Draw(r, "tree")
		}
		return leaf.Draw(r, "leaf")
	})
	return rapid.Custom(func(r *rapid.T) Tree { return rapid.MapOfN(key, value, 0, 3).Draw(r, "tree") })
}

// SH-13: a difference is enough: applied to the one it gives the other.
func TestDiffGivesTheOther(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		from := Merge(nil, anyTree(3).Draw(r, "from"))
		to := Merge(nil, anyTree(3).Draw(r, "to"))
		a, b := string(Encode(from)), string(Encode(to))
		patch := Diff(from, to)
		if got := Merge(from, patch); !Equal(got, to) {
			r.Fatalf("%s + %s = %s, want %s", a, Encode(patch), Encode(got), b)
		}
		if Equal(from, to) != (len(patch) == 0) {
			r.Fatalf("from %s to %s: the difference is %s", a, b, Encode(patch))
		}
		if string(Encode(from)) != a || string(Encode(to)) != b {
			r.Fatal("Diff or Merge changed what it was given")
		}
	})
}

// SH-2: reporting what the delta says empties it.
func TestMergedDeltaConverges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		desired := Merge(nil, anyTree(3).Draw(r, "desired"))
		reported := Merge(nil, anyTree(3).Draw(r, "reported"))
		after := Merge(reported, Delta(desired, reported))
		if rest := Delta(desired, after); len(rest) > 0 {
			r.Fatalf("desired %s, reported %s: still %s", Encode(desired), Encode(after), Encode(rest))
		}
	})
}

func TestCloneSharesNothing(t *testing.T) {
	a := decode(t, `{"a":{"b":[{"c":1}]}}`)
	b := Clone(a)
	b["a"].(Tree)["b"].([]any)[0].(Tree)["c"] = "changed"
	if got := string(Encode(a)); got != `{"a":{"b":[{"c":1}]}}` {
		t.Errorf("a change of the copy reached the original: %s", got)
	}
	if Clone[any](nil) != nil || Clone(Tree(nil)) != nil {
		t.Error("a copy of nothing is something")
	}
}
