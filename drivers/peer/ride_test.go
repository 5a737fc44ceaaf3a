package peer

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

func asRefusal(err error, into **drivers.RideRefusal) bool { return errors.As(err, into) }

// waiting is a ride as the public description has it, boarding with a permit.
const waiting = `{"ride_id":"r 1","task_id":"t","robot":"R1","lift":"L7","from":"G","to":"2","from_door":"front","to_door":"front",
 "state":"WAITING","phase":"boarding","place":3,"place_why":"R2 is before it","priority":2,"crossing_s":3.5,"where":"outside",
 "permit":{"id":"r 1/7","epoch":3,"kind":"enter","floor":"G","side":"front","start_within_ms":2000,"through_within_ms":9000},
 "withheld":[],"leave_pass":{"floor":"2","side":"front","not_after_ms":600000},
 "do":{"do":"enter","why":"the door is open","until_ms":2000},"deadline_ms":30000,"retries":1,
 "fault":{"code":"WAIT_TIMEOUT","no":2,"age_ms":1500,"latched":false,"help":"E-5001","todo":"look"},
 "transitions":[{"at":"2026-01-01T00:00:00.000Z","from":"IDLE","to":"REQUESTING","phase":"calling","why":""}],"newer":{}}`

func (b *bench) rider() drivers.Rider {
	b.Helper()
	r, ok := drivers.As[drivers.Rider](b.link)
	if !ok {
		b.Fatal("the link is no Rider")
	}
	return r
}

func (b *bench) tells(ride, text string) {
	b.far.change(func() {
		b.far.rides["rides/"+ride] = text
		b.far.rides["rides"] = text
	})
}

func (b *bench) lastBody() string {
	b.far.mu.Lock()
	defer b.far.mu.Unlock()
	for i := len(b.far.bodies) - 1; i >= 0; i-- {
		if b.far.bodies[i] != "" {
			return b.far.asks[i] + " " + b.far.bodies[i]
		}
	}
	return ""
}

// RB-2: what is asked for, as it is written, and what comes back, dated from before the
// question left.
func TestOpenRide(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.tells("r 1", waiting)
		asked := b.now()
		v, err := b.rider().Open(context.Background(), drivers.RideSpec{
			ID: "r 1", Task: "t", Robot: "R1", From: 1, To: 3, FromSide: elevator.Front, Priority: 2, Crossing: 3200 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		want := `POST /v1/rides {"ride_id":"r 1","task_id":"t","robot":"R1","lift":"L7","from":"G","to":"2","from_door":"front","priority":2,"ready":false,"crossing_s":4}`
		if got := b.lastBody(); got != want {
			t.Errorf("said\n%s, want\n%s", got, want)
		}
		ms := func(n int) elevator.Instant { return asked.Add(time.Duration(n) * time.Millisecond) }
		wantView := drivers.RideView{
			ID: "r 1", Task: "t", Robot: "R1", Lift: "L7", From: 1, To: 3, FromSide: elevator.Front, ToSide: elevator.Front,
			State: "WAITING", Phase: "boarding", Where: "outside", Retries: 1, At: asked,
			Place: 3, PlaceWhy: "R2 is before it", Priority: 2, Crossing: 3500 * time.Millisecond,
			Permit: drivers.RidePermit{ID: "r 1/7", Epoch: 3, Kind: "enter", Floor: 1, Side: elevator.Front, StartBy: ms(2000), ThroughBy: ms(9000)},
			Pass:   drivers.LeavePass{Floor: 3, Side: elevator.Front, NotAfter: ms(600_000)},
			Do:     "enter", Why: "the door is open", DoUntil: ms(2000), Deadline: ms(30_000),
			Fault: drivers.RideFault{Code: "WAIT_TIMEOUT", No: 2, Since: asked.Add(-1501 * time.Millisecond), Help: "E-5001", Todo: "look"},
		}
		if !reflect.DeepEqual(v, wantView) {
			t.Errorf("seen\n%+v, want\n%+v", v, wantView)
		}
	})
}

