package soak

import (
	"fmt"
	"strings"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
)

// rename puts the lifts and robots of a story into the names of the bench, a lift to one
// with the same sort of wire; false where it has more of them.
func rename(deeds []deed, acts []act) ([]act, bool) {
	names := map[string]string{}
	count, taken, clash := map[byte]int{}, map[string]bool{}, false
	name := func(id string) string {
		if len(id) < 2 || id[0] != 'L' && id[0] != 'R' {
			return id
		}
		if _, ok := names[id]; !ok {
			count[id[0]]++
			names[id] = fmt.Sprintf("%c%d", id[0], count[id[0]])
			if id[0] == 'L' {
				names[id] = liftID(1 - int(id[len(id)-1]%2))
				clash = clash || taken[names[id]]
				taken[names[id]] = true
			}
		}
		return names[id]
	}
	for _, d := range deeds { // in the order in which the story names them
		renameAct(d.do, name)
	}
	out := append([]act(nil), acts...)
	for i := range out {
		out[i].do = renameAct(out[i].do, name)
	}
	return out, !clash && count['R'] <= 2
}

func renameAct(a scenarios.Act, name func(string) string) scenarios.Act {
	switch a := a.(type) {
	case scenarios.AskRide:
		a.Robot, a.Lift = name(a.Robot), name(a.Lift)
		return a
	case scenarios.Say:
		a.Robot = name(a.Robot)
		return a
	case scenarios.Press:
		a.Lift = name(a.Lift)
		return a
	case scenarios.Inject:
		a.Fault.Target = name(a.Fault.Target)
		return a
	}
	return a
}

// scenario writes the last story as a scenario file.
func (s *shrinker) scenario() string {
	var b strings.Builder
	fmt.Fprintf(&b, "title  The soak breaks %s\n", s.law)
	fmt.Fprintf(&b, "seed   %d\n", s.seed)
	fmt.Fprintf(&b, "lasts  %s\n", length(s.breach.At+elevator.Instant(2*time.Minute)))
	fmt.Fprintf(&b, "# %s\n\n", s.breach)
	for _, d := range s.deeds {
		if line := d.line(); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func length(at elevator.Instant) time.Duration {
	return time.Duration(at).Truncate(time.Second) + time.Second
}

// line writes one deed as a statement.
func (d deed) line() string {
	words := actWords(d.do)
	if words == "" {
		return ""
	}
	if d.err != nil {
		return "# " + words + ": " + d.err.Error()
	}
	if d.by.state != "" {
		return fmt.Sprintf("when ride %s is %s, %s", d.by.ride, d.by.state, words)
	}
	return fmt.Sprintf("at %v %s", time.Duration(d.at), words)
}

func actWords(a scenarios.Act) string {
	switch a := a.(type) {
	case scenarios.AskRide:
		return askWords(a)
	case scenarios.CancelRide:
		return fmt.Sprintf("cancel %s by %s", a.ID, a.By)
	case scenarios.ResetRide:
		return fmt.Sprintf("reset %s robot %s by %s", a.ID, a.RobotIs, a.By)
	case scenarios.Alarm:
		return fmt.Sprintf("alarm %s cleared by %s", a.Area, a.By)
	case scenarios.Say:
		return fmt.Sprintf("say %s %s", a.Robot, a.Kind)
	case scenarios.Inject:
		return "fault " + faultWords(a.Fault)
	case scenarios.Press:
		if a.Direction == elevator.DirectionUnknown {
			return fmt.Sprintf("press %s car %s", a.Lift, a.Floor)
		}
		return fmt.Sprintf("press %s %s %s", a.Lift, a.Floor, a.Direction)
	}
	return ""
}

func askWords(a scenarios.AskRide) string {
	s := fmt.Sprintf("ride %s %s from %s to %s", a.ID, a.Robot, a.From, a.To)
	if a.Lift != "" {
		s += " on " + a.Lift
	}
	if a.FromDoor != "" {
		s += " from-door " + a.FromDoor
	}
	if a.ToDoor != "" {
		s += " to-door " + a.ToDoor
	}
	if a.NotReady {
		s += " not-ready"
	}
	return s
}

func faultWords(f faults.Fault) string {
	s := f.String()
	if f.Chance > 0 && f.Seed > 0 {
		s += fmt.Sprintf(" seed %d", f.Seed)
	}
	return s
}
