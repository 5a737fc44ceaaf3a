package soak

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/laws"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/virtual"
)

// deed is an act that was carried out, as it then was.
type deed struct {
	at  elevator.Instant
	by  act // as it was planned; without do: the guard's
	do  scenarios.Act
	err error
}

// play is one run of a plan on a site.
type play struct {
	site  *virtual.Site
	lift  string // one of the house
	watch *laws.Watch
	law   func(*laws.Watch, elevator.Instant)
	stop  func() bool

	due     []act // of the present day, in order of time
	waiting []act // for a ride to be in a state
	guard   guard
	doubted []doubt
	tally   tally
	// deeds are what was carried out since the start, kept only where keep is set.
	keep  bool
	deeds []deed
}

func (o Options) play(s virtual.Setup) (*play, error) {
	site, err := virtual.New(s)
	if err != nil {
		return nil, err
	}
	return &play{site: site, lift: s.Lifts[0].ID, watch: site.Watch(), law: o.law, stop: o.stopped, tally: newTally()}, nil
}

// until plays what is planned, and the site, up to an instant; false when a law broke, or when
// it is stopped.
func (p *play) until(end elevator.Instant) bool {
	for !p.stop() {
		next := end
		if len(p.due) > 0 {
			next = min(next, p.due[0].at)
		}
		next = min(next, p.guard.next)
		if !p.steps(next) {
			return false
		}
		if next >= end {
			return true
		}
		p.site.Advance(next)
		p.acts(next)
	}
	return false
}

// steps lets the site go on by itself up to an instant.
func (p *play) steps(to elevator.Instant) bool {
	for {
		at := p.site.Next()
		if at == 0 || at > to {
			return true
		}
		p.site.Step()
		if len(p.waiting) > 0 {
			p.awaited(at)
		}
		if p.law != nil {
			p.law(p.watch, at)
		}
		if p.watch.Broken() > 0 {
			return false
		}
	}
}

// acts carries out what is due at now.
func (p *play) acts(now elevator.Instant) {
	for len(p.due) > 0 && p.due[0].at <= now {
		a := p.due[0]
		p.due = p.due[1:]
		if a.state != "" {
			p.waiting = append(p.waiting, a)
			continue
		}
		p.do(now, a, a.do)
	}
	if p.guard.next <= now {
		p.rounds(now)
	}
}

// awaited carries out what waited for the state in which a ride now is.
func (p *play) awaited(now elevator.Instant) {
	rest := p.waiting[:0]
	for _, a := range p.waiting {
		switch {
		case a.state == "" && now < a.at:
			rest = append(rest, a)
		case a.state == "":
			p.do(now, a, a.do)
		case p.watch.State(a.ride) == a.state && a.later > 0:
			rest = append(rest, act{at: now.Add(a.later), ride: a.ride, do: p.aimed(a)})
		case p.watch.State(a.ride) == a.state:
			p.do(now, a, p.aimed(a))
		case now < a.at.Add(patience) && p.watch.State(a.ride) != fsm.Done:
			rest = append(rest, a)
		}
	}
	p.waiting = rest
}

// aimed gives a fault without a target the lift or the robot of its ride.
func (p *play) aimed(a act) scenarios.Act {
	in, ok := a.do.(scenarios.Inject)
	if !ok || in.Fault.Target != "" {
		return a.do
	}
	st := p.watch.Status(a.ride)
	switch k, _ := faults.Find(in.Fault.Kind); k.Aim {
	case faults.AtLift:
		in.Fault.Target = st.Lift
	case faults.AtRobot:
		in.Fault.Target = st.Robot
	case faults.AtCloud:
		in.Fault.Target = faults.CloudTarget
	case faults.AtGateway:
		in.Fault.Target = faults.GatewayTarget
	}
	return in
}

// doubt is a lift whose readings may be old ones until an instant.
type doubt struct {
	lift  string
	until elevator.Instant
}

// doubts tells the watch of a serial line on which answers come late: they bear no
// number, so no master can tell a late one from that to a newer question.
func (p *play) doubts(now elevator.Instant, f faults.Fault) {
	if f.Kind != "late" && f.Kind != "slow" || !serial(f.Target) {
		return
	}
	p.watch.Lying(f.Target, true, now)
	p.doubted = append(p.doubted, doubt{f.Target, now + elevator.Instant(f.For+f.Duration()) + elevator.Instant(guardEvery)})
}

// trusts ends doubts.
func (p *play) trusts(now elevator.Instant) {
	rest := p.doubted[:0]
	for _, d := range p.doubted {
		if now < d.until {
			rest = append(rest, d)
			continue
		}
		p.watch.Lying(d.lift, false, now)
	}
	p.doubted = rest
}

// do carries out one act and takes note of it.
func (p *play) do(now elevator.Instant, by act, a scenarios.Act) {
	err := p.site.Do(a)
	p.tally.did(a, err)
	if in, ok := a.(scenarios.Inject); ok && err == nil {
		p.doubts(now, in.Fault)
	}
	if ask, ok := a.(scenarios.AskRide); ok {
		p.guard.asks(ask)
	}
	if p.keep {
		p.deeds = append(p.deeds, deed{at: now, by: by, do: a, err: err})
	}
}

// news takes what the site has to tell since the last time.
func (p *play) news() {
	for _, o := range p.site.Over() {
		p.tally.over(o)
	}
	for _, e := range p.site.FaultEvents() {
		p.tally.fault(e)
		if warns(e.Fault.Kind) {
			p.guard.warned, p.guard.asked = e.At, false
		}
	}
}
