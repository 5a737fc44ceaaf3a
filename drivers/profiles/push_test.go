package profiles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles/strict"
)

const pushHead = `id: t/push
title: t
maturity: draft
protocol: http
ride: {style: landing+car, confirm: none}
http:
  params: {lift: {doc: d}, attach: {doc: d}}
  secrets: {key: {doc: d}, word: {doc: d}}
  auth: {kind: none}
  requests:
    status: {path: /lifts/$lift}
    all: {path: /subscriptions, json: '{"all": true}'}
  push:
`

const pushPoints = `
points:
  floor: {from: status.floor}
  load: {from: weight.kg}
`

const pushMessages = `
    id: msgId
    event: data.time
    ours: {data.id: [$lift]}
    attach: {at: attach, is: $attach}
    messages:
      report: {class: values, where: {type: [report]}, says: {status.floor: data.floor}}
      weight: {class: values, where: {type: [weight]}}
      failed: {class: failures, where: {type: [failed]}, ours: {data.source: [api]}, code: data.code, text: data.words}
      gone: {class: life, where: {type: [offline, unbind]}, means: offline}
      named: {class: life, where: {type: [named]}}
`

func pushOf(t *testing.T, section string) (*Profile, *Push) {
	t.Helper()
	p := parsed(t, "push.yaml", []byte(pushHead+section+pushMessages+pushPoints))
	return p, p.HTTP().Push()
}

const sortedMD5 = `
    verify:
      kind: sorted_md5
      secret: $key
      signature: header:sign
      fields: {token: "header:token", appkey: "header:appkey", time: "header:time", nonce: "header:nonce"}
      time: {at: "header:time", window: 1m}
      nonce: header:nonce
`

const wall = 1_700_000_000_000

var site = map[string]string{"lift": "L1", "attach": "site"}

func given() Given {
	return Given{Site: site, Secrets: map[string]string{"key": "Secret", "word": "open"}}
}

// cameWith is a message that came at the moment of wall.
func cameWith(head map[string]string, body string) *Came {
	return &Came{
		Method: "POST", Body: []byte(body), Wall: wall, Query: func(string) string { return "" },
		Header: func(name string) string {
			if v, ok := head[strings.ToLower(name)]; ok {
				return v
			}
			return map[string]string{"content-type": "application/json; charset=utf-8"}[strings.ToLower(name)]
		},
	}
}

const aReport = `{"msgId":"m1","type":"report","attach":"site","data":{"id":"L1","time":1699999999000,"floor":3}}`

// WH-2: the digest was made by md5sum over the fields by their names and the secret, in
// small letters; whatever is not just so is refused.
func TestSortedMD5(t *testing.T) {
	_, p := pushOf(t, sortedMD5)
	head := func(change ...string) map[string]string {
		h := map[string]string{"appkey": "Bench-Key", "nonce": "N1", "time": "1700000000000", "token": "T0", "sign": "baf8bff1af8512245b6f72acd32096b6"}
		for i := 0; i+1 < len(change); i += 2 {
			h[change[i]] = change[i+1]
		}
		return h
	}
	for _, c := range []struct {
		what string
		head map[string]string
		off  time.Duration
		good bool
	}{
		{"as it was signed", head(), 0, true},
		{"in capitals", head("sign", strings.ToUpper("baf8bff1af8512245b6f72acd32096b6")), 0, true},
		{"another token", head("token", "T1"), 0, false},
		{"another nonce", head("nonce", "N2"), 0, false},
		{"another time", head("time", "1700000000001"), 0, false},
		{"a digit less", head("sign", "baf8bff1af8512245b6f72acd32096b6"[:31]), 0, false},
		{"no signature", head("sign", ""), 0, false},
		{"nothing at all", map[string]string{}, 0, false},
		{"59 s later", head(), 59 * time.Second, true},
		{"61 s later", head(), 61 * time.Second, false},
		{"59 s before", head(), -59 * time.Second, true},
		{"61 s before", head(), -61 * time.Second, false},
	} {
		m := cameWith(c.head, aReport)
		m.Wall += c.off.Milliseconds()
		a := p.Admit(m, given(), false)
		if good := a.Fate == FateKept; good != c.good || good != a.Signed || !good && a.Reply.Status != 401 {
			t.Errorf("%s: %+v", c.what, a)
		}
		if c.good && (a.ID != "m1" || a.Nonce != "N1" || a.Event != 1699999999000) {
			t.Errorf("%s: %+v", c.what, a)
		}
	}
	g := given()
	g.Secrets["key"] = "secret2"
	if a := p.Admit(cameWith(head(), aReport), g, true); a.Fate != FateRefused {
		t.Errorf("a wrong signature is taken where unsigned ones are: %+v", a)
	}
}

