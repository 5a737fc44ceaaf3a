package core

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
)

// look judges one output.
func (p *pass) look(o dispatch.Output) {
	switch o := o.(type) {
	case dispatch.Do:
		p.lookAtCommand(&o)
	case dispatch.Moved:
		p.lookAtMove(&o)
	case dispatch.Freed:
		if r := p.site.Ride(o.Ride); r != nil && r.Where != fsm.Outside {
			p.gates.break_(OneOwner, o.Lift, o.Ride, "the lease is freed with the robot %s", r.Where)
		}
	case dispatch.Drop:
		delete(p.gates.sent, o.Ride)
	}
}

func (p *pass) lookAtCommand(o *dispatch.Do) {
	g, c, now := &p.gates, &o.Command, p.t.Now
	broken := func(rule Invariant, format string, args ...any) {
		g.break_(rule, o.Lift, c.ID.Ride, format, args...)
	}
	l, r := g.of(o.Lift), p.site.Ride(c.ID.Ride)
	switch {
	case l == nil || r == nil:
		broken(OneOwner, "%s for the lift %q by the ride %q", c.Verb, o.Lift, c.ID.Ride)
		return
	case c.Verb == elevator.VerbUnknown || c.Verb > elevator.GiveBack:
		broken(ButtonsOnly, "a command that there is not: %s", c.Verb)
	case c.Until <= now:
		broken(InTime, "%s with no life in it", c.Verb)
	case c.Until > now.Add(max(longestHold, r.Params.HoldRenew+2*r.Plan.Poll+startsWithin, r.Plan.ClaimWithin, r.Plan.AcceptWithin)):
		broken(HoldEnds, "a %s that lasts %v", c.Verb, c.Until.Sub(now))
	case l.mode.Recalls() || l.mode == elevator.Inspection:
		broken(HandsOff, "%s while the lift is seen in mode %s", c.Verb, l.mode)
	case c.ID.N <= g.sent[r.ID]:
		broken(ActsOnce, "%s with the number %d, and %d was used", c.Verb, c.ID.N, g.sent[r.ID])
	case r.Lift != o.Lift || !r.Granted && !g.wasFreed(r.ID):
		broken(OneOwner, "%s by a ride that does not hold the lift", c.Verb)
	case c.MayClose && r.Where != fsm.Outside && r.Where != fsm.Inside:
		broken(NothingCloses, "%s while the robot is %s", c.Verb, r.Where)
	case l.shut == "":
		g.sent[r.ID] = c.ID.N
		if c.MayClose {
			l.closing = *c
		}
	}
}

// wasFreed reports a lease that ended in this very step, maybe after what was asked.
func (g *gates) wasFreed(ride string) bool {
	for _, r := range g.freed {
		if r == ride {
			return true
		}
	}
	return false
}

func (p *pass) lookAtMove(o *dispatch.Moved) {
	g, r := &p.gates, p.site.Ride(o.Ride)
	if r == nil {
		g.break_(ToldAsIs, o.Lift, o.Ride, "a change of a ride that there is not")
		return
	}
	if was := p.told(r.ID); was != "" && was != o.From {
		g.break_(ToldAsIs, o.Lift, o.Ride, "goes from %s, and was told to be %s", o.From, was)
	}
	g.tell(o.Ride, o.To)
	switch {
	case o.From == fsm.FaultLocked && o.To != fsm.FaultLocked && g.reset != o.Ride:
		g.break_(LocksStay, o.Lift, o.Ride, "FAULT_LOCKED is left for %s with no reset", o.To)
	case o.From == fsm.Fault && o.To == fsm.Requesting && (r.Where == fsm.Inside || r.Where == fsm.Crossing):
		g.break_(LocksStay, o.Lift, o.Ride, "a new try with the robot %s", r.Where)
	case o.To == fsm.Exiting:
		p.lookAtExit(r)
	}
}

// told is the state that was told of a ride last, "" where none was.
func (p *pass) told(ride string) fsm.State {
	for i := range p.gates.told {
		if p.gates.told[i].ride == ride {
			return p.gates.told[i].state
		}
	}
	if m := p.marks(ride); len(m) > 0 {
		return m[len(m)-1].To
	}
	return ""
}

// tell notes what this step tells of a ride.
func (g *gates) tell(ride string, s fsm.State) {
	for i := range g.told {
		if g.told[i].ride == ride {
			g.told[i].state = s
			return
		}
	}
	g.told = append(g.told, told{ride, s})
}

