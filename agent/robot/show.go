package robot

import (
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// silent reports that the gateway has given no answer for too long.
func (r *Ride) silent(now elevator.Instant) bool { return r.Lost != 0 && now >= r.silentAt() }

func (r *Ride) silentAt() elevator.Instant {
	if r.restored { // what the answer was before is not known to be true now
		return r.Lost
	}
	return r.Told.At.Add(SilentAfter)
}

// shown is state and phase as they may be shown at now, and why they changed.
func (r *Ride) shown(now elevator.Instant) (fsm.State, fsm.Phase, string) {
	state, phase := fsm.State(r.Told.State), fsm.Phase(r.Told.Phase)
	switch {
	case state == fsm.Done:
		return state, phase, r.Told.Why
	case r.Gone && r.Where() == fsm.Outside:
		return fsm.Done, fsm.FailedEnd, "the gateway keeps no such ride"
	case r.Gone:
		return fsm.Fault, fsm.Recovering, "the gateway keeps no such ride"
	case state == fsm.FaultLocked, r.Told.Fault.Latched:
		return state, phase, r.Told.Why
	case r.silent(now):
		return fsm.Fault, fsm.Recovering, r.silence(now)
	}
	return state, phase, r.Told.Why
}

// fault is the code that goes with what is shown, and since when.
func (r *Ride) fault(now elevator.Instant) (fsm.Code, elevator.Instant) {
	switch state, _, _ := r.shown(now); {
	case state != fsm.Fault && state != fsm.FaultLocked:
		return fsm.NoFault, 0
	case r.Gone:
		return fsm.RestartedCode, max(r.Told.At, 1)
	case state == fsm.Fault && !r.Told.Fault.Latched && r.silent(now):
		return fsm.NetworkTimeout, r.silentAt()
	}
	return fsm.Code(r.Told.Fault.Code), r.Told.Fault.Since
}

func (r *Ride) silence(now elevator.Instant) string {
	if r.restored {
		return "the gateway has not answered since this agent started"
	}
	return fmt.Sprintf("the gateway has not answered for %s", now.Sub(r.Told.At).Round(time.Second))
}

// Permit is the one that stands at now; the zero permit is none. While the gateway
// cannot be asked nobody may start on one, and who has started goes on until its time
// is over.
func (r *Ride) Permit(now elevator.Instant) drivers.RidePermit {
	p := r.Told.Permit
	begun := p.ID != "" && p.ID == r.began && r.Where() == fsm.Crossing
	switch {
	case p.ID == "", r.restored, r.Gone, r.ended():
		return drivers.RidePermit{}
	case begun && now < p.ThroughBy:
		p.StartBy = min(p.StartBy, now)
		if r.Lost == 0 {
			p.StartBy = r.Told.Permit.StartBy
		}
		return p
	case r.Lost != 0, now >= p.StartBy:
		return drivers.RidePermit{}
	}
	return p
}

// Pass is the leave pass that stands at now.
func (r *Ride) Pass(now elevator.Instant) (fsm.LeavePass, bool) {
	p := r.Told.Pass
	if p.NotAfter == 0 || now >= p.NotAfter || r.Gone || r.ended() || r.Where() == fsm.Outside {
		return fsm.LeavePass{}, false
	}
	return fsm.LeavePass{Floor: p.Floor, Side: p.Side, NotAfter: p.NotAfter}, true
}

// Advise is the one thing to do: the gateway's word while it answers, and otherwise
// what this side may decide alone.
func (r *Ride) Advise(e Eyes, now elevator.Instant) fsm.Advice {
	switch {
	case fsm.State(r.Told.State) == fsm.Done:
		return fsm.Advice{Do: fsm.DoWait, Why: "the ride is over"}
	case r.Gone:
		return r.adviseGone()
	case r.Lost != 0:
		return r.alone(e, now)
	}
	a := fsm.Advice{Do: fsm.Action(r.Told.Do), Why: r.Told.Why, Until: r.Told.DoUntil}
	if (a.Do == fsm.DoEnter || a.Do == fsm.DoLeave) && r.Permit(now).ID == "" {
		return r.hold("the permit is over: the next answer is waited for")
	}
	return a
}

func (r *Ride) adviseGone() fsm.Advice {
	if r.Where() == fsm.Outside {
		return fsm.Advice{Do: fsm.DoWait, Why: "the gateway keeps no such ride"}
	}
	return fsm.Advice{Do: fsm.DoGetHelp, Why: "the gateway keeps no such ride: a person must see where the robot is"}
}

// alone decides without the gateway.
func (r *Ride) alone(e Eyes, now elevator.Instant) fsm.Advice {
	why := r.silence(now)
	if p := r.Permit(now); p.ID != "" { // it is on its way through
		do := fsm.DoLeave
		if p.Kind == string(fsm.Enter) {
			do = fsm.DoEnter
		}
		return fsm.Advice{Do: do, Why: why + ": go through, as begun", Until: p.ThroughBy}
	}
	switch w := r.Where(); {
	case w == fsm.Outside:
		return fsm.Advice{Do: fsm.DoWait, Why: why + ": stop before the sill, no permit is known"}
	case w == fsm.Crossing:
		return fsm.Advice{Do: fsm.DoClearDoor, Why: why + ": clear the doorway and say where the robot is"}
	case w == fsm.Unknown && r.comingIn():
		return fsm.Advice{Do: fsm.DoWait, Why: why + ": stop before the sill, and say where the robot is"}
	}
	return r.aboard(e, now, why)
}

// comingIn reports that the last permit, if any, was one to enter.
func (r *Ride) comingIn() bool { return r.kind == "" || r.kind == string(fsm.Enter) }

// aboard decides for a robot in the car: out by the pass, where its own eyes agree.
func (r *Ride) aboard(e Eyes, now elevator.Instant, why string) fsm.Advice {
	p, given := r.Pass(now)
	if !given {
		do := fsm.DoStay
		if r.silent(now) {
			do = fsm.DoGetHelp
		}
		return fsm.Advice{Do: do, Why: why + ": there is no leave pass"}
	}
	way := fmt.Sprintf("%s: leave at %s by the %s door", why, p.Floor, p.Side)
	lacks, until := e.lacks(r.Told.Pass, now)
	if lacks != "" {
		return fsm.Advice{Do: fsm.DoStay, Why: way + " when " + lacks, Until: p.NotAfter}
	}
	return fsm.Advice{Do: fsm.DoLeave, Why: way + ", by its leave pass", Until: min(until, p.NotAfter)}
}

// hold is to stay where one is.
func (r *Ride) hold(why string) fsm.Advice {
	if r.Where() == fsm.Outside || r.Where() == fsm.Unknown && r.comingIn() {
		return fsm.Advice{Do: fsm.DoWait, Why: why}
	}
	if r.Where() == fsm.Crossing {
		return fsm.Advice{Do: fsm.DoClearDoor, Why: why}
	}
	return fsm.Advice{Do: fsm.DoStay, Why: why}
}

// Withheld is why there is no permit.
func (r *Ride) Withheld(now elevator.Instant) []fsm.Unmet {
	if r.ended() || r.Permit(now).ID != "" {
		return nil
	}
	if r.Lost != 0 || r.Gone {
		return []fsm.Unmet{{Part: "link", Want: "the gateway's answer", Seen: r.LostWhy, Source: elevator.Robot}}
	}
	var out []fsm.Unmet
	for _, u := range r.Told.Withheld {
		out = append(out, fsm.Unmet{Part: u.Part, Want: u.Want, Seen: u.Seen, Source: sourceOf(u.Source)})
	}
	if len(out) == 0 && r.Told.Permit.ID != "" {
		out = append(out, fsm.Unmet{Part: "fresh", Want: "a new answer", Seen: "a permit that is over", Source: elevator.Robot})
	}
	return out
}

func sourceOf(word string) elevator.Source {
	for _, s := range []elevator.Source{elevator.Controller, elevator.Robot, elevator.Implied} {
		if s.String() == word {
			return s
		}
	}
	return elevator.SourceUnknown
}

// Deadline is of the phase, while the gateway answers.
func (r *Ride) Deadline() elevator.Instant {
	if r.Lost != 0 || r.Gone {
		return 0
	}
	return r.Told.Deadline
}
