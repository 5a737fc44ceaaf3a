package profiles

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hoistway/fsm/elevator"
)

// The words in which cases of every protocol write commands, landings and what is
// known of a car.

// readCommand reads a command as a case writes it.
func readCommand(f []string, floors elevator.Table) (c elevator.Command, err error) {
	c.Verb, _ = elevator.ParseVerb(f[0])
	for _, kv := range f[1:] {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "floor":
			c.Floor = floorOf(v, floors)
		case "to":
			c.To = floorOf(v, floors)
		case "direction":
			c.Direction, _ = elevator.ParseDirection(v)
		case "side":
			c.Side, _ = elevator.ParseSide(v)
		case "to_side":
			c.ToSide, _ = elevator.ParseSide(v)
		case "notice":
			for n := elevator.Entered; n <= elevator.GaveUpLeaving; n++ {
				if n.String() == v {
					c.Notice = n
				}
			}
		case "car":
			c.Car = v == "true"
		case "until":
			c.Until = instant(v)
		default:
			return c, fmt.Errorf("no such word %q", k)
		}
	}
	return c, nil
}

// floorOf takes a label; one that the table lacks is a floor beyond its end.
func floorOf(label string, floors elevator.Table) elevator.Floor {
	if f := floors.ByLabel(label); f != 0 {
		return f
	}
	return elevator.Floor(len(floors) + 1)
}

func instant(s string) elevator.Instant {
	d, err := time.ParseDuration(s)
	if err != nil {
		return -1
	}
	return elevator.Instant(d)
}

// table reads G=2/front,rear.
func table(fs []string) elevator.Table {
	var out elevator.Table
	for _, f := range fs {
		label, rest, _ := strings.Cut(f, "=")
		num, doors, _ := strings.Cut(rest, "/")
		l := elevator.Landing{Label: label}
		l.Wire, _ = strconv.Atoi(num)
		for d := range strings.SplitSeq(doors, ",") {
			s, _ := elevator.ParseSide(d)
			l.Doors = append(l.Doors, s)
		}
		out = append(out, l)
	}
	return out
}

// picture writes what a snapshot knows, part by part.
func picture(s elevator.Snapshot, floors elevator.Table) string {
	var b strings.Builder
	one(&b, "floor", s.Floor, func(f elevator.Floor) string {
		if f == 0 {
			return "unknown"
		}
		return floors.Label(f)
	})
	one(&b, "motion", s.Motion, elevator.Motion.String)
	for i := 1; i < elevator.Sides; i++ {
		one(&b, "door "+elevator.Side(i).String(), s.Doors[i], elevator.Door.String)
	}
	one(&b, "mode", s.Mode, elevator.Mode.String)
	num := func(n int32) string { return strconv.Itoa(int(n)) }
	one(&b, "position", s.Position, num)
	one(&b, "overload", s.Overload, elevator.Tri.String)
	one(&b, "nudging", s.Nudging, elevator.Tri.String)
	one(&b, "obstruction", s.Obstruction, elevator.Tri.String)
	one(&b, "emergency_stop", s.EmergencyStop, elevator.Tri.String)
	one(&b, "may_enter", s.MayEnter, elevator.Tri.String)
	one(&b, "may_leave", s.MayLeave, elevator.Tri.String)
	one(&b, "claimed", s.Claimed, elevator.Tri.String)
	one(&b, "load", s.Load, num)
	set := func(fs elevator.FloorSet) string { return labels(fs, floors) }
	one(&b, "up_calls", s.UpCalls, set)
	one(&b, "down_calls", s.DownCalls, set)
	one(&b, "car_calls", s.CarCalls, set)
	one(&b, "vendor", s.Vendor, num)
	for side, end := range s.Holds {
		if end != 0 {
			fmt.Fprintf(&b, "held %s until %s\n", elevator.Side(side), at(end))
		}
	}
	return b.String()
}

func one[T comparable](b *strings.Builder, name string, s elevator.Seen[T], text func(T) string) {
	if s == (elevator.Seen[T]{}) {
		return
	}
	fmt.Fprintf(b, "%s %s @%s", name, text(s.Value), at(s.At))
	if s.Source == elevator.Implied {
		b.WriteString(" implied")
	}
	if s.Failed {
		b.WriteString(" failed")
	}
	b.WriteString("\n")
}

func labels(fs elevator.FloorSet, floors elevator.Table) string {
	var out []string
	for i := range floors {
		if fs.Has(elevator.Floor(i + 1)) {
			out = append(out, floors[i].Label)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

func at(i elevator.Instant) string {
	return strconv.FormatFloat(time.Duration(i).Seconds(), 'f', -1, 64) + "s"
}