// RB-2: a permit lasts here no longer than it was granted for, less the time on the way.
func TestPermitPaysForTheWay(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.tells("r 1", waiting)
		b.far.mu.Lock()
		b.far.late, b.far.slow = 1200*time.Millisecond, true
		b.far.mu.Unlock()
		asked := b.now()
		v, err := b.rider().Cancel(context.Background(), "r 1")
		if err != nil {
			t.Fatal(err)
		}
		left := v.Permit.StartBy.Sub(b.now())
		if v.Permit.StartBy.Sub(asked) != 2*time.Second || left > 800*time.Millisecond {
			t.Errorf("%v are left of a permit of 2 s that took 1.2 s to come", left)
		}
	})
}

// RD-14: a permit for what this side does not know is none, and it says why.
func TestPermitForTheUnknown(t *testing.T) {
	for what, change := range map[string][2]string{
		"floor": {`"floor":"G","side"`, `"floor":"roof","side"`},
		"door":  {`"side":"front","start`, `"side":"hatch","start`},
		"kind":  {`"kind":"enter"`, `"kind":"jump"`},
		"id":    {`"id":"r 1/7"`, `"id":""`},
	} {
		inBubble(t, func(b *bench) {
			b.tells("r 1", strings.Replace(waiting, change[0], change[1], 1))
			vs, err := b.rider().Rides(context.Background(), "R1")
			if err == nil {
				t.Fatal("one ride is no list of rides")
			}
			v, err := b.rider().Cancel(context.Background(), "r 1")
			if err != nil || v.Permit != (drivers.RidePermit{}) || len(v.Withheld) != 1 || len(vs) != 0 {
				t.Errorf("%s: %+v, %v", what, v, err)
			}
		})
	}
}

// RB-6: a signal is told with its age at the telling, however late, and again the same
// but older.
func TestSignalAges(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.tells("r 1", waiting)
		odo, battery := 1.5, 70
		s := drivers.RideSignal{
			Kind: "entering", Boot: "b", Seq: 4, At: b.now(), Where: "doorway", Floor: 1, FloorSure: true, Motion: elevator.Stopped,
			OdoM: &odo, Door: &drivers.SeenDoor{Floor: 1, Side: elevator.Front, Open: true}, Permit: "r 1/7", Battery: &battery,
		}
		const head, tail = `POST /v1/rides/r%201/signals {"kind":"entering","boot":"b","seq":4,"age_ms":`,
			`,"where":"doorway","floor":"G","floor_sure":true,"motion":"still","odo_m":1.5,"sees_door":{"floor":"G","side":"front","open":true},"permit":"r 1/7","battery":70}`
		for _, age := range []string{"0", "701"} {
			if _, err := b.rider().Signal(context.Background(), "r 1", s); err != nil {
				t.Fatal(err)
			}
			if got := b.lastBody(); got != head+age+tail {
				t.Errorf("said\n%s, want\n%s", got, head+age+tail)
			}
			time.Sleep(700*time.Millisecond + time.Microsecond)
		}
		beater, _ := drivers.As[drivers.Beater](b.link)
		b.far.change(func() { b.far.rides["robots/R1/heartbeat"] = `{"robot":"R1","rides":["r 1"]}` })
		s.At = b.now()
		rides, err := beater.Beat(context.Background(), "R1", s)
		if err != nil || len(rides) != 1 || rides[0] != "r 1" {
			t.Errorf("%v, %v", rides, err)
		}
		if got := b.lastBody(); strings.Contains(got, "kind") || strings.Contains(got, "permit") {
			t.Errorf("a heartbeat said %s", got)
		}
	})
}

