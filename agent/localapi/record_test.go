package localapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/agent/audit"
	"hoistway/agent/core"
	"hoistway/agent/journal"
)

// archive has the record of one ride of R1; that of another has made room.
type archive struct{}

func (archive) Record(_ context.Context, ride string) (*journal.Record, error) {
	switch ride {
	case "ride-1":
		return &journal.Record{Schema: journal.Schema, Ride: journal.RecordRide{ID: ride, Robot: "R1"}}, nil
	case "old":
		return nil, &journal.Dropped{Ride: ride, Robot: "R1", At: time.UnixMilli(0).UTC()}
	case "broken":
		return nil, errors.New("input/output error in a folder that is nobody's business")
	}
	return nil, journal.ErrNone
}

func (archive) List(_ context.Context, n int) ([]journal.Kept, error) {
	list := []journal.Kept{{Ride: "ride-9", Robot: "R2", Running: true}, {Ride: "ride-1", Robot: "R1", Faulted: true, Bytes: 1200}}
	return list[:min(n, len(list))], nil
}

// RB-4: what is kept can be listed by a technician, a few at a time.
func TestRecordsAreListed(t *testing.T) {
	h, _ := kept(t)
	ask := func(query, token string) reply {
		return h.do(t, request{method: "GET", path: "/v1/records" + query, token: token})
	}
	if got := decoded[[]journal.Kept](t, ask("", techToken)); len(got) != 2 || got[0].Ride != "ride-9" || !got[1].Faulted {
		t.Errorf("%+v", got)
	}
	if got := decoded[[]journal.Kept](t, ask("?limit=1", techToken)); len(got) != 1 {
		t.Errorf("one at most: %+v", got)
	}
	if got := ask("?limit=0", techToken); got.status != 422 && got.status != 400 {
		t.Errorf("none: %d", got.status)
	}
	if got := ask("", robotToken); got.status != 403 {
		t.Errorf("a robot: %d", got.status)
	}
	none := newHouse(t)
	if got := none.do(t, request{method: "GET", path: "/v1/records", token: techToken}); got.status != 404 || got.problem.Code != asNoRecord.code {
		t.Errorf("where none are kept: %d", got.status)
	}
}

// ledger is an audit that may fail.
type ledger struct {
	mu   sync.Mutex
	acts []audit.Entry
	fail error
}

func (l *ledger) Act(e audit.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return l.fail
	}
	l.acts = append(l.acts, e)
	return nil
}

func (l *ledger) Last(outputs bool, n int) ([]audit.Entry, error) {
	if outputs {
		return []audit.Entry{{What: "hold", Outcome: "done"}}, nil
	}
	return l.acts[max(0, len(l.acts)-n):], l.fail
}

func kept(t *testing.T) (*house, *ledger) {
	l := &ledger{}
	return newHouse(t, func(o *Options) { o.Records, o.Audit = archive{}, l }), l
}

// RB-4, SE-1: the record is the technician's and the ride's own robot's; of one that is
// gone they learn when, and others nothing.
func TestWhoReadsARecord(t *testing.T) {
	h, _ := kept(t)
	for _, c := range []struct {
		token, ride string
		status      int
		code, words string
	}{
		{"", "ride-1", 401, "E-2003", ""},
		{robotToken, "ride-1", 200, "", `"schema":"hoistway.record/1"`},
		{techToken, "ride-1", 200, "", `"robot":"R1"`},
		{otherToken, "ride-1", 404, "E-2030", ""},
		{techToken, "old", 404, "E-2030", "dropped on 1970-01-01"},
		{robotToken, "old", 404, "E-2030", "dropped on"},
		{otherToken, "old", 404, "E-2030", "no record of a ride"},
		{techToken, "never", 404, "E-2030", "no record of a ride"},
		{techToken, "broken", 503, "E-2015", "the log says more"},
	} {
		got := h.do(t, request{method: "GET", path: "/v1/rides/" + c.ride + "/record", token: c.token})
		if got.status != c.status || got.problem.Code != c.code || !strings.Contains(string(got.body), c.words) {
			t.Errorf("%q of %s: %d %s", c.token, c.ride, got.status, got.body)
		}
		if c.token == otherToken && strings.Contains(string(got.body), "dropped") {
			t.Errorf("another robot learns of %s: %s", c.ride, got.body)
		}
	}
	none := newHouse(t)
	if got := none.do(t, request{method: "GET", path: "/v1/rides/ride-1/record", token: techToken}); got.status != 404 {
		t.Errorf("without a recorder: %d", got.status)
	}
}

