package localapi

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

const (
	newRide = `{"robot":"R1","lift":"L1","from":"G","to":"2"}`
	beat    = `{"boot":"b","seq":1,"age_ms":0,"where":"landing"}`
	ready   = `{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"landing"}`
	outside = `{"robot_is":"outside"}`
)

// SE-1: who may do what. The ride ride-1 belongs to R1.
func TestRoles(t *testing.T) {
	const away = "192.0.2.7:4000"
	for _, c := range []struct {
		who, token, remote string
		method, path, body string
		status             int
		code               string
	}{
		{"viewer", "", "", "GET", "/v1/lifts", "", 200, ""},
		{"viewer", "", "", "GET", "/v1/rides/ride-1", "", 200, ""},
		{"viewer", "", "", "GET", "/v1/shadow", "", 200, ""},
		{"viewer", "", "", "GET", "/metrics", "", 200, ""},
		{"viewer", "", "", "GET", "/v1/caller", "", 200, ""},
		{"stranger", "", away, "GET", "/v1/caller", "", 401, asNoToken.code},
		{"stranger", "guessed", "", "GET", "/v1/caller", "", 401, asWrongToken.code},
		{"viewer", "", "", "POST", "/v1/rides", newRide, 401, asNoToken.code},
		{"viewer", "", "", "DELETE", "/v1/rides/ride-1", "", 401, asNoToken.code},
		{"viewer", "", "", "POST", "/v1/rides/ride-1/signals", ready, 401, asNoToken.code},
		{"viewer", "", "", "POST", "/v1/robots/R1/heartbeat", beat, 401, asNoToken.code},
		{"viewer", "", "", "POST", "/v1/rides/ride-1/reset", outside, 401, asNoToken.code},
		{"viewer", "", "", "PATCH", "/v1/rides/ride-1", onward, 401, asNoToken.code},
		{"viewer", "", "", "POST", "/v1/stop", halt, 401, asNoToken.code},
		{"viewer", "", "", "POST", "/v1/lifts/L1/maintenance", "{}", 401, asNoToken.code},
		{"viewer", "", "", "DELETE", "/v1/lifts/L1/maintenance", "", 401, asNoToken.code},
		{"viewer", "", "", "POST", "/v1/lifts/L1/car-empty", looked, 401, asNoToken.code},
		{"viewer", "", "", "POST", "/v1/areas/A/alarms/clear", looked, 401, asNoToken.code},
		{"robot", robotToken, "", "PATCH", "/v1/rides/ride-1", onward, 200, ""},
		{"robot", robotToken, "", "POST", "/v1/stop", halt, 403, asNotAllowed.code},
		{"robot", robotToken, "", "POST", "/v1/lifts/L1/maintenance", "{}", 403, asNotAllowed.code},
		{"robot", robotToken, "", "DELETE", "/v1/lifts/L1/maintenance", "", 403, asNotAllowed.code},
		{"robot", robotToken, "", "POST", "/v1/lifts/L1/car-empty", looked, 403, asNotAllowed.code},
		{"robot", robotToken, "", "POST", "/v1/areas/A/alarms/clear", looked, 403, asNotAllowed.code},
		{"other robot", otherToken, "", "PATCH", "/v1/rides/ride-1", onward, 404, asNoRide.code},
		{"technician", techToken, "", "PATCH", "/v1/rides/ride-1", onward, 200, ""},
		{"technician", techToken, "", "POST", "/v1/stop", halt, 200, ""},
		{"technician", techToken, "", "POST", "/v1/lifts/L1/maintenance", "{}", 200, ""},
		{"technician", techToken, "", "DELETE", "/v1/lifts/L1/maintenance", "", 200, ""},
		{"technician", techToken, "", "POST", "/v1/lifts/L1/car-empty", looked, 200, ""},
		{"technician", techToken, "", "POST", "/v1/areas/A/alarms/clear", looked, 200, ""},
		{"stranger", "", away, "GET", "/v1/lifts", "", 401, asNoToken.code},
		{"stranger", "", away, "GET", "/v1/events", "", 401, asNoToken.code},
		{"stranger", "", away, "GET", "/metrics", "", 401, asNoToken.code},
		{"stranger", "", away, "GET", "/healthz", "", 200, ""},
		{"robot", robotToken, away, "GET", "/v1/rides/ride-1", "", 200, ""},
		{"robot", robotToken, "", "POST", "/v1/rides", newRide, 201, ""},
		{"robot", robotToken, "", "DELETE", "/v1/rides/ride-1", "", 202, ""},
		{"robot", robotToken, "", "POST", "/v1/rides/ride-1/signals", ready, 200, ""},
		{"robot", robotToken, "", "POST", "/v1/robots/R1/heartbeat", beat, 200, ""},
		{"robot", robotToken, "", "POST", "/v1/rides/ride-1/reset", outside, 403, asNotAllowed.code},
		{"robot", robotToken, "", "GET", "/v1/rides?robot=R2", "", 403, asNotAllowed.code},
		{"other robot", otherToken, "", "GET", "/v1/rides/ride-1", "", 404, asNoRide.code},
		{"other robot", otherToken, "", "DELETE", "/v1/rides/ride-1", "", 404, asNoRide.code},
		{"other robot", otherToken, "", "POST", "/v1/rides/ride-1/signals", ready, 404, asNoRide.code},
		{"other robot", otherToken, "", "POST", "/v1/robots/R1/heartbeat", beat, 403, asNotAllowed.code},
		{"other robot", otherToken, "", "POST", "/v1/rides", newRide, 403, asNotAllowed.code},
		{"other robot", otherToken, "", "GET", "/v1/events?ride=ride-1", "", 404, asNoRide.code},
		{"technician", techToken, away, "POST", "/v1/rides", newRide, 201, ""},
		{"technician", techToken, "", "POST", "/v1/rides", `{"lift":"L1","from":"G","to":"2"}`, 400, asMalformed.code},
		{"technician", techToken, "", "DELETE", "/v1/rides/ride-1", "", 202, ""},
		{"technician", techToken, "", "POST", "/v1/rides/ride-1/reset", outside, 200, ""},
		{"viewer", "", "", "POST", "/v1/robots/R1/task-finished", `{"task_id":"T-1"}`, 401, asNoToken.code},
		{"robot", robotToken, "", "POST", "/v1/robots/R1/task-finished", `{"task_id":"T-1"}`, 202, ""}, // RD-10
		{"other robot", otherToken, "", "POST", "/v1/robots/R1/task-finished", `{"task_id":"T-1"}`, 403, asNotAllowed.code},
		{"technician", techToken, "", "POST", "/v1/robots/R9/heartbeat", beat, 404, asNoRobot.code},
	} {
		h := newHouse(t)
		h.made(core.Created)
		got := h.do(t, request{method: c.method, path: c.path, token: c.token, body: c.body, remote: c.remote})
		if got.status != c.status || got.problem.Code != c.code {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.who, c.method, c.path, got.status, got.problem.Code, c.status, c.code)
		}
		if refused := got.status >= 400; refused && len(h.loop.asked()) != 0 {
			t.Errorf("%s %s %s: refused, but the loop was asked", c.who, c.method, c.path)
		}
		if got.status == 401 && got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s %s %s: 401 names no way to sign in", c.who, c.method, c.path)
		}
	}
}