// What cannot be written down is not sent.
func TestNothingToSend(t *testing.T) {
	inBubble(t, func(b *bench) {
		r, ctx := b.rider(), context.Background()
		sig := drivers.RideSignal{Kind: "ready", Boot: "b", Seq: 1, At: b.now(), Where: "landing"}
		bad := func(change func(*drivers.RideSignal)) error {
			s := sig
			change(&s)
			_, err := r.Signal(ctx, "r", s)
			return err
		}
		open := func(s drivers.RideSpec) error {
			_, err := r.Open(ctx, s)
			return err
		}
		_, noID := r.Cancel(ctx, "")
		for what, err := range map[string]error{
			"a ride without an id":       open(drivers.RideSpec{Robot: "R1", From: 1, To: 2}),
			"a ride without a robot":     open(drivers.RideSpec{ID: "r", From: 1, To: 2}),
			"from nowhere":               open(drivers.RideSpec{ID: "r", Robot: "R1", To: 2}),
			"to a floor that is not":     open(drivers.RideSpec{ID: "r", Robot: "R1", From: 1, To: 9}),
			"cancel without an id":       noID,
			"a signal without a time":    bad(func(s *drivers.RideSignal) { s.At = 0 }),
			"a signal of tomorrow":       bad(func(s *drivers.RideSignal) { s.At = b.now() + 1 }),
			"a signal from no floor":     bad(func(s *drivers.RideSignal) { s.Floor = 9 }),
			"a door of no floor":         bad(func(s *drivers.RideSignal) { s.Door = &drivers.SeenDoor{Side: elevator.Front} }),
			"a door of no side":          bad(func(s *drivers.RideSignal) { s.Door = &drivers.SeenDoor{Floor: 1} }),
			"a door of a floor not here": bad(func(s *drivers.RideSignal) { s.Door = &drivers.SeenDoor{Floor: 9, Side: elevator.Front} }),
		} {
			if !errors.Is(err, drivers.ErrNotSent) || !errors.Is(err, drivers.ErrConfig) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := len(b.far.Pressed()); n != 0 {
			t.Errorf("%d calls left", n)
		}
	})
}

// Each no comes as its kind, with its code; what no gateway says is no word about rides.
func TestRefusals(t *testing.T) {
	problem := func(code string) string {
		return `{"type":"urn:hoistway:problem:` + code + `","title":"t","status":0,"detail":"d","code":"` + code + `","field":"/from"}`
	}
	for _, c := range []struct {
		status int
		text   string
		want   error
		code   string
	}{
		{400, problem("E-2001"), drivers.ErrConfig, "E-2001"},
		{401, problem("E-2003"), drivers.ErrConfig, "E-2003"},
		{404, problem("E-2006"), drivers.ErrGone, "E-2006"},
		{404, problem("E-2005"), drivers.ErrConfig, "E-2005"},
		{409, problem("E-2111"), drivers.ErrConflict, "E-2111"},
		{422, problem("E-2101"), drivers.ErrConfig, "E-2101"},
		{429, problem("E-2012"), drivers.ErrBusy, "E-2012"},
		{500, problem("E-2010"), drivers.ErrDevice, "E-2010"},
		{503, problem("E-2107"), drivers.ErrBusy, "E-2107"},
		{503, problem("E-2015"), drivers.ErrTimeout, "E-2015"},
		{404, `not here`, drivers.ErrProtocol, ""},
		{502, `bad gateway`, drivers.ErrLink, ""},
		{302, `elsewhere`, drivers.ErrProtocol, ""},
		{200, `{"ride_id":"another"}`, drivers.ErrProtocol, ""},
		{200, `{"ride_id":"r","place":"first"}`, drivers.ErrProtocol, ""},
		{200, `{"ride_id":"r"`, drivers.ErrProtocol, ""},
		{200, `{"ride_id":"r"}{}`, drivers.ErrProtocol, ""},
	} {
		inBubble(t, func(b *bench) {
			b.tells("r", c.text)
			b.far.mu.Lock()
			b.far.status = c.status
			b.far.mu.Unlock()
			_, err := b.rider().Cancel(context.Background(), "r")
			var no *drivers.RideRefusal
			isNo := errors.As(err, &no)
			if !errors.Is(err, c.want) || isNo != (c.code != "") || isNo && (no.Code != c.code || no.Detail != "d" || no.Field != "/from") {
				t.Errorf("%d %s: %v", c.status, c.text, err)
			}
		})
	}
}

// follow runs Follow until the test ends it.
func (b *bench) follow(ride string) (views chan drivers.RideView, ended chan error, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	views, ended = make(chan drivers.RideView, 4096), make(chan error, 1)
	go func() { ended <- b.rider().Follow(ctx, ride, func(v drivers.RideView) { views <- v }) }()
	return views, ended, cancel
}

// RB-5: the link goes in mid-ride: no permit is left, the leave pass is; it comes back,
// and the ride goes on to its end.
func TestFollowOverALostLink(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.tells("r 1", waiting)
		views, ended, stop := b.follow("r 1")
		defer stop()
		if v := <-views; v.Lost || v.Permit.ID != "r 1/7" {
			t.Fatalf("%+v", v)
		}
		b.far.Power(false)
		gone := drivers.RideView{}
		for !gone.Lost {
			gone = <-views
		}
		if gone.Permit != (drivers.RidePermit{}) || gone.Pass.Floor != 3 || gone.Do != "" || gone.ID != "r 1" || gone.State != "WAITING" {
			t.Errorf("%+v", gone)
		}
		time.Sleep(20 * time.Second)
		for len(views) > 0 {
			if v := <-views; !v.Lost || v.Pass != gone.Pass || v.At != gone.At {
				t.Errorf("while nobody can be asked: %+v", v)
			}
		}
		b.far.Power(true)
		for v := <-views; v.Lost; v = <-views {
		}
		b.tells("r 1", strings.Replace(waiting, `"state":"WAITING"`, `"state":"DONE"`, 1))
		if err := <-ended; err != nil {
			t.Errorf("a ride that is over ended with %v", err)
		}
	})
}

