package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// talking plays a test against a service on a socket and a link to it.
func talking(t *testing.T, change func(string) string, play func(*testing.T, *talker, drivers.Link, func() elevator.Instant)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v, now := newTalker(), clock()
		v.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		v.Power(true)
		s := linkSpec(t, "ws://lifts.example?lift=A", "testdata/socket.yaml")
		s.Profile = []byte(change(string(s.Profile)))
		l, err := opener(t, drivers.Env{Now: now, Dial: v.dial}, s).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer v.Power(false)
		defer func() { _ = l.Close() }()
		time.Sleep(time.Second)
		play(t, v, l, now)
	})
}

func asIs(s string) string { return s }

func (v *talker) said(what string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.came {
		if c == what {
			n++
		}
	}
	return n
}

func (v *talker) connections() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.conns
}

func glance(l drivers.Link) elevator.Snapshot {
	s, _ := l.Read(context.Background())
	return s
}

// DR-3, DR-10: what comes by itself is laid over what is known, dated by its coming;
// what it does not say stays as it was; another lift's is dropped.
func TestHeard(t *testing.T) {
	talking(t, asIs, func(t *testing.T, v *talker, l drivers.Link, now func() elevator.Instant) {
		before := now()
		v.push <- `{"event":"door moved","lift":"A","now":"open"}`
		synctest.Wait()
		s := glance(l)
		if d := s.Door(elevator.Rear); d.Value != elevator.DoorOpen || d.At < before || s.Floor.Value != 1 {
			t.Fatalf("%+v", s)
		}
		heard := s.Door(elevator.Rear)
		for _, m := range []string{
			`{"event":"door moved","lift":"B","now":"closed"}`, `{"event":"floor","lift":"A","now":"closed"}`, `{"event":"door","lift":"A"}`,
			`{"event":"door"`, `[]`, `7`, `{"id":1,"state":"ok","lift":"A","floor":"3","door":"closed"}`, strings.Repeat("[", 200),
		} {
			v.push <- m
		}
		synctest.Wait()
		if s := glance(l); s.Door(elevator.Rear) != heard || s.Floor.Value != 1 {
			t.Errorf("%+v", s)
		}
		v.push <- `{"event":"door","lift":"A","now":"ajar"}`
		synctest.Wait()
		if s := glance(l); s.Door(elevator.Rear).Value != elevator.DoorUnknown {
			t.Errorf("%+v", s)
		}
	})
}

// That a question was registered is no yes, and no no either.
func TestRegisteredIsNotAccepted(t *testing.T) {
	later := func(s string) string {
		return strings.ReplaceAll(s, "done: {state: [ok], lift: [$lift]}\n      no:", "done: {state: [taken]}\n      no:")
	}
	talking(t, later, func(t *testing.T, v *talker, l drivers.Link, now func() elevator.Instant) {
		answer := func(id int, state string) string {
			return fmt.Sprintf(`{"id":%d,"lift":"A","state":%q,"error":"LOCKED"}`, id, state)
		}
		out := make(chan elevator.Outcome, 1)
		ask := func(n uint32) {
			go func() { out <- l.Do(context.Background(), command(now, n, elevator.CarCall)) }()
			synctest.Wait()
		}
		// Ids count up on a connection, polls among them: all of them are answered.
		all := func(state string) {
			for id := 1; id < 60; id++ {
				v.push <- answer(id, state)
			}
		}
		ask(1)
		select {
		case o := <-out:
			t.Fatalf("registered was taken for %+v", o)
		default:
		}
		all("taken")
		if o := <-out; o.Result != elevator.Done {
			t.Errorf("%+v", o)
		}
		ask(2)
		all("no")
		if o := <-out; o.Result != elevator.Refused || o.Code != "LOCKED" || o.Advice != elevator.AdviceConfig {
			t.Errorf("%+v", o)
		}
		ask(3)
		if o := <-out; o.Result != elevator.ResultUnknown {
			t.Errorf("%+v", o)
		}
		if n := v.said("press"); n != 3 {
			t.Errorf("said %d times", n)
		}
	})
}

