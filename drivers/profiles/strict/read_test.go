package strict

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// garden is a schema with one key of each kind.
func garden() *Schema {
	bed := Keys(
		Key{Name: "name", Required: true, Doc: "what is said", Schema: Of(Name).In(1, 8)},
		Key{Name: "depth", Default: "3", Schema: Of(Int).In(1, 30)},
		Key{Name: "secret", Schema: Of(Name).Matching(`^[a-f]+$`, "letters of a to f").Hidden()},
	)
	s := Keys(
		Key{Name: "title", Required: true, Doc: "what is said", Schema: Of(Text).In(1, 20)},
		Key{Name: "ratio", Default: "0.5", Schema: Of(Float).In(0, 1)},
		Key{Name: "wait", Default: "90s", Schema: Of(Duration).Within(time.Second, time.Hour)},
		Key{Name: "open", Default: "true", Schema: Of(Bool)},
		Key{Name: "colour", Default: "red", Schema: OneOf("red", "green", "blue")},
		Key{Name: "beds", Schema: ListOf(bed, 0, 3)},
		Key{Name: "codes", Schema: MapOf(Int, OneOf("good", "bad"), 0, 4)},
		Key{Name: "inner", Schema: Keys(Key{Name: "size", Default: "7", Schema: Of(Int)})},
		Key{Name: "later", Refused: "not in this version", Schema: Keys()},
	)
	return &s
}

