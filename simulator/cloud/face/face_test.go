package face

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

const patience = 30 * time.Second

// desk is a cloud with one thing, and its face.
type desk struct {
	t     *testing.T
	cloud *cloud.Cloud
	url   string
	token string
}

func operator(name, key string, viewer bool) ops.Operator {
	sum := sha256.Sum256([]byte(key))
	return ops.Operator{Name: name, SHA256: hex.EncodeToString(sum[:]), Viewer: viewer}
}

func open(t *testing.T) *desk {
	t.Helper()
	c, err := cloud.Start(t.Context(), cloud.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(c, []ops.Operator{operator("anna", "key a", false), operator("vera", "key v", true)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(f.Handler())
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &desk{t: t, cloud: c, url: s.URL}
	d.register()
	d.token = d.login("key a")
	return d
}

// register is what a gateway's first messages do, without its wire.
func (d *desk) register() {
	d.t.Helper()
	for _, m := range []shadow.Message{
		{Topic: "hoistway/things/GW-1/register", Payload: []byte(`{"kind":"lift-gateway","store":"fresh","lifts":["L1"]}`)},
		{Topic: "hoistway/things/GW-1/shadow/update", Payload: []byte(`{"state":{"reported":{"wait_timeout":90}}}`)},
		{Topic: "hoistway/things/GW-1/shadow/name/L1/update", Payload: []byte(`{"state":{"reported":{"state":"IDLE"}}}`)},
	} {
		d.device(m)
	}
}

func (d *desk) device(m shadow.Message) {
	d.t.Helper()
	err := d.cloud.Act("", func(k cloud.Desk) (r rules.Result, o ops.Result, err error) { return k.Rules.Take(m, k.Now), o, nil })
	if err != nil {
		d.t.Fatal(err)
	}
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   string
}

func (d *desk) send(method, path, token, body string, headers ...string) reply {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

func (d *desk) login(key string) string {
	d.t.Helper()
	var in loggedIn
	if err := json.Unmarshal([]byte(d.send("POST", "/v1/sessions", key, "").body), &in); err != nil || in.Token == "" {
		d.t.Fatalf("login: %v %+v", err, in)
	}
	return in.Token
}

func (r reply) is(t *testing.T, status int, parts ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d: %s", r.status, status, r.body)
	}
	for _, p := range parts {
		if !strings.Contains(r.body, p) {
			t.Errorf("%s is not in %s", p, r.body)
		}
	}
	if r.status >= 400 && (r.header.Get("Content-Type") != "application/problem+json" || !strings.Contains(r.body, `"status":`+strconv.Itoa(r.status))) {
		t.Errorf("no problem by RFC 9457: %s %s", r.header.Get("Content-Type"), r.body)
	}
}

// OP-1, OP-7, SE-10: each line of the page does what it says.
func TestThePageOfEndpoints(t *testing.T) {
	d := open(t)
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(page)) {
		words, want, ok := curl(line)
		if !ok {
			continue
		}
		n++
		method, path, body, headers := "GET", "", "", []string(nil)
		for i := 0; i < len(words); i++ {
			switch words[i] {
			case "-X":
				i++
				method = words[i]
			case "-d":
				i++
				body = words[i]
			case "-H":
				i++
				headers = append(headers, words[i])
			default:
				path = strings.TrimPrefix(words[i], "$API")
			}
		}
		if got := d.send(method, path, d.token, body, headers...); got.status != want {
			t.Errorf("%s: status %d: %s", strings.TrimSpace(line), got.status, got.body)
		}
	}
	if n < 30 {
		t.Errorf("only %d lines were found", n)
	}
}

// curl splits a line of the page as a shell would: words, the quotes taken off, and the
// status behind the #.
func curl(line string) (words []string, status int, ok bool) {
	text, comment, _ := strings.Cut(line, " # ")
	if !strings.HasPrefix(text, "curl ") {
		return nil, 0, false
	}
	status, _ = strconv.Atoi(comment[:3])
	var word strings.Builder
	var quote rune
	for _, c := range text + " " {
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case c == ' ' && quote == 0:
			if word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(c)
		}
	}
	return words[1:], status, true
}

// SH-20: a write for an offline device is taken, answered as queued, and followed to its end.
func TestAWriteToItsEnd(t *testing.T) {
	d := open(t)
	d.send("PATCH", "/v1/things/GW-1/shadow", d.token, `{"desired":{"wait_timeout":120}}`).is(t, 202, `"version":2`, `"online":false`, `"state":"queued"`, `"fields":["wait_timeout"]`)
	d.device(shadow.Message{Topic: "hoistway/things/GW-1/shadow/update", Payload: []byte(`{"state":{"reported":{"wait_timeout":120}}}`)})
	d.send("GET", "/v1/things/GW-1/writes", d.token, "").is(t, 200, `"state":"in_force"`)
	d.send("GET", "/v1/history/desired?path=wait_timeout", d.token, "").is(t, 200, `"old":{"wait_timeout":null},"new":{"wait_timeout":120},"by":"anna"`)
	d.send("GET", "/v1/metrics", d.token, "").is(t, 200, `"delta_success":1`)
}

// ST-5: a condition is held against the last version that touched desired, and what it
// really is comes along.
func TestConditions(t *testing.T) {
	d := open(t)
	got := d.send("PATCH", "/v1/things/GW-1/shadow", d.token, `{"desired":{"retries":2}}`, `If-None-Match: "9"`)
	got.is(t, 202)
	etag := got.header.Get("ETag")
	d.device(shadow.Message{Topic: "hoistway/things/GW-1/shadow/update", Payload: []byte(`{"state":{"reported":{"retries":2}}}`)})
	got = d.send("GET", "/v1/things/GW-1/shadow", d.token, "")
	got.is(t, 200, `"version":3`, `"delta":{}`)
	if got.header.Get("ETag") != etag || etag != `"2"` {
		t.Errorf("ETag %s, at the write %s", got.header.Get("ETag"), etag)
	}
	d.send("GET", "/v1/things/GW-1/shadow", d.token, "", "If-None-Match: "+etag).is(t, 304)
	for _, c := range []struct {
		header string
		want   int
	}{
		{`If-Match: "1"`, 412}, {`If-None-Match: *`, 412}, {`If-None-Match: "1", "2"`, 412}, {`If-Match: "1", "2"`, 202}, {`If-Match: *`, 202},
	} {
		got := d.send("PATCH", "/v1/things/GW-1/shadow", d.token, `{"desired":{"retries":3}}`, c.header)
		got.is(t, c.want)
		if c.want == 412 && !strings.Contains(got.body, `"current":{"serial":"GW-1","shadow":"","version":3`) {
			t.Errorf("%s: %s", c.header, got.body)
		}
	}
}

// SE-10, SE-1: a key opens sessions and nothing else; sessions end, and are revoked by
// others; a viewer looks.
func TestSessions(t *testing.T) {
	d := open(t)
	d.send("GET", "/v1/things", "", "").is(t, 401)
	d.send("GET", "/v1/things", "key a", "").is(t, 401)
	d.send("POST", "/v1/sessions", "key x", "").is(t, 401)
	viewer := d.login("key v")
	d.send("GET", "/v1/things", viewer, "").is(t, 200, `"serial":"GW-1"`)
	d.send("PATCH", "/v1/things/GW-1/shadow", viewer, `{"desired":{"a":1}}`).is(t, 403)
	d.send("POST", "/v1/sessions/renew", viewer, "").is(t, 200, `"name":"vera"`)
	d.send("DELETE", "/v1/sessions/vera", d.token, "").is(t, 204)
	d.send("GET", "/v1/things", viewer, "").is(t, 401)
	d.send("DELETE", "/v1/sessions/own", d.token, "").is(t, 204)
	d.send("GET", "/v1/things", d.token, "").is(t, 401)
}

// SE-3: what cannot be is refused with its reason.
func TestRefusals(t *testing.T) {
	d := open(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		part               string
	}{
		{"GET", "/v1/nothing", "", 404, "no such path"},
		{"GET", "/v1/things/GW-9", "", 404, "no thing"},
		{"GET", "/v1/things/GW-9/writes", "", 404, "no thing"},
		{"GET", "/v1/things/GW-1/shadow/L9", "", 404, "No shadow"},
		{"PATCH", "/v1/things/GW-1/shadow", `{"reported":{"a":1}}`, 400, "unknown field"},
		{"PATCH", "/v1/things/GW-1/shadow", `{"desired":{}}`, 422, "no values"},
		{"PATCH", "/v1/things/GW-1/shadow", `{"desired":{"_intents":{}}}`, 422, "beside desired"},
		{"PATCH", "/v1/things/GW-1/shadow", `{"desired":{"a":1},"intent":{"id":"i","priority":11}}`, 422, "priority"},
		{"PATCH", "/v1/things/GW-1/shadow", `{"desired":{"a":"` + strings.Repeat("x", 9000) + `"}}`, 413, ""},
		{"PATCH", "/v1/things/GW-1/shadow", `{"desired":{"a":"` + strings.Repeat("x", maxBody) + `"}}`, 413, "65536"},
		{"PATCH", "/v1/things/GW-1/shadow", `{}{}`, 400, "more than one"},
		{"POST", "/v1/things/GW-1/commands", `{"cmd":"explode"}`, 400, "No such command"},
		{"POST", "/v1/things/GW-1/commands", `{"cmd":"open-door"}`, 403, "signature"},
		{"PUT", "/v1/things/GW-1/tags", `{"hours":"noon"}`, 422, "noon"},
		{"DELETE", "/v1/groups/none", "", 404, "none"},
		{"POST", "/v1/batches", `{"id":"B1","group":"none","desired":{"a":1}}`, 404, "none"},
		{"PUT", "/v1/topology/ship/A", `{}`, 422, "ship"},
		{"GET", "/v1/history/desired?since=yesterday", "", 400, "since"},
		{"POST", "/v1/faults", `{"name":"explode"}`, 422, "duplicate"},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) { d.send(c.method, c.path, d.token, c.body).is(t, c.status, c.part) })
	}
	d.send("GET", "/v1/things", d.token, "", "Host: example.com").is(t, 403)
	d.send("GET", "/v1/things", d.token, "", "Origin: http://example.com").is(t, 403)
}

