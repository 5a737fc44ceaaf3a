package virtual

import (
	"fmt"

	"hoistway/fsm"
	"hoistway/simulator/scenarios"
)

// ForScript is the site that a script wants.
func ForScript(s *scenarios.Script) (Setup, error) {
	c := Bench(s.Seed)
	c.Cloud = !s.CloudOff
	for _, r := range s.Robots {
		for i := range c.Robots {
			if c.Robots[i].ID == r.ID {
				c.Robots[i].Crossing, c.Robots[i].Fleet = r.Crossing, r.Fleet
			}
		}
	}
	for _, l := range s.Lifts {
		for i := range c.Lifts {
			if x := &c.Lifts[i]; x.ID == l.ID {
				x.Area, x.Kind = l.Area, l.Kind
			}
		}
	}
	c.Params = fsm.DefaultParams()
	for _, x := range s.Settings {
		if err := set(&c.Params, x); err != nil {
			return Setup{}, err
		}
	}
	return c, nil
}

// set puts one line of the agent's section for rides in force.
func set(p *fsm.Params, x scenarios.Setting) error {
	switch x.Name {
	case "wait_timeout":
		p.WaitTimeout = x.Duration
	case "retries":
		p.Retries = x.Number
	case "hold_limit":
		p.HoldLimit = x.Duration
	case "hold_renew":
		p.HoldRenew = x.Duration
	case "expiry":
		p.Expiry = x.Duration
	case "standby":
		p.Standby = x.Duration
	default:
		return fmt.Errorf("%w: no setting %q", ErrSetup, x.Name)
	}
	return nil
}
