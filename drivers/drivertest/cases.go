package drivertest

import (
	"context"
	"errors"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// DR-10: a read asked for now shows what is now, dated after the asking.
func freshRead(r *rig) {
	r.up()
	for _, f := range []Face{faceB, faceA} {
		r.far.Show(f)
		asked := r.Now()
		s, err := r.link.Read(context.Background())
		if err != nil {
			r.Fatalf("read: %v", err)
		}
		if !f.shown(s) {
			r.Errorf("read shows %+v, want %+v", s, f)
		}
		if s.Floor.At < asked.Add(-r.Grain) || s.Floor.Source != elevator.Controller {
			r.Errorf("floor is dated %d by %v, asked for at %d", s.Floor.At, s.Floor.Source, asked)
		}
	}
}

// DR-11: late, short, garbled and foreign answers carry face B; it may not be
// seen before the answers are sound.
func wrongAnswers(r *rig) {
	r.up()
	for _, how := range []Spoil{Silent, Late, Short, Garbled, Foreign} {
		r.empty()
		r.far.Spoil(how, false)
		r.far.Show(faceB)
		r.until(string(how)+" marks the value as failed", func(s elevator.Snapshot) bool { return s.Floor.Failed })
		time.Sleep(4 * r.Period)
		r.far.Show(faceA)
		time.Sleep(4 * r.Period) // what was answered with face B, or with parts of it, is spoilt as well
		r.far.Spoil(Sound, false)
		r.until("face A after "+string(how), func(s elevator.Snapshot) bool {
			return faceA.shown(s) && s.Link == elevator.Online
		})
		for _, s := range r.empty() {
			if faceB.touches(s) && !s.Floor.Failed {
				r.Errorf("%s answer became a value: %+v", how, s)
			}
		}
	}
}

// empty takes what was delivered so far.
func (r *rig) empty() (got []elevator.Snapshot) {
	for {
		select {
		case s := <-r.all:
			got = append(got, s)
		default:
			return got
		}
	}
}

// DR-8: the same id acts at most once.
func onceForID(r *rig) {
	r.up()
	c := r.command()
	r.wantResult(r.do(c), elevator.Done)
	r.wantResult(r.do(c), elevator.Done)
	r.wantPresses(1)
	if p := r.far.Pressed()[0]; p.Verb != elevator.LandingCall || p.Floor != 2 {
		r.Errorf("the controller felt %+v, want a landing call at floor 2", p)
	}
}

// DR-8: two commands are never made one, alike as they are.
func twiceForTwo(r *rig) {
	r.up()
	r.wantResult(r.do(r.command()), elevator.Done)
	r.wantResult(r.do(r.command()), elevator.Done)
	r.wantPresses(2)
}

func expired(r *rig) {
	r.up()
	c := r.command()
	c.Until = r.Now()
	r.wantResult(r.do(c), elevator.NotSent)
	r.wantPresses(0)
}

func absentCommand(r *rig) {
	c := r.command()
	c.Until = r.Now().Add(300 * time.Millisecond)
	r.wantResult(r.do(c), elevator.NotSent)
	r.up()
	time.Sleep(4 * r.Period)
	r.wantPresses(0)
}

func takenBack(r *rig) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	r.wantResult(r.link.Do(ctx, r.command()), elevator.NotSent)
	r.wantResult(r.link.Do(ctx, r.command()), elevator.NotSent)
	r.up()
	time.Sleep(4 * r.Period)
	r.wantPresses(0)
}

// DR-9: the controller's own code is kept.
func refused(r *rig) {
	r.up()
	r.far.Spoil(Refuse, true)
	o := r.do(r.command())
	r.wantResult(o, elevator.Refused)
	if o.Code == "" {
		r.Errorf("the controller's code is lost: %+v", o)
	}
	r.far.Spoil(Sound, true)
	r.wantResult(r.do(r.command()), elevator.Done)
	r.wantPresses(1)
}

// A press without an answer is unknown; it is not pressed again, and a read
// follows by itself.
func unknown(r *rig) {
	for _, how := range []Spoil{Silent, Short, Garbled, Foreign} {
		r.unproven(how)
	}
}

func lateAck(r *rig) { r.unproven(Late) }

func (r *rig) unproven(how Spoil) {
	r.Helper()
	r.far.Spoil(Sound, true)
	r.up()
	before := len(r.far.Pressed())
	r.far.Spoil(how, true)
	c := r.command()
	o := r.do(c)
	r.wantResult(o, elevator.ResultUnknown)
	r.until("a fresh read after the "+string(how)+" answer", func(s elevator.Snapshot) bool {
		return s.Floor.At > o.At && !s.Floor.Failed
	})
	r.wantResult(r.do(c), elevator.ResultUnknown)
	r.wantPresses(before + 1)
}

// DR-11.
func absentAtStart(r *rig) {
	s := r.until("offline", func(s elevator.Snapshot) bool { return s.Link == elevator.Offline })
	if s.LinkSince == 0 || s.Floor.Value != 0 {
		r.Errorf("offline since %d with floor %v", s.LinkSince, s.Floor.Value)
	}
	if _, err := r.link.Read(context.Background()); !errors.Is(err, drivers.ErrLink) && !errors.Is(err, drivers.ErrTimeout) {
		r.Errorf("read of an absent controller: %v", err)
	}
	r.up()
}