func told(src string) []string {
	_, faults := Read("f", []byte(src), garden())
	out := []string{}
	for _, f := range faults {
		out = append(out, f.Error())
	}
	return out
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"fine", "title: x", nil},
		{"header and end", "---\ntitle: x\n...\n", nil},
		{"windows", "\xef\xbb\xbftitle: x\r\nwait: 5s\r\n", nil},
		{"empty", "", []string{"f:1:1: title: is missing (what is said)"}},
		{"comment only", "# nothing\n", []string{"f:1:1: title: is missing (what is said)"}},
		{"not a mapping", "- x\n", []string{"f:1:1: wants a mapping, is a list"}},
		{"unknown, near", "title: x\nwiat: 5s\n", []string{"f:2:1: wiat: unknown key (did you mean `wait`?)"}},
		{"unknown, begun", "title: x\ncol: red\n", []string{"f:2:1: col: unknown key (did you mean `colour`?)"}},
		{"unknown, far", "title: x\ninner: {weather: 1}\n", []string{"f:2:9: inner.weather: unknown key (known here: size)"}},
		{"misspelt and required is one fault", "titel: x\n", []string{"f:1:1: titel: unknown key (did you mean `title`?)"}},
		{"twice", "title: x\nwait: 5s\ntitle: y\n", []string{"f:3:1: title: the key is there twice (first in line 1)"}},
		{"refused", "title: x\nlater: {any: [1, 2]}\n", []string{"f:2:1: later: not in this version (leave it out)"}},
		{"no value", "title:\nwait: ~\n", []string{
			"f:1:1: title: has no value (give text or leave the key out)",
			"f:2:7: wait: has no value (give a duration such as 90s or leave the key out)",
		}},
		{"text is a number", "title: 12\n", []string{"f:1:8: title: wants text, is the number \"12\" (put it in quotes if text is meant)"}},
		{"text is a list", "title: [a]\n", []string{"f:1:8: title: wants text, is a list"}},
		{"text too long", "title: 'a text of more than twenty'\n", []string{"f:1:8: title: has 26 characters, must have 1 to 20"}},
		{"int is text", "title: x\ninner: {size: big}\n", []string{"f:2:15: inner.size: wants a whole number, is the text \"big\""}},
		{"int in quotes", "title: x\ninner: {size: '3'}\n", []string{"f:2:15: inner.size: wants a whole number, is the text \"3\" (leave out the quotes)"}},
		{"int octal", "title: x\ninner: {size: 010}\n", []string{"f:2:15: inner.size: wants a whole number, is the number \"010\" (no leading zero and no _)"}},
		{"int grouped", "title: x\ninner: {size: 1_0}\n", []string{"f:2:15: inner.size: wants a whole number, is the number \"1_0\" (no leading zero and no _)"}},
		{"int fraction", "title: x\ninner: {size: 1.5}\n", []string{"f:2:15: inner.size: wants a whole number, is the number \"1.5\""}},
		{"int too big", "title: x\ninner: {size: 99999999999999999999}\n", []string{"f:2:15: inner.size: wants a whole number, is the number \"99999999999999999999\" (no leading zero and no _)"}},
		{"int is a mapping", "title: x\ninner: {size: {a: 1}}\n", []string{"f:2:15: inner.size: wants a whole number, is a mapping"}},
		{"float range", "title: x\nratio: 1.25\n", []string{"f:2:8: ratio: is 1.25, must be 0 to 1"}},
		{"float endless", "title: x\nratio: .inf\n", []string{"f:2:8: ratio: wants a number, is the number \".inf\""}},
		{"float not", "title: x\nratio: .nan\n", []string{"f:2:8: ratio: wants a number, is the number \".nan\""}},
		{"bool of old", "title: x\nopen: yes\n", []string{"f:2:7: open: wants true or false, is the text \"yes\" (write true)"}},
		{"duration bare", "title: x\nwait: 90\n", []string{"f:2:7: wait: wants a duration such as 90s, is the number \"90\" (say the unit: 90s)"}},
		{"duration words", "title: x\nwait: 90 sec\n", []string{"f:2:7: wait: wants a duration such as 90s, is the text \"90 sec\" (such as 250ms, 90s or 1m30s)"}},
		{"duration range", "title: x\nwait: 90m\n", []string{"f:2:7: wait: is 1h30m, must be 1s to 1h"}},
		{"duration below", "title: x\nwait: -5s\n", []string{"f:2:7: wait: is -5s, must be 1s to 1h"}},
		{"word", "title: x\ncolour: gren\n", []string{"f:2:9: colour: \"gren\" is none of red, green, blue (did you mean `green`?)"}},
		{"word far", "title: x\ncolour: 7\n", []string{"f:2:9: colour: \"7\" is none of red, green, blue"}},
		{"list elements", "title: x\nbeds:\n  - name: a\n  - {}\n  - {name: 007, depth: 31}\n", []string{
			"f:4:5: beds[1].name: is missing (what is said)",
			"f:5:24: beds[2].depth: is 31, must be 1 to 30",
		}},
		{"list too long", "title: x\nbeds: [{}, {}, {}, {}]\n", []string{"f:2:7: beds: has 4 elements, must have 0 to 3"}},
		{"list is text", "title: x\nbeds: none\n", []string{"f:2:7: beds: wants a list, is text"}},
		{"map keys", "title: x\ncodes: {0x10: good, x: bad, '3': bad, 16: bad}\n", []string{
			"f:2:21: codes.x: the key wants a whole number",
			"f:2:29: codes.3: the key wants a whole number",
			"f:2:39: codes.16: the key is there twice (written in two ways)",
		}},
		{"map word", "title: x\ncodes:\n  1: goood\n", []string{"f:3:6: codes.1: \"goood\" is none of good, bad (did you mean `good`?)"}},
		{"secret", "title: x\nbeds: [{name: a, secret: hunter2}]\n", []string{"f:2:26: beds[0].secret: (hidden) is not letters of a to f"}},
		{"wide characters", "title: 电梯\ninner: {尺: 1, size: x}\n", []string{
			"f:2:9: inner.尺: unknown key (known here: size)",
			"f:2:21: inner.size: wants a whole number, is the text \"x\"",
		}},
		{"after a block of text", "title: >-\n  one\n  two\ninner:\n  # why\n  size: x # here\n", []string{
			"f:6:9: inner.size: wants a whole number, is the text \"x\"",
		}},
		{"tab", "title: x\ninner:\n\tsize: 1\n", []string{"f:3:1: YAML: found character '\t' that cannot start any token"}},
		{"open bracket", "title: x\nbeds: [1, 2\nopen: true\n", []string{"f:3:1: YAML: ',' or ']' must be specified"}},
		{"open quote", "title: 'x\n", []string{"f:1:8: YAML: could not find end character of single-quoted text"}},
		{"colon in text", "title: a: b\n", []string{"f:1:8: YAML: mapping value is not allowed in this context"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := told(c.src)
			if len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

// What YAML can do beyond data is refused, in bounded time.
func TestRefused(t *testing.T) {
	laughs := "a: &a [x, x]\n"
	for _, n := range "bcdefghij" {
		laughs += string(n) + ": &" + string(n) + " [*" + string(n-1) + ", *" + string(n-1) + "]\n"
	}
	for _, c := range []struct{ name, src, want string }{
		{"billion laughs", laughs, "f:1:4: anchors and aliases are not taken here"},
		{"alias", "title: *x\n", "f:1:8: anchors and aliases are not taken here"},
		{"tag", "title: !!str 5\n", "f:1:8: tags are not taken here"},
		{"merge", "title: x\ninner:\n  <<: {size: 1}\n", "f:3:3: merge keys are not taken here"},
		{"key of its own", "? title\n: x\n", "f:1:1: keys with ? are not taken here"},
		{"directive", "%YAML 1.2\n---\ntitle: x\n", "f:1:1: directives are not taken here"},
		{"two documents", "title: x\n---\ntitle: y\n", "f:2:1: a second document starts here"},
		{"two headers", "---\n---\ntitle: x\n", "f:2:1: a second document starts here"},
		{"after the end", "title: x\n...\nwait: 5s\n", "f:3:1: a second document starts here"},
		{"too big", "title: x\n#" + strings.Repeat("x", MaxBytes), "f:1:1: the file has 1048586 bytes"},
		{"deep brackets", "beds: " + strings.Repeat("[", 40), "nested deeper than 32"},
		{"deep braces", strings.Repeat("{a: ", 100_000), "nested deeper than 32"},
		{"deep dashes", strings.Repeat("- ", 100_000), "nested deeper than 32"},
		{"deep blocks", deepBlocks(40), "nested deeper than 32"},
		{"many keys", strings.Repeat("a: 1\n", 100_000), "more than 10000 keys"},
		{"not UTF-8", "title: x\nwait: \xff5s\n", "f:2:7: byte 0xff is not UTF-8"},
		{"null byte", "title: \x00\n", "f:1:8: the character U+0000 cannot be seen"},
		{"old Mac", "title: x\rwait: 5s\r", "f:1:9: the character U+000D cannot be seen"},
		{"no-width space", "title: x\u200b\n", "f:1:9: the character U+200B cannot be seen"},
		{"right to left", "title: x\u202ey\n", "f:1:9: the character U+202E cannot be seen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			got := strings.Join(told(c.src), "\n")
			if !strings.Contains(got, c.want) {
				t.Errorf("got %.300s\nwant %s", got, c.want)
			}
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("took %s", d)
			}
		})
	}
}

func deepBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// What is nested deep enough is still read.
func TestDepthIsNotReachedByLength(t *testing.T) {
	src := "title: x\nbeds:\n- name: a\n- name: b\n- name: c\ncodes: {1: good, 2: bad}\ninner:\n  size: 3\n"
	if got := told(src + strings.Repeat("# more\n", 100)); len(got) > 0 {
		t.Error(got)
	}
}

func TestMoreFaultsThanAnyoneReads(t *testing.T) {
	got := told("title: x\n" + strings.Repeat("title: y\n", 500))
	if len(got) != MaxFaults || got[MaxFaults-1] != "f:101:1: 401 more faults from here on" {
		t.Errorf("%d faults, the last %q", len(got), got[len(got)-1])
	}
}

func TestValues(t *testing.T) {
	src := `title: "a: b"
ratio: 1
wait: 1m30s
open: false
colour: blue
beds:
  - {name: 007, depth: 0x1F, secret: abc}
  - name: yes
codes: {0x21: good, -1: bad}
`
	v, faults := Read("f", []byte(strings.Replace(src, "0x1F", "0x1E", 1)), garden())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	beds, codes := v.Get("beds").Items(), v.Get("codes").Items()
	got := []any{
		v.Get("title").Text(), v.Get("ratio").Float(), v.Get("wait").Duration(), v.Get("open").Bool(), v.Get("colour").Text(),
		beds[0].Get("name").Text(), beds[0].Get("depth").Int(), beds[0].Get("secret").Text(), beds[1].Get("name").Text(),
		codes[0].KeyInt(), codes[0].Text(), codes[1].Key(), codes[1].KeyInt(),
	}
	want := []any{"a: b", 1.0, 90 * time.Second, false, "blue", "007", 30, "abc", "yes", 33, "good", "-1", -1}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if f := beds[1].Get("name").Fault("no", ""); f.Error() != "f:8:11: beds[1].name: no" {
		t.Error(f)
	}
	if f := beds[1].Get("depth").Fault("no", "yes"); f.Error() != "f:8:5: beds[1].depth: no (yes)" || beds[1].Line() != 8 {
		t.Error(f)
	}
}

// An absent value reads as its default, below an absent object too; one without a
// default is not OK, and neither is one that does not fit.
func TestAbsentValues(t *testing.T) {
	v, faults := Read("f", []byte("title: x\nwait: soon\nbeds: 5\n"), garden())
	if len(faults) != 2 {
		t.Fatal(faults)
	}
	if s := v.Get("inner").Get("size"); s.Int() != 7 || !s.OK() || s.Given() {
		t.Errorf("size %+v", s)
	}
	if o := v.Get("open"); !o.Bool() || !o.OK() {
		t.Errorf("open %+v", o)
	}
	if w := v.Get("wait"); w.OK() || !w.Given() || w.Duration() != 0 {
		t.Errorf("wait %+v", w)
	}
	if b := v.Get("beds"); b.OK() || !b.Given() || len(b.Items()) != 0 {
		t.Errorf("beds %+v", b)
	}
	if n := v.Get("nothing").Get("nothing"); n.OK() || n.Given() || n.Text() != "" {
		t.Errorf("nothing %+v", n)
	}
	if d := Defaults(garden()); d.Get("colour").Text() != "red" || d.Get("wait").Duration() != 90*time.Second {
		t.Errorf("defaults %+v", d)
	}
}

