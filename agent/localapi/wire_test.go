package localapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// pipes is a listener without a network, for bubbles of fake time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: p.dial}}
}

// listen opens a real socket of this machine.
func listen(t testing.TB) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// event is one server-sent event.
type event struct{ id, kind, data string }

// eventReader reads a stream.
type eventReader struct {
	t    testing.TB
	body io.ReadCloser
	in   *bufio.Reader
}

func openEvents(t testing.TB, c *http.Client, base, query, token, last string) *eventReader {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", base+"/v1/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("events: %s %s", res.Status, res.Header.Get("Content-Type"))
	}
	return &eventReader{t: t, body: res.Body, in: bufio.NewReader(res.Body)}
}

func (r *eventReader) close() { _ = r.body.Close() }

// next reads one event; comments are passed over.
func (r *eventReader) next() event {
	r.t.Helper()
	e, err := r.tryNext()
	if err != nil {
		r.t.Fatalf("read an event: %v", err)
	}
	return e
}

func (r *eventReader) tryNext() (event, error) {
	var e event
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			return e, err
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line == "\n" && e.kind != "":
			return e, nil
		case key == "id":
			e.id = value
		case key == "event":
			e.kind = value
		case key == "data":
			e.data = value
		}
	}
}

// kinds reads n events and lists them as "lift:L1".
func (r *eventReader) kinds(n int) string {
	r.t.Helper()
	var out []string
	for range n {
		e := r.next()
		id := ""
		for _, key := range []string{`"ride_id":"`, `"id":"`} {
			if _, rest, found := strings.Cut(e.data, key); found && id == "" && e.kind != "shadow" && e.kind != "hello" {
				id, _, _ = strings.Cut(rest, `"`)
			}
		}
		out = append(out, strings.TrimSuffix(e.kind+":"+id, ":"))
	}
	return strings.Join(out, " ")
}

// SE-3: 10 MB with and without Content-Length is 413, and nothing is changed.
func TestTenMegabytes(t *testing.T) {
	defer goleak.VerifyNone(t)
	h := newHouse(t)
	srv := httptest.NewServer(h.Handler())
	defer srv.Close()
	const size = 10 << 20
	for _, path := range []string{"/v1/rides", "/v1/rides/ride-1/signals", "/v1/robots/R1/heartbeat"} {
		for _, chunked := range []bool{false, true} {
			got := sendBig(t, srv.Listener.Addr().String(), path, size, chunked)
			if got.status != http.StatusRequestEntityTooLarge || got.problem.Code != asTooBig.code {
				t.Errorf("%s chunked %v: %d %+v", path, chunked, got.status, got.problem)
			}
		}
	}
	if asked := h.loop.asked(); len(asked) != 0 {
		t.Errorf("the loop was asked %+v", asked)
	}
}

// sendBig writes as long as the server takes it, and reads the answer beside that.
func sendBig(t *testing.T, addr, path string, size int, chunked bool) reply {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	done := make(chan struct{})
	go func() {
		defer close(done)
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n", path, robotToken)
		piece := strings.Repeat(" ", 32<<10)
		if !chunked {
			_, _ = fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n", head, size)
		} else {
			_, _ = fmt.Fprintf(conn, "%sTransfer-Encoding: chunked\r\n\r\n", head)
			piece = fmt.Sprintf("%x\r\n%s\r\n", len(piece), piece)
		}
		for sent := 0; sent < size; sent += 32 << 10 {
			if _, err := io.WriteString(conn, piece); err != nil {
				return // the server had enough
			}
		}
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := read(t, res)
	_ = conn.Close()
	<-done
	return out
}

func TestMediaTypeAndSmallBodies(t *testing.T) {
	h := newHouse(t)
	for kind, want := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "application/json; charset=latin1": 415,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, ";": 415,
	} {
		got := h.do(t, request{method: "POST", path: "/v1/rides/ride-1/signals", token: robotToken, body: ready, header: map[string]string{"Content-Type": kind}})
		if got.status != want {
			t.Errorf("%q: %d, want %d", kind, got.status, want)
		}
	}
	padded := strings.Repeat(" ", maxBody-len(ready)) + ready
	if got := h.do(t, request{method: "POST", path: "/v1/rides/ride-1/signals", token: robotToken, body: padded}); got.status != 200 {
		t.Errorf("a body at the limit: %d", got.status)
	}
	if got := h.do(t, request{method: "POST", path: "/v1/rides/ride-1/signals", token: robotToken, body: " " + padded}); got.status != 413 {
		t.Errorf("a body one byte over: %d", got.status)
	}
}

// FuzzBody: no body makes the decoder panic or pass an unknown key.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{newRide, ready, beat, outside, `{`, `[[[[`, `{"a":{"a":{}}}`, `{"robot":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		ctx := context.WithValue(context.Background(), bodyKey{}, body)
		if v, p := bodyOf[NewRide](ctx); p == nil {
			_ = shapeOf(&v)
		}
		if v, p := bodyOf[Signal](ctx); p == nil {
			_, _ = signalOf(&v, nil)
		}
	})
}