// WH-2: the digests were made by openssl over the time, a dot and the bytes.
func TestHMAC(t *testing.T) {
	for _, c := range []struct{ as, sign string }{
		{"as: hex, prefix: sha256=", "sha256=49f24e537407743fa4a0242bb63b94b9a47ee99cbbe071ccd8a22550ae411686"}, {"as: base64", "SfJOU3QHdD+koCQrtjuUuaR+6Zy74HHM2KIlUK5BFoY="},
	} {
		_, p := pushOf(t, `
    verify: {kind: hmac_sha256, secret: $key, signature: "header:x-sign", over: ["header:x-time", "=.", "raw:body"], `+c.as+`, time: {at: "header:x-time", unit: s}}
`)
		g := given()
		g.Secrets["key"] = "secret"
		head := map[string]string{"x-sign": c.sign, "x-time": "1700000000"}
		if a := p.Admit(cameWith(head, `{"a":1}`), g, false); a.Fate == FateRefused || !a.Signed {
			t.Errorf("%s: %+v", c.as, a)
		}
		if a := p.Admit(cameWith(head, `{"a":2}`), g, false); a.Fate != FateRefused || a.Reply.Status != 401 {
			t.Errorf("%s, other bytes: %+v", c.as, a)
		}
	}
}

// WH-2: without a signature one is taken only where the site wrote so; a token is a
// proof by itself.
func TestTokenAndUnsigned(t *testing.T) {
	_, token := pushOf(t, `
    verify: {kind: token, token: {at: "header:x-token", is: $word}}
`)
	_, none := pushOf(t, `
    verify: {kind: none}
`)
	_, signed := pushOf(t, sortedMD5)
	right, wrong := map[string]string{"x-token": "open"}, map[string]string{"x-token": "Open"}
	for _, c := range []struct {
		what     string
		p        *Push
		head     map[string]string
		unsigned bool
		good     bool
	}{
		{"the token", token, right, false, true},
		{"another token", token, wrong, false, false},
		{"another token, unsigned taken", token, wrong, true, false},
		{"no token", token, nil, true, false},
		{"none, not written", none, nil, false, false},
		{"none, written", none, nil, true, true},
		{"no signature, written", signed, nil, true, true},
	} {
		if a := c.p.Admit(cameWith(c.head, aReport), given(), c.unsigned); (a.Fate == FateKept) != c.good {
			t.Errorf("%s: %+v", c.what, a)
		}
	}
}

// WH-11: the check of the address is answered and goes no farther; a word that could end
// the answer's own text is not said.
func TestAddressCheck(t *testing.T) {
	_, p := pushOf(t, sortedMD5+`
    check:
      - {when: {type: [check]}, echo: challenge, type: application/json, text: '{"challenge":$echo}'}
      - {method: GET, when: {"query:echostr": ["*"]}, echo: "query:echostr"}
`)
	a := p.Admit(cameWith(nil, `{"type":"check","challenge":"a\"b"}`), given(), false)
	if a.Fate != FateChecked || string(a.Reply.Body) != `{"challenge":"a\"b"}` {
		t.Errorf("%+v %s", a, a.Reply.Body)
	}
	get := &Came{Method: "GET", Header: func(string) string { return "" }, Wall: wall}
	get.Query = func(name string) string { return map[string]string{"echostr": "w0rd"}[name] }
	if a := p.Admit(get, given(), false); a.Fate != FateChecked || string(a.Reply.Body) != "w0rd" {
		t.Errorf("%+v %s", a, a.Reply.Body)
	}
	get.Query = func(string) string { return "a\r\nb" }
	if a := p.Admit(get, given(), false); a.Fate != FateRefused {
		t.Errorf("%+v", a)
	}
	get.Query = func(string) string { return "" }
	if a := p.Admit(get, given(), false); a.Reply.Status != 405 {
		t.Errorf("%+v", a)
	}
}

// WH-12, WH-13: foreign ones, those of another subscription, and classes.
func TestFatesAndClasses(t *testing.T) {
	_, p := pushOf(t, `
    verify: {kind: none}
`)
	for body, want := range map[string]Fate{
		aReport: FateKept,
		`{"type":"report","attach":"site","data":{"id":"L2"}}`:        FateForeign,
		`{"type":"report","attach":"other","data":{"id":"L1"}}`:       FateForeign,
		`{"type":"report","data":{"id":"L1"}}`:                        FateForeign,
		`{"type":"report","attach":"site"}`:                           FateForeign,
		`{"type":"scene_created","attach":"site","data":{"id":"L1"}}`: FateOther,
		`{"type":"offline","attach":"site","data":{"id":"L1"}}`:       FateKept,
		`{"type":"report","attach":"site","data":{"id":"L1"}} {}`:     FateRefused,
		`[` + strings.Repeat("[", 100):                                FateRefused,
		``:                                                            FateRefused,
		`{"msgId":"` + strings.Repeat("x", 300) + `","attach":"site","data":{"id":"L1"}}`: FateRefused,
	} {
		if a := p.Admit(cameWith(nil, body), given(), true); a.Fate != want {
			t.Errorf("%.60s: %+v, want %d", body, a, want)
		}
	}
	if a := p.Admit(cameWith(map[string]string{"content-type": "text/html"}, aReport), given(), true); a.Reply.Status != 415 {
		t.Errorf("%+v", a)
	}
}

