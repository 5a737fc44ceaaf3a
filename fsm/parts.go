package fsm

import (
	"time"

	"hoistway/fsm/elevator"
)

// Withheld names each part that the permit which the ride now waits for lacks;
// empty when a permit stands or none is wanted.
func Withheld(r *Ride, now elevator.Instant) []Unmet {
	kind, f, side := r.Wanted()
	if kind == "" || r.stands(now) {
		return nil
	}
	out := r.parts(kind, f, side, now)
	switch {
	case !r.grantable() || r.Where == Crossing:
	case r.tooLate(now):
		need := r.crossing() + elevator.Instant(PermitMargin)
		out = append(out, Unmet{Part: "time", Want: time.Duration(need).String() + " before the limit", Seen: "too late to start"})
	case len(out) == 0:
		out = append(out, Unmet{Part: "fresh", Want: "a new reading", Seen: "not yet"})
	}
	return out
}

// parts checks a permit part by part. Each is either known to be met or named:
// what is not known is not met.
func (r *Ride) parts(kind PermitKind, f elevator.Floor, side elevator.Side, now elevator.Instant) []Unmet {
	p := &checklist{Ride: r, now: now, cover: r.covered(side, now)}
	p.standing()
	p.place(f, side)
	p.freshness(side)
	if kind == Enter || kind == LeaveAtTarget || kind == Evacuate && !r.rescue() {
		p.lift()
	}
	if kind != Evacuate || !r.rescue() {
		p.doorway(kind)
	}
	p.permission(kind)
	if kind == Enter {
		p.room()
	}
	if kind == LeaveBack && r.LeftFrom {
		p.miss("floor", "the car has not left "+f.String(), "it has", elevator.Controller)
	}
	return p.out
}

// covered reports a hold that the device itself keeps for the whole crossing: under
// it a reading of the door, the floor and the motion may be older.
func (r *Ride) covered(side elevator.Side, now elevator.Instant) bool {
	need := now + r.crossing() + elevator.Instant(r.Plan.Poll) + elevator.Instant(PermitMargin)
	return r.online() && r.Car.Holds[side] >= need
}

type checklist struct {
	*Ride
	now   elevator.Instant
	cover bool
	out   []Unmet
}

func (p *checklist) miss(part, want, seen string, src elevator.Source) {
	p.out = append(p.out, Unmet{Part: part, Want: want, Seen: seen, Source: src})
}

// standing is what this program itself must be sure of.
func (p *checklist) standing() {
	if p.faulty() {
		p.miss("fault", "none", string(p.Code), elevator.SourceUnknown)
	}
	if !p.Granted || p.Epoch == 0 {
		p.miss("lease", "ours", "not ours", elevator.SourceUnknown)
	}
	if p.Ending {
		p.miss("agent", "running", "stopping", elevator.SourceUnknown)
	}
	if p.Restarted {
		p.miss("agent", "running", "restarted, the lift is not yet read", elevator.SourceUnknown)
	}
	if p.grantable() && p.now < p.CloseAt.Add(lapseLife) {
		p.miss("door", "left alone", "may have been asked to close", elevator.SourceUnknown)
	}
	if p.Clash.Kind != "" {
		p.miss("signals", "agreeing", p.Clash.Kind, elevator.Robot)
	}
}

func (p *checklist) place(f elevator.Floor, side elevator.Side) {
	fl, m, d := p.Car.Floor, p.Car.Motion, p.Car.Door(side)
	if v, ok := current(p, fl, p.near()); !ok || v != f || f == 0 {
		p.miss("floor", f.String(), word(v.String(), ok), fl.Source)
	}
	if v, ok := current(p, m, p.near()); !ok || v != elevator.Stopped {
		p.miss("motion", elevator.Stopped.String(), word(v.String(), ok), m.Source)
	}
	if v, ok := current(p, d, p.near()); !ok || v != elevator.DoorOpen {
		p.miss("door", side.String()+" "+elevator.DoorOpen.String(), word(v.String(), ok), d.Source)
	}
}