// lookAtExit wants the door seen open where the ride leaves. A robot's own sight may stand
// for what a controller has no point for; against one that has, nothing does.
func (p *pass) lookAtExit(r *fsm.Ride) {
	c, now, own := &r.Car, p.t.Now, r.Plan.Sight
	door := c.Door(r.WaySide)
	is := func(read elevator.Instant, holds bool) bool { return holds || own && read == 0 }
	if c.Link != elevator.Online || !is(door.At, door.Value == elevator.DoorOpen && door.Fresh(now, freshSight)) ||
		!is(c.Floor.At, c.Floor.Value == r.WayFloor) || !is(c.Motion.At, c.Motion.Value == elevator.Stopped) {
		p.gates.break_(ExitOpen, r.Lift, r.ID, "EXITING at %s by the %s door, seen at %s with the door %s", r.WayFloor, r.WaySide, c.Floor.Value, door.Value)
	}
}

// permitsOf looks at the permit of whoever has a lift, after a reading that made nothing
// else of it.
func (p *pass) permitsOf(lift string) {
	if l := p.gates.of(lift); l != nil && l.owner != "" {
		if r := p.site.Ride(l.owner); r != nil {
			p.lookAtPermit(l, r)
		}
	}
}

// lookAtPermit judges one that was given, or given anew, in this step.
func (p *pass) lookAtPermit(l *gate, r *fsm.Ride) {
	q, c, now := &r.Permit, &r.Car, p.t.Now
	if q.N == 0 || q.Start != now.Add(startsWithin) {
		if q.N != 0 && q.Start > now.Add(startsWithin) {
			p.gates.break_(KnownOnly, l.lift, r.ID, "a permit to start within %v", q.Start.Sub(now))
		}
		return
	}
	near, own := freshSight, r.Plan.Sight
	if c.Holds[q.Side] > now {
		near = coveredSight
	}
	door := c.Door(q.Side)
	switch {
	case !r.Granted || q.Epoch != r.Epoch || q.Epoch == 0:
		p.gates.break_(OneOwner, l.lift, r.ID, "a permit with no lease")
	case q.Floor == 0 || c.Link != elevator.Online || !known(door, elevator.DoorOpen, own, now, near) ||
		!known(c.Floor, q.Floor, own, now, near) || !known(c.Motion, elevator.Stopped, own, now, near):
		p.gates.break_(KnownOnly, l.lift, r.ID, "a permit to %s at %s, seen at %s %s with the door %s", q.Kind, q.Floor, c.Floor.Value, c.Motion.Value, door.Value)
	case l.closing.Until > now:
		p.gates.break_(NothingCloses, l.lift, r.ID, "a permit to %s while a %s may be under way", q.Kind, l.closing.Verb)
	}
}

// known reports a value that is seen as it must be, and lately enough; or that nobody can
// read, where a robot's own sight may stand for it.
func known[T comparable](s elevator.Seen[T], want T, own bool, now elevator.Instant, limit time.Duration) bool {
	if own && s.At == 0 {
		return true
	}
	return s.Value == want && s.Fresh(now, limit)
}

// rides looks at all of them, after a step that put something out.
func (p *pass) rides(outs int) {
	g := &p.gates
	for i := range g.lifts {
		g.lifts[i].owner = ""
	}
	running, underWay := 0, false
	p.site.EachRide(func(r *fsm.Ride) {
		if r.State == fsm.Done && !r.Granted {
			return
		}
		running++
		if was := p.told(r.ID); was != "" && was != r.State {
			g.break_(ToldAsIs, r.Lift, r.ID, "is %s, and was told to be %s", r.State, was)
		}
		underWay = underWay || r.State == fsm.Requesting || r.State == fsm.Waiting || r.State == fsm.Moving || r.State == fsm.Exiting
		l := g.of(r.Lift)
		if l == nil || !r.Granted {
			return
		}
		if l.owner != "" {
			g.break_(OneOwner, l.lift, r.ID, "holds the lift, and so does %s", l.owner)
		}
		l.owner = r.ID
		p.lookAtPermit(l, r)
	})
	switch {
	case running > g.most, outs > mostOutputs*(running+1):
		g.break_(Bounded, "", "", "%d rides, %d outputs", running, outs)
	case underWay && p.site.NextWake() == 0:
		g.break_(GoesOn, "", "", "a ride is under way and no time is set at which it goes on")
	}
}
