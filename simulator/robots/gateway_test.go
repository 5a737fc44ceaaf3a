package robots

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// gateway is a scripted agent: the test writes the rides as their JSON, and it
// keeps what it heard. It is an http.RoundTripper, so that a robot and its time
// stay within one bubble, and an http.Handler.
type gateway struct {
	mu    sync.Mutex
	rides string // body of GET /v1/rides
	heard []heard
	made  []string // bodies of POST /v1/rides
	polls int
	// trouble may lose a request or its answer, by the kind of signal.
	trouble func(kind string, nth int) trouble
	slow    time.Duration // the answer to a poll takes this long
	dark    bool          // nothing is heard and nothing answered
	world   []string
}

type trouble int

const (
	none trouble = iota
	lostRequest
	lostAnswer // heard, but the robot does not learn it
	no         // 409
	notNow     // 503
)

type heard struct {
	path string
	at   time.Time
	signal
}

var errNetwork = errors.New("the network is away")

func (g *gateway) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if err := g.answer(w, r); err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := g.answer(w, r); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (g *gateway) answer(w http.ResponseWriter, r *http.Request) error {
	g.mu.Lock()
	slow := g.slow
	defer func() {
		g.mu.Unlock()
		if r.Method == http.MethodGet {
			time.Sleep(slow)
		}
	}()
	if g.dark {
		return errNetwork
	}
	if r.Header.Get("Authorization") != "Bearer t0ken" {
		w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	switch {
	case r.Method == http.MethodGet && r.URL.RequestURI() == "/v1/rides?robot=R1":
		g.polls++
		fmt.Fprint(w, "["+g.rides+"]")
	case r.Method == http.MethodPost && r.URL.Path == "/v1/rides":
		return g.make(w, r)
	case r.Method == http.MethodPost:
		return g.hear(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	return nil
}

func (g *gateway) make(w http.ResponseWriter, r *http.Request) error {
	var b bytes.Buffer
	_, _ = b.ReadFrom(r.Body)
	g.made = append(g.made, b.String())
	var asked struct {
		ID string `json:"ride_id"`
	}
	if err := json.Unmarshal(b.Bytes(), &asked); err != nil {
		return err
	}
	status := http.StatusCreated
	t := g.troubleOf("ask", len(g.made))
	if t == no {
		status = http.StatusUnprocessableEntity
	}
	return settle(w, t, status, fmt.Sprintf(`{"ride_id": %q, "title": "unknown floor", "code": "E-2101", "detail": "no floor 9"}`, asked.ID))
}

func (g *gateway) hear(w http.ResponseWriter, r *http.Request) error {
	h := heard{path: r.URL.Path, at: time.Now()}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&h.signal); err != nil {
		return err
	}
	nth := 1
	for _, x := range g.heard {
		if x.Kind == h.Kind {
			nth++
		}
	}
	t := g.troubleOf(h.Kind, nth)
	g.heard = append(g.heard, h) // lost ones too: the test sees every try
	return settle(w, t, http.StatusOK, "{}")
}

func (g *gateway) troubleOf(kind string, nth int) trouble {
	if g.trouble == nil {
		return none
	}
	return g.trouble(kind, nth)
}

func settle(w http.ResponseWriter, t trouble, status int, body string) error {
	switch t {
	case lostRequest, lostAnswer:
		return errNetwork
	case no:
		if status/100 == 2 {
			status = http.StatusConflict
		}
	case notNow:
		status = http.StatusServiceUnavailable
	}
	w.WriteHeader(status)
	fmt.Fprint(w, body)
	return nil
}

// goDark takes the agent away, or brings it back.
func (g *gateway) goDark(dark bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dark = dark
}

// delay makes each answer to a poll take d.
func (g *gateway) delay(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slow = d
}

// suffer sets what may be lost from now on; the robot may live already.
func (g *gateway) suffer(trouble func(kind string, nth int) trouble) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.trouble = trouble
}

// say sets what the agent answers from now on.
func (g *gateway) say(rides ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rides = strings.Join(rides, ",")
}

// kinds lists what was heard but heartbeats, each try.
func (g *gateway) kinds() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var ks []string
	for _, h := range g.heard {
		if h.Kind != kindHeartbeat && h.Kind != "" {
			ks = append(ks, h.Kind)
		}
	}
	return ks
}