func (p *checklist) freshness(side elevator.Side) {
	d := p.Car.Door(side)
	if p.online() && (p.cover || d.Fresh(p.now, sightLimit)) {
		return
	}
	seen := "never"
	switch {
	case !p.online():
		seen = "link " + p.Car.Link.String()
	case d.At != 0:
		seen = p.now.Sub(d.At).Round(time.Millisecond).String() + " ago"
	}
	p.miss("fresh", "door seen 1s ago at most", seen, d.Source)
}

// lift is what a controller must say of itself before a robot relies on its door.
func (p *checklist) lift() {
	if v, ok := current(p, p.Car.Mode, slowLimit); !ok || !v.Serves() {
		p.miss("mode", elevator.Normal.String(), word(v.String(), ok), p.Car.Mode.Source)
	}
	if v, ok := current(p, p.Car.Nudging, slowLimit); !ok || v != elevator.No {
		p.miss("nudging", "no", word(v.String(), ok), p.Car.Nudging.Source)
	}
	// A lift that shows no alarm of its own vouches for none by its normal mode.
	if e := p.Car.EmergencyStop; e.At != 0 || e.Failed {
		if v, ok := current(p, e, slowLimit); !ok || v != elevator.No {
			p.miss("alarm", "none", word(v.String(), ok), e.Source)
		}
	}
}

// permission is the controller's own word, where it gives one: to enter, and to leave at
// the destination. Nobody is kept in a lift that is in trouble, or where it came in.
func (p *checklist) permission(kind PermitKind) {
	word := func(part elevator.Seen[elevator.Tri], what string) {
		if v, ok := current(p, part, p.near()); !ok || v != elevator.Yes {
			p.miss("permission", what, word(v.String(), ok), part.Source)
		}
	}
	switch {
	case kind == Enter && p.Plan.PermitsEnter:
		word(p.Car.MayEnter, "the controller's, to enter")
	case kind == LeaveAtTarget && p.Plan.PermitsLeave:
		word(p.Car.MayLeave, "the controller's, to leave")
	}
}

// doorway looks at what stands there, where a lift shows it. Once a permit was out it
// may be the robot itself: from then on nothing is taken from it for that. A robot that
// is to come out waits for what is seen to stand there, not for a sensor that is silent.
func (p *checklist) doorway(kind PermitKind) {
	o := p.Car.Obstruction
	if !p.known() || o.At == 0 && !o.Failed {
		return
	}
	v, ok := current(p, o, slowLimit)
	if free := ok && v == elevator.No; !free && (kind == Enter || ok && v == elevator.Yes) {
		p.miss("doorway", "nobody in it", word("obstruction "+v.String(), ok), o.Source)
	}
}

// room looks at the load where it is known, and at the time that the door can still
// be held: a robot is not sent in when the cap would end before it is through.
func (p *checklist) room() {
	if o := p.Car.Overload; o.At != 0 || o.Failed {
		if v, ok := current(p, o, slowLimit); !ok || v != elevator.No {
			p.miss("load", "room in the car", word("overload "+v.String(), ok), o.Source)
		}
	}
	if left := p.holdLeft(p.now); p.Plan.HasHold && left < time.Duration(p.crossing()) {
		p.miss("hold", time.Duration(p.crossing()).String(), left.Round(time.Second).String()+" left", elevator.SourceUnknown)
	}
}

// holdLeft is how long the door of From can still be held.
func (r *Ride) holdLeft(now elevator.Instant) time.Duration {
	d := r.Door
	if d.Floor != r.From || d.Side != r.FromSide {
		return r.Params.HoldLimit
	}
	left := d.Until.Until(now)
	if !d.Stopped {
		left += max(r.Params.HoldLimit-d.Used, 0)
	}
	return left
}

func (p *checklist) near() time.Duration {
	if p.cover {
		return silenceLimit
	}
	return sightLimit
}

// current is a value that was read lately enough; ok is false for any other.
func current[T comparable](p *checklist, s elevator.Seen[T], limit time.Duration) (T, bool) {
	return s.Value, p.online() && s.Fresh(p.now, limit)
}

func word(v string, ok bool) string {
	if !ok {
		return "unknown"
	}
	return v
}
