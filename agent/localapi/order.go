package localapi

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const (
	maxPriority = 9
	maxEtaS     = 3600
	maxCrossing = 120 // seconds
	anyLift     = "any"
)

// orderOf judges a request for a ride by itself and by the floor tables. What
// depends on the running rides is the loop's to judge.
func (s *Server) orderOf(c caller, n *NewRide) (core.CreateRide, *Problem) {
	for _, check := range []func() *Problem{
		func() *Problem { return s.rider(c, n) },
		func() *Problem { return shapeOf(n) },
	} {
		if p := check(); p != nil {
			return core.CreateRide{}, p
		}
	}
	among, p := s.route(n)
	if p != nil {
		return core.CreateRide{}, p
	}
	o := core.CreateRide{
		Request: fsm.Request{
			ID: n.ID, Task: n.Task, Robot: n.Robot, Priority: n.Priority,
			Ready: n.Ready == nil || *n.Ready, Crossing: s.keys.robots[n.Robot].Crossing,
		},
		From: n.From, To: n.To, FromDoor: n.FromDoor, ToDoor: n.ToDoor, Group: n.Group,
		Any: n.Lift == anyLift || n.Lift == "", Among: among,
	}
	if n.EtaS != nil {
		o.Eta = time.Duration(*n.EtaS) * time.Second
	}
	if !o.Any {
		o.Request.Lift = n.Lift
	}
	if o.Request.ID == "" {
		o.Request.ID = newRideID()
	}
	if n.Crossing != nil {
		o.Request.Crossing = time.Duration(*n.Crossing) * time.Second
	}
	return o, nil
}

// rider settles for whom the ride is. A robot asks for itself.
func (s *Server) rider(c caller, n *NewRide) *Problem {
	if c.role == robot && n.Robot == "" {
		n.Robot = c.name
	}
	_, known := s.keys.robots[n.Robot]
	switch {
	case n.Robot == "":
		return missing("robot")
	case c.role == robot && n.Robot != c.name:
		return refuse(asNotAllowed, "a robot asks for rides of its own").at("robot")
	case !known:
		return refuse(asUnknownRobot, "the configuration has no robot %q", n.Robot).at("robot")
	}
	return nil
}

func shapeOf(n *NewRide) *Problem {
	switch {
	case n.ID != "" && !name(n.ID):
		return badValue("ride_id", "1 to 64 letters, digits, dots, dashes or underscores")
	case !text(n.Task, 128):
		return badValue("task_id", "at most 128 printable characters")
	case n.From == "":
		return missing("from")
	case n.To == "":
		return missing("to")
	case n.Lift == "" && n.Group == "":
		return missing("lift")
	case n.Lift != "" && n.Lift != anyLift && n.Group != "":
		return badValue("group", "absent where a lift is named")
	case n.Priority < 0 || n.Priority > maxPriority:
		return badValue("priority", "0 to 9")
	case n.EtaS != nil && (*n.EtaS < 0 || *n.EtaS > maxEtaS):
		return badValue("eta_s", "0 to 3600 seconds")
	case n.Crossing != nil && (*n.Crossing < 1 || *n.Crossing > maxCrossing):
		return badValue("crossing_s", "1 to 120 seconds")
	}
	return nil
}

// route refuses what no lift that is meant could do, and says which can where only some do.
func (s *Server) route(n *NewRide) (uint64, *Problem) {
	lifts, p := candidates(s.view(), n)
	if p != nil {
		return 0, p
	}
	return s.among(n, lifts)
}

func candidates(v *core.View, n *NewRide) ([]*core.LiftView, *Problem) {
	var lifts []*core.LiftView
	for i := range v.Lifts {
		l := &v.Lifts[i]
		named := n.Lift == l.ID || n.Lift == anyLift || n.Lift == ""
		if named && (n.Group == "" || n.Group == l.Group) {
			lifts = append(lifts, l)
		}
	}
	switch {
	case len(lifts) > 0:
		return lifts, nil
	case n.Group != "":
		return nil, refuse(asUnknownLift, "no lift belongs to the group %q", n.Group).at("group")
	}
	return nil, refuse(asUnknownLift, "this gateway has no lift %q", n.Lift).at("lift")
}

// serves asks whether one floor table has the whole way.
func serves(t elevator.Table, n *NewRide) *Problem {
	from, fromSide, p := place(t, n.From, n.FromDoor, "from")
	if p != nil {
		return p
	}
	to, toSide, p := place(t, n.To, n.ToDoor, "to")
	if p != nil {
		return p
	}
	if from == to && fromSide == toSide {
		return refuse(asSamePlace, "from and to are the same floor and the same side").at("to")
	}
	return nil
}

// place looks up a floor and its door; without a word the landing's first door.
func place(t elevator.Table, label, door, field string) (elevator.Floor, elevator.Side, *Problem) {
	f := t.ByLabel(label)
	if f == 0 {
		return 0, 0, refuse(asUnknownFloor, "there is no floor %q; known: %s", label, floorList(t)).at(field)
	}
	doors := t[f-1].Doors
	if door == "" && len(doors) > 0 {
		return f, doors[0], nil
	}
	side, known := elevator.ParseSide(door)
	if !known || !slices.Contains(doors, side) {
		return 0, 0, refuse(asUnknownDoor, "no door %q opens at %s", door, label).at(field + "_door")
	}
	return f, side, nil
}

func floorList(t elevator.Table) string {
	labels := make([]string, len(t))
	for i := range t {
		labels[i] = t[i].Label
	}
	return strings.Join(labels, ", ")
}

func missing(field string) *Problem { return refuse(asMalformed, "the field is required").at(field) }

func badValue(field, want string) *Problem {
	return refuse(asBadValue, "wanted: %s", want).at(field)
}

// name reports whether s can name a ride: it becomes part of paths and of keys.
func name(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '.' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && r != '.' && r != '-' && r != '_'
	})
}

// text reports whether s is short and printable. What came as no character at all
// was read as the replacement character, which would make different ids the same.
func text(s string, longest int) bool {
	bad := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	return utf8.RuneCountInString(s) <= longest && !strings.ContainsFunc(s, bad)
}