func TestDidYouMean(t *testing.T) {
	words := []string{"bench/modbus-lift", "wait_timeout", "retries", "id"}
	for in, want := range map[string]string{
		"bench/modbus-lfit": "bench/modbus-lift",
		"modbus-lift":       "bench/modbus-lift",
		"wait_timout":       "wait_timeout",
		"wait":              "wait_timeout",
		"retris":            "retries",
		"ID":                "",
		"x":                 "",
		"":                  "",
		"completely else":   "",
	} {
		if got := nearest(in, words); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if DidYouMean(strings.Repeat("a", 1000), words) != "" {
		t.Error("a long word is near to something")
	}
}

func TestReference(t *testing.T) {
	want := "| key | takes | default | what |\n| --- | --- | --- | --- |\n" +
		"| `list` | list of 1 to 3: a mapping | **required** | many \\| few |\n" +
		"| `list[].n` | a whole number, 1 to 5 | 3 | how many |\n" +
		"| `map` | mapping of 0 to 2: a whole number to a, b |  |  |\n" +
		"| `wait` | a duration, 1s to 1m | 5s |  |\n" +
		"| `old` | a mapping | not taken: gone | |\n"
	s := Keys(
		Key{Name: "list", Required: true, Doc: "many | few", Schema: ListOf(Keys(Key{Name: "n", Default: "3", Doc: "how many", Schema: Of(Int).In(1, 5)}), 1, 3)},
		Key{Name: "map", Schema: MapOf(Int, OneOf("a", "b"), 0, 2)},
		Key{Name: "wait", Default: "5s", Schema: Of(Duration).Within(time.Second, time.Minute)},
		Key{Name: "old", Refused: "gone", Schema: Keys()},
	)
	got := Reference(&s)
	if strings.ReplaceAll(got, "|  |\n", "| |\n") != strings.ReplaceAll(want, "|  |\n", "| |\n") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// No file makes the reader panic or run off, every fault has a place within the
// file, and what has no faults is whole.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"title: x", "title: x\nbeds:\n  - name: a\n", "codes: {1: good}", "a: &x [*x]", "? a\n: b", "[[[", "{a: {b: ", "\t", "'", "\"\\x",
		"title: |\n  a\n", "title: >+2\n  a\n", "- - - a", "---\n...\n---", "title: !!binary =", "%YAML 1", "<<: *a", "a:\r\n", "\xef\xbb\xbf", "#", ": ", "- :", "{,}", "[]: x",
	} {
		f.Add([]byte(s))
	}
	schema := garden()
	f.Fuzz(func(t *testing.T, src []byte) {
		v, faults := Read("f", src, schema)
		lines := strings.Count(string(src), "\n") + 1
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > lines+1 || fault.Col < 1 || fault.Msg == "" {
				t.Errorf("%v", fault)
			}
		}
		if len(faults) == 0 && (!v.OK() || v.Get("title").Text() == "") {
			t.Error("no faults, and no title")
		}
	})
}

// What shows nothing, or as a space that is none, is refused where it stands: a key
// that was copied with a soft hyphen in it would look right and be another key.
func TestWhatCannotBeSeen(t *testing.T) {
	s := Keys(Key{Name: "allowed_lifts", Schema: Of(Text)}, Key{Name: "m", Schema: MapOf(Name, Of(Text), 0, 9)})
	for _, r := range []rune{0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200d, 0x2028, 0x202e, 0x2060, 0x2066, 0x2800, 0x3164, 0xa0, 0x2003, 0x3000, 0xfe0f, 0xfeff, 0xfff9, 0xe0041, 0xe0101, 0x7f, 0x85} {
		_, faults := Read("f.yaml", []byte("m: {}\nallowed_"+string(r)+"lifts: x\n"), &s)
		if len(faults) != 1 || faults[0].Line != 2 || faults[0].Col != 9 || !strings.Contains(faults[0].Msg, fmt.Sprintf("%U", r)) {
			t.Errorf("%U: %v", r, faults)
		}
	}
	for _, key := range []string{`"a\u00adb"`, `"a\u200bb"`, `"\u0000"`, `"a\tb"`} {
		_, faults := Read("f.yaml", []byte("m: {"+key+": x}\n"), &s)
		if len(faults) != 1 || faults[0].Line != 1 || faults[0].Col != 5 || !strings.Contains(faults[0].Msg, "cannot be seen") {
			t.Errorf("%s: %v", key, faults)
		}
	}
	if _, faults := Read("f.yaml", []byte("m: {äöü: \"\\u0002\", 電梯: 梯 1}\n"), &s); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
}
