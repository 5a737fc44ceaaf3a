package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// showRide says how a ride stands, for a failure.
func showRide(s Stage, id string) string {
	r, ok := s.Ride(id)
	switch {
	case !ok:
		return "there is no ride " + id
	case r.Refused != "":
		return fmt.Sprintf("ride %s was refused: %s", id, r.Refused)
	case r.State == "":
		return fmt.Sprintf("ride %s is asked for and not yet answered", id)
	}
	b := fmt.Sprintf("ride %s is %s", id, r.State)
	if r.Phase != "" {
		b += " (" + r.Phase + ")"
	}
	if r.Fault != "" {
		b += " with fault " + r.Fault
	}
	if r.Lift != "" {
		b += " on " + r.Lift
	}
	b += ", robot " + known(r.Where)
	if r.Permit != "" {
		b += ", permit " + r.Permit
	}
	if r.Do != "" {
		b += ", told to " + r.Do
	}
	if r.Place != 0 {
		b += fmt.Sprintf(", place %d", r.Place)
	}
	if r.Answered != "" {
		b += ", the last order " + r.Answered
	}
	if len(r.Faults) > 0 {
		b += ", faults so far " + strings.Join(r.Faults, " ")
	}
	if len(r.Been) > 0 {
		b += ", was " + strings.Join(tail(r.Been, 8), " ")
	}
	return b
}

// tail keeps the last words of a long list.
func tail(words []string, n int) []string {
	if len(words) <= n {
		return words
	}
	return append([]string{"…"}, words[len(words)-n:]...)
}

func showRobot(s Stage, id string) string {
	r, ok := s.Robot(id)
	switch {
	case !ok:
		return "there is no robot " + id
	case r.Where == "landing":
		return fmt.Sprintf("robot %s is at landing %s", id, known(r.Floor))
	case r.Where == "doorway":
		return fmt.Sprintf("robot %s is in the doorway of %s", id, known(r.Lift))
	case r.Where == "car":
		return fmt.Sprintf("robot %s is in %s", id, known(r.Lift))
	}
	return fmt.Sprintf("where robot %s is, is not known", id)
}

func showLift(s Stage, id string) string {
	l, ok := s.Lift(id)
	if !ok {
		return "there is no lift " + id
	}
	b := fmt.Sprintf("lift %s is at %s, %s, door %s, mode %s, link %s", id, known(l.Floor), known(l.Motion), doors(l.Doors), known(l.Mode), known(l.Link))
	if l.Owner != "" {
		b += ", owner " + l.Owner
	}
	if !l.Accepting {
		b += ", not accepting"
	}
	if len(l.Alarms) > 0 {
		b += ", alarms " + strings.Join(l.Alarms, " ")
	}
	return b + showOrdered(l)
}

// showOrdered says what people and its area have made of a lift.
func showOrdered(l Lift) string {
	b := ""
	for _, f := range []struct {
		on   bool
		word string
	}{{l.Maintenance, "in maintenance"}, {l.Halted, "halted"}, {l.Occupied, "occupied"}, {l.AreaAlarm != "", l.AreaAlarm + " in its area"}, {l.Drill, "a drill"}} {
		if f.on {
			b += ", " + f.word
		}
	}
	if l.Answered != "" {
		b += ", the last order " + l.Answered
	}
	return b
}

func showSeen(s Stage, id string) string {
	l, ok := s.Lift(id)
	if !ok {
		return "there is no lift " + id
	}
	return fmt.Sprintf("the agent sees %s with floor %s, door %s, mode %s", id, known(l.SeenFloor), doors(l.SeenDoors), known(l.SeenMode))
}

func doors(by map[string]string) string {
	if len(by) == 0 {
		return "unknown"
	}
	var parts []string
	for _, side := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, side+" "+known(by[side]))
	}
	return strings.Join(parts, ", ")
}

func showCloud(s Stage) string {
	c := s.Cloud()
	b := "the cloud has the agent "
	if c.Online {
		b += "online"
	} else {
		b += "offline"
	}
	b += fmt.Sprintf(", version %d, delta ", c.Version)
	if c.Delta {
		return b + "open"
	}
	return b + "empty"
}
