package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// create opens a ride or says why it can not be. A refusal changes nothing.
func (st *step) create(in Create) {
	if e, _ := st.find(in.Request.ID); e != nil {
		st.again(e, in)
		return
	}
	req, refusal := st.resolve(in)
	if refusal == nil {
		refusal = st.admit(req)
	}
	if refusal != nil {
		st.reply(*refusal)
		return
	}
	e := &entry{ride: fsm.New(req, st.params, st.now), stepped: true}
	// An id may come again long after its ride was dropped; a command's or a permit's never does.
	e.ride.NextN, e.ride.PermitN = st.numbers, st.numbers
	e.wake = fsm.NextWake(&e.ride)
	st.rides = append(st.rides, e)
	st.reply(Reply{Status: Created, Ride: req.ID})
}

// again answers a ride id that is known: the same wish is the same ride.
func (st *step) again(e *entry, in Create) {
	r := &e.ride.Request
	c := st.car(r.Lift)
	same := c != nil && r.Robot == in.Request.Robot && (in.Any || r.Lift == in.Request.Lift) &&
		c.Floors.Label(r.From) == in.From && c.Floors.Label(r.To) == in.To &&
		(in.FromDoor == "" || in.FromDoor == r.FromSide.String()) && (in.ToDoor == "" || in.ToDoor == r.ToSide.String())
	if same {
		st.reply(Reply{Status: Existing, Ride: r.ID})
		return
	}
	st.reply(Reply{Status: Conflict, Ride: r.ID, Code: "E-2105", Field: "ride_id", Detail: "this ride_id asked for another ride before"})
}

// admit refuses what is well formed but not possible now.
func (st *step) admit(req fsm.Request) *Reply {
	switch {
	case st.stopping:
		return &Reply{Status: Unavailable, Code: "E-2108", Detail: "the agent is stopping"}
	case !slices.Contains(st.robots, req.Robot):
		return &Reply{Status: Impossible, Code: "E-2007", Field: "robot", Detail: fmt.Sprintf("no robot %q is configured", req.Robot)}
	case st.byRobot(req.Robot) != nil:
		return &Reply{Status: Conflict, Ride: st.byRobot(req.Robot).ride.ID, Code: "E-2106", Field: "robot", Detail: "this robot has a ride already"}
	case len(st.rides) >= st.maxRides:
		return &Reply{Status: Unavailable, Code: "E-2109", Detail: fmt.Sprintf("%d rides are not over yet", len(st.rides))}
	}
	return nil
}

// resolve picks the lift and turns the words of the request into floors and sides.
func (st *step) resolve(in Create) (fsm.Request, *Reply) {
	req := in.Request
	lifts := st.candidates(in)
	if len(lifts) == 0 {
		return req, &Reply{Status: Impossible, Code: "E-2103", Field: liftField(in), Detail: "no such lift; there are " + st.liftIDs()}
	}
	var first *Reply
	var best *car
	for _, c := range lifts {
		_, refusal := place(req, in, c)
		if refusal != nil {
			if first == nil {
				first = refusal
			}
			continue
		}
		if best == nil || st.better(c, best) {
			best = c
		}
	}
	if best == nil {
		return req, first
	}
	req, _ = place(req, in, best)
	return req, nil
}

func liftField(in Create) string {
	if in.Group != "" {
		return "group"
	}
	return "lift"
}

func (st *step) candidates(in Create) []*car {
	var out []*car
	for _, c := range st.cars {
		switch {
		case in.Group != "" && c.Group != in.Group:
		case in.Any || in.Group != "" || c.ID == in.Request.Lift:
			out = append(out, c)
		}
	}
	return out
}

// better reports a lift that is to be picked before another: one that takes rides
// now before one that does not, then the shorter queue. Equal ones stay in the order
// of the configuration.
func (st *step) better(c, than *car) bool {
	if a, b := st.serves(c), st.serves(than); a != b {
		return a
	}
	return st.load(c) < st.load(than)
}

// serves reports a lift that takes rides now, and whose car does not wait for a person
// to set free the ride that has it.
func (st *step) serves(c *car) bool {
	ok, _ := fsm.Accepting(c.seen.Car, st.now)
	return ok && (c.owner == nil || queues(&c.owner.ride))
}

// load counts the rides that want a car.
func (st *step) load(c *car) int {
	n := 0
	for _, e := range st.rides {
		if e.ride.Lift == c.ID {
			n++
		}
	}
	return n
}

func (st *step) liftIDs() string {
	ids := make([]string, len(st.cars))
	for i, c := range st.cars {
		ids[i] = c.ID
	}
	return strings.Join(ids, ", ")
}

// place fits the request to one lift's floor table.
func place(req fsm.Request, in Create, c *car) (fsm.Request, *Reply) {
	req.Lift = c.ID
	var refusal *Reply
	if req.From, req.FromSide, refusal = landing(c, in.From, in.FromDoor, "from"); refusal != nil {
		return req, refusal
	}
	if req.To, req.ToSide, refusal = landing(c, in.To, in.ToDoor, "to"); refusal != nil {
		return req, refusal
	}
	if req.From == req.To && req.FromSide == req.ToSide {
		return req, &Reply{Status: Impossible, Code: "E-2102", Field: "to", Detail: "from and to are the same place"}
	}
	return req, nil
}

func landing(c *car, label, door, field string) (elevator.Floor, elevator.Side, *Reply) {
	f := c.Floors.ByLabel(label)
	if f == 0 {
		return 0, 0, &Reply{Status: Impossible, Code: "E-2101", Field: field, Detail: fmt.Sprintf("lift %s has no floor %q", c.ID, label)}
	}
	doors := c.Floors[f-1].Doors
	if door == "" && len(doors) > 0 {
		return f, doors[0], nil
	}
	side, ok := elevator.ParseSide(door)
	if !ok || !c.Floors.Opens(f, side) {
		return 0, 0, &Reply{Status: Impossible, Code: "E-2104", Field: field + "_door", Detail: fmt.Sprintf("lift %s has no %q door at %s", c.ID, door, label)}
	}
	return f, side, nil
}
