package real

import (
	"fmt"
	"slices"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
)

// Inject begins a fault, whoever plays it.
func (s *Site) Inject(f faults.Fault) error {
	if err := faults.Check(f); err != nil {
		return err
	}
	k, _ := faults.Find(f.Kind)
	switch k.Family {
	case faults.Controller:
		return s.world.Inject(f)
	case faults.Line:
		u := s.units[f.Target]
		if u == nil {
			return fmt.Errorf("no lift %q here", f.Target)
		}
		return u.Play(f)
	case faults.Robot:
		r := s.robots[f.Target]
		if r == nil {
			return fmt.Errorf("no robot %q here", f.Target)
		}
		return r.Play(f)
	case faults.Cloud:
		return s.cloudFault(f)
	case faults.Host:
		return s.hostFault(f)
	}
	return fmt.Errorf("%s: %w", f.Kind, ErrCannot)
}

// later does something after a while, unless the site ends first.
func (s *Site) later(after time.Duration, do func()) {
	s.wg.Go(func() {
		t := time.NewTimer(after)
		defer t.Stop()
		select {
		case <-s.ctx.Done():
		case <-t.C:
			do()
		}
	})
}

func (s *Site) now() elevator.Instant { return elevator.Instant(s.Since()) + 1 }

// Clear ends the faults of a target, of one kind or with "" of all.
func (s *Site) Clear(target, kind string) error {
	switch {
	case target == faults.CloudTarget, target == faults.GatewayTarget:
		s.clearTimed(target, kind)
	case s.units[target] != nil:
		s.units[target].ClearNamed(kind)
		s.world.Clear(target, kind)
	case s.robots[target] != nil:
		s.robots[target].ClearNamed(kind)
	default:
		return fmt.Errorf("nothing called %q here", target)
	}
	return nil
}

// Targets lists what a fault can be aimed at.
func (s *Site) Targets(aim faults.Aim) []string {
	switch aim {
	case faults.AtLift:
		return names(s.units)
	case faults.AtRobot:
		return names(s.robots)
	case faults.AtCloud:
		if s.cloud != nil {
			return []string{faults.CloudTarget}
		}
	case faults.AtGateway:
		return []string{faults.GatewayTarget}
	}
	return nil
}

func names[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