// What changes is here at once, a permit is renewed in time, and nothing is asked like mad.
func TestFollowKeepsUp(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.tells("r 1", waiting)
		views, ended, stop := b.follow("r 1")
		_, ended2, stop2 := b.follow("r 1") // two may follow
		time.Sleep(10 * time.Second)
		if n := len(views); n < 30 || n > 60 {
			t.Errorf("%d views in 10 s", n)
		}
		for len(views) > 0 {
			if v := <-views; v.Permit.StartBy.Sub(v.At) != 2*time.Second {
				t.Errorf("%+v", v)
			}
		}
		time.Sleep(110 * time.Millisecond) // between two questions of its own
		began := b.now()
		b.tells("r 1", strings.Replace(waiting, "boarding", "called", 1))
		for v := <-views; v.Phase != "called"; v = <-views {
		}
		if took := b.now().Sub(began); took > 60*time.Millisecond {
			t.Errorf("seen after %v", took)
		}
		stop()
		stop2()
		if e1, e2 := <-ended, <-ended2; !errors.Is(e1, context.Canceled) || !errors.Is(e2, context.Canceled) {
			t.Errorf("%v, %v", e1, e2)
		}
	})
}

func TestFollowEnds(t *testing.T) {
	inBubble(t, func(b *bench) {
		views, ended, stop := b.follow("none")
		defer stop()
		if err := <-ended; !errors.Is(err, drivers.ErrGone) || len(views) != 0 {
			t.Errorf("a ride that is not kept: %v after %d views", err, len(views))
		}
		b.tells("r 1", waiting)
		_, ended, stop = b.follow("r 1")
		defer stop()
		time.Sleep(time.Second)
		if err := b.link.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, drivers.ErrClosed) {
			t.Errorf("on a closed link: %v", err)
		}
		if _, err := b.rider().Cancel(context.Background(), "r 1"); !errors.Is(err, drivers.ErrClosed) {
			t.Errorf("on a closed link: %v", err)
		}
	})
}

// RB-3: after a start of its own a robot takes up its rides, and nobody else's.
func TestRidesAfterAStart(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.tells("r 1", "["+waiting+","+strings.Replace(waiting, `"R1"`, `"R2"`, 1)+"]")
		vs, err := b.rider().Rides(context.Background(), "R1")
		if err != nil || len(vs) != 1 || vs[0].ID != "r 1" || vs[0].Permit.ID != "r 1/7" {
			t.Errorf("%+v, %v", vs, err)
		}
		if a := b.far.asked(); !slices.Contains(a, "GET /v1/rides?robot=R1") {
			t.Errorf("asked %v", a)
		}
	})
}

// A gateway that hears and does not answer: it may have been taken.
func TestRideUnanswered(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.tells("r", waiting)
		b.far.Spoil("silent", false)
		_, err := b.rider().Open(context.Background(), drivers.RideSpec{ID: "r", Robot: "R1", From: 1, To: 2})
		if !errors.Is(err, drivers.ErrTimeout) || errors.Is(err, drivers.ErrNotSent) {
			t.Errorf("%v", err)
		}
		b.far.Power(false)
		_, err = b.rider().Open(context.Background(), drivers.RideSpec{ID: "r", Robot: "R1", From: 1, To: 2})
		if !errors.Is(err, drivers.ErrLink) || !errors.Is(err, drivers.ErrNotSent) {
			t.Errorf("%v", err)
		}
	})
}
