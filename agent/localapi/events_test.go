package localapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// openHouse runs a house on pipes, in a bubble, until the test ends.
func openHouse(t *testing.T) (*house, *pipes) {
	t.Helper()
	began := time.Now()
	h := newHouse(t, func(o *Options) {
		o.Now = func() elevator.Instant { return start + elevator.Instant(time.Since(began)) }
	})
	h.pass() // the heights of where the cars stand are learned
	ln := newPipes()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() { ended <- h.Run(ctx) }()
	go func() { ended <- h.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Errorf("end: %v", err)
			}
		}
	})
	return h, ln
}

// put changes the view and publishes it, as the ride loop does.
func (h *house) put(edit func(*core.View)) { h.Publish(h.loop.change(edit)) }

const snapshot = "hello lift:L1 lift:L2 ride:ride-1 shadow"

// position moves the car of L1: a standing one would teach heights.
func position(mm int32) func(*core.View) {
	return func(v *core.View) { v.Lifts[0].Car.Position.Value, v.Lifts[0].Car.Motion.Value = mm, elevator.MovingUp }
}

// RB-1: a snapshot first, then what changes; states at once, the rest at most ten times a second.
func TestEventsSnapshotThenChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		r := openEvents(t, ln.client(), "http://localhost", "", "", "")
		defer r.close()
		if got := r.kinds(5); got != snapshot {
			t.Fatalf("snapshot: %s", got)
		}
		time.Sleep(time.Second)
		began := time.Now()
		h.put(func(v *core.View) { v.Rides[0].Ride.State, v.Rides[0].Ride.Phase = fsm.Moving, fsm.Registering })
		e := r.next()
		for e.kind == "lift" { // its state follows the ride's
			e = r.next()
		}
		if took := time.Since(began); e.kind != "ride" || !strings.Contains(e.data, `"state":"MOVING"`) || took > 2*passRest {
			t.Errorf("%s after %s: %s", e.kind, took, e.data)
		}
	})
}

// The car's position is told at most ten times a second, and the last one is told.
func TestEventsAreCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		r := openEvents(t, ln.client(), "http://localhost", "?lift=L1", "", "")
		defer r.close()
		r.kinds(3)
		count, last := 0, ""
		read := make(chan struct{})
		go func() {
			defer close(read)
			for !strings.Contains(last, `"position_mm":{"value":6000,`) {
				e, err := r.tryNext()
				if err != nil {
					t.Errorf("the last position never came: %v", err)
					return
				}
				count, last = count+1, e.data
			}
		}()
		for mm := int32(3510); mm <= 6000; mm += 10 {
			h.put(position(mm))
			time.Sleep(4 * time.Millisecond) // 250 changes in a second
		}
		<-read
		if count < 5 || count > 13 {
			t.Errorf("%d events for 250 changes in one second", count)
		}
	})
}

// A permit's times count from receipt, and an event may come late: it carries none.
func TestEventsCarryNoTimesToActOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		r := openEvents(t, ln.client(), "http://localhost", "?ride=ride-1", robotToken, "")
		defer r.close()
		r.next()
		permitOf := func() Ride {
			var ride Ride
			if err := json.Unmarshal([]byte(r.next().data), &ride); err != nil {
				t.Fatal(err)
			}
			return ride
		}
		if p := permitOf().Permit; p == nil || p.Kind != "enter" || p.StartWithinMs != 0 || p.ThroughWithinMs != 0 {
			t.Errorf("permit %+v", p)
		}
		h.put(func(v *core.View) { v.Rides[0].Ride.Where, v.Rides[0].Ride.Permit = fsm.Inside, fsm.Permit{} })
		if pass := permitOf().LeavePass; pass == nil || pass.Floor != "3" || pass.NotAfterMs != 0 {
			t.Errorf("pass %+v", pass)
		}
	})
}

// RB-1: a reader that comes back is told what changed, once, as it is now.
func TestEventsResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		r := openEvents(t, ln.client(), "http://localhost", "", "", "")
		last := ""
		for range 5 {
			if e := r.next(); e.id != "" {
				last = e.id
			}
		}
		r.close()
		synctest.Wait()
		for mm := int32(1); mm < 500; mm++ { // nobody reads meanwhile
			h.put(func(v *core.View) { v.Lifts[1].Car.Position.Value, v.Lifts[1].Car.Motion.Value = mm, elevator.MovingUp })
		}
		h.put(func(v *core.View) {
			v.Rides = append(v.Rides[:0:0], rideView("ride-2", "R2", v.Lifts[0].Floors, start))
		})
		r = openEvents(t, ln.client(), "http://localhost", "", "", last)
		defer r.close()
		hello := r.next()
		if !strings.Contains(hello.data, `"resumed":true`) {
			t.Fatalf("not resumed: %s", hello.data)
		}
		rest := []event{r.next(), r.next(), r.next(), r.next()}
		got := ""
		for _, e := range rest {
			got += e.kind + " "
		}
		// L1 lost the ride that it stood for, L2 moved, ride-2 is new, ride-1 is gone.
		if got != "lift lift ride gone " || !strings.Contains(rest[1].data, `"position_mm":{"value":499,`) || !strings.HasPrefix(rest[3].data, `{"ride_id":"ride-1",`) {
			t.Errorf("resumed with %s: %+v", got, rest)
		}
		for _, foreign := range []string{"other-1", h.hub.boot + "-999999", "junk"} {
			again := openEvents(t, ln.client(), "http://localhost", "", "", foreign)
			if e := again.next(); !strings.Contains(e.data, `"resumed":false`) {
				t.Errorf("%s: %s", foreign, e.data)
			}
			if got := again.kinds(4); strings.Contains(got, "gone") {
				t.Errorf("a new reader is told of what is gone: %s", got)
			}
			again.close()
		}
	})
}