func weigh(t *testing.T, prof *Profile, told *Told, body string) Weighed {
	t.Helper()
	pick := func(doc any, place string) Raw { return prof.HTTP().Pick(doc, place, site) }
	return prof.HTTP().Push().Weigh(told, cameWith(nil, body), site, prof.PlacesIn, pick)
}

func floorAt(event int64, floor int) string {
	return fmt.Sprintf(`{"type":"report","data":{"id":"L1","time":%d,"floor":%d}}`, event, floor)
}

// WH-4, WH-5: whatever the order and however often messages come, the newest by their
// inner time stands, and a repeated one changes nothing.
func TestInnerTimeDecides(t *testing.T) {
	prof, _ := pushOf(t, `
    verify: {kind: none}
`)
	events := []int{1, 2, 3, 4}
	var orders [][]int
	for _, a := range events {
		for _, b := range events {
			for _, c := range events {
				for _, d := range events {
					orders = append(orders, []int{a, b, c, d})
				}
			}
		}
	}
	for _, order := range orders {
		var told Told
		for _, e := range order {
			weigh(t, prof, &told, floorAt(wall-10_000+int64(e), e))
		}
		if got, want := told.Values["status.floor"].Raw.Int, int64(slices.Max(order)); got != want {
			t.Fatalf("%v: floor %d, want %d", order, got, want)
		}
	}
	var told Told
	weigh(t, prof, &told, floorAt(wall-5, 2))
	if w := weigh(t, prof, &told, floorAt(wall-6, 1)); w.Late != 1 || len(w.Values) != 0 {
		t.Errorf("an older one: %+v", w)
	}
	weigh(t, prof, &told, `{"type":"weight","kg":75,"data":{"id":"L1","time":1}}`)
	if v := told.Values["weight.kg"]; v.Raw.Int != 75 || v.Event != 1 {
		t.Errorf("an older time of another value must not matter: %+v", v)
	}
	again := weigh(t, prof, &told, floorAt(wall-5, 2))
	if len(again.Values) != 1 || again.Values[0].Raw.Int != 2 || again.Late != 0 {
		t.Errorf("the same again: %+v", again)
	}
	before, _ := json.Marshal(told)
	var back Told
	if err := json.Unmarshal(before, &back); err != nil || back.Values["status.floor"].Event != wall-5 {
		t.Errorf("stored and read again: %+v, %v", back, err)
	}
}

// WH-4: a time far ahead of ours would shut out everything that follows.
func TestTimesThatCannotBe(t *testing.T) {
	prof, _ := pushOf(t, `
    verify: {kind: none}
`)
	for _, event := range []string{"4102444800000", "0", "-1", `"soon"`, "null", "1e300", "9223372036854775807"} {
		var told Told
		weigh(t, prof, &told, `{"type":"report","data":{"id":"L1","time":`+event+`,"floor":9}}`)
		if v := told.Values["status.floor"]; v.Event != wall {
			t.Errorf("%s counts as %d", event, v.Event)
		}
	}
}

// WH-8, WH-13: a failure has its code as it came; an offline word is newer or nothing.
func TestFailuresAndLife(t *testing.T) {
	prof, _ := pushOf(t, `
    verify: {kind: none}
`)
	var told Told
	w := weigh(t, prof, &told, `{"type":"failed","data":{"id":"L1","time":1699999999000,"source":"api","code":4007,"words":"door blocked"}}`)
	if len(w.Failures) != 1 || w.Failures[0] != (Failure{Ours: true, Event: 1699999999000, Code: "4007", Text: "door blocked"}) {
		t.Errorf("%+v", w)
	}
	if w := weigh(t, prof, &told, `{"type":"failed","data":{"id":"L1","source":"panel","code":1}}`); len(w.Failures) != 1 || w.Failures[0].Ours {
		t.Errorf("somebody else's: %+v", w)
	}
	if w := weigh(t, prof, &told, `{"type":"unbind","data":{"id":"L1","time":1699999999000}}`); w.Life == nil || w.Life.There {
		t.Errorf("%+v", w)
	}
	if w := weigh(t, prof, &told, `{"type":"offline","data":{"id":"L1","time":1699999998000}}`); w.Life != nil || w.Late != 1 {
		t.Errorf("an older word: %+v", w)
	}
	if w := weigh(t, prof, &told, `{"type":"named","data":{"id":"L1"}}`); w.Life != nil || len(w.Values) != 0 {
		t.Errorf("%+v", w)
	}
}

