package localapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/fsm/elevator"
)

// SE-5: a caller that asks too often is refused, and nobody else.
func TestRateOfACaller(t *testing.T) {
	h := newHouse(t)
	status := func(token, remote string) int {
		return h.do(t, request{method: "GET", path: "/v1/lifts", token: token, remote: remote}).status
	}
	for i := range robotRate * burstFor {
		if got := status(robotToken, ""); got != 200 {
			t.Fatalf("call %d: %d", i, got)
		}
	}
	got := h.do(t, request{method: "GET", path: "/v1/lifts", token: robotToken})
	if got.status != http.StatusTooManyRequests || got.problem.Code != asTooOften.code || got.header.Get("Retry-After") == "" {
		t.Errorf("one more: %d %+v", got.status, got.problem)
	}
	for who, token := range map[string]string{"another robot": otherToken, "a technician": techToken, "a viewer": ""} {
		if got := status(token, ""); got != 200 {
			t.Errorf("%s beside it: %d", who, got)
		}
	}
	h.advance(time.Second)
	for i := range robotRate {
		if got := status(robotToken, ""); got != 200 {
			t.Fatalf("call %d of the next second: %d", i, got)
		}
	}
	if got := status(robotToken, ""); got != http.StatusTooManyRequests {
		t.Errorf("one more of the next second: %d", got)
	}
}

// SE-5: all who are no robots have one share together; robots have theirs beside it.
func TestRateInAll(t *testing.T) {
	l := newLimiter()
	now, taken := elevator.Instant(1), 0
	for i := range 20 * allRate { // each from an address of its own
		if l.admit(caller{viewer, fmt.Sprint(i)}, now) {
			taken++
		}
	}
	if taken != allRate*burstFor {
		t.Errorf("%d calls at once, want %d", taken, allRate*burstFor)
	}
	if !l.admit(caller{robot, "R1"}, now) {
		t.Error("a robot is refused for the others")
	}
	if n := len(l.buckets); n > maxBuckets {
		t.Errorf("%d buckets are kept", n)
	}
}

// SE-5: whoever sends its header or its body a byte at a time, or nothing, is cut in time,
// and holds up nobody.
func TestSlowLoris(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		slow := func(first string, limit time.Duration) {
			conn, err := ln.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			var drip sync.WaitGroup
			defer drip.Wait()
			defer func() { _ = conn.Close() }()
			began, answer := time.Now(), make(chan time.Duration, 1)
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				answer <- time.Since(began)
			}()
			_, _ = io.WriteString(conn, first)
			drip.Go(func() {
				for {
					if _, err := io.WriteString(conn, "a"); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			})
			if took := <-answer; took > limit+time.Second {
				t.Errorf("%q was cut after %s", first, took)
			}
		}
		slow("GET /v1/lifts HTTP/1.1\r\nHost: localhost\r\nX-A: ", headerWithin)
		slow("POST /v1/rides HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+robotToken+"\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n", readWithin)
		if asked := h.loop.asked(); len(asked) != 0 {
			t.Errorf("the loop was asked %+v", asked)
		}
	})
}

// SE-3: a header too large is refused; requests that come in one piece are answered in their order.
func TestHugeHeaderAndPipelining(t *testing.T) {
	h := newHouse(t)
	ctx, cancel := context.WithCancel(context.Background())
	ln := listen(t)
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, ln) }()
	defer func() {
		cancel()
		<-ended
	}()
	send := func(text string) *bufio.Reader {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		go func() { _, _ = io.WriteString(conn, text) }()
		return bufio.NewReader(conn)
	}
	res, err := http.ReadResponse(send("GET /v1/lifts HTTP/1.1\r\nHost: localhost\r\nX-A: "+strings.Repeat("a", 64<<10)+"\r\n\r\n"), nil)
	if err != nil || res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a huge header: %v %v", res, err)
	}
	var all strings.Builder
	for _, path := range []string{"/v1/lifts", "/v1/lifts/L9", "/healthz", "/v1/rides/ride-1"} {
		fmt.Fprintf(&all, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	}
	in := send(all.String())
	for i, want := range []int{200, 404, 200, 200} {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, res); got.status != want {
			t.Errorf("answer %d: %d, want %d", i, got.status, want)
		}
	}
}

// SE-5: connections are bounded, few are of one place on the network, and one too many is
// closed at once rather than made to wait.
func TestConnectionsAreBounded(t *testing.T) {
	l := bounded(nil, ofOnePlace+2).(*boundedListener)
	for range ofOnePlace {
		if !l.take("192.0.2.7") {
			t.Fatal("refused too early")
		}
	}
	if l.take("192.0.2.7") {
		t.Error("one place took more than its share")
	}
	if !l.take("192.0.2.8") || !l.take("") || l.take("192.0.2.9") {
		t.Error("the bound of all is not kept")
	}
	l.give("192.0.2.8")
	if !l.take("192.0.2.9") {
		t.Error("a free place is not given")
	}
	for range ofOnePlace {
		l.give("192.0.2.7")
	}
	if len(l.places) != 1 {
		t.Errorf("%d places are remembered", len(l.places))
	}
}