// ST-5: the feed begins with whole documents, goes on with differences, tells notices.
func TestFeed(t *testing.T) {
	d := open(t)
	r, err := http.NewRequestWithContext(t.Context(), "GET", d.url+"/v1/feed?serial=GW-1", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	until(t, lines, `event: document`)
	until(t, lines, `"reported":{"wait_timeout":90}`)
	until(t, lines, `"reported":{"state":"IDLE"}`)
	until(t, lines, `: beat`)
	d.send("PATCH", "/v1/things/GW-2/shadow", d.token, `{"desired":{"a":1}}`).is(t, 202)
	d.send("PATCH", "/v1/things/GW-1/shadow", d.token, `{"desired":{"wait_timeout":120}}`).is(t, 202)
	until(t, lines, `event: change`)
	until(t, lines, `"desired":{"wait_timeout":120},"serial":"GW-1"`)
	d.send("POST", "/v1/things/GW-1/commands", d.token, `{"cmd":"self-test"}`).is(t, 202)
	d.device(shadow.Message{Topic: "hoistway/things/GW-1/events", Payload: []byte(`{"epoch":1,"seq":1,"kind":"ride.fault","lift":"L1","ride":"r-1","code":"DOOR_TIMEOUT"}`)})
	until(t, lines, `event: notice`)
	until(t, lines, `DOOR_TIMEOUT`)
}

// until reads lines up to one that holds a part. The test's own end cuts the stream.
func until(t *testing.T, lines *bufio.Scanner, part string) {
	t.Helper()
	found := make(chan bool, 1)
	go func() {
		for lines.Scan() {
			if strings.Contains(lines.Text(), part) {
				found <- true
				return
			}
		}
		found <- false
	}()
	select {
	case ok := <-found:
		if !ok {
			t.Fatalf("the stream ended before %s", part)
		}
	case <-time.After(patience):
		t.Fatalf("%s never came", part)
	}
}