// everything is what was heard so far, each try, and how often it was asked what to do.
func (g *gateway) everything() (hs []heard, polls int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.heard), g.polls
}

func (g *gateway) all(kind string) []heard {
	g.mu.Lock()
	defer g.mu.Unlock()
	var hs []heard
	for _, h := range g.heard {
		if h.Kind == kind {
			hs = append(hs, h)
		}
	}
	return hs
}

// Doorway and Load make the gateway the world of its robot, too.
func (g *gateway) Doorway(lift, side string, blocked bool) {
	g.felt("%s %s blocked=%v", lift, side, blocked)
}
func (g *gateway) Load(lift string, kg int) { g.felt("%s %d kg", lift, kg) }

func (g *gateway) felt(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.world = append(g.world, fmt.Sprintf(format, args...))
}

func (g *gateway) feltAll() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return strings.Join(g.world, ", ")
}

// The agent's words, written by hand from the description of the local API.
const (
	waiting = `{"ride_id": "r1", "robot": "R1", "lift": "L1", "from": "G", "to": "3", "from_door": "front", "to_door": "rear",
		"state": "WAITING", "phase": "called", "place": 0, "where": "outside", "permit": null, "withheld": [], "leave_pass": null,
		"do": {"do": "wait", "why": "the car comes", "until_ms": null}, "deadline_ms": 80000, "retries": 0, "fault": null, "transitions": []}`
	mayEnter = `{"ride_id": "r1", "robot": "R1", "lift": "L1", "from": "G", "to": "3", "from_door": "front", "to_door": "rear",
		"state": "WAITING", "phase": "boarding", "place": 0, "where": "unknown",
		"permit": {"id": "r1/7", "epoch": 2, "kind": "enter", "floor": "G", "side": "front", "start_within_ms": 2000, "through_within_ms": 9000},
		"withheld": [], "leave_pass": null, "do": {"do": "enter", "why": "the door is open", "until_ms": 2000}, "retries": 0, "fault": null}`
	riding = `{"ride_id": "r1", "robot": "R1", "lift": "L1", "from": "G", "to": "3", "from_door": "front", "to_door": "rear",
		"state": "MOVING", "phase": "riding", "where": "inside", "permit": null, "do": {"do": "stay", "why": "the car moves", "until_ms": null}, "fault": null}`
	mayLeave = `{"ride_id": "r1", "robot": "R1", "lift": "L1", "from": "G", "to": "3", "from_door": "front", "to_door": "rear",
		"state": "EXITING", "phase": "leaving", "where": "unknown",
		"permit": {"id": "r1/9", "epoch": 2, "kind": "leave", "floor": "3", "side": "rear", "start_within_ms": 2000, "through_within_ms": 9000},
		"do": {"do": "leave", "why": "the door is open", "until_ms": 2000}, "fault": null}`
	arrived = `{"ride_id": "r1", "robot": "R1", "lift": "L1", "from": "G", "to": "3", "from_door": "front", "to_door": "rear",
		"state": "DONE", "phase": "arrived", "where": "outside", "permit": null, "do": {"do": "wait", "why": "", "until_ms": null}, "fault": null}`
)

// but changes one part of the agent's words; the part must be there.
func but(t *testing.T, words, part, other string) string {
	t.Helper()
	if strings.Count(words, part) != 1 {
		t.Fatalf("%q is not once in %s", part, words)
	}
	return strings.Replace(words, part, other, 1)
}
