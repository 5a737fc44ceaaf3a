package virtual

import (
	"fmt"
	"slices"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/timeline"
)

// gateway is the target of the faults of the agent's machine.
const gateway = faults.GatewayTarget

// on reports whether a fault is on; with none in play it costs nothing.
func (s *Site) on(target, kind string) (faults.Fault, bool) {
	if !s.faulty {
		return faults.Fault{}, false
	}
	return s.play.On(target, kind, s.at())
}

// meet is one meeting with a fault.
func (s *Site) meet(target, kind string) (faults.Fault, bool) {
	if !s.faulty {
		return faults.Fault{}, false
	}
	f, ok := s.play.Meet(target, s.at(), kind)
	if ok {
		s.faultsTold()
	}
	return f, ok
}

// inject begins a fault.
func (s *Site) inject(f faults.Fault) error {
	if err := faults.Check(f); err != nil {
		return err
	}
	k, _ := faults.Find(f.Kind)
	if err := s.aims(k, f); err != nil {
		return err
	}
	s.b.Advance(s.at())
	if k.Family == faults.Controller {
		err := s.b.Inject(f)
		s.moved()
		s.faultsTold()
		return err
	}
	if k.Meets == "" && once(f.Kind) && f.For == 0 {
		f.For = max(f.Duration(), 1)
	}
	if err := s.play.Begin(f, s.at()); err != nil {
		return err
	}
	s.faulty = true
	s.doubted()
	s.faultsTold()
	s.begins(f)
	return nil
}

// once tells the faults that happen at their start; they last as long as their
// argument says.
func once(kind string) bool {
	switch kind {
	case "kill", "stop", "freeze", "clock-jump", "cloud-forgets", "reboots":
		return true
	}
	return false
}

func (s *Site) aims(k faults.Kind, f faults.Fault) error {
	switch {
	case k.Aim == faults.AtLift && s.lift(f.Target) == nil:
		return fmt.Errorf("%s: %w", f.Target, errNoLift)
	case k.Aim == faults.AtRobot && s.robot(f.Target) == nil:
		return fmt.Errorf("%s: %w", f.Target, errNoRobot)
	case k.Aim == faults.AtCloud && !s.set.Cloud:
		return fmt.Errorf("%s: this site has no cloud", f.Kind)
	}
	return nil
}

// begins is what a fault does at its start.
func (s *Site) begins(f faults.Fault) {
	a := &s.agent
	switch f.Kind {
	case "unplugged", "busy-elsewhere":
		s.lift(f.Target).link.cut()
	case "kill":
		s.kill(f.Duration())
	case "stop":
		a.leave(f.Duration())
	case "freeze":
		s.freeze(f.Duration())
	case "clock-jump":
		s.jump += int64(f.Number()) * 1000
	case "robot-silent":
		s.robot(f.Target).halt()
	case "reboots":
		s.robot(f.Target).reboot()
	default:
		s.cloud.begins(f)
	}
}

// ends is what follows the end of a fault.
func (s *Site) ends(f faults.Fault) {
	switch f.Kind {
	case "robot-silent":
		s.robot(f.Target).resume()
	case "freezes":
		s.robot(f.Target).thaw()
	case "says-left":
		s.robot(f.Target).lies = false
		s.watch.Liar(f.Target, false)
	case "mute":
		s.robot(f.Target).lost = false
	case "dies":
		r := s.robot(f.Target)
		if r.dead {
			r.dead = false
			r.thaw()
			r.wakeIn(0)
		}
	}
}

func (s *Site) clear(c scenarios.Clear) error {
	s.b.Advance(s.at())
	n := len(s.b.Faults())
	s.b.Clear(c.Target, c.Kind)
	n += s.play.Clear(c.Target, c.Kind, s.at()) - len(s.b.Faults())
	s.moved()
	s.faultsTold()
	if n == 0 {
		s.say("faults", false, "nothing to clear: "+c.Target+" "+c.Kind)
	}
	return nil
}

// faultsTold takes what happened to faults: it is logged, and ends take effect.
func (s *Site) faultsTold() {
	for _, e := range s.play.Events() {
		s.keepFault(e)
		if e.What == faults.Ended {
			s.ends(e.Fault)
		}
	}
	for _, e := range s.b.FaultEvents() {
		s.keepFault(e)
		if e.Fault.Kind == "floor-stuck" && e.What != faults.Struck {
			s.watch.Lying(e.Fault.Target, e.What == faults.Began, s.at())
		}
	}
	s.faulty = s.faulty && len(s.play.List()) > 0
	s.troubles()
	next := s.play.Next()
	if next == s.expireAt {
		return
	}
	s.tl.Cancel(s.expires)
	s.expireAt, s.expires = next, timeline.Handle{}
	if next != 0 {
		s.expires = s.tl.Plan(int64(next), event{kind: evFault})
	}
}

// FaultEvents hands over what happened to faults of all kinds since the last call,
// oldest first; of many that nobody fetches the oldest are dropped.
func (s *Site) FaultEvents() []faults.Event {
	out := s.faultNews
	s.faultNews = nil
	return out
}

const maxFaultNews = 4096

// keepFault logs what happened to a fault and keeps it for who fetches it.
func (s *Site) keepFault(e faults.Event) {
	if !s.set.Lean {
		s.say("fault", e.What != faults.Ended, e.String())
	}
	if len(s.faultNews) >= maxFaultNews {
		s.faultNews = append(s.faultNews[:0], s.faultNews[maxFaultNews/2:]...)
	}
	s.faultNews = append(s.faultNews, e)
	k, _ := faults.Find(e.Fault.Kind)
	switch i := slices.Index(s.unstruck, e.Fault); {
	case s.set.Lean || k.Meets == "":
	case e.What == faults.Began:
		s.unstruck = append(s.unstruck, e.Fault)
	case e.What == faults.Struck && i >= 0 && e.Strike == 1:
		s.unstruck = slices.Delete(s.unstruck, i, i+1)
	}
}

// Unstruck lists the faults begun so far that have not struck, oldest first; a lean site
// does not know.
func (s *Site) Unstruck() []faults.Fault { return slices.Clone(s.unstruck) }

// FaultsOn is how many faults are on now.
func (s *Site) FaultsOn() int { return s.troubled }

// kill ends the process in the middle of whatever it does.
func (s *Site) kill(away time.Duration) {
	a := &s.agent
	if !a.up {
		return
	}
	s.say("agent", true, "is killed")
	a.end()
	s.in(away, event{kind: evStart})
}

// freeze lets nothing of the process run for a while.
func (s *Site) freeze(d time.Duration) {
	a := &s.agent
	if !a.up {
		return
	}
	s.say("agent", true, "stands still")
	thaw := s.at() + elevator.Instant(d)
	if a.frozen && a.thaw > thaw {
		return
	}
	a.frozen, a.thaw = true, thaw
	s.missed()
	s.tl.Plan(int64(thaw), event{kind: evThaw})
}
