package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/peer"
	"hoistway/fsm/elevator"
)

// bench has the floors of the rig's lift.
var bench = elevator.Table{
	{Label: "B1", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "G", Wire: 2, Doors: []elevator.Side{elevator.Front, elevator.Rear}},
	{Label: "1", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}

const (
	atG  elevator.Floor = 2
	atT1 elevator.Floor = 3
)

// sockets are real ones that a test can cut, all at once.
type sockets struct {
	mu   sync.Mutex
	cut  bool
	open []net.Conn
}

func (s *sockets) dial(ctx context.Context, network, address string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		return nil, errors.New("no way there")
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		s.open = append(s.open, c)
	}
	return c, err
}

func (s *sockets) set(cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = cut
	for _, c := range s.open {
		_ = c.Close()
	}
	s.open = nil
}

// guest is a robot with a gateway of its own: it rides by a link to the rig's agent.
type guest struct {
	t     *testing.T
	link  drivers.Link
	rides drivers.Rider
	net   sockets
	now   func() elevator.Instant
	boot  string
	seq   uint64
	where string
	floor elevator.Floor

	seen []string                 // state and phase, each change
	lost atomic.Int32             // views without a link
	hook func(v drivers.RideView) // of a test, before the robot acts
}

func newGuest(r *rig, boot, token string) *guest {
	r.t.Helper()
	start := time.Now()
	g := &guest{t: r.t, boot: boot, where: "landing", floor: atG, now: func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }}
	secrets := filepath.Join(r.t.TempDir(), "secrets")
	if err := os.WriteFile(secrets, []byte("token="+token+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	u, err := url.Parse("hoistway+" + r.base + "?lift=L1&secrets=" + secrets)
	if err != nil {
		r.t.Fatal(err)
	}
	reg, err := drivers.NewRegistry(peer.Factories(drivers.Env{Now: g.now, Dial: g.net.dial})...)
	if err != nil {
		r.t.Fatal(err)
	}
	o, err := reg.New(drivers.Spec{Lift: "lift of the guest", URL: u, Floors: bench})
	if err != nil {
		r.t.Fatal(err)
	}
	if g.link, err = o.Open(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = g.link.Close() })
	g.rides, _ = drivers.As[drivers.Rider](g.link)
	return g
}

func (g *guest) open(robot, id string) (drivers.RideView, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return g.rides.Open(ctx, drivers.RideSpec{ID: id, Robot: robot, From: atG, To: atT1, FromSide: elevator.Front, Ready: true, Crossing: 4 * time.Second})
}

// ride follows a ride to its end and does what it is told.
func (g *guest) ride(id string) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	views, ended := make(chan drivers.RideView, 1), make(chan error, 1)
	go func() {
		ended <- g.rides.Follow(ctx, id, func(v drivers.RideView) {
			if v.Lost {
				g.lost.Add(1)
			}
			select {
			case <-views: // only the newest counts
			default:
			}
			views <- v
		})
	}()
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	for {
		select {
		case v := <-views:
			g.obey(ctx, v)
		case <-beat.C:
			_, _ = g.rides.Signal(ctx, id, g.signal("heartbeat", g.where, ""))
		case err := <-ended:
			select {
			case v := <-views:
				g.obey(ctx, v)
			default:
			}
			if err != nil {
				g.t.Fatalf("the ride %s was followed to %v; seen %v", id, err, g.seen)
			}
			return
		}
	}
}

func (g *guest) obey(ctx context.Context, v drivers.RideView) {
	if v.Lost {
		if v.Permit != (drivers.RidePermit{}) {
			g.t.Errorf("a permit without a link: %+v", v)
		}
	} else if s := v.State + " " + v.Phase; len(g.seen) == 0 || g.seen[len(g.seen)-1] != s {
		g.seen = append(g.seen, s)
	}
	if g.hook != nil {
		g.hook(v)
	}
	p := v.Permit
	switch {
	case p.ID == "" || g.now() >= p.StartBy:
	case p.Kind == "enter" && g.where == "landing":
		g.cross(ctx, v, "entering", "entered", "car")
	case p.Kind != "enter" && g.where == "car":
		g.cross(ctx, v, "leaving", "left", "landing")
		g.floor = p.Floor
	}
}

