package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/faults"
	"hoistway/simulator/loopback"
	"hoistway/simulator/picture"
)

// SM-7: a fault that is begun by hand comes to the site as it was meant.
func TestInject(t *testing.T) {
	s := &stand{}
	p := New(Options{Header: sampleHeader("x"), Site: s})
	w := asked(p, "POST", "/sim/faults", `{"fault":"late","target":"L2","arg":"3s","for":"90s","times":4,"from":2,"chance":50,"seed":9}`, nil)
	if w.Code != http.StatusNoContent {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := asked(p, "POST", "/sim/faults", `{"fault":"broker-gone","target":"cloud"}`, nil); w.Code != http.StatusNoContent {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	asked(p, "DELETE", "/sim/faults?target=L2&kind=late", "", nil)
	asked(p, "DELETE", "/sim/faults?target=L1", "", nil)
	begun, cleared := s.told()
	want := []faults.Fault{
		{Kind: "late", Target: "L2", Arg: "3s", For: 90 * time.Second, Times: 4, From: 2, Chance: 50, Seed: 9},
		{Kind: "broker-gone", Target: "cloud"},
	}
	if !slices.Equal(begun, want) || !slices.Equal(cleared, []string{"L2/late", "L1/"}) {
		t.Errorf("begun %+v, cleared %q", begun, cleared)
	}
}

// SM-7: what is wrong is refused with a reason, and nothing reaches the site.
func TestInjectRefuses(t *testing.T) {
	s := &stand{}
	p := New(Options{Header: sampleHeader("x"), Site: s})
	for _, c := range []struct {
		body string
		want int
		says string
	}{
		{`{"fault":"late"`, 400, "unexpected EOF"},
		{`{"fault":"late","target":"L1","until":"9s"}`, 400, `unknown field \"until\"`},
		{`{"fault":"late","target":"L1"} {}`, 400, "more than one"},
		{`{"fault":"late","target":"L1","arg":"` + strings.Repeat("9", maxBody) + `"}`, 413, "at most"},
		{`{"fault":"gremlins","target":"L1"}`, 422, "no such fault"},
		{`{"fault":"late","target":"L9"}`, 422, `cannot be aimed at \"L9\" here; there is: L1, L2, L3`},
		{`{"fault":"late","target":"r1"}`, 422, `cannot be aimed at \"r1\"`},
		{`{"fault":"late","target":"L1","arg":"soon"}`, 422, "wrong argument"},
		{`{"fault":"late","target":"L1","for":"soon"}`, 422, "want a time such as"},
		{`{"fault":"late","target":"L1","for":"-9s"}`, 422, "want a time such as"},
		{`{"fault":"late","target":"L1","times":-1}`, 422, "out of range"},
	} {
		w := asked(p, "POST", "/sim/faults", c.body, nil)
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%.60s: %d %s, want %d %s", c.body, w.Code, w.Body, c.want, c.says)
		}
	}
	if w := asked(p, "DELETE", "/sim/faults", "", nil); w.Code != 400 {
		t.Errorf("clear of no target: %d", w.Code)
	}
	if w := asked(p, "DELETE", "/sim/faults?target=L1&kind=gremlins", "", nil); w.Code != 422 || !strings.Contains(w.Body.String(), "gremlins") {
		t.Errorf("clear of a fault that there is not: %d %s", w.Code, w.Body)
	}
	if begun, cleared := s.told(); len(begun)+len(cleared) > 0 {
		t.Errorf("the site was told %v %v", begun, cleared)
	}
	s.refuse = errors.New("the car is in the pit")
	for _, w := range []string{
		asked(p, "POST", "/sim/faults", `{"fault":"late","target":"L1"}`, nil).Body.String(),
		asked(p, "DELETE", "/sim/faults?target=L1", "", nil).Body.String(),
	} {
		if !strings.Contains(w, "the car is in the pit") {
			t.Errorf("the site's refusal is told as %s", w)
		}
	}
}

// SM-7: nobody but the page itself and programs of this machine gets in.
func TestForeignersAreRefused(t *testing.T) {
	set := func(k, v string) func(*http.Request) { return func(r *http.Request) { r.Header.Set(k, v) } }
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	both := func(fs ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, f := range fs {
				f(r)
			}
		}
	}
	const fault = `{"fault":"fire","target":"L1"}`
	for _, c := range []struct {
		name, method, path string
		change             func(*http.Request)
		want               int
	}{
		{"a program", "POST", "/sim/faults", nil, 204},
		{"the page", "POST", "/sim/faults", both(set("Origin", "http://127.0.0.1:8090"), set("Sec-Fetch-Site", "same-origin")), 204},
		{"by IPv6", "POST", "/sim/faults", both(host("[::1]:8090"), set("Origin", "http://[::1]:8090")), 204},
		{"by name", "POST", "/sim/faults", both(host("localhost:8090"), set("Origin", "http://localhost:8090")), 204},
		{"another name for this machine", "POST", "/sim/faults", host("evil.example:8090"), 403},
		{"another name, read", "GET", "/sim/site", host("evil.example"), 403},
		{"another name, the page", "GET", "/", host("127.0.0.1.evil.example"), 403},
		{"an address of the network", "GET", "/", host("192.168.1.7:8090"), 403},
		{"no name", "GET", "/", host(""), 403},
		{"another page", "POST", "/sim/faults", set("Origin", "https://evil.example"), 403},
		{"a page of another port", "POST", "/sim/faults", set("Origin", "http://127.0.0.1:9999"), 403},
		{"a page without origin", "POST", "/sim/faults", set("Origin", "null"), 403},
		{"a foreign fetch", "POST", "/sim/faults", set("Sec-Fetch-Site", "cross-site"), 403},
		{"a neighbour's fetch", "DELETE", "/sim/faults?target=L1", set("Sec-Fetch-Site", "same-site"), 403},
		{"a foreign read", "GET", "/sim/catalogue", set("Sec-Fetch-Site", "cross-site"), 403},
		{"a foreign stream", "GET", "/sim/stream", set("Sec-Fetch-Site", "same-site"), 403},
		{"a link from elsewhere", "GET", "/", both(set("Sec-Fetch-Site", "cross-site"), set("Sec-Fetch-Mode", "navigate")), 200},
		{"a frame of the page elsewhere", "GET", "/", both(set("Sec-Fetch-Site", "cross-site"), set("Sec-Fetch-Mode", "no-cors")), 403},
		{"a form", "POST", "/sim/faults", set("Content-Type", "text/plain"), 415},
		{"no type", "POST", "/sim/control", func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		{"with a charset", "POST", "/sim/faults", set("Content-Type", "application/json; charset=utf-8"), 204},
		{"another method", "PUT", "/sim/faults", nil, 405},
		{"a file beside the page", "GET", "/web/../page.go", nil, 404},
	} {
		s := &stand{}
		p := New(Options{Header: sampleHeader("x"), Site: s})
		w := asked(p, c.method, c.path, fault, c.change)
		if c.want == 404 && w.Code == http.StatusTemporaryRedirect || w.Code == http.StatusMovedPermanently {
			w = asked(p, c.method, w.Header().Get("Location"), "", nil)
		}
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, w.Code, c.want, w.Body)
		}
		if begun, cleared := s.told(); (c.want != 204) != (len(begun)+len(cleared) == 0) {
			t.Errorf("%s: the site was told %v %v", c.name, begun, cleared)
		}
		h := w.Header()
		if !strings.Contains(h.Get("Content-Security-Policy"), "script-src 'self';") || strings.Contains(h.Get("Content-Security-Policy"), "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", c.name, h)
		}
	}
}

