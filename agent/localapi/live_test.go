package localapi

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/explain"
	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
)

// liveLoop is the real core behind this door, with commands that are always done and two
// cars that stand closed at G.
type liveLoop struct {
	mu      sync.Mutex
	k       *core.Core
	now     func() elevator.Instant
	publish func(*core.View)
	token   uint64
	mode    map[string]elevator.Mode // by lift; absent: normal
	view    *core.View
}

func newLiveLoop(now func() elevator.Instant) *liveLoop {
	c := dispatch.Config{Params: fsm.DefaultParams(), Robots: []string{"R1", "R2"}}
	for _, id := range []string{"L1", "L2"} {
		c.Lifts = append(c.Lifts, dispatch.Lift{ID: id, Area: "A", Floors: building(start).Lifts[0].Floors, Plan: fsm.Plan{
			Style: fsm.LandingAndCar, Confirm: fsm.ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
			AcceptWithin: 3 * time.Second, Poll: 200 * time.Millisecond,
		}})
	}
	l := &liveLoop{k: core.New(core.Config{Site: c, Boot: core.Boot{ID: "b"}}), now: now, mode: map[string]elevator.Mode{}}
	l.look()
	return l
}

func (l *liveLoop) View() *core.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view
}

func (l *liveLoop) Ask(_ context.Context, o core.Order) (core.Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.token++
	if a := l.step(core.Ordered{Token: l.token, Order: o}); a != nil {
		return *a, nil
	}
	return core.Answer{}, errors.New("no answer")
}

// step does one thing and all that follows from it, and gives the answer to an order.
func (l *liveLoop) step(in core.Input) (answer *core.Answer) {
	t := core.Time{Now: l.now(), Wall: time.Now().UnixMilli()}
	for todo := []core.Input{in}; len(todo) > 0; todo = todo[1:] {
		r := l.k.Step(todo[0], t)
		for _, e := range append(r.Urgent, r.After...) {
			switch e := e.(type) {
			case core.Command:
				todo = append(todo, core.Answered{Outcome: elevator.Outcome{ID: e.Command.ID, Result: elevator.Done, At: t.Now}})
			case core.Reply:
				answer = &e.Answer
			}
		}
	}
	l.view = l.k.View(t)
	if l.publish != nil {
		l.publish(l.view)
	}
	return answer
}

// look reads both cars.
func (l *liveLoop) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range []string{"L1", "L2"} {
		car := carAt(2, 3500, l.now())
		for _, side := range []elevator.Side{elevator.Front, elevator.Rear} {
			car.Doors[side] = seen(elevator.DoorClosed, l.now())
		}
		if mode, told := l.mode[id]; told {
			car.Mode.Value = mode
		}
		l.step(&core.Seen{Lift: id, Car: car})
	}
	l.step(core.Tick{})
}

func (l *liveLoop) shows(lift string, mode elevator.Mode) {
	l.mu.Lock()
	l.mode[lift] = mode
	l.mu.Unlock()
	l.look()
}