// cross goes through a door line: only once the gateway has heard that it goes.
func (g *guest) cross(ctx context.Context, v drivers.RideView, going, gone, to string) {
	if _, err := g.rides.Signal(ctx, v.ID, g.signal(going, "doorway", v.Permit.ID)); err != nil {
		return // nothing was begun
	}
	time.Sleep(300 * time.Millisecond)
	g.where = to
	done := g.signal(gone, to, v.Permit.ID)
	for ctx.Err() == nil {
		if _, err := g.rides.Signal(ctx, v.ID, done); err == nil {
			return // the same word, older each time, until it is heard
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (g *guest) signal(kind, where, permit string) drivers.RideSignal {
	g.seq++
	return drivers.RideSignal{Kind: kind, Boot: g.boot, Seq: g.seq, At: g.now(), Where: where, Permit: permit}
}

func (g *guest) wantWay(want ...string) {
	g.t.Helper()
	i := 0
	for _, s := range g.seen {
		if i < len(want) && strings.HasPrefix(s, want[i]) {
			i++
		}
	}
	if i < len(want) {
		g.t.Errorf("went %v, want %v in this order", g.seen, want)
	}
}

// RB-2, RD-1: a ride by another gateway, from the wish to the end; the same id is the
// same ride, and another waits behind it.
func TestRideByAnotherGateway(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	g := newGuest(r, "b1", "robot")
	r.until("the lift online over there", func() bool {
		s, _ := g.link.Read(context.Background())
		return s.Link == elevator.Online && s.Floor.Fresh(g.now(), time.Second)
	}, func() any { return nil })
	for range 2 {
		if v, err := g.open("R1", "p1"); err != nil || v.ID != "p1" || v.Lift != "L1" || v.From != atG || v.To != atT1 {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	second := newGuest(r, "b", "robot-two")
	if v, err := second.open("R2", "p2"); err != nil || v.State != "IDLE" || v.Place != 1 {
		t.Errorf("the second ride: %+v, %v", v, err)
	}
	if _, err := g.rides.Cancel(context.Background(), "p2"); !errors.Is(err, drivers.ErrGone) {
		t.Errorf("cancel another robot's ride: %v", err)
	}
	if v, err := second.rides.Cancel(context.Background(), "p2"); err != nil || v.ID != "p2" {
		t.Errorf("%+v, %v", v, err)
	}
	o := g.link.Do(context.Background(), elevator.Command{ID: elevator.CommandID{Ride: "x", N: 1}, Verb: elevator.CarCall, Floor: atT1})
	if o.Result != elevator.NotSent {
		t.Errorf("a command: %+v", o)
	}
	g.ride("p1")
	g.wantWay("WAITING called", "WAITING boarding", "MOVING", "EXITING", "DONE arrived")
	if g.floor != atT1 || g.lost.Load() != 0 {
		t.Errorf("the robot is at %s, and was lost %d times", g.floor, g.lost.Load())
	}
	if n := r.presses(0, 2) + r.presses(1, 2); n != 1 {
		t.Errorf("%d landing calls at G", n)
	}
	var no *drivers.RideRefusal
	if _, err := g.rides.Open(context.Background(), drivers.RideSpec{ID: "p1", Robot: "R1", From: atT1, To: atG}); !errors.Is(err, drivers.ErrConflict) || !errors.As(err, &no) {
		t.Errorf("the same id for another ride: %v", err)
	}
}

// RB-3: the robot starts anew while it stands in the car: it finds its ride and ends it.
func TestGuestStartsAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	g := newGuest(r, "b1", "robot")
	if _, err := g.open("R1", "p1"); err != nil {
		t.Fatal(err)
	}
	moving := make(chan struct{})
	var once sync.Once
	g.hook = func(v drivers.RideView) {
		if v.State == "MOVING" {
			once.Do(func() { close(moving); _ = g.link.Close() })
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- g.rideUntilClosed("p1") }()
	<-moving
	if err := <-ended; !errors.Is(err, drivers.ErrClosed) {
		t.Fatalf("%v", err)
	}
	again := newGuest(r, "b2", "robot")
	vs, err := again.rides.Rides(context.Background(), "R1")
	if err != nil || len(vs) != 1 || vs[0].ID != "p1" || vs[0].State == "DONE" || vs[0].Where != "inside" {
		t.Fatalf("%+v, %v", vs, err)
	}
	again.where = "car" // its own sight
	again.ride("p1")
	again.wantWay("EXITING", "DONE arrived")
}

// rideUntilClosed rides as ride does, until its link is closed under it.
func (g *guest) rideUntilClosed(id string) error {
	views := make(chan drivers.RideView, 64)
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() { ended <- g.rides.Follow(ctx, id, func(v drivers.RideView) { views <- v }) }()
	for {
		select {
		case v := <-views:
			g.obey(ctx, v)
		case err := <-ended:
			return err
		}
	}
}

// RB-5, RD-17: the gateway starts anew in mid-ride, once with the robot before the
// door and once in the car: the robot waits, and the ride goes on to its end.
func TestGatewayStartsAnewUnderAGuest(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"WAITING called", "MOVING riding"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			at := "127.0.0.1:0"
			r.deps.Listen = func(network, _ string) (net.Listener, error) {
				ln, err := net.Listen(network, at)
				if err == nil {
					at = ln.Addr().String() // the next life has the same
				}
				return ln, err
			}
			r.start()
			r.online()
			g := newGuest(r, "b1", "robot")
			if _, err := g.open("R1", "p1"); err != nil {
				t.Fatal(err)
			}
			restarted := false
			g.hook = func(v drivers.RideView) {
				if !restarted && !v.Lost && v.State+" "+v.Phase == when {
					restarted = true
					r.stop()
					time.Sleep(500 * time.Millisecond)
					r.start()
				}
			}
			g.ride("p1")
			if !restarted || g.lost.Load() == 0 {
				t.Fatalf("restarted %v, lost %d times; went %v", restarted, g.lost.Load(), g.seen)
			}
			if last := g.seen[len(g.seen)-1]; !slices.Contains([]string{"DONE arrived", "DONE returned", "DONE evacuated"}, last) {
				t.Errorf("went %v", g.seen)
			}
		})
	}
}

// RB-5: the way to the gateway is lost with the robot in the car: it keeps the leave
// pass and no permit; what happens meanwhile is taken up when the way is back.
func TestWayToTheGatewayIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	g := newGuest(r, "b1", "robot")
	if _, err := g.open("R1", "p1"); err != nil {
		t.Fatal(err)
	}
	var pass drivers.LeavePass
	cut := false
	g.hook = func(v drivers.RideView) {
		switch {
		case !cut && v.State == "MOVING" && v.Pass.Floor == atT1:
			cut = true
			g.net.set(true)
			time.AfterFunc(4*time.Second, func() { g.net.set(false) })
		case v.Lost && v.State == "MOVING":
			pass = v.Pass
		}
	}
	g.ride("p1")
	if pass.Floor != atT1 || pass.Side != elevator.Front || pass.NotAfter <= g.now() {
		t.Errorf("the pass without a link: %+v", pass)
	}
	if g.lost.Load() == 0 || !strings.HasPrefix(g.seen[len(g.seen)-1], "DONE") {
		t.Errorf("lost %d times, went %v", g.lost.Load(), g.seen)
	}
}

// SE-4: a token that is nobody's rides nothing; another robot's ride does not exist.
func TestGuestWithAWrongToken(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	var no *drivers.RideRefusal
	if _, err := newGuest(r, "b", "nobody's").open("R1", "p1"); !errors.As(err, &no) || no.Code != "E-2003" || !errors.Is(err, drivers.ErrConfig) {
		t.Errorf("%v", err)
	}
	g := newGuest(r, "b", "robot")
	if _, err := g.rides.Signal(context.Background(), "nothing", g.signal("ready", "landing", "")); !errors.Is(err, drivers.ErrGone) {
		t.Errorf("%v", err)
	}
	_, err := g.rides.Open(context.Background(), drivers.RideSpec{ID: "p1", Robot: "R9", From: atG, To: atT1})
	if !errors.As(err, &no) || no.Field != "/robot" {
		t.Errorf("a ride for another robot: %v", fmt.Sprint(err))
	}
}
