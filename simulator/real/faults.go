package real

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
)

// timed are the faults of cloud and host that are on. Guarded by the site's lock.
type timed struct{ player faults.Player }

// Inject begins a fault, whoever plays it.
func (s *Site) Inject(f faults.Fault) error {
	if err := faults.Check(f); err != nil {
		return err
	}
	k, _ := faults.Find(f.Kind)
	switch k.Family {
	case faults.Controller:
		return s.inBuilding(f)
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

func (s *Site) inBuilding(f faults.Fault) (err error) {
	s.world.Do(func(b *building.Building) { err = b.Inject(f) })
	return err
}

// cloudFault is one that can be had without touching a message.
func (s *Site) cloudFault(f faults.Fault) error {
	if s.cloud == nil {
		return fmt.Errorf("%s: this site has no cloud", f.Kind)
	}
	switch f.Kind {
	case "broker-gone":
		if err := s.cloud.StopBroker(); err != nil {
			return err
		}
	case "cloud-deaf":
		s.deafen(strings.TrimPrefix(s.CloudURL(), "mqtt://"))
	default:
		return fmt.Errorf("%s: %w", f.Kind, ErrCannot)
	}
	return s.begin(f)
}

func (s *Site) deafen(address string) {
	s.mu.Lock()
	p := s.agent
	s.mu.Unlock()
	if p != nil {
		p.machine.setDeaf(address)
	}
}

// begin enters a fault of the cloud into the list and ends it in time.
func (s *Site) begin(f faults.Fault) error {
	s.mu.Lock()
	err := s.timed.player.Begin(f, s.now())
	s.mu.Unlock()
	if err == nil && f.For > 0 {
		s.later(f.For, func() { s.undo(f.Kind) })
	}
	return err
}

// undo ends a fault of the cloud.
func (s *Site) undo(kind string) {
	switch kind {
	case "broker-gone":
		if err := s.cloud.StartBroker(); err != nil {
			s.o.Log.Error("the broker does not come back", "error", err)
		}
	case "cloud-deaf":
		s.deafen("")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timed.player.Clear(faults.CloudTarget, kind, s.now())
}

func (s *Site) hostFault(f faults.Fault) error {
	switch f.Kind {
	case "kill":
		if err := s.kill(); err != nil {
			return err
		}
		s.restart(f.Duration())
	case "stop":
		s.wg.Go(func() {
			if err := s.halt(); err != nil {
				s.o.Log.Error("the agent did not stop as it should", "error", err)
			}
			s.restart(f.Duration())
		})
	default:
		return fmt.Errorf("%s: %w", f.Kind, ErrCannot)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.timed.player.Begin(f, s.now())
	s.timed.player.Clear(f.Target, f.Kind, s.now()) // it is over as soon as it is done
	return err
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
	case target == faults.CloudTarget:
		s.mu.Lock()
		on := s.timed.player.List()
		s.mu.Unlock()
		for _, a := range on {
			if a.Target == target && (kind == "" || a.Kind == kind) {
				s.undo(a.Kind)
			}
		}
	case s.units[target] != nil:
		s.units[target].ClearNamed(kind)
		s.world.Do(func(b *building.Building) { b.Clear(target, kind) })
	case s.robots[target] != nil:
		s.robots[target].ClearNamed(kind)
	case target == faults.GatewayTarget:
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

// populate lets people come, or nobody any more.
func populate(b *building.Building, a scenarios.Crowd, seed uint64) error {
	mix, ok := building.MixOf(a.Mix)
	if !ok {
		return fmt.Errorf("no traffic called %q", a.Mix)
	}
	return b.Populate(building.Traffic{
		Seed: seed, Rate: a.PerFiveMinute / (5 * time.Minute).Seconds(), Batch: 1, Mix: mix, Entrance: "G",
		Transfer: 1200 * time.Millisecond,
	})
}
