package escort

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/drivers/peer"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/replica/replicatest"
)

var floors = elevator.Table{
	{Label: "G", Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Doors: []elevator.Side{elevator.Front}},
}

const patience = 30 * time.Second

// far is a gateway by its public words alone.
type far struct {
	t   *testing.T
	srv *httptest.Server

	mu      sync.Mutex
	wall    time.Time // what it takes for the time
	late    string    // the same, of an answer to a signal; "" as ride
	ride    string    // what it says of the ride beside id, robot, lift, from and to
	heard   []map[string]any
	hold    func(*http.Request) // before it answers, without the lock
	cut     bool
	gone    bool
	nowhere bool // it has no rides of the robot
}

func newFar(t *testing.T) *far {
	f := &far{t: t, wall: time.Now(), ride: waitingJSON}
	f.srv = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.srv.Close)
	return f
}

const (
	waitingJSON = `"state":"WAITING","phase":"boarding","where":"outside","permit":null,"withheld":[],"leave_pass":null,"do":{"do":"wait","why":"w","until_ms":null},"deadline_ms":null,"fault":null`
	permitJSON  = `"state":"WAITING","phase":"boarding","where":"unknown","permit":{"id":"r1/1","epoch":3,"kind":"enter","floor":"G","side":"front","start_within_ms":2000,"through_within_ms":8000},"withheld":[],"leave_pass":null,"do":{"do":"enter","why":"open","until_ms":2000},"deadline_ms":null,"fault":null`
	insideJSON  = `"state":"MOVING","phase":"riding","where":"inside","permit":null,"withheld":[],"leave_pass":{"floor":"1","side":"front","not_after_ms":600000},"do":{"do":"stay","why":"riding","until_ms":null},"deadline_ms":null,"fault":null`
)

