package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/simulator/faults"
)

// faultOptions are the words that may follow a fault and its argument.
func faultOptions() []string { return []string{"times", "from", "chance", "for", "seed"} }

// fault reads what "fault L1 door-reopens 3 times 2 for 30s" says.
func (p *parser) fault() Act {
	aimed := p.peek()
	target, aim := p.target()
	kindAt := p.next()
	k, known := faults.Find(kindAt.text)
	if !known || kindAt.quoted {
		p.fail(kindAt, fmt.Sprintf("there is no fault %s", kindAt.show()), hint(kindAt.text, faults.Names(aim)))
		return nil
	}
	if aim != faults.AimUnknown && k.Aim != aim {
		p.note(aimed, fmt.Sprintf("%s is aimed at %s, not at %q", k.Name, k.Aim, target), "")
	}
	f := faults.Fault{Kind: k.Name, Target: target}
	argAt := p.peek()
	if p.more() && !slices.Contains(faultOptions(), argAt.text) {
		if k.Takes == faults.Nothing {
			p.fail(argAt, fmt.Sprintf("%s takes no %s after its name", k.Name, argAt.show()), hint(argAt.text, faultOptions()))
			return nil
		}
		f.Arg = p.next().text
	}
	optAt := p.peek()
	for p.more() && !p.dead {
		p.faultOption(&f)
	}
	p.checkFault(k, f, argAt, optAt)
	return Inject{f}
}

// target is a lift, a robot, the cloud or the gateway.
func (p *parser) target() (string, faults.Aim) {
	all := append(append(liftWords(), robotWords()...), faults.CloudTarget, faults.GatewayTarget)
	id := p.name("a lift, robot, cloud or gateway", all)
	switch {
	case slices.Contains(liftWords(), id):
		return id, faults.AtLift
	case slices.Contains(robotWords(), id):
		return id, faults.AtRobot
	case id == faults.CloudTarget:
		return id, faults.AtCloud
	case id == faults.GatewayTarget:
		return id, faults.AtGateway
	}
	return id, faults.AimUnknown
}

func (p *parser) faultOption(f *faults.Fault) {
	switch p.oneOf("an option of a fault", faultOptions()) {
	case "times":
		f.Times = p.number(1, 1_000_000)
	case "from":
		f.From = p.number(1, 1_000_000)
	case "chance":
		f.Chance = p.number(1, 100)
	case "for":
		f.For = p.duration(time.Millisecond, maxLasts)
	case "seed":
		f.Seed = p.seedNumber()
	}
}

// checkFault lets the catalogue judge, and puts its word where it belongs.
func (p *parser) checkFault(k faults.Kind, f faults.Fault, argAt, optAt token) {
	if p.dead {
		return
	}
	err := faults.Check(f)
	switch {
	case errors.Is(err, faults.ErrArg):
		p.note(argAt, strings.Replace(err.Error(), ": "+faults.ErrArg.Error(), " does not fit", 1), "")
	case errors.Is(err, faults.ErrRange):
		p.note(optAt, strings.Replace(err.Error(), ": "+faults.ErrRange.Error(), "", 1), "")
	case err == nil && k.Takes == faults.Landing && !slices.Contains(landingWords(), f.Arg):
		p.note(argAt, fmt.Sprintf("there is no landing %q", f.Arg), hint(f.Arg, landingWords()))
	}
}

// clear reads "clear L1" or "clear L1 door-reopens".
func (p *parser) clear() Act {
	target, aim := p.target()
	c := Clear{Target: target}
	if p.more() {
		c.Kind = p.oneOf("a fault", faults.Names(aim))
	}
	return c
}
