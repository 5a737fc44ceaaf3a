package rest

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

// site is the bench building behind a service, and a link to its first lift by a
// profile of the catalog.
type site struct {
	t     *testing.T
	world *devices.World
	web   *devices.Web
	link  drivers.Link
	now   func() elevator.Instant
	floor elevator.Table
	n     uint32
}

func newSite(t *testing.T, shape devices.WebShape, profile, link, secrets string, wire func(elevator.Floor, int) int) *site {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, world: devices.NewRealWorld(b), now: clock()}
	s.world.Do(func(b *building.Building) {
		for i, l := range b.Table("L1") {
			l.Wire = wire(elevator.Floor(i+1), l.Wire)
			s.floor = append(s.floor, l)
		}
	})
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	if s.web, err = devices.ServeWeb(s.world, p.listen, "lifts.example:80", shape, "L1", "L2"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(file, []byte(secrets), 0o600); err != nil {
		t.Fatal(err)
	}
	src, ok := profiles.Lookup(profile)
	if !ok {
		t.Fatalf("no profile %s", profile)
	}
	spec := linkSpec(t, fillIn(link, "lifts.example", file), "testdata/plain.yaml")
	spec.ProfileName, spec.Profile, spec.Floors = profile, src, s.floor
	if s.link, err = opener(t, drivers.Env{Now: s.now, Dial: func(context.Context, string, string) (net.Conn, error) { return p.dial() }}, spec).Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.link.Close()
		if err := s.web.Close(); err != nil {
			t.Error(err)
		}
		p.cut()
	})
	return s
}

// fillIn puts the address for @ and the file of secrets for #.
func fillIn(link, addr, secrets string) string {
	return strings.NewReplacer("@", addr, "#", secrets).Replace(link)
}

// until waits for a reading.
func (s *site) until(what string, fits func(elevator.Snapshot) bool) elevator.Snapshot {
	s.t.Helper()
	var last elevator.Snapshot
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		last, _ = s.link.Read(context.Background())
		if fits(last) {
			return last
		}
	}
	s.t.Fatalf("never seen: %s; last was %+v", what, last)
	return last
}

func (s *site) do(c elevator.Command) elevator.Outcome {
	s.t.Helper()
	s.n++
	c.ID, c.Until = elevator.CommandID{Ride: "site", N: s.n}, s.now().Add(10*time.Second)
	if c.Side == elevator.SideUnknown {
		c.Side = elevator.Front
	}
	return s.link.Do(context.Background(), c)
}

func (s *site) done(c elevator.Command) {
	s.t.Helper()
	if o := s.do(c); o.Result != elevator.Done {
		s.t.Fatalf("%s: %+v", c.Verb, o)
	}
}

func openAt(f elevator.Floor) func(elevator.Snapshot) bool {
	return func(s elevator.Snapshot) bool {
		d := s.Door(elevator.Front)
		return s.Floor.Value == f && !s.Floor.Failed && s.Motion.Value == elevator.Stopped && d.Value == elevator.DoorOpen && !d.Failed
	}
}

func same(_ elevator.Floor, n int) int { return n }

// DR-3: the bench's own service, by its profile: calls, lamps, holds, refusals.
func TestBenchService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, devices.ShapeBench, "bench/http-lift", "http://@?lift=L1&secrets=#", "client="+devices.WebClient+"\npassword="+devices.WebSecret+"\n", same)
		s.until("online", func(x elevator.Snapshot) bool { return x.Link == elevator.Online && x.Mode.Value == elevator.Normal })
		s.done(elevator.Command{Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Up})
		s.until("open at the second landing", openAt(2))
		s.done(elevator.Command{Verb: elevator.Hold, Floor: 2})
		if x := s.until("held", func(x elevator.Snapshot) bool { return x.Holds[elevator.Front] != 0 }); x.Vendor.Value != 0 {
			t.Errorf("%+v", x)
		}
		s.done(elevator.Command{Verb: elevator.CarCall, Floor: 3})
		if x := s.until("lamp", func(x elevator.Snapshot) bool { return x.CarCalls.Value.Has(3) }); x.CarCalls.Value.Has(2) {
			t.Errorf("%+v", x)
		}
		s.done(elevator.Command{Verb: elevator.CancelCall, Car: true, Floor: 3})
		s.until("dark", func(x elevator.Snapshot) bool { return !x.CarCalls.Value.Has(3) && !x.CarCalls.Failed })
		if o := s.do(elevator.Command{Verb: elevator.LandingCall, Floor: elevator.Floor(len(s.floor)), Direction: elevator.Up}); o.Result != elevator.Refused || o.Code != "NO_LANDING" || o.Advice != elevator.AdviceConfig {
			t.Errorf("%+v", o)
		}
		s.web.Behave(devices.WebManners{DropCalls: true})
		before := len(s.web.Lift("L1").Writes())
		if o := s.do(elevator.Command{Verb: elevator.CarCall, Floor: 3}); o.Result != elevator.ResultUnknown {
			t.Errorf("%+v", o)
		}
		if got := s.web.Lift("L1").Writes(); len(got) != before+1 {
			t.Errorf("felt %v", got[before:])
		}
		for _, m := range []devices.WebManners{{LoginPage: true}, {ErrorBody: true}, {Drip: 500 * time.Millisecond}, {Quota: 1, QuotaAs: 429}} {
			s.web.Behave(m)
			s.until("failed", func(x elevator.Snapshot) bool { return x.Floor.Failed || x.Link == elevator.Offline })
			if o := s.do(elevator.Command{Verb: elevator.CarCall, Floor: 2}); o.Result == elevator.Done {
				t.Errorf("%+v: %+v", m, o)
			}
			s.web.Behave(devices.WebManners{})
			s.until("well again", func(x elevator.Snapshot) bool { return x.Link == elevator.Online && !x.Floor.Failed })
		}
	})
}