// DR-11: a connection that breaks under a command leaves it unknown; it is made anew,
// with a wait that grows and differs, and what it begins with is said again.
func TestBroken(t *testing.T) {
	talking(t, asIs, func(t *testing.T, v *talker, l drivers.Link, now func() elevator.Instant) {
		v.Spoil(drivertest.Silent, true)
		out := make(chan elevator.Outcome, 1)
		go func() { out <- l.Do(context.Background(), command(now, 1, elevator.CarCall)) }()
		synctest.Wait()
		v.push <- "cut"
		if o := <-out; o.Result != elevator.ResultUnknown || v.said("press") != 1 {
			t.Errorf("%+v", o)
		}
		synctest.Wait()
		if s := glance(l); s.Link != elevator.Offline || !s.Floor.Failed || !s.Door(elevator.Rear).Failed {
			t.Errorf("%+v", s)
		}
		if o := l.Do(context.Background(), command(now, 2, elevator.CarCall)); o.Result != elevator.NotSent {
			t.Errorf("without a connection: %+v", o)
		}
		time.Sleep(2 * time.Second)
		if s := glance(l); s.Link != elevator.Online || v.connections() != 2 || v.said("watch") != 2 {
			t.Errorf("%+v after %d connections", s, v.connections())
		}
		v.Power(false)
		time.Sleep(2 * time.Minute)
		v.Power(true)
		time.Sleep(6 * time.Second)
		if s := glance(l); s.Link != elevator.Online || v.said("press") != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// What a connection begins with is said again in its time; the connection itself is
// made anew before the service ends it, and nothing is offline meanwhile.
func TestRenewedInTime(t *testing.T) {
	short := func(s string) string {
		return strings.Replace(s, "  subprotocol:", "  lifetime: 2m\n  subprotocol:", 1)
	}
	talking(t, short, func(t *testing.T, v *talker, l drivers.Link, _ func() elevator.Instant) {
		time.Sleep(time.Minute)
		if n := v.said("watch"); n != 3 {
			t.Errorf("watch was said %d times in a minute", n)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		w, _ := drivers.As[drivers.Watcher](l)
		_ = w.Watch(ctx, func(s elevator.Snapshot) {
			if s.Link != elevator.Online {
				t.Errorf("%s since %v at %v: %+v", s.Link, s.LinkSince, time.Now(), s)
			}
		})
		if n := v.connections(); n != 2 {
			t.Errorf("%d connections", n)
		}
	})
}

// A service that is silent though connected is not believed to be there.
func TestSilentSocket(t *testing.T) {
	talking(t, asIs, func(t *testing.T, v *talker, l drivers.Link, _ func() elevator.Instant) {
		v.Spoil(drivertest.Silent, false)
		time.Sleep(10 * time.Second)
		if s := glance(l); s.Link != elevator.Offline || !s.Floor.Failed {
			t.Errorf("%+v", s)
		}
		v.Spoil(drivertest.Sound, false)
		time.Sleep(time.Second)
		if s := glance(l); s.Link != elevator.Online {
			t.Errorf("%+v", s)
		}
	})
}

// A service that is no socket, speaks another protocol, or does not believe us: each
// is told apart, none is stormed.
func TestNoSocket(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"page":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"not us": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
		"busy":   func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "30"); w.WriteHeader(503) },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.example/", http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newField(t)
				f.answer = map[string]http.HandlerFunc{"/v2": h}
				l, err := opener(t, drivers.Env{Now: clock(), Dial: f.dial}, linkSpec(t, "ws://lifts.example?lift=A", "testdata/socket.yaml")).Open(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				defer f.power(false, nil)
				defer func() { _ = l.Close() }()
				time.Sleep(5 * time.Minute)
				most := map[string]int{"page": 150, "not us": 6, "busy": 11, "elsewhere": 150}[name]
				if n := f.count("/v2"); n > most || n == 0 {
					t.Errorf("asked %d times", n)
				}
				if f.count("/") != 0 {
					t.Error("it followed to another host")
				}
				if s, err := l.Read(context.Background()); s.Link != elevator.Offline || !errors.Is(err, drivers.ErrLink) {
					t.Errorf("%+v, %v", s, err)
				}
			})
		})
	}
}

