package page

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/simulator/faults"
	"hoistway/simulator/picture"
)

// stand is a site that takes what it is told.
type stand struct {
	mu      sync.Mutex
	begun   []faults.Fault
	cleared []string
	refuse  error
}

func (s *stand) Inject(f faults.Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = append(s.begun, f)
	return s.refuse
}

func (s *stand) Clear(target, kind string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleared = append(s.cleared, target+"/"+kind)
	return s.refuse
}

func (s *stand) Targets(aim faults.Aim) []string {
	return map[faults.Aim][]string{
		faults.AtLift: {"L1", "L2", "L3"}, faults.AtRobot: {"r1", "r2"}, faults.AtCloud: {"cloud"}, faults.AtGateway: {"gateway"},
	}[aim]
}

func (s *stand) told() ([]faults.Fault, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.begun), slices.Clone(s.cleared)
}

// timed is a stand whose clock can be set.
type timed struct {
	stand
	speed  float64
	paused bool
	steps  int
}

func (s *timed) Speed() (float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.speed, s.paused
}

func (s *timed) SetSpeed(times float64, paused bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speed, s.paused = times, paused
	return s.refuse
}

func (s *timed) Step() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps++
	return s.refuse
}

// open serves a page on a real socket until the test ends.
func open(t *testing.T, o Options) (*Page, string) {
	t.Helper()
	p := New(o)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return p, "http://" + ln.Addr().String()
}

// recorded writes a recording into a file.
func recorded(t *testing.T, name string, h picture.Header, frames []picture.Frame) Recording {
	t.Helper()
	r := Recording{Name: name, File: filepath.Join(t.TempDir(), name+".jsonl")}
	f, err := os.Create(r.File)
	if err != nil {
		t.Fatal(err)
	}
	if err := picture.Write(f, h, frames); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// asked is a request to a page's handler as the page itself makes it, unless changed.
func asked(p *Page, method, path, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8090"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

const soon = 60 * time.Second // generous: the machine may be busy
