package faults

import (
	"fmt"
	"slices"
)

// String names a family as people read it.
func (f Family) String() string {
	return [...]string{"unknown", "controller", "line", "HTTP", "cloud", "host", "robot"}[f]
}

// String says what is aimed at.
func (a Aim) String() string {
	return [...]string{"unknown", "a lift", "a robot", "the cloud (write: cloud)", "the gateway (write: gateway)"}[a]
}

// String writes the fault as a scenario does.
func (f Fault) String() string {
	s := f.Target + " " + f.Kind
	if f.Arg != "" {
		s += " " + f.Arg
	}
	if f.Times > 0 {
		s += fmt.Sprintf(" times %d", f.Times)
	}
	if f.From > 1 {
		s += fmt.Sprintf(" from %d", f.From)
	}
	if f.Chance > 0 {
		s += fmt.Sprintf(" chance %d", f.Chance)
	}
	if f.For > 0 {
		s += fmt.Sprintf(" for %v", f.For)
	}
	return s
}

// Names lists the kinds aimed at one sort of thing.
func Names(aim Aim) []string {
	var names []string
	for _, k := range Catalogue() {
		if k.Aim == aim {
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return names
}

// String is the event as a line of a log.
func (e Event) String() string {
	switch e.What {
	case Began:
		return "fault begins: " + e.Fault.String()
	case Struck:
		return fmt.Sprintf("fault strikes (%d): %s %s", e.Strike, e.Fault.Target, e.Fault.Kind)
	}
	s := fmt.Sprintf("fault ends, %s: %s %s", e.Why, e.Fault.Target, e.Fault.Kind)
	if e.Strike > 0 {
		s += fmt.Sprintf(", struck %d times", e.Strike)
	}
	return s
}
