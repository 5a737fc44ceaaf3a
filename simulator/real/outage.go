package real

import (
	"fmt"
	"strings"
	"time"

	"hoistway/simulator/faults"
	"hoistway/sync/shadow"
)

// timed are the faults of cloud and host that are on. Guarded by the site's lock.
type timed struct{ player faults.Player }

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
	case "cloud-slow", "duplicates", "lost-messages": // the post asks for them
	case "cloud-forgets":
		if err := s.cloud.Forget(); err != nil {
			return err
		}
		return s.once(f)
	default:
		return fmt.Errorf("%s: %w", f.Kind, ErrCannot)
	}
	return s.begin(f)
}

// post is what becomes of a message to the agent.
func (s *Site) post(shadow.Message) (copies int, late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	play, now := &s.timed.player, s.now()
	if _, lost := play.Meet(faults.CloudTarget, now, "lost-messages"); lost {
		return 0, 0
	}
	copies = 1
	if _, twice := play.Meet(faults.CloudTarget, now, "duplicates"); twice {
		copies = 2
	}
	if slow, on := play.On(faults.CloudTarget, "cloud-slow", now); on {
		late = slow.Duration()
	}
	return copies, late
}

func (s *Site) deafen(address string) {
	s.mu.Lock()
	s.deaf = address
	p := s.agent
	s.mu.Unlock()
	if p != nil && p.machine != nil {
		p.machine.setDeaf(address)
	}
}

// begin enters a fault of cloud or host into the list and ends it in time.
func (s *Site) begin(f faults.Fault) error {
	s.mu.Lock()
	err := s.timed.player.Begin(f, s.now())
	s.mu.Unlock()
	if err == nil && f.For > 0 {
		s.later(f.For, func() { s.runOut(f) })
	}
	return err
}

// once enters a fault that is over as soon as it is done.
func (s *Site) once(f faults.Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.timed.player.Begin(f, s.now())
	s.timed.player.Clear(f.Target, f.Kind, s.now())
	return err
}

// runOut ends what a fault does once its time is over, unless it has begun anew.
func (s *Site) runOut(f faults.Fault) {
	s.mu.Lock()
	_, on := s.timed.player.On(f.Target, f.Kind, s.now())
	s.mu.Unlock()
	if !on {
		s.mend(f.Kind)
	}
}

// mend undoes what a fault of the cloud has done. It does no harm where nothing was.
func (s *Site) mend(kind string) {
	switch kind {
	case "broker-gone":
		if err := s.cloud.StartBroker(); err != nil {
			s.o.Log.Error("the broker does not come back", "error", err)
		}
	case "cloud-deaf":
		s.deafen("")
	}
}

// clearTimed ends the faults of cloud or host, of one kind or with "" of all.
func (s *Site) clearTimed(target, kind string) {
	s.mu.Lock()
	on := s.timed.player.List()
	s.timed.player.Clear(target, kind, s.now())
	s.mu.Unlock()
	for _, a := range on {
		if a.Target == target && (kind == "" || a.Kind == kind) {
			s.mend(a.Kind)
		}
	}
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
	case "disk-full", "store-slow": // the disk asks for them
		return s.begin(f)
	default: // it shares its process and its clock with all the rest
		return fmt.Errorf("%s: %w", f.Kind, ErrCannot)
	}
	return s.once(f)
}