// DR-3: the cloud form interface, signed and encrypted in both directions.
func TestYunR(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, devices.ShapeYunR, "yun-r/cloud", "http://@/api/cloud?app_id="+devices.WebClient+"&app_code=c&project=p&robot=r1&device=L1&open_time=5&secrets=#", "app_secret="+devices.WebSecret+"\n", same)
		s.until("online", func(x elevator.Snapshot) bool { return x.Link == elevator.Online && x.Floor.Value != 0 })
		s.done(elevator.Command{Verb: elevator.Journey, Floor: 2, To: 3})
		s.until("open at the origin", openAt(2))
		s.until("open at the destination", openAt(3))
		// A token that ran out is answered with what is no answer; a new one mends it.
		s.web.Behave(devices.WebManners{TokenLife: 2 * time.Minute})
		time.Sleep(time.Hour)
		s.web.Behave(devices.WebManners{})
		s.until("well again", func(x elevator.Snapshot) bool { return x.Link == elevator.Online && !x.Floor.Failed })
		if o := s.do(elevator.Command{Verb: elevator.Journey, Floor: 2, To: 2}); o.Result != elevator.Refused {
			t.Errorf("%+v", o)
		}
		if o := s.do(elevator.Command{Verb: elevator.Hold, Floor: 3}); o.Result != elevator.Refused || o.Advice != elevator.AdviceConfig {
			t.Errorf("%+v", o)
		}
	})
}

// DR-3: the lobby's socket: robot mode, calls, doors, a connection that breaks.
func TestLiftAuth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, devices.ShapeLiftAuth, "liftauth/lobby", "ws://@?lobby=x&lift=L1&secrets=#", "api_key="+devices.WebSecret+"\n", func(f elevator.Floor, _ int) int { return int(f) - 1 })
		s.until("online", func(x elevator.Snapshot) bool {
			return x.Link == elevator.Online && x.Floor.Value == 1 && x.Door(elevator.Front).Value == elevator.DoorClosed
		})
		s.done(elevator.Command{Verb: elevator.Claim})
		if o := s.do(elevator.Command{Verb: elevator.Claim}); o.Result != elevator.Refused || o.Advice != elevator.AdviceWait {
			t.Errorf("%+v", o)
		}
		s.done(elevator.Command{Verb: elevator.CarCall, Floor: 3})
		s.until("open at the third landing", openAt(3))
		s.done(elevator.Command{Verb: elevator.Hold, Floor: 3})
		s.done(elevator.Command{Verb: elevator.Lapse, Floor: 3})
		s.web.Behave(devices.WebManners{DropCalls: true})
		before := len(s.web.Lift("L1").Writes())
		if o := s.do(elevator.Command{Verb: elevator.CarCall, Floor: 1}); o.Result != elevator.ResultUnknown {
			t.Errorf("%+v", o)
		}
		s.web.Behave(devices.WebManners{})
		s.until("back", func(x elevator.Snapshot) bool { return x.Link == elevator.Online && !x.Floor.Failed })
		if got := s.web.Lift("L1").Writes(); len(got) != before+1 {
			t.Errorf("felt %v", got[before:])
		}
	})
}

// DR-3, DR-7: a draft is read, by what comes by itself, and never used for calls.
func TestKONEIsReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, devices.ShapeKONE, "kone/call-api-v2", "ws://@?building=building:1&deck=1001010&scope=x&token_url=/api/v2/oauth2/token&secrets=#",
			"client_id="+devices.WebClient+"\nclient_secret="+devices.WebSecret+"\n", func(_ elevator.Floor, n int) int { return 1000 * n })
		s.until("told", func(x elevator.Snapshot) bool {
			return x.Link == elevator.Online && x.Floor.Value == 1 && x.Motion.Value == elevator.Stopped && x.Door(elevator.Front).Value == elevator.DoorClosed
		})
		s.world.Do(func(b *building.Building) { _ = b.CarCall("L1", 2) })
		s.until("moves", func(x elevator.Snapshot) bool { return x.Motion.Value == elevator.MovingUp })
		s.until("open at the second landing", openAt(2))
		if o := s.do(elevator.Command{Verb: elevator.CarCall, Floor: 3}); o.Result != elevator.Refused || o.Advice != elevator.AdviceConfig || !strings.Contains(o.Detail, "draft") {
			t.Errorf("%+v", o)
		}
		p, _ := drivers.As[drivers.Prober](s.link)
		if got, err := p.Peek(context.Background(), "actions"); err != nil || !strings.Contains(got.Text, `"action_id": 5000`) {
			t.Errorf("%s, %v", got.Text, err)
		}
		if got, err := p.Peek(context.Background(), "config"); err != nil || !strings.Contains(got.Text, `"area_id": 2000`) {
			t.Errorf("%s, %v", got.Text, err)
		}
		if _, err := p.Peek(context.Background(), "call area=2000"); !errors.Is(err, drivers.ErrConfig) {
			t.Errorf("%v", err)
		}
		if got := s.web.Lift("L1").Writes(); len(got) != 0 {
			t.Errorf("a draft moved something: %v", got)
		}
	})
}