// WH-6, WH-14: messages of an answer are those that would have been pushed.
func TestFetchedMessages(t *testing.T) {
	p := parsed(t, "push.yaml", []byte(pushHead+`
    verify: {kind: none}
    repair: {failed: {request: status, at: result.list, message: body}}
`+pushMessages+pushPoints)).HTTP().Push()
	doc, _ := Document([]byte(`{"result":{"list":[{"body":{"a":1}},{"body":"{\"a\":2}"},{"other":3}]}}`))
	got, ok := p.Failed.Messages(doc)
	if !ok || len(got) != 2 || string(got[0]) != `{"a":1}` || string(got[1]) != `{"a":2}` {
		t.Errorf("%s %v", got, ok)
	}
	if _, ok := p.Failed.Messages(map[string]any{}); ok {
		t.Error("no list is no answer")
	}
	m := cameWith(nil, aReport)
	m.Fetched, m.Method = true, ""
	if a := p.Admit(m, given(), false); a.Fate != FateKept {
		t.Errorf("what was asked for needs no proof: %+v", a)
	}
}

// WH-2, WH-12, DR-7: what is wrong in a section is told with its place.
func TestPushFaults(t *testing.T) {
	for section, want := range map[string]string{
		"    verify: {kind: sorted_md5}\n":                                                   "needs signature",
		"    verify: {kind: token, token: {at: a, is: open}}\n":                              "does not stand in a profile",
		"    verify: {kind: token, token: {at: a, is: $lift}}\n":                             "does not stand in a profile",
		"    verify: {kind: none}\n    subscribe: [{request: all}]\n":                        "site's own lift",
		"    verify: {kind: none}\n    subscribe: [{request: nobody}]\n":                     "no message nobody",
		"    verify: {kind: none}\n    check: [{when: {'header:': [a]}}]\n":                  "not a place",
		"    verify: {kind: none}\n    state: {request: status, on: {enabled: [$nobody]}}\n": "no word nobody",
	} {
		_, faults := Parse("push.yaml", []byte(pushHead+section+pushMessages+pushPoints))
		if !slices.ContainsFunc(faults, func(f strict.Fault) bool {
			return strings.Contains(f.Error(), want) && strings.Contains(f.Error(), "push.yaml:")
		}) {
			t.Errorf("%s: %v, want %q", section, faults, want)
		}
	}
	outside := strings.Replace(pushMessages, "event: data.time", `event: "header:time"`, 1)
	if _, faults := Parse("push.yaml", []byte(pushHead+"    verify: {kind: none}\n"+outside+pushPoints)); len(faults) != 1 || !strings.Contains(faults[0].Error(), "in the document") {
		t.Errorf("an inner time outside of the message: %v", faults)
	}
	twisted := strings.Replace(pushMessages, "status.floor: data.floor", "status.nothing: data.floor", 1)
	if _, faults := Parse("push.yaml", []byte(pushHead+"    verify: {kind: none}\n"+twisted+pushPoints)); len(faults) == 0 {
		t.Error("a value that no point is taken from is said")
	}
}

// SE-3: whatever comes, the door has an answer, and what is kept is ours.
func FuzzPush(f *testing.F) {
	f.Add("POST", "application/json", aReport, true)
	f.Add("POST", "application/json", `{"type":"failed","attach":"site","data":{"id":"L1","time":1e99,"code":[1]}}`, true)
	f.Add("GET", "", "", false)
	f.Add("POST", "text/plain", "\x00\xff", false)
	f.Add("POST", "application/json", `{"type":["report"],"attach":"site","data":[{"id":"L1"}]}`, true)
	prof, faults := Parse("push.yaml", []byte(pushHead+"    verify: {kind: none}\n"+pushMessages+pushPoints))
	if len(faults) > 0 {
		f.Fatal(faults)
	}
	f.Fuzz(func(t *testing.T, method, typ, body string, unsigned bool) {
		m := cameWith(map[string]string{"content-type": typ}, body)
		m.Method = method
		a := prof.HTTP().Push().Admit(m, given(), unsigned)
		if a.Fate == FateKept && !unsigned {
			t.Fatal("kept without a proof")
		}
		if a.Reply.Status < 200 || a.Reply.Status > 599 {
			t.Fatalf("answer %d", a.Reply.Status)
		}
		var told Told
		w := weigh(t, prof, &told, body)
		for _, v := range w.Values {
			if v.Event > wall+ahead {
				t.Fatalf("a value from the future: %+v", v)
			}
		}
		if _, err := json.Marshal(told); err != nil {
			t.Fatalf("cannot be stored: %v", err)
		}
	})
}
