package localapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/core"
	"hoistway/agent/hooks"
)

// publicCalls are the calls that robots and people are promised, and where an answer of each is
// had: path and body for a real request.
var publicCalls = []struct{ call, path, body string }{
	{"GET /v1/lifts", "/v1/lifts", ""},
	{"GET /v1/lifts/{lift}", "/v1/lifts/L1", ""},
	{"GET /v1/lifts/{lift}/outputs", "/v1/lifts/L1/outputs", ""},
	{"GET /v1/events", "", ""},
	{"GET /v1/caller", "/v1/caller", ""},
	{"POST /v1/rides", "/v1/rides", `{"ride_id":"r-9","robot":"R2","lift":"L2","from":"B1","to":"2"}`},
	{"GET /v1/rides", "/v1/rides", ""},
	{"GET /v1/rides/{ride}", "/v1/rides/ride-1", ""},
	{"PATCH /v1/rides/{ride}", "/v1/rides/ride-1", onward},
	{"DELETE /v1/rides/{ride}", "/v1/rides/ride-1", ""},
	{"POST /v1/rides/{ride}/signals", "/v1/rides/ride-1/signals", ready},
	{"POST /v1/rides/{ride}/reset", "/v1/rides/ride-1/reset", outside},
	{"POST /v1/robots/{robot}/heartbeat", "/v1/robots/R1/heartbeat", beat},
	{"POST /v1/robots/{robot}/task-finished", "/v1/robots/R1/task-finished", `{"task_id":"T-1"}`},
	{"POST /v1/lifts/{lift}/maintenance", "/v1/lifts/L1/maintenance", `{"for_s":3600}`},
	{"DELETE /v1/lifts/{lift}/maintenance", "/v1/lifts/L1/maintenance", ""},
	{"POST /v1/lifts/{lift}/car-empty", "/v1/lifts/L1/car-empty", looked},
	{"POST /v1/areas/{area}/alarms/clear", "/v1/areas/A/alarms/clear", looked},
	{"POST /v1/stop", "/v1/stop", halt},
	{"GET /v1/shadow", "/v1/shadow", ""},
	{"POST /v1/webhooks/{lift}", "", ""},
	{"GET /v1/webhooks/{lift}", "", ""},
	{"GET /healthz", "", ""},
	{"GET /readyz", "/readyz", ""},
	{"GET /metrics", "", ""},
	{"GET /openapi.json", "", ""},
}

func described(t *testing.T) (*house, huma.API) {
	t.Helper()
	h := newHouse(t, func(o *Options) { o.Pushes = &fakePushes{status: hooks.Status{Verify: "token", Pushing: "unknown"}} })
	h.made(core.Created)
	api, _, err := h.described(http.NewServeMux())
	if err != nil {
		t.Fatal(err)
	}
	return h, api
}

// RB-1: the page has every call, with its refusals, who may make it, and an example of each body.
func TestThePageHasEveryCall(t *testing.T) {
	_, api := described(t)
	doc := api.OpenAPI()
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("version %q", doc.OpenAPI)
	}
	ids := map[string]bool{}
	for _, c := range publicCalls {
		method, path, _ := strings.Cut(c.call, " ")
		item := doc.Paths[path]
		if item == nil || operationOf(item, method) == nil {
			t.Errorf("%s is missing", c.call)
			continue
		}
		o := operationOf(item, method)
		if o.Summary == "" || len(o.Tags) == 0 || ids[o.OperationID] {
			t.Errorf("%s: summary %q, tags %v, id %q", c.call, o.Summary, o.Tags, o.OperationID)
		}
		ids[o.OperationID] = true
		if method != http.MethodGet && !strings.Contains(path, "webhooks") {
			for _, status := range []string{"401", "403", "409", "429", "503"} {
				if o.Responses[status] == nil {
					t.Errorf("%s does not tell of %s", c.call, status)
				}
			}
			if len(o.Security) != 1 || o.Security[0]["token"] == nil {
				t.Errorf("%s: security %v", c.call, o.Security)
			}
		}
		if c.body != "" && (o.RequestBody == nil || o.RequestBody.Content["application/json"].Example == nil) {
			t.Errorf("%s has no example of its body", c.call)
		}
		for _, p := range o.Parameters {
			if p.In == "path" && !strings.Contains(path, "{"+p.Name+"}") {
				t.Errorf("%s: %s is in no path", c.call, p.Name)
			}
		}
	}
}

// RB-1: what is answered is what the page says, and so are its own examples.
func TestAnswersAreAsThePageSays(t *testing.T) {
	h, api := described(t)
	for _, c := range publicCalls {
		if c.path == "" {
			continue
		}
		method, path, _ := strings.Cut(c.call, " ")
		got := h.do(t, request{method: method, path: c.path, token: techToken, body: c.body})
		o := operationOf(api.OpenAPI().Paths[path], method)
		said := o.Responses[fmt.Sprint(got.status)]
		if got.status >= 300 || said == nil {
			t.Errorf("%s: %d %s is not on the page", c.call, got.status, got.body)
			continue
		}
		fits(t, api, c.call, said.Content["application/json"].Schema, got.body)
	}
	for _, c := range []request{
		{method: "GET", path: "/v1/lifts/L9"},
		{method: "POST", path: "/v1/rides", body: newRide},
		{method: "DELETE", path: "/v1/lifts"},
		{method: "POST", path: "/v1/rides", token: techToken, body: `{"robot":"R1","lift":"L1","from":"Q","to":"2"}`},
	} {
		fits(t, api, c.method+" "+c.path, shapeOn[Problem](api), h.do(t, c).body)
	}
	for name, e := range examples() {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if api.OpenAPI().Components.Schemas.Map()[name] == nil {
			t.Errorf("the page has no shape %s", name)
			continue
		}
		fits(t, api, "example "+name, &huma.Schema{Ref: "#/components/schemas/" + name}, raw)
	}
}

// fits holds a body against a schema; unknown keys count as faults.
func fits(t *testing.T, api huma.API, what string, schema *huma.Schema, body []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	var res huma.ValidateResult
	huma.Validate(api.OpenAPI().Components.Schemas, schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, v, &res)
	for _, err := range res.Errors {
		t.Errorf("%s: %v", what, err)
	}
}

// The check itself: an answer with another key or type does not pass.
func TestThePageIsStrict(t *testing.T) {
	_, api := described(t)
	for _, body := range []string{`{"ready":"yes","reasons":[]}`, `{"ready":true}`, `{"ready":true,"reasons":[],"mood":"good"}`} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		var res huma.ValidateResult
		huma.Validate(api.OpenAPI().Components.Schemas, shapeOn[Ready](api), huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, v, &res)
		if len(res.Errors) == 0 {
			t.Errorf("%s passes", body)
		}
	}
}

// The page lists no call that is not there.
func TestThePageHasNoCallTooMany(t *testing.T) {
	h, api := described(t)
	mux := http.NewServeMux()
	if _, _, err := h.described(mux); err != nil {
		t.Fatal(err)
	}
	plain := []string{"/v1/events", "/healthz", "/readyz", "/metrics", "/openapi.json"}
	for path, item := range api.OpenAPI().Paths {
		for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
			if operationOf(item, method) == nil || slices.Contains(plain, path) {
				continue
			}
			r, _ := http.NewRequest(method, strings.NewReplacer("{lift}", "L1", "{ride}", "ride-1", "{robot}", "R1", "{area}", "A").Replace(path), nil)
			if _, pattern := mux.Handler(r); pattern == "" {
				t.Errorf("%s %s is on the page and not here", method, path)
			}
		}
	}
}