// A session is taken up again on a new connection; where the service has forgotten it,
// a new one begins.
func TestSession(t *testing.T) {
	with := func(s string) string {
		s = strings.Replace(s, "  messages:\n", "  session: {create: create, at: door, resume: resume}\n  messages:\n", 1)
		return strings.Replace(s, "    watch:", "    create: {json: '{\"id\": \"$request_id\", \"do\": \"create\"}', done: {state: [ok]}}\n"+
			"    resume: {json: '{\"id\": \"$request_id\", \"do\": \"resume\", \"door\": \"$session\"}', done: {state: [ok]}, no: [{where: {state: [\"no\"]}, as: refused}]}\n    watch:", 1)
	}
	talking(t, with, func(t *testing.T, v *talker, l drivers.Link, _ func() elevator.Instant) {
		want := func(created, resumed int) {
			t.Helper()
			if c, r := v.said("create"), v.said("resume"); c != created || r != resumed || glance(l).Link != elevator.Online {
				t.Errorf("created %d, resumed %d, %s", c, r, glance(l).Link)
			}
		}
		want(1, 0)
		v.push <- "cut"
		time.Sleep(2 * time.Second)
		want(1, 1)
		v.mu.Lock()
		v.forgot = true
		v.mu.Unlock()
		v.push <- "cut"
		time.Sleep(2 * time.Second)
		want(2, 2)
	})
}

// Where all values come by themselves, a lift that nothing is heard of is not there.
func TestNothingPolled(t *testing.T) {
	pushed := func(s string) string {
		a, b, _ := strings.Cut(s, "  floor: {from: status.floor}")
		_, b, _ = strings.Cut(b, "commands:")
		a = strings.Replace(a, ", renew: 30s", "", 1)
		a = strings.Replace(a, "  subprotocol:", "  silence: 20s\n  subprotocol:", 1)
		return a + "  door: {front: {from: doors.now, enum: {open: open, closed: closed}}}\ncommands:" + b
	}
	talking(t, pushed, func(t *testing.T, v *talker, l drivers.Link, _ func() elevator.Instant) {
		if _, err := l.Read(context.Background()); !errors.Is(err, drivers.ErrLink) {
			t.Errorf("%v", err)
		}
		v.push <- `{"event":"door","lift":"A","now":"open"}`
		synctest.Wait()
		if s, err := l.Read(context.Background()); err != nil || s.Link != elevator.Online || s.Door(elevator.Front).Value != elevator.DoorOpen {
			t.Errorf("%+v, %v", s, err)
		}
		time.Sleep(time.Minute)
		if s, err := l.Read(context.Background()); !errors.Is(err, drivers.ErrLink) || s.Link != elevator.Offline || v.connections() < 2 {
			t.Errorf("%+v, %v after %d connections", s, err, v.connections())
		}
	})
}

// A technician's questions go through the same connection; what may move something is
// not peeked, and a preview shows no secret.
func TestProbe(t *testing.T) {
	talking(t, asIs, func(t *testing.T, v *talker, l drivers.Link, _ func() elevator.Instant) {
		p, _ := drivers.As[drivers.Prober](l)
		got, err := p.Peek(context.Background(), "status")
		if err != nil || !strings.Contains(got.Text, `"floor": "1"`) {
			t.Errorf("%+v, %v", got, err)
		}
		for _, q := range []string{"", "press floor=1 direction=up", "doors", "stat", "status x=1", "press floor", `press floor="1`} {
			if _, err := p.Peek(context.Background(), q); !errors.Is(err, drivers.ErrConfig) {
				t.Errorf("%q: %v", q, err)
			}
		}
		b, err := p.Preview(`press floor=2 direction="up"`)
		if err != nil || len(b) != 1 || string(b[0]) != `{"direction":"up","do":"press","floor":2,"id":"REQUEST-ID"}` {
			t.Errorf("%s, %v", b, err)
		}
		id := elevator.CommandID{Ride: "poke", N: 1}
		for range 2 {
			if o := p.Poke(context.Background(), id, "press floor=2 direction=up"); o.Result != elevator.Done {
				t.Errorf("%+v", o)
			}
		}
		if n := v.said("press"); n != 1 {
			t.Errorf("pressed %d times", n)
		}
		plan, _ := drivers.As[drivers.Planned](l)
		var asked []string
		for _, r := range plan.Plan() {
			asked = append(asked, fmt.Sprint(r.Question, " ", r.Every, " ", r.Note))
		}
		if want := []string{"status 200ms ", "doors 0s comes by itself"}; !slices.Equal(asked, want) {
			t.Errorf("%q, want %q", asked, want)
		}
	})
}
