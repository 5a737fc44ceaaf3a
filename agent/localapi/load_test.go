package localapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// SE-5: a flood is refused at once and holds nothing up.
func TestFloodIsRefused(t *testing.T) {
	h := newHouse(t)
	for range callsAtOnce {
		h.calls <- struct{}{}
	}
	got := h.do(t, request{method: "GET", path: "/v1/lifts"})
	if got.status != http.StatusServiceUnavailable || got.problem.Code != asBusy.code || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %+v", got.status, got.problem)
	}
	<-h.calls
	if got := h.do(t, request{method: "GET", path: "/v1/lifts"}); got.status != http.StatusOK {
		t.Errorf("after the flood: %d", got.status)
	}
}

// SE-5: a body that comes slowly takes no slot from calls that are ready to run.
func TestASlowBodyTakesNoSlot(t *testing.T) {
	h := newHouse(t)
	for range callsAtOnce - 1 {
		h.calls <- struct{}{}
	}
	body := newSlowBody()
	r := httptest.NewRequest("POST", "/v1/rides/ride-1/signals", body)
	r.Host, r.RemoteAddr = "localhost", "127.0.0.1:50000"
	r.Header.Set("Authorization", "Bearer "+robotToken)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}()
	<-body.asked // it is being read
	if got := h.do(t, request{method: "GET", path: "/v1/lifts"}); got.status != http.StatusOK {
		t.Errorf("beside a slow body: %d %s", got.status, got.problem.Code)
	}
	close(body.end)
	<-ended
}

// SE-1, SE-5: nothing is read of a body whose sender may not change anything.
func TestABodyOfNobodyIsNotRead(t *testing.T) {
	h := newHouse(t)
	body := newSlowBody()
	close(body.end)
	r := httptest.NewRequest("POST", "/v1/rides", body)
	r.Host, r.RemoteAddr = "localhost", "127.0.0.1:50000"
	w := httptest.NewRecorder()
	h.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized || w.Header().Get("Connection") != "close" || w.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	select {
	case <-body.asked:
		t.Error("the body was read")
	default:
	}
}

// slowBody gives nothing until its end, and tells when somebody asks for it.
type slowBody struct {
	once       sync.Once
	asked, end chan struct{}
}

func newSlowBody() *slowBody { return &slowBody{asked: make(chan struct{}), end: make(chan struct{})} }

func (b *slowBody) Read([]byte) (int, error) {
	b.once.Do(func() { close(b.asked) })
	<-b.end
	return 0, io.EOF
}