func (f *far) serve(w http.ResponseWriter, r *http.Request) {
	if f.holding(r); strings.HasPrefix(r.URL.Path, "/v1/events") || strings.HasPrefix(r.URL.Path, "/v1/lifts") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	one := fmt.Sprintf(`{"ride_id":"r1","at":%q,"robot":"R1","lift":"L9","from":"G","to":"1","from_door":"front","to_door":"front",%s}`, f.wall.Format(time.RFC3339), f.ride)
	switch {
	case f.gone:
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"code":"E-2006","status":404,"title":"no such ride"}`)
	case r.Method == http.MethodGet && r.URL.Path == "/v1/rides" && f.nowhere:
		fmt.Fprint(w, "[]")
	case r.Method == http.MethodGet && r.URL.Path == "/v1/rides":
		fmt.Fprint(w, "["+one+"]")
	case strings.HasSuffix(r.URL.Path, "/signals"):
		var s map[string]any
		_ = json.NewDecoder(r.Body).Decode(&s)
		f.heard = append(f.heard, s)
		if f.late != "" {
			one = strings.Replace(one, f.ride, f.late, 1)
		}
		fmt.Fprint(w, one)
	default:
		fmt.Fprint(w, one)
	}
}

func (f *far) holding(r *http.Request) {
	f.mu.Lock()
	hold := f.hold
	f.mu.Unlock()
	if hold != nil {
		hold(r)
	}
}

func (f *far) set(edit func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	edit()
}

func (f *far) dial(ctx context.Context, network, address string) (net.Conn, error) {
	f.mu.Lock()
	cut := f.cut
	f.mu.Unlock()
	if cut {
		return nil, errors.New("no way there")
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// lose cuts the way, with every connection.
func (f *far) lose() {
	f.set(func() { f.cut = true })
	f.srv.CloseClientConnections()
}

// near is an escort before the far gateway.
func near(t *testing.T, f *far, edit ...func(*Options)) *Escort {
	t.Helper()
	secrets := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(secrets, []byte("token=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	now := func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
	u, _ := url.Parse("hoistway+" + f.srv.URL + "?lift=L9&secrets=" + secrets)
	reg, err := drivers.NewRegistry(peer.Factories(drivers.Env{Now: now, Dial: f.dial})...)
	if err != nil {
		t.Fatal(err)
	}
	opener, err := reg.New(drivers.Spec{Lift: "L1", URL: u, Floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	link, err := opener.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Robot: "R1", Word: "agent", Lifts: []Lift{{ID: "L1", Group: "L1", Far: "L9", Gateway: u.Host, Floors: floors, Link: link}},
		Store: &replicatest.Memory{}, Now: now, Wall: time.Now, Log: slog.New(slog.DiscardHandler), Every: 100 * time.Millisecond,
		Boot: core.Boot{ID: "b"},
	}
	for _, x := range edit {
		x(&o)
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = e.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		_ = link.Close()
	})
	return e
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what + " never came")
		}
	}
}

func (e *Escort) ride1() (r fsm.Ride) {
	for _, v := range e.View().Rides {
		if v.Ride.ID == "r1" {
			return v.Ride
		}
	}
	return r
}

func say(e *Escort, seq uint64, kind fsm.SignalKind, where fsm.SignalWhere) core.Answer {
	a, err := e.Ask(context.Background(), core.SendSignal{Ride: "r1", Signal: fsm.Signal{
		Kind: kind, Boot: "soft", Seq: seq, View: fsm.RobotView{Where: where}, Battery: -1,
	}})
	if err != nil {
		return core.Answer{Status: core.AnswerUnknown, Detail: err.Error()}
	}
	return a
}

// RD-11: a ride from before the agent's start is found; the gateway's clock may be hours
// away, its permit lasts what it was given for.
func TestClockOfTheOtherIsOff(t *testing.T) {
	for _, off := range []time.Duration{7 * time.Hour, -9 * time.Hour} {
		f := newFar(t)
		f.set(func() { f.wall, f.ride = time.Now().Add(off), permitJSON })
		e := near(t, f)
		until(t, "the permit", func() bool { return e.ride1().Permit.N == 1 })
		r, now := e.ride1(), e.o.Now()
		if r.Permit.Start.Until(now) > 2*time.Second || r.Permit.Through.Until(now) > 8*time.Second || r.Lift != "L1" || r.From != 1 {
			t.Errorf("%s off: %+v at %d", off, r.Permit, now)
		}
		if a := e.Page().Advise(&r, now); a.Do != fsm.DoEnter {
			t.Errorf("%s off: told to %+v", off, a)
		}
	}
}

// RB-6: an answer that comes after one that was asked for later brings no permit back.
func TestLateAnswerBringsNoPermit(t *testing.T) {
	f := newFar(t)
	release := make(chan struct{})
	f.set(func() { f.ride, f.nowhere = permitJSON, true })
	e := near(t, f)
	if a, err := e.Ask(context.Background(), core.CreateRide{Request: fsm.Request{ID: "r1", Lift: "L1", Robot: "R1"}, From: "G", To: "1"}); err != nil || a.Status != core.Created {
		t.Fatalf("%+v %v", a, err)
	}
	held := make(chan struct{}, 1)
	f.set(func() {
		f.hold = func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/signals") { // its answer was asked for before the one without a permit
				select {
				case held <- struct{}{}:
				default:
				}
				<-release
				f.set(func() { f.late = permitJSON })
			}
		}
	})
	said := make(chan core.Answer, 1)
	go func() { said <- say(e, 1, fsm.Heartbeat, fsm.AtLanding) }()
	<-held
	f.set(func() { f.ride = waitingJSON })
	until(t, "the withdrawal", func() bool { return e.ride1().Permit.N == 0 })
	time.Sleep(600 * time.Millisecond) // whatever was asked for before is answered
	shown := make(chan bool, 1)
	go func() { // each page from here on
		had := false
		for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			had = had || e.ride1().Permit.N != 0
		}
		shown <- had
	}()
	close(release)
	<-said
	if <-shown {
		t.Error("the permit came back")
	}
}

// RD-11: what the robot says while the gateway is away is told later: once, in order, as old
// as it is. A start is not taken.
func TestSaidInTheDark(t *testing.T) {
	f := newFar(t)
	f.set(func() { f.ride = insideJSON })
	e := near(t, f)
	until(t, "the ride", func() bool { return e.ride1().Where == fsm.Inside })
	f.lose()
	until(t, "the loss", func() bool {
		r := e.ride1()
		return len(e.Page().Withheld(&r, e.o.Now())) == 1
	})
	if a := say(e, 1, fsm.Entering, fsm.AtDoorway); a.Status != core.Unavailable || a.Code != "E-5013" {
		t.Errorf("a start to enter: %+v", a)
	}
	for range 2 { // the same twice
		if a := say(e, 2, fsm.LeavingNow, fsm.AtDoorway); a.Status != core.Accepted {
			t.Errorf("leaving by the pass: %+v", a)
		}
	}
	for i := range 5 {
		say(e, uint64(3+i), fsm.Heartbeat, fsm.AtDoorway)
	}
	if a := say(e, 9, fsm.Left, fsm.AtLanding); a.Status != core.Accepted {
		t.Errorf("left: %+v", a)
	}
	if r := e.ride1(); r.Where != fsm.Outside {
		t.Errorf("the robot's own word: %s", r.Where)
	}
	waited := time.Now()
	time.Sleep(1500 * time.Millisecond)
	f.set(func() { f.cut = false })
	until(t, "what was said", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.heard) >= 3 })
	time.Sleep(500 * time.Millisecond) // nothing else comes
	f.mu.Lock()
	defer f.mu.Unlock()
	var got []string
	last := 0.0
	for _, s := range f.heard {
		got = append(got, s["kind"].(string))
		if seq := s["seq"].(float64); s["boot"] != "agent" || seq <= last {
			t.Errorf("numbered %v %v after %v", s["boot"], seq, last)
		} else {
			last = seq
		}
		if age := s["age_ms"].(float64); age < 1500 || age > float64(time.Since(waited).Milliseconds()+1000) {
			t.Errorf("%s is said to be %v ms old", s["kind"], age)
		}
	}
	if strings.Join(got, " ") != "leaving heartbeat left" {
		t.Errorf("told %v", got)
	}
}

// A gateway that forgot the ride (its store was set aside) has the robot's agent say so.
func TestGatewayForgets(t *testing.T) {
	f := newFar(t)
	f.set(func() { f.ride = insideJSON })
	e := near(t, f)
	until(t, "the ride", func() bool { return e.ride1().Where == fsm.Inside })
	f.set(func() { f.gone = true })
	until(t, "a clear word", func() bool { r := e.ride1(); return r.State == fsm.Fault && r.Code == fsm.RestartedCode })
	r := e.ride1()
	if a := e.Page().Advise(&r, e.o.Now()); a.Do != fsm.DoGetHelp {
		t.Errorf("%+v", a)
	}
	say(e, 1, fsm.Left, fsm.AtLanding)
	until(t, "the end", func() bool { r := e.ride1(); return r.State == fsm.Done && r.Phase == fsm.FailedEnd })
}

// A source that is slow, large, foreign or broken brings nothing, and ends in time.
func TestSources(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	script := func(text string) string {
		path := filepath.Join(t.TempDir(), "where")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		return "exec:" + path + " --json"
	}
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good":
			fmt.Fprint(w, `{"age_ms":0}`)
		case "/slow":
			<-stop
		case "/away":
			http.Redirect(w, r, "/good", http.StatusFound)
		case "/large":
			fmt.Fprint(w, strings.Repeat("x", 1<<20))
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer s.Close()
	defer close(stop)
	now := func() elevator.Instant { return 7 }
	for _, c := range []struct {
		where, want string // "" is an error
		most        int
	}{
		{s.URL + "/good", `{"age_ms":0}`, 0},
		{s.URL + "/slow", "", 0},
		{s.URL + "/away", "", 0},
		{s.URL + "/broken", "", 0},
		{s.URL + "/large", "xxx", 16<<10 + 1},
		{script(`echo "{\"age_ms\":0}$1"`), `{"age_ms":0}--json`, 0},
		{script("exit 3"), "", 0},
		{script("sleep 60 & sleep 60"), "", 0},
		{script("head -c 1000000 /dev/zero | tr '\\0' x"), "xxx", 16<<10 + 1},
		{"exec:/nowhere/at/all", "", 0},
	} {
		src, err := NewSource(c.where, time.Second, nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		raw, asked, err := src.Ask(context.Background(), now)
		if (err == nil) != (c.want != "") || err == nil && (!strings.HasPrefix(string(raw), c.want) || asked != 7) || c.most > 0 && len(raw) > c.most {
			t.Errorf("%s: %.40q %v", c.where, raw, err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s took %s", c.where, took)
		}
		if p, ok := src.(*page); ok {
			p.http.CloseIdleConnections()
		}
	}
}
