package page

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/simulator/loopback"
	"hoistway/simulator/picture"
)

// pipes is a listener whose connections are made by the test.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	end   chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), end: make(chan struct{})} }

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.end:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.end) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	l.conns <- theirs
	return ours
}

// inBubble serves a page in virtual time.
func inBubble(t *testing.T, o Options, f func(t *testing.T, p *Page, l *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		p, l := New(o), newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Serve(ctx, l) }()
		f(t, p, l)
		began := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took >= loopback.EndWithin {
			t.Errorf("the end took %v", took)
		}
	})
}

// told is one event as it came.
type told struct {
	at    time.Time
	name  string
	frame picture.Frame
}

// listen opens a stream and gives its events. Cancel it before the bubble ends.
func listen(t *testing.T, l *pipes) (<-chan told, func()) {
	t.Helper()
	c := l.dial()
	events := make(chan told, 1000)
	go func() {
		defer close(events)
		_, _ = c.Write([]byte("GET /sim/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("the stream answered %v, %v", answer, err)
			return
		}
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		var e told
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				e = told{at: time.Now(), name: name}
			}
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			if e.name == "frame" {
				if err := json.Unmarshal([]byte(data), &e.frame); err != nil {
					t.Error(err)
				}
			}
			events <- e
		}
	}()
	return events, func() { _ = c.Close() }
}

// SM-7: a stream begins with the header and what went before, then comes a frame
// each 100 ms at most, and nothing that happened is lost between them.
func TestStreamCoalesces(t *testing.T) {
	inBubble(t, Options{Header: sampleHeader("live"), Site: &stand{}}, func(t *testing.T, p *Page, l *pipes) {
		p.Show(picture.Frame{AtMS: 1, Events: []picture.Event{{Text: "before"}}, Waits: []int64{7}})
		events, hangUp := listen(t, l)
		synctest.Wait()
		for i := range 1000 { // a thousand a second
			p.Show(picture.Frame{AtMS: int64(i + 2), Waits: []int64{int64(i)}, Events: []picture.Event{{AtMS: int64(i + 2)}}})
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		hangUp()
		var names []string
		var last time.Time
		frames, waits, happened := 0, 0, 0
		for e := range events {
			if names = append(names, e.name); e.name != "frame" {
				continue
			}
			if !last.IsZero() && e.at.Sub(last) < coalesce {
				t.Errorf("two frames within %v", e.at.Sub(last))
			}
			last = e.at
			frames, waits, happened = frames+1, waits+len(e.frame.Waits), happened+len(e.frame.Events)
		}
		if strings.Join(names[:3], " ") != "header past frame" || frames != 11 {
			t.Errorf("came %v", names)
		}
		if waits != 1000 || happened != 1000 {
			t.Errorf("%d waits and %d events of 1000", waits, happened)
		}
		synctest.Wait()
		if n := p.hub.count(); n != 0 {
			t.Errorf("%d readers are left", n)
		}
	})
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.readers)
}

// SM-7: a reader that does not read is cut, and Show never waits for it.
func TestSlowReaderIsCut(t *testing.T) {
	inBubble(t, Options{Header: sampleHeader("live"), Site: &stand{}}, func(t *testing.T, p *Page, l *pipes) {
		c := l.dial()
		_, _ = c.Write([]byte("GET /sim/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		time.Sleep(time.Second)
		if n := p.hub.count(); n != 1 {
			t.Fatalf("%d readers", n)
		}
		began := time.Now()
		for i := range 1000 {
			p.Show(picture.Frame{AtMS: int64(i)})
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("Show waited for %v", waited)
		}
		time.Sleep(loopback.SlowWrite)
		synctest.Wait()
		if n := p.hub.count(); n != 0 {
			t.Error("the reader was not cut")
		}
		_ = c.Close()
	})
}

// SM-7: another run under the same header begins anew for who is there already;
// what cannot be said in JSON does not end the stream.
func TestStreamBeginsAnew(t *testing.T) {
	inBubble(t, Options{Header: sampleHeader("live"), Site: &stand{}}, func(t *testing.T, p *Page, l *pipes) {
		events, hangUp := listen(t, l)
		for _, at := range []int64{90_000, 90_100, 0, 100} {
			p.Show(picture.Frame{AtMS: at})
			time.Sleep(time.Second)
		}
		p.Show(picture.Frame{AtMS: 200, Cars: []picture.Car{{Doors: map[string]float64{"front": math.NaN()}}}})
		time.Sleep(11 * time.Second) // a beat passes
		p.Show(picture.Frame{AtMS: 300})
		time.Sleep(time.Second)
		hangUp()
		var came []string
		for e := range events {
			came = append(came, e.name)
		}
		if got := strings.Join(came, " "); got != "header past frame frame header frame frame broken frame" {
			t.Errorf("came %s", got)
		}
	})
}

// SM-7: the end of the page ends its streams.
func TestStreamEndsWithThePage(t *testing.T) {
	inBubble(t, Options{Header: sampleHeader("live"), Site: &stand{}}, func(t *testing.T, p *Page, l *pipes) {
		events, _ := listen(t, l)
		synctest.Wait()
		if n := p.hub.count(); n != 1 {
			t.Errorf("%d readers", n)
		}
		go func() {
			for range events { // until the page ends, which inBubble times
			}
		}()
	})
}