// SM-7: the page is for this machine only.
func TestServeOnLoopbackOnly(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	wide := &anywhere{ln}
	if err := New(Options{}).Serve(t.Context(), wide); !errors.Is(err, loopback.ErrNotLoopback) {
		t.Errorf("served on %s: %v", wide.Addr(), err)
	}
	if _, err := ln.Accept(); err == nil {
		t.Error("the listener is open still")
	}
}

type anywhere struct{ net.Listener }

func (anywhere) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4zero, Port: 80} }

// SM-3, SM-7: the form's catalogue is that of the faults, with words for each field.
func TestCatalogue(t *testing.T) {
	p := New(Options{Site: &stand{}})
	var rows []kind
	if err := json.Unmarshal(asked(p, "GET", "/sim/catalogue", "", nil).Body.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(faults.Catalogue()) {
		t.Errorf("%d rows for %d faults", len(rows), len(faults.Catalogue()))
	}
	for _, r := range rows {
		if r.Name == "" || r.Aim == "" || r.Takes == "" || r.Family == "" || r.Family == "unknown" || r.Does == "" || r.Owed == "" {
			t.Errorf("%+v has a field without a word", r)
		}
	}
	i := slices.IndexFunc(rows, func(r kind) bool { return r.Name == "door-stuck" })
	if i < 0 || rows[i].Aim != "lift" || rows[i].Takes != "side" || rows[i].Usual != "front" {
		t.Errorf("door-stuck is %+v", rows[max(i, 0)])
	}
	if got := asked(p, "GET", "/sim/targets", "", nil).Body.String(); strings.TrimSpace(got) != `{"cloud":["cloud"],"gateway":["gateway"],"lift":["L1","L2","L3"],"robot":["r1","r2"]}` {
		t.Errorf("targets %s", got)
	}
}

// SM-4, SM-7: the site's clock is offered where there is one.
func TestControl(t *testing.T) {
	s := &timed{speed: 1}
	p := New(Options{Site: s})
	for _, c := range []struct {
		body, want string
		code       int
	}{
		{`{"speed":10,"paused":false}`, `{"able":true,"paused":false,"speed":10}`, 200},
		{`{"speed":10,"paused":true}`, `{"able":true,"paused":true,"speed":10}`, 200},
		{`{"step":true}`, `{"able":true,"paused":true,"speed":10}`, 200},
		{`{"speed":0}`, "a speed of 0", 422},
		{`{"speed":-1}`, "a speed of -1", 422},
		{`{"speed":1e9}`, "a speed of 1e+09", 422},
		{`{"faster":true}`, "unknown field", 400},
	} {
		w := asked(p, "POST", "/sim/control", c.body, nil)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", c.body, w.Code, w.Body)
		}
	}
	if s.steps != 1 || s.speed != 10 {
		t.Errorf("%d steps, speed %v", s.steps, s.speed)
	}
	for name, p := range map[string]*Page{"a real site": New(Options{Site: &stand{}}), "no site": New(Options{})} {
		if got := asked(p, "GET", "/sim/control", "", nil).Body.String(); !strings.Contains(got, `"able":false`) {
			t.Errorf("%s: %s", name, got)
		}
		if w := asked(p, "POST", "/sim/control", `{"speed":1}`, nil); w.Code != 404 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

// SM-7: recordings are served whole, and what is not there is said.
func TestRecordings(t *testing.T) {
	h, frames := sample("served", 1)
	r := recorded(t, "served", h, frames)
	p := New(Options{Recordings: []Recording{r, {Name: "gone", File: r.File + ".not"}}})
	want, err := os.ReadFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	_, base := open(t, Options{Recordings: p.o.Recordings})
	answer, err := http.Get(base + "/sim/recordings/1")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got, all, err := picture.Read(answer.Body)
	if err != nil || got.Title != "served" || len(all) != len(frames) {
		t.Errorf("%d of %d frames (%d bytes), %v", len(all), len(frames), len(want), err)
	}
	for path, says := range map[string]string{"2": "no such file", "3": "there are 2", "0": "there are 2", "x": "there are 2"} {
		if w := asked(p, "GET", "/sim/recordings/"+path, "", nil); w.Code != 404 || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if got := asked(p, "GET", "/sim/site", "", nil).Body.String(); strings.TrimSpace(got) != `{"live":false,"inject":false,"agent":"","recordings":["served","gone"]}` {
		t.Errorf("site %s", got)
	}
	for _, path := range []string{"/sim/stream", "/sim/targets"} {
		if w := asked(p, "GET", path, "", nil); w.Code != 404 {
			t.Errorf("%s without a site: %d", path, w.Code)
		}
	}
}

// SM-7: the hub keeps no more than it must, and loses no waiting time before that.
func TestHubIsBounded(t *testing.T) {
	h := newHub()
	rd, _, _ := h.open()
	for i := range int64(3000) {
		h.show(picture.Frame{AtMS: i, Events: []picture.Event{{AtMS: i, Text: fmt.Sprint(i)}}, Waits: []int64{i}})
	}
	f, anew := h.take(rd)
	if anew || f.AtMS != 2999 || len(f.Events) != maxEvents || len(f.Waits) != 3000 {
		t.Fatalf("took %d ms, %d events, %d waits, anew %v", f.AtMS, len(f.Events), len(f.Waits), anew)
	}
	if f.Events[0].Who != "page" || f.Events[1].Text != "2501" || f.Events[499].Text != "2999" {
		t.Errorf("kept %+v … %+v", f.Events[:2], f.Events[499])
	}
	_, past, _ := h.open()
	if len(past) != pastEvents || past[0].AtMS != 2500 {
		t.Errorf("the past has %d frames from %d ms on", len(past), past[0].AtMS)
	}
	for i := range maxReaders {
		if _, _, ok := h.open(); ok != (i < maxReaders-2) {
			t.Errorf("reader %d let in: %v", i+3, ok)
		}
	}
}

// SM-7: a frame that was overtaken is not drawn but counts; a time far back is a new run.
func TestTimeRunsBack(t *testing.T) {
	h := newHub()
	rd, _, _ := h.open()
	event := func(s string) []picture.Event { return []picture.Event{{Text: s}} }
	h.show(picture.Frame{AtMS: 5000, Events: event("a")})
	h.show(picture.Frame{AtMS: 4900, Events: event("b")})
	f, anew := h.take(rd)
	if anew || f.AtMS != 5000 || len(f.Events) != 2 {
		t.Errorf("overtaken: %+v, anew %v", f, anew)
	}
	h.show(picture.Frame{AtMS: 5100, Events: event("c")})
	h.show(picture.Frame{AtMS: 0, Events: event("d")})
	f, anew = h.take(rd)
	if !anew || f.AtMS != 0 || len(f.Events) != 1 {
		t.Errorf("another run: %+v, anew %v", f, anew)
	}
	if _, past, _ := h.open(); len(past) != 1 || past[0].Events[0].Text != "d" {
		t.Errorf("the past is that of both runs: %+v", past)
	}
}
