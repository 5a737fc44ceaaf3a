package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var floors = elevator.Table{
	{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
	{Label: "2", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}

// clock starts at an instant that is not never.
func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

func linkSpec(t testing.TB, link, file string) drivers.Spec {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return drivers.Spec{Lift: "A", URL: u, ProfileName: file, Profile: src, Floors: floors}
}

func opener(t testing.TB, env drivers.Env, s drivers.Spec) drivers.Opener {
	t.Helper()
	for _, f := range Factories(env) {
		if f.Scheme == s.URL.Scheme {
			o, err := f.New(s)
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
	}
	t.Fatalf("no factory for %s", s.URL.Scheme)
	return nil
}

// DR-3: the whole suite over HTTP, in virtual time.
func TestConformanceHTTP(t *testing.T) {
	var now func() elevator.Instant
	drivertest.Run(t, drivertest.Harness{
		Virtual: true, Period: 200 * time.Millisecond, Return: 20 * time.Second,
		Now: func() elevator.Instant { return now() },
		Start: func(t *testing.T) (drivertest.Controller, drivers.Opener) {
			now = clock()
			v := newVendor()
			return v, opener(t, drivers.Env{Now: now, Dial: v.dial}, linkSpec(t, "http://lifts.example/api?lift=A", "testdata/plain.yaml"))
		},
	})
}

// far is what the far ends of the suite have in common.
type far struct {
	mu      sync.Mutex
	face    drivertest.Face
	spoil   map[bool]drivertest.Spoil // by whether it is of writes
	pressed []drivertest.Press
	pipes   *pipes
}

func (f *far) Show(face drivertest.Face) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.face = face
}

func (f *far) Spoil(how drivertest.Spoil, writes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoil[writes] = how
}

func (f *far) Pressed() []drivertest.Press {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]drivertest.Press(nil), f.pressed...)
}

func (f *far) dial(context.Context, string, string) (net.Conn, error) {
	f.mu.Lock()
	p := f.pipes
	f.mu.Unlock()
	if p == nil {
		return nil, errors.New("connection refused")
	}
	return p.dial()
}

// power starts or ends a server on pipes.
func (f *far) power(on bool, h http.Handler) {
	f.mu.Lock()
	p := f.pipes
	if p != nil && on {
		f.mu.Unlock()
		return
	}
	f.pipes = nil
	f.mu.Unlock()
	if p != nil {
		p.end()
	}
	if !on {
		return
	}
	p = newPipes(h)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pipes = p
}

// pipes is a server without a network.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	srv   *http.Server
	wg    sync.WaitGroup
	mu    sync.Mutex
	all   []net.Conn
}

func newPipes(h http.Handler) *pipes {
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{}), srv: &http.Server{Handler: h}}
	p.wg.Go(func() { _ = p.srv.Serve(p) })
	return p
}

func (p *pipes) dial() (net.Conn, error) {
	near, away := net.Pipe()
	p.mu.Lock()
	p.all = append(p.all, away)
	p.mu.Unlock()
	select {
	case p.conns <- away:
		return near, nil
	case <-p.done:
		return nil, errors.New("connection refused")
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// listen is for servers that open their own.
func (p *pipes) listen(string, string) (net.Listener, error) { return p, nil }

func (p *pipes) end() {
	_ = p.srv.Close()
	p.cut()
	p.wg.Wait()
}

func (p *pipes) cut() {
	_ = p.Close()
	p.mu.Lock()
	for _, c := range p.all {
		_ = c.Close()
	}
	p.mu.Unlock()
}

// vendor is a lift service, written from the shape in testdata/plain.yaml by hand.
type vendor struct{ far }

func newVendor() *vendor {
	return &vendor{far{spoil: map[bool]drivertest.Spoil{}}}
}

func (v *vendor) Power(on bool) { v.power(on, v) }

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	writes := r.Method == http.MethodPost
	body, _ := io.ReadAll(r.Body)
	v.mu.Lock()
	how, face := v.spoil[writes], v.face
	answer := statusText(face, "A")
	if writes && how != drivertest.Refuse {
		v.press(body)
		answer = `{"taken":true,"lift":"A"}`
	}
	v.mu.Unlock()
	switch how {
	case drivertest.Silent:
		<-r.Context().Done()
		return
	case drivertest.Late:
		select {
		case <-time.After(900 * time.Millisecond):
		case <-r.Context().Done():
		}
	case drivertest.Short:
		answer = answer[:len(answer)/2]
	case drivertest.Garbled:
		answer = garble(answer)
	case drivertest.Foreign:
		answer = `{"taken":true,"lift":"B"}`
		if !writes {
			answer = statusText(face, "B")
		}
	case drivertest.Refuse:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"taken":false,"error":{"code":"LOCKED"}}`)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, answer)
}

func garble(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] ^= 0x10
	}
	return string(b)
}

func statusText(f drivertest.Face, lift string) string {
	motion := map[elevator.Motion]int{elevator.Stopped: 0, elevator.MovingUp: 1, elevator.MovingDown: 2}[f.Motion]
	return fmt.Sprintf(`{"lift":[{"id":%q,"floor":"%d"}],"motion":%d,"doors":{"front":%q}}`, lift, f.Floor, motion, f.Door)
}

func (f *far) press(body []byte) {
	var x struct {
		Floor     int
		Direction string
	}
	if json.Unmarshal(body, &x) != nil {
		return
	}
	p := drivertest.Press{Verb: elevator.LandingCall, Floor: elevator.Floor(x.Floor)}
	if x.Direction == "car" {
		p.Verb = elevator.CarCall
	}
	f.pressed = append(f.pressed, p)
}