// SE-1: a caller is told who it is taken for.
func TestCaller(t *testing.T) {
	h := newHouse(t)
	for token, want := range map[string]Caller{"": {Role: "viewer"}, robotToken: {"robot", "R1"}, techToken: {"technician", "site-technician"}} {
		if got := decoded[Caller](t, h.do(t, request{method: "GET", path: "/v1/caller", token: token})); got != want {
			t.Errorf("%q is %+v, want %+v", token, got, want)
		}
	}
}

func TestRobotListsItsOwnRides(t *testing.T) {
	h := newHouse(t)
	h.loop.change(func(v *core.View) { v.Rides = append(v.Rides, rideView("ride-2", "R2", v.Lifts[0].Floors, start)) })
	for token, want := range map[string]string{"": "ride-1 ride-2", robotToken: "ride-1", otherToken: "ride-2", techToken: "ride-1 ride-2"} {
		var ids []string
		for _, r := range decoded[[]Ride](t, h.do(t, request{method: "GET", path: "/v1/rides", token: token})) {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q sees %q, want %q", token, got, want)
		}
	}
	if r := decoded[[]Ride](t, h.do(t, request{method: "GET", path: "/v1/rides?robot=R2"})); len(r) != 1 || r[0].ID != "ride-2" {
		t.Errorf("?robot=R2: %+v", r)
	}
}

