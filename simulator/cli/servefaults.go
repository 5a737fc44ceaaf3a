package cli

import (
	"fmt"
	"slices"

	"hoistway/simulator/devices"
	"hoistway/simulator/faults"
	"hoistway/simulator/robots"
)

// siteFaults are the faults of a site without an agent: controllers, lines and
// robots. Safe for concurrent use; the lists never change.
type siteFaults struct {
	world  *devices.World
	units  []*devices.Unit // every lift once for each wire that it is on
	robots []*robots.Robot
}

// Inject begins a fault; one of the line on every wire that the lift is on and that
// can have it.
func (s *siteFaults) Inject(f faults.Fault) error {
	if err := faults.Check(f); err != nil {
		return err
	}
	switch k, _ := faults.Find(f.Kind); k.Family {
	case faults.Controller:
		return s.world.Inject(f)
	case faults.Line:
		return s.onWires(f)
	case faults.Robot:
		for _, r := range s.robots {
			if r.ID() == f.Target {
				return r.Play(f)
			}
		}
		return fmt.Errorf("%s: %w: there is no robot %q", f.Kind, faults.ErrTarget, f.Target)
	}
	return fmt.Errorf("%s: %w here: there is neither agent nor cloud", f.Kind, faults.ErrKind)
}

// onWires fails only where no wire has the fault.
func (s *siteFaults) onWires(f faults.Fault) error {
	last := fmt.Errorf("%s: %w: no lift %q answers here", f.Kind, faults.ErrTarget, f.Target)
	played := false
	for _, u := range s.units {
		if u.Car() != f.Target {
			continue
		}
		if err := u.Play(f); err != nil {
			last = err
			continue
		}
		played = true
	}
	if played {
		return nil
	}
	return last
}

// Clear ends the faults of a target that are of a kind; kind "" is all of them.
func (s *siteFaults) Clear(target, kind string) error {
	known := slices.Contains(s.world.Lifts(), target)
	if known {
		s.world.Clear(target, kind)
	}
	for _, u := range s.units {
		if u.Car() == target {
			u.ClearNamed(kind)
		}
	}
	for _, r := range s.robots {
		if r.ID() == target {
			known = true
			r.ClearNamed(kind)
		}
	}
	if !known {
		return fmt.Errorf("clear: %w %q", faults.ErrTarget, target)
	}
	return nil
}

// Targets are the names that a fault of this aim may have.
func (s *siteFaults) Targets(aim faults.Aim) (ids []string) {
	switch aim {
	case faults.AtLift:
		ids = s.world.Lifts()
	case faults.AtRobot:
		for _, r := range s.robots {
			ids = append(ids, r.ID())
		}
	}
	return ids
}

// Events hands over what happened to faults since the last call, by time.
func (s *siteFaults) Events() []faults.Event {
	all := s.world.FaultEvents()
	for _, u := range s.units {
		all = append(all, u.FaultEvents()...)
	}
	for _, r := range s.robots {
		all = append(all, r.FaultEvents()...)
	}
	slices.SortStableFunc(all, func(a, b faults.Event) int { return int(min(1, max(-1, a.At-b.At))) })
	return all
}
