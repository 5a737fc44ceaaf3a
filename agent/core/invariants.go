package core

import (
	"fmt"
	"strconv"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
)

// The last gate. Rules that are never to be broken are kept by fsm and dispatch; here each
// step is looked at once more before anything of it leaves, by second readings of the same
// rules that call none of the first. A program with a fault in it must not go on pressing
// buttons: a command that breaks a rule is dropped, its ride is told (FAULT INVARIANT, which
// only a person clears), and nothing more is asked of that lift until then.
//
// What one step cannot show is left to tests: that a controller acted once on one id, and
// that every ride comes to its end.

// Invariant numbers the rules.
type Invariant uint8

const (
	_             Invariant = iota
	ButtonsOnly             // nothing is asked but what a person at the buttons could
	OneOwner                // a car has one owner, and only it asks for something
	HoldEnds                // every door hold ends, soon
	LocksStay               // FAULT_LOCKED is left by a person alone, FAULT for a new try only with the robot outside
	HandsOff                // nothing is asked of a lift seen in fire or under inspection
	ExitOpen                // EXITING begins where the way leads, at a door seen open
	KnownOnly               // a permit rests on what is seen, freshly; unknown is not open
	ActsOnce                // the number of a command is never used again
	InTime                  // a command has life left, and an end
	ToldAsIs                // what is told of a ride is what it was and is
	Bounded                 // rides and outputs stay within their bounds
	GoesOn                  // a ride under way has a time at which it is looked at again
	NothingCloses           // nothing that may close a door, while a robot may be in it or may start
	invariants
)

var invariantNames = [...]string{
	"", "buttons-only", "one-owner", "hold-ends", "locks-stay", "hands-off", "exit-open", "known-only", "acts-once",
	"in-time", "told-as-is", "bounded", "goes-on", "nothing-closes",
}

func (i Invariant) String() string { return invariantNames[i] }

const (
	longestHold  = 30 * time.Second // the one larger hold of a stop
	startsWithin = 2 * time.Second  // a permit is good for starting
	freshSight   = time.Second
	coveredSight = 5 * time.Second // under a hold that the device keeps
	mostOutputs  = 64              // of a step, and as many for each ride
)

// breach is one rule broken by one ride.
type breach struct {
	rule       Invariant
	lift, ride string
	detail     string
}

// gates is the last gate of all lifts.
type gates struct {
	lifts  []gate
	sent   map[string]uint32 // the highest number of a command, by ride
	most   int               // rides that may run
	broken [invariants]uint64
	found  []breach // of this step
	freed  []string // rides whose lease ended in this step
	told   []told   // in this step
	reset  string   // the ride that a person resets in this step
}

type told struct {
	ride  string
	state fsm.State
}

// gate is that of one lift.
type gate struct {
	lift    string
	mode    elevator.Mode
	owner   string           // found in this step
	closing elevator.Command // the last that may close a door, while it may be under way
	shut    string           // why nothing is asked any more; "" = it is open
	ride    string           // whose reset opens it
}

func newGates(c dispatch.Config) gates {
	g := gates{sent: map[string]uint32{}, most: c.MaxRides}
	if g.most == 0 {
		g.most = 64
	}
	for _, l := range c.Lifts {
		g.lifts = append(g.lifts, gate{lift: l.ID})
	}
	return g
}

func (g *gates) of(lift string) *gate {
	for i := range g.lifts {
		if g.lifts[i].lift == lift {
			return &g.lifts[i]
		}
	}
	return nil
}

// loaded takes over what an earlier process knew.
func (g *gates) loaded(rides []fsm.Ride, site *dispatch.Site) {
	g.most = max(g.most, len(rides))
	for i := range rides {
		r := &rides[i]
		g.sent[r.ID] = r.NextN
		if l := g.of(r.Lift); l != nil && r.Code == fsm.Invariant && r.Latched && r.State != fsm.Done {
			l.shut, l.ride = r.Why, r.ID
			site.Shut(l.lift, l.shut)
		}
	}
}

// guard looks at what a step of the site put out, and gives what may leave.
func (p *pass) guard(in dispatch.Input, outs []dispatch.Output) []dispatch.Output {
	g := &p.gates
	p.begin(in)
	switch seen, ok := in.(*dispatch.Seen); {
	case len(outs) > 0:
		p.lookAt(outs)
	case ok:
		p.permitsOf(seen.Lift)
	}
	for i := 0; i < len(g.found); i++ { // telling a ride may find more
		outs = p.shut(g.found[i], outs)
	}
	g.found = g.found[:0]
	return g.pass(outs)
}