// SE-5, SE-6: guesses wait ever longer, right tokens never; no token is logged.
func TestWrongTokensAreSlowedCountedAndNotLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := newHouse(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		took := func(token string) (time.Duration, int) {
			began := time.Now()
			got := h.do(t, request{method: "GET", path: "/v1/lifts", token: token})
			return time.Since(began), got.status
		}
		for i, want := range []time.Duration{100, 200, 400, 800, 1600, 2000, 2000} {
			if d, status := took("guess"); status != 401 || d != want*time.Millisecond {
				t.Errorf("guess %d: %d after %s, want %s", i, status, d, want*time.Millisecond)
			}
			if d, status := took(robotToken); status != 200 || d != 0 {
				t.Errorf("a right token: %d after %s", status, d)
			}
		}
		if got := h.do(t, request{method: "GET", path: "/v1/lifts", header: map[string]string{"Authorization": "Basic cm9ib3Q6cm9ib3Q="}}); got.status != 401 {
			t.Errorf("another scheme: %d", got.status)
		}
		metrics := string(h.do(t, request{method: "GET", path: "/metrics"}).body)
		if !strings.Contains(metrics, "hoistway_http_wrong_tokens_total 8\n") {
			t.Error("the guesses are not counted")
		}
		if !strings.Contains(log.String(), "refused a wrong token") || strings.Contains(log.String(), "guess\"") || strings.Contains(log.String(), "guess ") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// SE-5: what is remembered of guesses, and how many wait, is bounded.
func TestGuessesAreBounded(t *testing.T) {
	g := newGuesses()
	for i := range 5 * guessPlaces {
		g.count(fmt.Sprintf("192.0.2.%d", i), elevator.Instant(i+1))
	}
	if len(g.places) != guessPlaces {
		t.Errorf("%d places are kept, want %d", len(g.places), guessPlaces)
	}
	if d := g.count("again", elevator.Instant(time.Hour)); d != guessStep {
		t.Errorf("a new place waits %s", d)
	}
	for range guessWaiting {
		g.waiting <- struct{}{}
	}
	if g.pause(t.Context(), "one more", 1) {
		t.Error("one more than the limit waited")
	}
}

// SE-1: another name for this machine, and a page of another origin.
func TestHostAndOrigin(t *testing.T) {
	for _, c := range []struct {
		host   string
		header map[string]string
		method string
		status int
		code   string
	}{
		{"localhost:8732", nil, "GET", 200, ""},
		{"LOCALHOST", nil, "GET", 200, ""},
		{"[::1]:8732", nil, "GET", 200, ""},
		{"127.0.0.2", nil, "GET", 200, ""},
		{"gateway.site", nil, "GET", 200, ""},
		{"evil.example", nil, "GET", 403, asForeign.code},
		{"127.0.0.1.evil.example:8732", nil, "GET", 403, asForeign.code},
		{"192.0.2.1", nil, "GET", 403, asForeign.code},
		{"localhost", map[string]string{"Origin": "http://localhost"}, "DELETE", 202, ""},
		{"localhost", map[string]string{"Origin": "http://evil.example"}, "DELETE", 403, asForeign.code},
		{"localhost", map[string]string{"Origin": "http://localhost:9999"}, "DELETE", 403, asForeign.code},
		{"localhost", map[string]string{"Origin": "null"}, "DELETE", 403, asForeign.code},
		{"localhost", map[string]string{"Sec-Fetch-Site": "cross-site"}, "DELETE", 403, asForeign.code},
		{"localhost", map[string]string{"Sec-Fetch-Site": "same-site"}, "DELETE", 403, asForeign.code},
		{"localhost", map[string]string{"Sec-Fetch-Site": "same-origin"}, "DELETE", 202, ""},
	} {
		h := newHouse(t, func(o *Options) { o.Hosts = []string{"gateway.site"} })
		got := h.do(t, request{method: c.method, path: "/v1/rides/ride-1", token: techToken, host: c.host, header: c.header})
		if got.status != c.status || got.problem.Code != c.code {
			t.Errorf("%s %s %v: %d %s, want %d %s", c.method, c.host, c.header, got.status, got.problem.Code, c.status, c.code)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	h := newHouse(t)
	for _, path := range []string{"/", "/v1/lifts", "/nothing"} {
		got := h.do(t, request{method: "GET", path: path}).header
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"} {
			if got.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, got.Get(name))
			}
		}
		if csp := got.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
}

func TestPanicBecomesProblem(t *testing.T) {
	var log bytes.Buffer
	h := newHouse(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	h.loop.answer = func(core.Order) (core.Answer, error) { panic("a bug") }
	got := h.do(t, request{method: "DELETE", path: "/v1/rides/ride-1", token: techToken})
	if got.status != http.StatusInternalServerError || got.problem.Code != asInternal.code || !strings.Contains(log.String(), "a bug") {
		t.Errorf("%d %+v; log %s", got.status, got.problem, log.String())
	}
	if len(h.calls) != 0 {
		t.Error("the slot of the failed call is not free again")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	h := newHouse(t)
	good := h.o
	good.Metrics = nil
	for name, spoil := range map[string]func(*Options){
		"no backend":           func(o *Options) { o.Backend = nil },
		"a token, not its sum": func(o *Options) { o.Robots = []RobotAuth{{ID: "R1", TokenSHA256: "secret"}} },
		"a robot twice":        func(o *Options) { o.Robots = []RobotAuth{{ID: "R1"}, {ID: "R1"}} },
		"a token twice": func(o *Options) {
			o.Robots = []RobotAuth{{ID: "R1", TokenSHA256: sumOf("x")}}
			o.Technicians = []TechAuth{{Name: "T", TokenSHA256: sumOf("x")}}
		},
		"a technician without token": func(o *Options) { o.Technicians = []TechAuth{{Name: "T"}} },
		"metrics taken already":      func(o *Options) { o.Metrics = h.o.Metrics },
	} {
		o := good
		spoil(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := New(good); err != nil {
		t.Errorf("good options: %v", err)
	}
}