// DR-11: nothing is restarted, and no value is fresh meanwhile.
func goneAndBack(r *rig) {
	for range 2 {
		r.up()
		r.far.Power(false)
		gone := r.until("offline", func(s elevator.Snapshot) bool { return s.Link == elevator.Offline })
		if !gone.Floor.Failed || !gone.Motion.Failed || !gone.Door(elevator.Front).Failed {
			r.Errorf("offline, and yet not failed: %+v", gone)
		}
	}
	r.up()
	if !r.ReadOnly {
		r.wantResult(r.do(r.command()), elevator.Done)
	}
}

// DR-8: a link that takes no commands says so of each, and nothing leaves.
func noCommands(r *rig) {
	r.up()
	for v := elevator.LandingCall; v <= elevator.GiveBack; v++ {
		c := r.command()
		c.Verb, c.To, c.ToSide, c.Notice = v, 3, elevator.Front, elevator.Entered
		o := r.do(c)
		r.wantResult(o, elevator.NotSent)
		if o.Advice != elevator.AdviceConfig || o.Detail == "" {
			r.Errorf("%v: it is not told that this can never be: %+v", v, o)
		}
	}
	time.Sleep(4 * r.Period)
	r.wantPresses(0)
}

// DR-10: freshness is told although nothing changes.
func watchByPeriod(r *rig) {
	r.up()
	r.empty()
	const periods = 20
	time.Sleep(periods * r.Period)
	got := r.empty()
	if len(got) < periods/2 {
		r.Errorf("%d deliveries in %d periods", len(got), periods)
	}
	if first, last := got[0].Floor.At, got[len(got)-1].Floor.At; last.Sub(first) < periods*r.Period/2 {
		r.Errorf("the value aged: read at %d, then at %d", first, last)
	}
}

func watchEnds(r *rig) {
	w, _ := drivers.As[drivers.Watcher](r.link)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Watch(ctx, func(elevator.Snapshot) {}) }()
	cancel()
	if err := <-ended; err == nil {
		r.Error("watch ended with no error")
	}
}

// RD-7: an output that outlives the program is released by it.
func closePays(r *rig) {
	out, ok := r.far.(Leveller)
	if !ok {
		r.Fatal("the controller is no Leveller")
	}
	r.up()
	c := r.Pulse
	c.ID, c.Until = elevator.CommandID{Ride: "pulse", N: 1}, r.Now().Add(time.Minute)
	r.wantResult(r.do(c), elevator.Done)
	if !out.Level() {
		r.Fatal("the output is not set: there is nothing to prove")
	}
	if err := r.link.Close(); err != nil {
		r.Errorf("close: %v", err)
	}
	if out.Level() {
		r.Error("the output is still set after closing")
	}
}

// IL-7: a release that is not acknowledged stays owed, and is told until it is.
func tellsDebts(r *rig) {
	d, ok := drivers.As[drivers.Debtor](r.link)
	if !ok {
		r.Fatal("the link is no Debtor")
	}
	r.up()
	r.wantDebts(d, 0)
	r.far.Spoil(Silent, true)
	c := r.Pulse
	c.ID, c.Until = elevator.CommandID{Ride: "pulse", N: 1}, r.Now().Add(time.Minute)
	asked := r.Now()
	r.wantResult(r.do(c), elevator.ResultUnknown)
	for _, x := range r.wantDebts(d, 1) {
		if x.Command != c.ID || x.Verb != c.Verb || x.Asked < asked || x.Asked > r.Now() {
			r.Errorf("owed: %+v, of %+v", x, c)
		}
	}
	r.far.Spoil(Sound, true)
	r.until("the release is paid", func(elevator.Snapshot) bool {
		debts, err := d.Owes(context.Background())
		return err == nil && len(debts) == 0
	})
	if r.far.(Leveller).Level() {
		r.Error("nothing is owed, and the output is still set")
	}
	if err := r.link.Close(); err != nil {
		r.Errorf("close: %v", err)
	}
	if _, err := d.Owes(context.Background()); !errors.Is(err, drivers.ErrClosed) {
		r.Errorf("a closed link says what it owes: %v", err)
	}
}

func (r *rig) wantDebts(d drivers.Debtor, n int) []drivers.Debt {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), r.Return)
	defer cancel()
	debts, err := d.Owes(ctx)
	if err != nil || len(debts) != n {
		r.Errorf("owed %+v, %v; want %d", debts, err, n)
	}
	return debts
}

func closed(r *rig) {
	r.up()
	if err := r.link.Close(); err != nil {
		r.Fatalf("close: %v", err)
	}
	r.wantResult(r.do(r.command()), elevator.NotSent)
	if _, err := r.link.Read(context.Background()); !errors.Is(err, drivers.ErrClosed) {
		r.Errorf("read of a closed link: %v", err)
	}
	r.wantPresses(0)
}
