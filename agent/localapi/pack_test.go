package localapi

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
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
	if rest := move(3700); rest != 170*time.Millisecond || waiting() != 0 {
		t.Errorf("30 ms later: %s to wait, %d told", rest, waiting())
	}
	called := func(v *core.View) { v.Lifts[0].Car.UpCalls.Value = v.Lifts[0].Car.UpCalls.Value.With(4) }
	if rest := h.hub.pass(h.loop.change(called)); rest != 70*time.Millisecond || waiting() != 0 {
		t.Errorf("with a call: %s to wait, %d told", rest, waiting())
	}
	h.loop.change(func(v *core.View) { v.Lifts[0].Accepting = false }) // urgent
	if h.hub.pass(h.loop.View()); waiting() != len(readers) {
		t.Errorf("an urgent change: %d told", waiting())
	}
}

// A lift that is as it was is not drawn again before its values can have grown stale;
// nor is one that was only read anew, and what only counts on waits longest.
func TestSightKnowsWhatChanged(t *testing.T) {
	v := building(start)
	var s sight
	at := start
	look := func() change {
		news := s.lift(v, &v.Lifts[0], at)
		s.drew(v, &v.Lifts[0], at)
		return news
	}
	if first, second := look(), look(); first != other || second != same {
		t.Fatalf("first %d, then %d", first, second)
	}
	car := &v.Lifts[0].Car
	for _, c := range []struct {
		name string
		edit func()
		want change
	}{
		{"a reading", func() { car.Floor.At++ }, aged},
		{"a position", func() { car.Position.Value++; car.Floor.At++ }, counting},
		{"a load", func() { car.Load = seen(int32(0), start) }, other},
		{"more of it", func() { car.Load.Value = 60 }, counting},
		{"a number and a call", func() { car.Load.Value++; car.UpCalls.Value = 0 }, other},
		{"a number that is not read any more", func() { car.Position.Failed = true }, other},
		{"the state of its ride", func() { v.Rides[0].Ride.Phase = "called" }, other},
		{"a queue", func() { v.Lifts[0].Queue = []string{"ride-1"} }, other},
		{"an owner", func() { v.Lifts[0].Owner = "other" }, other},
		{"time", func() { at = at.Add(agesEvery) }, other},
		{"a value that was stale", func() { at = at.Add(freshFor); look(); at = at.Add(time.Millisecond); car.Motion.At = at }, other},
	} {
		c.edit()
		if got := look(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if got := look(); got != same {
			t.Errorf("after %s: drawn twice", c.name)
		}
	}
	var r sight
	rides := func() bool { return r.ride(&v.Rides[0], at) }
	if rides() || !rides() {
		t.Fatal("a ride: the first is new, the second is not")
	}
	v.Rides[0].Ride.Permit.Start++
	if rides() {
		t.Error("a permit is not seen")
	}
}

// Every value of a snapshot is looked at, also one that is added later.
func TestSightLooksAtEveryReading(t *testing.T) {
	for i := range reflect.TypeFor[elevator.Snapshot]().NumField() {
		v := building(start)
		var s sight
		s.drew(v, &v.Lifts[0], start)
		name := reflect.TypeFor[elevator.Snapshot]().Field(i).Name
		field := reflect.ValueOf(&v.Lifts[0].Car).Elem().Field(i)
		if name == "Holds" {
			continue // is not shown
		}
		if field.Kind() == reflect.Array {
			field = field.Index(1)
		}
		if failed := field; field.Kind() == reflect.Struct {
			failed = field.FieldByName("Failed")
			failed.SetBool(true)
		} else {
			field.Set(reflect.New(field.Type()).Elem())
		}
		if got := s.lift(v, &v.Lifts[0], start); got != other {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// RB-1: a reader may ask for fewer events; what is urgent comes at once all the same.
func TestReadersChooseTheirPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		r := openEvents(t, ln.client(), "http://localhost", "?lift=L1&every=1s", "", "")
		defer r.close()
		r.kinds(3)
		lift := func() event { // its ride is told of, too
			for {
				if e := r.next(); e.kind == "lift" {
					return e
				}
			}
		}
		time.Sleep(1100 * time.Millisecond)
		h.put(position(3601)) // at once, after a rest
		lift()
		began := time.Now()
		for mm := int32(3602); mm < 3650; mm++ {
			h.put(position(mm))
			time.Sleep(10 * time.Millisecond)
		}
		if e := lift(); !strings.Contains(e.data, `"position_mm":{"value":3649,`) || time.Since(began) < 700*time.Millisecond {
			t.Errorf("after %s: %s", time.Since(began), e.data)
		}
		began = time.Now()
		h.put(func(v *core.View) { v.Lifts[0].Accepting = false })
		if e := lift(); !strings.Contains(e.data, `"accepting":false`) || time.Since(began) > 2*passRest {
			t.Errorf("after %s: %s", time.Since(began), e.data)
		}
		for _, word := range []string{"1ms", "11s", "-1s", "often"} {
			if got := h.do(t, request{method: "GET", path: "/v1/events?every=" + word}); got.status != 400 || got.problem.Field != "every" {
				t.Errorf("%s: %d %+v", word, got.status, got.problem)
			}
		}
	})
}
