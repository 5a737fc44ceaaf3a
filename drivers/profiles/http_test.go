package profiles

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hoistway/drivers/profiles/strict"
)

func docOf(t testing.TB, src string) any {
	t.Helper()
	doc, err := Document([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// DR-3: places in a document; what is not there, or there twice, has no value.
func TestPaths(t *testing.T) {
	doc := docOf(t, `{"a":{"b":[{"c":1},{"c":"2"}]},"list":[{"lift":"L1","floor":3},{"lift":"L2","floor":4},{"lift":"L3","floor":5},{"lift":"L3","floor":6}],
		"n":[{"id":7,"v":true}],"x.y":{"z":1.5},"start_floor":null,"e":[],"big":9007199254740993,"f":1e400,"half":2.50,"floors":[1,"B1"],"mixed":[1,[2]]}`)
	word := func(name string) string { return map[string]string{"lift": "L2"}[name] }
	for path, want := range map[string]Raw{
		"a.b[0].c": RawOfInt(1), "a.b[1].c": RawOfText("2"), "a.b[2].c": {}, "a.c": {}, "a.b.c": {}, "[0]": {},
		"list[?lift=L1].floor": RawOfInt(3), "list[?lift=$lift].floor": RawOfInt(4), "list[?lift=L3].floor": {}, "list[?lift=L9].floor": {},
		"list[?lift=$other].floor": {}, "list[?floor=3].lift": RawOfText("L1"), "n[?id=7].v": RawOfBool(true),
		`["x.y"].z`: RawOfFloat(1.5), "startFloor|start_floor": {Kind: RawNull}, "a|z.b[0].c": RawOfInt(1), "z|y": {},
		"e": {Kind: RawList, List: []Raw{}}, "big": RawOfInt(9007199254740993), "f": {}, "half": RawOfFloat(2.5),
		"floors": {Kind: RawList, List: []Raw{RawOfInt(1), RawOfText("B1")}}, "mixed": {}, "a": {}, "": {},
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := p.Pick(doc, word); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	for _, path := range []string{".a", "a.", "a..b", "a[", "a[x]", "a[-1]", "a[?b]", "a[?=c]", "a[?b=]", "a[0]b", `["a`, `["a"`, "a b", "a|", strings.Repeat("a", 201)} {
		if _, err := ParsePath(path); err == nil {
			t.Errorf("%q is a place", path)
		}
	}
}

// What could grow, loop or look outside is refused by its syntax.
func TestAllowedExpressions(t *testing.T) {
	for _, ok := range []string{
		".a.b", ".[0]", ".list[] | select(.lift == $lift) | .floor", "[.calls[].floor]", ".x // .y", `if .a == "x" then 1 elif .b then 2 else null end`,
		".a | tonumber + 1", ".a?", `.["x y"]`, ".a | split(\",\") | map(tonumber)", ".body | fromjson | .floor", ".[1:3]", "-1", ".a | length > 2", "(.a)", "first(.[] | select(.x))",
	} {
		if err := checkJQ(ok, []string{"lift"}); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, bad := range []string{
		"", ".a |", "def f: f; f", "repeat(.)", "range(1000000)", `"x" * 1000000000`, ".a * 2", ". + .", ".a + .b", `"a" + .b`, "now", "env", "$ENV", "input", "..", "recurse",
		"[limit(3; .[])]", "reduce .[] as $x (0; . + $x)", "foreach .[] as $x (0; 1)", ".a as $x | $x", "label $f | 1", `"\(.a)\(.a)"`, "@base64", "{a: .b}", "[.,.]", ".a, .b", "$other",
		"getpath([])", "paths", "while(true; .)", "until(false; .)", "[.[] | tostring]", "add", "join(\",\")", "ltrimstr(now)", "import \"x\" as x; 1", "debug", "halt", "try error", ".a |= 1", ".a = 1",
		"test(\"(a+)+$\")", "if .. then 1 else 2 end", `.[("a" * 9)]`, "-(now)", "ascii", "tojson", "select(.a; .b)",
	} {
		if checkJQ(bad, []string{"lift"}) == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// A value stands for a whole text of a document: what is in it cannot end it.
func TestTemplates(t *testing.T) {
	tpl, names, err := parseTemplate(`{"a": "$x", "b": ["$x:text", {"c": "$n:int"}], "d": "plain", "e": 1.50}`)
	if err != nil || !slices.Equal(names, []string{"n", "x"}) {
		t.Fatal(names, err)
	}
	for _, c := range []struct {
		x, n Raw
		want string
	}{
		{RawOfInt(5), RawOfText("7"), `{"a":5,"b":["5",{"c":7}],"d":"plain","e":1.50}`},
		{RawOfText(`","admin":"1`), RawOfInt(-1), `{"a":"\",\"admin\":\"1","b":["\",\"admin\":\"1",{"c":-1}],"d":"plain","e":1.50}`},
		{RawOfText("<&>"), RawOfFloat(2), `{"a":"<&>","b":["<&>",{"c":2}],"d":"plain","e":1.50}`},
		{RawOfBool(true), RawOfText("B1"), ""},
		{RawOfBool(true), RawOfFloat(2.5), ""},
		{Raw{}, RawOfInt(1), ""},
	} {
		got, err := tpl.fill(words{g: &Given{Args: map[string]Raw{"x": c.x, "n": c.n}}})
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	for _, bad := range []string{`{"a": "x$y"}`, `{"a": "$"}`, `{"a": "$X"}`, `{"a": "$x:float"}`, `{"a": "$x y"}`, `{`, `{} {}`, ""} {
		if _, _, err := parseTemplate(bad); err == nil {
			t.Errorf("%s is a template", bad)
		}
	}
}

// Signatures by digests that md5sum, sha1sum, sha256sum and openssl gave.
func TestSignatures(t *testing.T) {
	fields := [][2]string{{"b", "2"}, {"a", "1 x"}, {"c", ""}}
	for _, c := range []struct {
		s     Signature
		parts []string
		over  string
		want  string
	}{
		{Signature{By: "md5", As: "hex"}, []string{"a", "b"}, "ab", "187ef4436122d1cc2f40dc2b92f0eba0"},
		{Signature{By: "md5", As: "hex_upper", Sorted: "form", Pair: "=", Between: "&"}, []string{"&key=s"}, "a=1 x&b=2&c=&key=s", "C2ECB726AA83AA56899C55011DD0A128"},
		{Signature{By: "sha1", As: "hex"}, []string{"abc"}, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{Signature{By: "sha256", As: "base64"}, []string{"abc"}, "abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
		{Signature{By: "hmac_sha256", As: "hex", Between: "\n"}, []string{"what do ya want ", "for nothing?"}, "what do ya want \nfor nothing?", ""},
		{Signature{By: "hmac_sha256", As: "hex"}, []string{"what do ya want for nothing?"}, "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{Signature{By: "hmac_md5", As: "hex"}, []string{"what do ya want for nothing?"}, "what do ya want for nothing?", "750c783e6ab0b503eaa86e310a5db738"},
		{Signature{By: "hmac_sha1", As: "hex"}, []string{"what do ya want for nothing?"}, "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
	} {
		over := c.s.Over(fields, c.parts)
		if got := c.s.Sum(over, "Jefe"); over != c.over || c.want != "" && got != c.want {
			t.Errorf("%+v: %q gives %s, want %q and %s", c.s, over, got, c.over, c.want)
		}
	}
}

// A sealed answer that is cut, changed or under another key is none.
func TestSealed(t *testing.T) {
	// printf '{"success":true,"data":""}' | openssl enc -aes-128-ecb -K 61626364313233340000000000000000 -base64
	const sealed = "2yJ3lzJhQBYTJ+W1MUdq/f0yT4jOQCrP2dDoEtvBxDA="
	if got, err := openECB(sealed, "abcd1234"); string(got) != `{"success":true,"data":""}` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, c := range [][2]string{{sealed, "abcd1235"}, {sealed, ""}, {sealed, strings.Repeat("k", 33)}, {"", "abcd1234"}, {sealed[:24], "abcd1234"}, {"AAAA", "abcd1234"}, {"*", "abcd1234"}} {
		if got, err := openECB(c[0], c[1]); err == nil {
			t.Errorf("%q under %q opens as %q", c[0], c[1], got)
		}
	}
}

// A value in a header or a path cannot leave its place.
func TestValuesStayInTheirPlace(t *testing.T) {
	p := httpProfile(t, "headers: {X-Lift: $lift}", "a: {path: /x/$floor/y, query: {q: $floor}}")
	r := p.HTTP().Request("a")
	say := func(lift string, floor Raw) (Outgoing, error) {
		return p.HTTP().Say(r, Given{Site: map[string]string{"lift": lift}, Args: map[string]Raw{"floor": floor}})
	}
	s, err := say("L1", RawOfText("a/b?c=1&d#e"))
	if err != nil || s.Path != "/x/a%2Fb%3Fc=1&d%23e/y" || s.Query != "q=a%2Fb%3Fc%3D1%26d%23e" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, floor := range []string{"", ".", ".."} {
		if s, err := say("L1", RawOfText(floor)); err == nil {
			t.Errorf("%q makes %s", floor, s.Path)
		}
	}
	if s, err := say("L1\r\nX-Admin: 1", RawOfInt(1)); err == nil {
		t.Errorf("%+v", s)
	}
}

// httpProfile is one of one lift with keys of its http section and requests.
func httpProfile(t testing.TB, section, requests string) *Profile {
	t.Helper()
	p, faults := Parse("p.yaml", []byte(httpProfileText(section, requests)))
	for _, f := range faults {
		t.Error(f)
	}
	if p == nil {
		t.FailNow()
	}
	return p
}

func httpProfileText(section, requests string) string {
	return `id: test/service
title: test
protocol: http
ride: {style: journey, confirm: ack}
http:
  params: {lift: {doc: id}}
  secrets: {key: {doc: key}}
  ` + section + `
  requests:
    status: {path: /status}
    ` + requests + `
points:
  floor: {from: status.floor}
`
}

// What is wrong with a service is told with its place, all at once.
func TestServiceFaults(t *testing.T) {
	for _, c := range []struct{ section, requests, want string }{
		{"", "a: {path: /x, json: '{\"a\": \"$floor\"', form: {b: c}}", "not a JSON document"},
		{"", "a: {path: /x, json: '{}', form: {b: c}}", "a body is a form or a document"},
		{"", "a: {path: /x, method: GET, json: '{}'}", "GET has no body"},
		{"", "a: {path: '/x/a$lift'}", "a part of a path"},
		{"", "a: {path: /x, query: {b: '$lift and more'}}", "neither a text without a $"},
		{"", "a: {path: /x, encrypt: {by: aes_ecb, key: $key}}", "goes into the form as $encrypted"},
		{"", "a: {path: /x, form: {b: $encrypted}}", "there is no $encrypted"},
		{"", "a: {path: /x, query: {b: $body_md5}}", "is for signatures"},
		{"", "a: {path: /x, ok: {where: {'a[x]': [x]}}}", "is neither a number"},
		{"", "a: {path: /x, ok: {where: {a: [$floor]}}}", "the link has no word floor"},
		{"", "a: {path: /x, errors: [{as: busy}]}", "it fits every answer"},
		{"headers: {A: $floor}", "a: {path: /x}", "nobody gives $floor"},
		{"auth: {kind: bearer}", "a: {path: /x}", "bearer needs value"},
		{"auth: {kind: bearer, value: $other}", "a: {path: /x}", "nobody gives $other"},
		{"auth: {kind: login, request: stat}", "a: {path: /x}", "did you mean `status`?"},
		{"auth: {kind: login, request: a}", "a: {path: /x/$floor}", "needs $floor of a command"},
		{"auth: {kind: oauth2, url: /t, user: $key, password: $key, lifetime: 1m, renew: 1m}", "a: {path: /x}", "renewed as soon as it is there"},
		{"signs: {s: {by: md5}}", "a: {path: /x}", "nothing is signed"},
		{"signs: {s: {by: md5, key: $key, over: [a]}}", "a: {path: /x}", "a key is for the hmac digests"},
		{"signs: {lift: {by: md5, over: [a]}}", "a: {path: /x}", "the name is there twice"},
		{"signs: {token: {by: md5, over: [a]}}", "a: {path: /x}", "every message has a word of this name"},
		{"rate: {requests: 2, reserve: 2}", "a: {path: /x}", "nothing is left for polls"},
		{"answer: {code: 'a..b'}", "a: {path: /x}", "no key at"},
		{"", "A: {path: /x}", "not a name in small letters"},
	} {
		src := httpProfileText(c.section, c.requests)
		_, faults := Parse("p.yaml", []byte(src))
		if !slices.ContainsFunc(faults, func(f strict.Fault) bool { return strings.Contains(f.Error(), c.want) && f.Line > 5 && f.Col > 1 }) {
			t.Errorf("%s %s: %v, want %q", c.section, c.requests, faults, c.want)
		}
	}
	for _, c := range [][2]string{
		{"{from: status.floor}", "{from: 'status.a['}"},
		{"{from: status.floor}", "{from: 'status.jq: ..'}"},
		{"{from: status.floor}", "{from: other.floor}"},
		{"{from: status.floor}", "{from: call.floor}"},
		{"points:", "commands: {journey: {send: [{message: call}]}}\npoints:"},
		{"points:", "commands: {journey: {send: [{message: call, with: {floor: $wire, flor: 1}}]}}\npoints:"},
	} {
		src := strings.Replace(httpProfileText("", "call: {path: /x/$floor}"), c[0], c[1], 1)
		if _, faults := Parse("p.yaml", []byte(src)); len(faults) != 1 {
			t.Errorf("%s: %v", c[1], faults)
		}
	}
}

// Of a socket as well.
func TestSocketFaults(t *testing.T) {
	base, err := os.ReadFile("../rest/testdata/socket.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"echo: [id]", "", "nothing tells whose answer it is"},
		{"doors: {heard: {event:", "doors: {json: '{}', heard: {event:", "a message is said, or it comes by itself"},
		{"message: watch, renew", "message: doors, renew", "only comes, it cannot be sent"},
		{"message: watch, renew", "message: press, renew", "needs direction of a command"},
		{"message: watch, renew", "message: wach, renew", "did you mean `watch`?"},
		{"message: press, with", "message: doors, with", "only comes, it cannot be sent"},
		{", done: {state: [ok], lift: [$lift]}}\n    press", "}\n    press", "is never answered, so nothing can be read from it"},
		{"floor: $wire, direction: car", "floor: $wire", "press needs with.direction"},
	} {
		src := strings.Replace(string(base), c[0], c[1], 1)
		if src == string(base) {
			t.Fatalf("%q is not in the profile", c[0])
		}
		if _, faults := Parse("p.yaml", []byte(src)); !slices.ContainsFunc(faults, func(f strict.Fault) bool { return strings.Contains(f.Error(), c[2]) }) {
			t.Errorf("%s: %v, want %q", c[1], faults, c[2])
		}
	}
}

// No answer makes the judge panic or takes a value out of what it did not believe.
func FuzzJudge(f *testing.F) {
	f.Add(200, "application/json", []byte(`{"lift":"L1","floor":2,"error":{"code":"X"}}`), "a.b[0].c")
	f.Add(409, "application/json; charset=utf-8", []byte(`{"error":{"code":"LOCKED"}}`), "[?a=b]|c")
	f.Add(200, "text/html", []byte("<html>"), `["a"].b`)
	f.Add(200, "application/json", []byte(`{"encryptScript":"2yJ3lzJhQBYTJ+W1MUdq/f0yT4jOQCrP2dDoEtvBxDA="}`), "list[?lift=$lift].floor")
	src, _ := Lookup("bench/http-lift")
	bench, _ := Parse("bench", src)
	src, _ = Lookup("yun-r/cloud")
	sealed, _ := Parse("yun-r", src)
	g := Given{Site: map[string]string{"lift": "L1"}, Secrets: map[string]string{"app_secret": "abcd1234"}}
	f.Fuzz(func(t *testing.T, status int, kind string, body []byte, place string) {
		v := bench.HTTP().Request("status").Judge(status, kind, body, g)
		if v.Kind == AnswerGood && (v.Doc == nil || status != 200) {
			t.Errorf("%+v", v)
		}
		if v := sealed.HTTP().Request("task").Judge(status, kind, body, g); v.Kind == AnswerGood && v.Doc == nil {
			t.Errorf("%+v", v)
		}
		if p, err := ParsePath(place); err == nil {
			if r := p.Pick(v.Doc, func(string) string { return "x" }); v.Doc == nil && r.Kind > RawNull {
				t.Errorf("%+v out of nothing", r)
			}
		}
		_ = checkJQ(place, nil)
	})
}

// Likewise for what comes over a socket.
func FuzzSocketMessage(f *testing.F) {
	f.Add([]byte(`{"requestId": "a1", "status": "success", "code": "CALL_LIFT_OK"}`))
	f.Add([]byte(`{"statusCode": 201, "requestId": 252390420, "data": {"success": true}}`))
	f.Add([]byte(`{"subtopic": "lift_1/doors", "data": {"state": "OPENED"}}`))
	var sockets []*Socket
	for _, id := range []string{"liftauth/lobby", "kone/call-api-v2"} {
		src, _ := Lookup(id)
		p, _ := Parse(id, src)
		sockets = append(sockets, p.Socket())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := Document(body)
		if err != nil {
			return
		}
		for _, s := range sockets {
			_ = s.Echo(doc)
			for _, m := range s.Heard() {
				m.Comes(doc, nil)
			}
			if v, final := s.Message("call").Judge(doc, nil); final == (v.Kind == AnswerGarbage) {
				t.Errorf("%+v, %v", v, final)
			}
		}
	})
}
