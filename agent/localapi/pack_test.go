package localapi

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
)

func TestWhoTakesGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"gzip": true, "gzip, deflate, br": true, "br;q=1, GZIP;q=0.5": true, "deflate, gzip;q=1.0": true,
		"": false, "gzip;q=0": false, "gzip; q=0.0": false, "identity": false, "x-gzip": false, "*": false,
	} {
		if got := takesGzip(http.Header{"Accept-Encoding": {accept}}); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

// House: pieces are packed once and follow one another in any order, whoever has read what before.
func TestPackedPiecesFollowAnyOther(t *testing.T) {
	var p packer
	words := []string{strings.Repeat("data: one\n", 200), strings.Repeat("data: two\n", 200), ": beat\n\n"}
	var packed [][]byte
	for _, w := range words {
		packed = append(packed, p.pack([]byte(w)))
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1}, {1, 1, 0, 2, 1}} {
		stream, want := slices.Clone(gzipHead), ""
		for _, i := range order {
			stream = append(stream, packed[i]...)
			want += words[i]
		}
		in, err := gzip.NewReader(strings.NewReader(string(stream)))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(in, got); err != nil || string(got) != want {
			t.Errorf("%v: %v, %d bytes", order, err, len(got))
		}
	}
	if n := len(packed[0]); n > len(words[0])/10 {
		t.Errorf("%d bytes are packed to %d", len(words[0]), n)
	}
}

// RB-1: a stream says the same packed and as it is; each event is told as soon as it is there.
func TestPackedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		open := func(accept string) *eventReader {
			req, err := http.NewRequestWithContext(t.Context(), "GET", "http://localhost/v1/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept-Encoding", accept)
			res, err := ln.client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			r := &eventReader{t: t, body: res.Body, in: bufio.NewReader(res.Body)}
			if packed := accept == "gzip"; packed {
				if res.Header.Get("Content-Encoding") != "gzip" {
					t.Fatalf("%v", res.Header)
				}
				in, err := gzip.NewReader(res.Body)
				if err != nil {
					t.Fatal(err)
				}
				r.in = bufio.NewReader(in)
			} else if e := res.Header.Get("Content-Encoding"); e != "" {
				t.Fatalf("%s: %s", accept, e)
			}
			return r
		}
		packed, plain := open("gzip"), open("identity")
		defer packed.close()
		defer plain.close()
		for range 5 {
			if a, b := packed.next(), plain.next(); a.kind != b.kind || a.id != b.id || a.kind != "hello" && a.data != b.data {
				t.Errorf("packed %+v\nplain  %+v", a, b)
			}
		}
		time.Sleep(time.Second)
		for mm := int32(4000); mm < 4005; mm++ {
			h.put(position(mm))
			if a, b := packed.next(), plain.next(); a != b {
				t.Errorf("packed %+v\nplain  %+v", a, b)
			}
		}
	})
}

// House: what many readers lack is drawn once, and all are told at the same moment.
func TestOneBatchForAll(t *testing.T) {
	h := newHouse(t)
	readers := make([]*reader, 5)
	for i := range readers {
		readers[i] = &reader{news: make(chan struct{}, 1)}
		h.hub.open(readers[i], "")
	}
	var first []byte
	for _, r := range readers {
		got := h.hub.take(r)
		if first == nil {
			first = got
		}
		if &got[0] != &first[0] {
			t.Error("a batch was drawn again for the same need")
		}
	}
	move := func(mm int32) time.Duration { return h.hub.pass(h.loop.change(position(mm))) }
	waiting := func() (n int) {
		for _, r := range readers {
			n += len(r.news)
		}
		return n
	}
	for _, r := range readers { // those of the first take
		select {
		case <-r.news:
		default:
		}
	}
	move(3600)
	if n := waiting(); n != len(readers) {
		t.Fatalf("%d of %d readers are told at once", n, len(readers))
	}
	for _, r := range readers {
		<-r.news
		h.hub.take(r)
	}
	h.advance(30 * time.Millisecond)
	if rest := move(3700); rest != 70*time.Millisecond || waiting() != 0 {
		t.Errorf("30 ms later: %s to wait, %d told", rest, waiting())
	}
	h.loop.change(func(v *core.View) { v.Lifts[0].Accepting = false }) // urgent
	if h.hub.pass(h.loop.View()); waiting() != len(readers) {
		t.Errorf("an urgent change: %d told", waiting())
	}
}

// A lift that is as it was is not drawn again before its values can have grown stale.
func TestSightKnowsWhatChanged(t *testing.T) {
	v := building(start)
	var s sight
	at := start
	same := func() bool { return s.lift(v, &v.Lifts[0], at) }
	if same() || !same() {
		t.Fatal("the first is new, the second is not")
	}
	for _, c := range []struct {
		name string
		edit func()
	}{
		{"a reading", func() { v.Lifts[0].Car.Floor.At++ }},
		{"the state of its ride", func() { v.Rides[0].Ride.Phase = "called" }},
		{"a queue", func() { v.Lifts[0].Queue = []string{"ride-1"} }},
		{"an owner", func() { v.Lifts[0].Owner = "other" }},
		{"time", func() { at = at.Add(agesEvery) }},
	} {
		c.edit()
		if same() {
			t.Errorf("%s is not seen", c.name)
		}
		if !same() {
			t.Errorf("after %s: drawn twice", c.name)
		}
	}
	var r sight
	rides := func() bool { return r.ride(v, &v.Rides[0], at) }
	if rides() || !rides() {
		t.Fatal("a ride: the first is new, the second is not")
	}
	v.Rides[0].Ride.Permit.Start++
	if rides() {
		t.Error("a permit is not seen")
	}
}