// A lift that is heard but does not change is told once a second, so that a page knows it is alive.
func TestEventsShowThatALiftIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		r := openEvents(t, ln.client(), "http://localhost", "?lift=L2", "", "")
		defer r.close()
		r.kinds(2)
		began := time.Now()
		go func() {
			for range 20 {
				time.Sleep(200 * time.Millisecond)
				h.put(func(v *core.View) { v.Lifts[1].Car.Floor.At = h.o.Now() })
			}
		}()
		r.kinds(3)
		if took := time.Since(began); took < 2900*time.Millisecond || took > 3800*time.Millisecond {
			t.Errorf("three signs of life in %s", took)
		}
		time.Sleep(2 * time.Second)
	})
}

// RB-6: a robot's stream holds no other robot's ride.
func TestEventsOfARobot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		h.put(func(v *core.View) { v.Rides = append(v.Rides, rideView("ride-2", "R2", v.Lifts[0].Floors, start)) })
		r := openEvents(t, ln.client(), "http://localhost", "", otherToken, "")
		defer r.close()
		if got := r.kinds(5); got != "hello lift:L1 lift:L2 ride:ride-2 shadow" {
			t.Errorf("R2 is told %s", got)
		}
	})
}

// House: a reader that does not read is cut, and holds nobody else up.
func TestSlowReaderIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ln := openHouse(t)
		slow, err := ln.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = slow.Close() }()
		if _, err := io.WriteString(slow, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		good := openEvents(t, ln.client(), "http://localhost", "", "", "")
		defer good.close()
		good.kinds(5)
		h.put(position(3600))
		began := time.Now()
		if e := good.next(); e.kind != "lift" || time.Since(began) > time.Second {
			t.Errorf("the good reader got %s after %s", e.kind, time.Since(began))
		}
		if n := h.hub.count(); n != 2 {
			t.Fatalf("%d readers", n)
		}
		time.Sleep(eventWithin + time.Second)
		synctest.Wait()
		if n := h.hub.count(); n != 1 {
			t.Errorf("%d readers, the slow one should be cut", n)
		}
		metrics := string(h.do(t, request{method: "GET", path: "/metrics"}).body)
		if !strings.Contains(metrics, "hoistway_http_readers_cut_total 1\n") {
			t.Error("the cut is not counted")
		}
	})
}

// SE-5: the number of readers is bounded.
func TestTooManyReaders(t *testing.T) {
	h := newHouse(t)
	for range maxReaders - forRobots {
		if _, opened := h.hub.open(&reader{}, ""); !opened {
			t.Fatal("refused too early")
		}
	}
	got := h.do(t, request{method: "GET", path: "/v1/events"})
	if got.status != http.StatusServiceUnavailable || got.problem.Code != asReaders.code {
		t.Errorf("%d %+v", got.status, got.problem)
	}
	for range ofOneRobot {
		if _, opened := h.hub.open(&reader{by: caller{robot, "R1"}}, ""); !opened {
			t.Fatal("a robot is refused")
		}
	}
	if got := h.do(t, request{method: "GET", path: "/v1/events", token: robotToken}); got.status != http.StatusServiceUnavailable || got.problem.Code != asReaders.code {
		t.Errorf("one more of the same robot: %d %+v", got.status, got.problem)
	}
	if got := h.do(t, request{method: "GET", path: "/v1/events?lift=L9"}); got.status != 404 || got.problem.Field != "lift" {
		t.Errorf("unknown lift: %d %+v", got.status, got.problem)
	}
}

// When the program ends the streams end, and a long stream is not cut by the times of calls.
func TestStreamsLastAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		ln := newPipes()
		ctx, cancel := context.WithCancel(context.Background())
		served := make(chan error, 1)
		go func() { served <- h.Serve(ctx, ln) }()
		r := openEvents(t, ln.client(), "http://localhost", "?ride=ride-1", "", "")
		defer r.close()
		r.kinds(2)
		ended := make(chan error, 1)
		go func() {
			_, err := r.tryNext()
			ended <- err
		}()
		time.Sleep(10 * time.Minute)
		select {
		case err := <-ended:
			t.Fatalf("the stream ended by itself: %v", err)
		default:
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("the stream did not end")
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}