// SE-7: an act of a technician is written down before it is carried out, and what came of
// it afterwards; what robots do and what only looks is no act.
func TestActsAreAudited(t *testing.T) {
	h, l := kept(t)
	h.made(core.Created)
	h.loop.answer = func(o core.Order) (core.Answer, error) {
		if len(l.acts)%2 != 1 {
			t.Errorf("%T is carried out before it is written down", o)
		}
		return core.Answer{Status: core.Conflict, Code: "E-2111", Detail: "there is no fault"}, nil
	}
	h.do(t, request{method: "POST", path: "/v1/rides/ride-1/reset", token: techToken, body: `{"robot_is":"outside","seen_by":"the porter"}`})
	if len(l.acts) != 2 {
		t.Fatalf("%+v", l.acts)
	}
	asked, came := l.acts[0], l.acts[1]
	if asked.By != "site-technician" || asked.What != "POST /v1/rides/ride-1/reset" || asked.Ride != "ride-1" || asked.Outcome != "asked" ||
		asked.Detail != `{"robot_is":"outside","seen_by":"the porter"}` || asked.At.IsZero() {
		t.Errorf("asked %+v", asked)
	}
	if came.ID != asked.ID || came.Outcome != "refused" || came.Code != "E-2111" || came.Detail != "there is no fault" {
		t.Errorf("came %+v", came)
	}
	h.loop.answer = nil
	h.do(t, request{method: "DELETE", path: "/v1/rides/ride-1", token: techToken})
	h.do(t, request{method: "POST", path: "/v1/rides", token: techToken, body: `{"token":"s3cret-s3cret","reason":"a test"}`})
	if len(l.acts) != 6 || l.acts[3].Outcome != "done" || strings.Contains(l.acts[4].Detail, "s3cret") || l.acts[4].Why != "a test" || l.acts[5].Outcome != "refused" {
		t.Errorf("%+v", l.acts[2:])
	}
	for _, q := range []request{
		{method: "GET", path: "/v1/lifts", token: techToken},
		{method: "POST", path: "/v1/robots/R1/heartbeat", token: techToken, body: beat},
		{method: "POST", path: "/v1/rides/ride-1/signals", token: robotToken, body: ready},
		{method: "DELETE", path: "/v1/rides/ride-1", token: robotToken},
		{method: "DELETE", path: "/v1/rides/ride-1"},
		{method: "POST", path: "/v1/nothing", token: techToken, body: "{}"},
	} {
		h.do(t, q)
	}
	if len(l.acts) != 6 {
		t.Errorf("no acts, but written down: %+v", l.acts[6:])
	}
}

// SE-7: what cannot be written down is not carried out, unless it ends something.
func TestNothingIsDoneWithoutAudit(t *testing.T) {
	h, l := kept(t)
	l.fail = errors.New("no space left on device")
	for _, q := range []request{
		{method: "POST", path: "/v1/rides/ride-1/reset", token: techToken, body: outside},
		{method: "POST", path: "/v1/rides", token: techToken, body: newRide},
		{method: "PATCH", path: "/v1/rides/ride-1", token: techToken, body: onward},
		{method: "POST", path: "/v1/stop", token: techToken, body: `{"on":false}`},
		{method: "DELETE", path: "/v1/lifts/L1/maintenance", token: techToken},
		{method: "POST", path: "/v1/lifts/L1/car-empty", token: techToken, body: looked},
		{method: "POST", path: "/v1/areas/A/alarms/clear", token: techToken, body: looked},
	} {
		if got := h.do(t, q); got.status != 503 || got.problem.Code != "E-2031" || len(h.loop.asked()) != 0 {
			t.Errorf("%s: %d %s, asked %v", q.path, got.status, got.body, h.loop.asked())
		}
	}
	if got := h.do(t, request{method: "DELETE", path: "/v1/rides/ride-1", token: techToken}); got.status != 202 || len(h.loop.asked()) != 1 {
		t.Errorf("a cancel: %d %s", got.status, got.body)
	}
	maintain := request{method: "POST", path: "/v1/lifts/L1/maintenance", token: techToken, body: `{"for_s":1}`}
	for _, q := range []request{{method: "POST", path: "/v1/stop", token: techToken, body: halt}, maintain} {
		if got := h.do(t, q); got.status != 200 {
			t.Errorf("%s: %d %s", q.path, got.status, got.body)
		}
	}
	h.loop.change(func(v *core.View) { v.Lifts[0].Maintenance = &core.Maintenance{By: "x"} })
	if got := h.do(t, maintain); got.status != 503 { // it would end what stands
		t.Errorf("another end of maintenance: %d %s", got.status, got.body)
	}
	if got := h.do(t, request{method: "POST", path: "/v1/rides/ride-1/signals", token: robotToken, body: ready}); got.status != 200 {
		t.Errorf("a robot's signal: %d %s", got.status, got.body)
	}
	if got := h.do(t, request{method: "GET", path: "/v1/audit", token: techToken}); got.status != 503 {
		t.Errorf("read: %d", got.status)
	}
}

func TestAuditIsTheTechnicians(t *testing.T) {
	h, l := kept(t)
	for range 5 {
		_ = l.Act(audit.Entry{What: "reset", Outcome: "done"})
	}
	for token, want := range map[string]int{"": 401, robotToken: 403, techToken: 200} {
		if got := h.do(t, request{method: "GET", path: "/v1/audit", token: token}); got.status != want {
			t.Errorf("%q: %d", token, got.status)
		}
	}
	for query, want := range map[string]int{"": 5, "?limit=2": 2, "?of=outputs": 1} {
		if list := decoded[[]audit.Entry](t, h.do(t, request{method: "GET", path: "/v1/audit" + query, token: techToken})); len(list) != want {
			t.Errorf("%s: %+v", query, list)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=1001", "?of=secrets"} {
		if got := h.do(t, request{method: "GET", path: "/v1/audit" + query, token: techToken}); got.status/100 != 4 {
			t.Errorf("%s: %d", query, got.status)
		}
	}
}

// The page of the API describes the record whole, with what is embedded in its lanes.
func TestRecordInTheOpenAPI(t *testing.T) {
	h, _ := kept(t)
	var page struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(h.do(t, request{method: "GET", path: "/openapi.json"}).body, &page); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"t_ms", "at", "until_ms", "verb", "result"} {
		if _, ok := page.Components.Schemas["CommandSpan"].Properties[key]; !ok {
			t.Errorf("CommandSpan has no %s", key)
		}
	}
	if len(page.Components.Schemas["Lanes"].Properties) != 13 {
		t.Errorf("lanes %v", page.Components.Schemas["Lanes"])
	}
}