// openLive serves the whole door over the real core on a real socket.
func openLive(t *testing.T) (*house, *liveLoop, string) {
	t.Helper()
	began := time.Now()
	now := func() elevator.Instant { return start + elevator.Instant(time.Since(began)) }
	l := newLiveLoop(now)
	h := newHouse(t, func(o *Options) {
		o.Backend, o.Now, o.Wall = l, now, time.Now
		o.Help = func(fault string) (string, string) {
			e, _ := explain.Lookup(explain.ForFault(fault))
			return e.Code, e.Do
		}
	})
	h.rules = machine()
	l.publish = h.Publish
	ctx, cancel := context.WithCancel(context.Background())
	ln := listen(t)
	ended := make(chan error, 3)
	go func() { ended <- h.Run(ctx) }()
	go func() { ended <- h.Serve(ctx, ln) }()
	go func() {
		for ctx.Err() == nil {
			l.look()
			time.Sleep(200 * time.Millisecond)
		}
		ended <- nil
	}()
	t.Cleanup(func() {
		cancel()
		for range 3 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return h, l, "http://" + ln.Addr().String()
}

// OP-3, IL-8, RD-13: the acts by the real core: what is set is shown at once, and taken back.
func TestActsByTheCore(t *testing.T) {
	h, l, _ := openLive(t)
	ask := func(method, path, body string, status int) reply {
		t.Helper()
		got := h.do(t, request{method: method, path: path, token: techToken, body: body})
		if got.status != status {
			t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
		}
		return got
	}
	lift := func(r reply) Lift { return decoded[Lift](t, r) }
	if x := lift(ask("POST", "/v1/lifts/L1/maintenance", `{"for_s":3600,"why":"ropes"}`, 200)); x.Maintenance == nil || x.Maintenance.By != "site-technician" || x.Maintenance.Until == nil || x.Accepting || x.Why != string(core.WhyMaintenance) {
		t.Errorf("%+v", x)
	}
	made := decoded[Ride](t, ask("POST", "/v1/rides", `{"robot":"R1","lift":"L1","from":"B1","to":"2"}`, 201))
	if made.Place != 1 || !contains(made.PlaceWhy, "lift L1 is in maintenance for another ") {
		t.Errorf("%+v", made)
	}
	if x := lift(ask("DELETE", "/v1/lifts/L1/maintenance", "", 200)); x.Maintenance != nil || x.Owner == nil {
		t.Errorf("%+v", x)
	}
	path := "/v1/rides/" + made.ID
	if r := decoded[Ride](t, ask("PATCH", path, `{"to":"3"}`, 200)); r.To != "3" {
		t.Errorf("%+v", r)
	}
	ask("PATCH", path, `{"to":"B1"}`, http.StatusUnprocessableEntity)
	again := `{"ride_id":"` + made.ID + `","robot":"R1","lift":"L1","from":"B1","to":"2"}`
	if r := decoded[Ride](t, ask("POST", "/v1/rides", again, 200)); r.To != "3" {
		t.Errorf("the first request again: %+v", r)
	}
	for _, x := range decoded[[]Lift](t, ask("POST", "/v1/stop", `{"on":true,"why":"water"}`, 200)) {
		if x.Stopped == nil || x.Accepting {
			t.Errorf("%+v", x)
		}
	}
	if r := decoded[Ride](t, ask("GET", path, "", 200)); r.State != "DONE" || r.Phase != "cancelled" {
		t.Errorf("stopped: %+v", r)
	}
	ask("PATCH", path, `{"to":"2"}`, http.StatusConflict)
	ask("POST", "/v1/rides", `{"robot":"R1","lift":"L1","from":"G","to":"2"}`, http.StatusServiceUnavailable)
	ask("POST", "/v1/stop", `{"on":false}`, 200)
	ask("POST", "/v1/lifts/L1/car-empty", looked, 200)

	l.shows("L2", elevator.Fire)
	if x := lift(ask("GET", "/v1/lifts/L1", "", 200)); x.AreaAlarm == nil || x.AreaAlarm.Kind != "fire" || !x.AreaAlarm.Latched || x.AreaAlarm.Source != "L2" || x.Mode.Value != "normal" {
		t.Errorf("%+v", x)
	}
	if got := ask("POST", "/v1/areas/A/alarms/clear", looked, http.StatusConflict); !contains(got.problem.Detail, "L2") {
		t.Errorf("%+v", got.problem)
	}
	l.shows("L2", elevator.Normal)
	if c := decoded[Cleared](t, ask("POST", "/v1/areas/A/alarms/clear", looked, 200)); c.Area != "A" || len(c.Lifts) != 2 {
		t.Errorf("%+v", c)
	}
	if x := lift(ask("GET", "/v1/lifts/L1", "", 200)); x.AreaAlarm != nil || !x.Accepting {
		t.Errorf("%+v", x)
	}
}