func (p *pass) lookAt(outs []dispatch.Output) {
	g := &p.gates
	for _, o := range outs {
		if f, ok := o.(dispatch.Freed); ok {
			g.freed = append(g.freed, f.Ride)
		}
	}
	for _, o := range outs {
		p.look(o)
	}
	p.rides(len(outs))
}

func (p *pass) begin(in dispatch.Input) {
	g := &p.gates
	g.reset, g.freed, g.told = "", g.freed[:0], g.told[:0]
	switch in := in.(type) {
	case *dispatch.Seen:
		if l := g.of(in.Lift); l != nil {
			l.mode = in.Car.Mode.Value
		}
	case dispatch.Answered:
		for i := range g.lifts {
			if l := &g.lifts[i]; l.closing.ID == in.Outcome.ID {
				l.closing = elevator.Command{}
			}
		}
	case dispatch.Reset:
		g.reset = in.Ride
		p.open(func(l *gate) bool { return l.ride == in.Ride })
	case dispatch.Stop: // who lets the lifts go on has looked at them
		if !in.On {
			p.open(func(l *gate) bool { return in.Lift == "" || in.Lift == l.lift })
		}
	}
}

func (p *pass) open(which func(*gate) bool) {
	for i := range p.gates.lifts {
		if l := &p.gates.lifts[i]; l.shut != "" && which(l) {
			l.shut, l.ride = "", ""
			p.site.Unshut(l.lift)
			p.touch(l.lift)
		}
	}
}

// pass takes out what is asked of a lift whose gate is shut.
func (g *gates) pass(outs []dispatch.Output) []dispatch.Output {
	shut := false
	for i := range g.lifts {
		shut = shut || g.lifts[i].shut != ""
	}
	if !shut {
		return outs
	}
	keep := outs[:0]
	for _, o := range outs {
		if do, ok := o.(dispatch.Do); ok {
			if l := g.of(do.Lift); l != nil && l.shut != "" {
				continue
			}
		}
		keep = append(keep, o)
	}
	return keep
}

// shut closes the gate of a lift and tells the ride.
func (p *pass) shut(b breach, outs []dispatch.Output) []dispatch.Output {
	g := &p.gates
	g.broken[b.rule]++
	if b.lift == "" && g.broken[b.rule]%1000 != 1 {
		return outs // it is of no lift, and lasts: told now and then
	}
	why := "invariant " + strconv.Itoa(int(b.rule)) + " (" + b.rule.String() + "): " + b.detail
	if l := g.of(b.lift); l != nil {
		if l.shut == "" {
			l.shut, l.ride = why, b.ride
			p.site.Shut(l.lift, why)
		}
		p.touch(b.lift)
	}
	p.line("warn", "a rule that always holds was about to be broken; nothing more is asked of the lift until a person resets the ride",
		b.lift, b.ride, "code", "E-5026", "invariant", b.rule.String(), "detail", b.detail)
	p.res.Changed = true
	if r := p.site.Ride(b.ride); r == nil || r.Code == fsm.Invariant && r.Latched {
		return outs
	}
	return p.site.Breach(b.ride, why, p.t.Now, outs)
}

// show tells readers of a gate that is shut.
func (g *gates) show(v *LiftView) {
	l := g.of(v.ID)
	if l == nil || l.shut == "" {
		return
	}
	v.Breach, v.BreachRide = l.shut, l.ride
	v.Alarms = append(v.Alarms, fsm.Alarm{Code: string(fsm.Invariant), On: true, Detail: l.shut})
}

// counts are the rules broken since the start, by name; nil for none.
func (g *gates) counts() map[string]uint64 {
	var out map[string]uint64
	for i, n := range g.broken {
		if n == 0 {
			continue
		}
		if out == nil {
			out = map[string]uint64{}
		}
		out[Invariant(i).String()] = n
	}
	return out
}

func (g *gates) break_(rule Invariant, lift, ride, format string, args ...any) {
	for _, b := range g.found {
		if b.lift == lift && b.ride == ride {
			return // the first says enough
		}
	}
	g.found = append(g.found, breach{rule, lift, ride, fmt.Sprintf(format, args...)})
}
