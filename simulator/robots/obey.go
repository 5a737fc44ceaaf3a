package robots

import (
	"context"
	"time"
)

const readyAgain = 5 * time.Second

// obey does the one thing that the ride says. asked is when the robot asked: a
// permit's times count from its receipt, and counting from the question can only
// make them shorter.
func (r *Robot) obey(ctx context.Context, x ride, asked time.Time) {
	if x.ID == "" {
		return
	}
	r.takePlace(x)
	at, _, going := r.body.state()
	switch told := x.Do.Do; {
	case going:
		if told == doBackOff {
			r.turnRound(x)
		}
	case told == doGoTo && at.Where == atLanding:
		r.sayReady(x)
	case told == doEnter && at.Where == atLanding:
		r.setOff(ctx, x, asked, true)
	case told == doLeave && x.Permit == nil:
		r.leaveAsTold(ctx, x, asked)
	case told == doLeave && at.Where == inCar && at.Lift == x.Lift && r.claim.Where == "":
		r.setOff(ctx, x, asked, false)
	case told == doBackOff, told == doClear:
		r.hurry = x.Do.Do != r.lastDo // say at once where it stands
	}
	r.lastDo = x.Do.Do
}

// takePlace carries the robot to the landing where a new ride begins: pretend
// robots know no corridors.
func (r *Robot) takePlace(x ride) {
	at, _, going := r.body.state()
	if going || at.Where != atLanding || x.Where != "outside" || x.ID == r.placedFor {
		return
	}
	r.placedFor = x.ID
	if at.Floor == x.From {
		return
	}
	r.body.put(Place{Where: atLanding, Floor: x.From}, true, false)
	r.hurry = true
	r.o.Log.Info("stands at the landing", "ride", x.ID, "floor", x.From)
}

// setOff crosses a door line if the permit is good for it: the right kind and
// place, begun in time, through in time, and heard by the agent before it moves.
func (r *Robot) setOff(ctx context.Context, x ride, asked time.Time, entering bool) {
	p := x.Permit
	if p == nil || entering != (p.Kind == "enter") || (entering && p.Floor != r.body.where().Floor) {
		return
	}
	m := move{ride: x.ID, lift: x.Lift, side: p.Side, floor: p.Floor, entering: entering}
	start := asked.Add(time.Duration(p.Start) * time.Millisecond)
	through := asked.Add(time.Duration(p.Through) * time.Millisecond)
	if !r.inTime(start, through) {
		return
	}
	if !r.announce(ctx, m, p.ID, start) {
		return
	}
	if !r.inTime(start, through) {
		r.giveUp(m)
		return
	}
	said := verb(entering, kindEntering, kindLeaving)
	r.die(said)
	if !entering && r.manner().SaysLeft {
		r.pretend(ctx, m)
		return
	}
	r.begin(ctx, m)
}

func (r *Robot) inTime(start, through time.Time) bool {
	now := time.Now()
	return now.Before(start) && !now.Add(r.o.Crossing).After(through)
}

// announce says that the robot goes, again and again under one number while the
// permit may be begun, and reports whether the agent has heard it. If it may have
// been heard but too late, the robot takes its word back and stays.
func (r *Robot) announce(ctx context.Context, m move, permit string, start time.Time) bool {
	kind := verb(m.entering, kindEntering, kindLeaving)
	if kind == r.manner().Mute {
		return true
	}
	s := r.signal(kind, permit)
	s.Where, s.Floor, s.SeesDoor = atDoorway, m.floor, r.doorSeen(m.lift, m.side)
	if !m.entering {
		s.FloorSure = s.SeesDoor != nil
	}
	made := time.Now()
	for {
		until, cancel := context.WithDeadline(ctx, start)
		err := r.tell(until, word{ride: m.ride, s: s, made: made})
		cancel()
		switch {
		case err == nil:
			r.spoke = time.Now()
			return true
		case isRefusal(err):
			r.complain("say that it goes", err)
			return false
		case !time.Now().Before(start), !sleep(ctx, resayPause):
			r.giveUp(m)
			return false
		}
	}
}

func (r *Robot) giveUp(m move) {
	r.say(m.ride, r.signal(verb(m.entering, kindGaveUpEntering, kindGaveUpLeaving), ""))
}

// turnRound is what a robot in a doorway does when told to back off.
func (r *Robot) turnRound(x ride) {
	select {
	case r.turn <- struct{}{}:
		r.o.Log.Info("turns round in the doorway", "ride", x.ID, "why", x.Do.Why)
	default: // it is turning already
	}
}

// arrived says how a crossing ended.
func (r *Robot) arrived(m move) {
	at, sure, _ := r.body.state()
	r.body.put(at, sure, false)
	kind := verb(m.entering, kindEntered, kindLeft)
	if m.stays {
		r.claim = Place{Where: atLanding, Floor: m.floor}
	}
	if m.turned {
		kind = verb(m.entering, kindGaveUpEntering, kindGaveUpLeaving)
	}
	r.lost = kind == r.manner().Mute
	r.say(m.ride, r.signal(kind, ""))
}

func (r *Robot) sayReady(x ride) {
	if r.readyOnWord(x.ID) || r.readyFor == x.ID && time.Since(r.readyAt) < readyAgain {
		return
	}
	r.readyFor, r.readyAt = x.ID, time.Now()
	r.say(x.ID, r.signal(kindReady, ""))
}

func verb(entering bool, in, out string) string {
	if entering {
		return in
	}
	return out
}
