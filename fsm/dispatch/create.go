package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// create opens a ride or says why it can not be. A refusal changes nothing.
func (st *step) create(in Create) {
	if e, _ := st.find(in.Request.ID); e != nil {
		st.again(e, in)
		return
	}
	e := &entry{ride: fsm.New(in.Request, st.params, st.now), stepped: true, book: book(&in, st.now)}
	chosen, refusal := st.resolve(e, &in)
	if refusal == nil {
		refusal = st.admit(&in.Request, chosen.car)
	}
	if refusal != nil {
		st.reply(*refusal)
		return
	}
	e.ride.Request = chosen.req
	if e.book.Asked.choice() {
		e.book.CarWhy = firstChoice(chosen)
	}
	// An id may come again long after its ride was dropped; a command's or a permit's never does.
	e.ride.NextN, e.ride.PermitN = st.numbers, st.numbers
	e.wake = fsm.NextWake(&e.ride)
	st.rides = append(st.rides, e)
	st.reply(Reply{Status: Created, Ride: in.Request.ID})
}

func firstChoice(o *offer) string {
	if !o.serves {
		return o.car.ID + ": none takes rides now"
	}
	return fmt.Sprintf("%s: the soonest, in about %s", o.car.ID, o.eta.Round(time.Second))
}

// again answers a ride id that is known: the same wish is the same ride, whatever has
// become of it since.
func (st *step) again(e *entry, in Create) {
	if field, detail := st.differs(e, &in); field != "" {
		st.reply(Reply{
			Status: Conflict, Ride: e.ride.ID, Code: "E-2105", Field: field,
			Detail: "this ride_id asked for another ride before: " + detail,
		})
		return
	}
	st.reply(Reply{Status: Existing, Ride: e.ride.ID})
}

// differs names the first thing in which a request is not the one that was made first.
func (st *step) differs(e *entry, in *Create) (field, detail string) {
	r, a := &e.ride, &e.book.Asked
	lift := in.Request.Lift
	if in.Any || in.Group != "" || lift == a.Lift {
		lift = r.Lift
	}
	for _, f := range []struct{ name, was, is string }{
		{"robot", r.Robot, in.Request.Robot},
		{"lift", r.Lift, lift},
		{"group", a.Group, in.Group},
		{"from", a.From, in.From},
		{"to", a.To, in.To},
		{"from_door", side(a.FromDoor, r.FromSide, in.FromDoor), in.FromDoor},
		{"to_door", st.toSide(e, in), in.ToDoor},
		{"task_id", r.Task, in.Request.Task},
		{"priority", fmt.Sprint(r.Priority), fmt.Sprint(in.Request.Priority)},
		{"crossing_s", r.Crossing.String(), in.Request.Crossing.String()},
	} {
		if f.was != f.is {
			return f.name, fmt.Sprintf("%s: %s, not %s", f.name, quoted(f.was), quoted(f.is))
		}
	}
	return "", ""
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// side is the door that was asked for first, as it compares with the one that is asked now:
// a door that one of the two does not name is the one that the ride has.
func side(asked string, has elevator.Side, now string) string {
	switch {
	case now == "":
		return ""
	case asked == "":
		return has.String()
	}
	return asked
}

// toSide is side for the destination, which may have been changed since.
func (st *step) toSide(e *entry, in *Create) string {
	if e.book.Goal != "" {
		return side(e.book.Asked.ToDoor, 0, in.ToDoor)
	}
	return side(e.book.Asked.ToDoor, e.ride.ToSide, in.ToDoor)
}

// admit refuses what is well formed but not possible now.
func (st *step) admit(req *fsm.Request, c *car) *Reply {
	switch {
	case st.stopping:
		return &Reply{Status: Unavailable, Code: "E-2108", Detail: "the agent is stopping"}
	case !slices.Contains(st.robots, req.Robot):
		return &Reply{Status: Impossible, Code: "E-2007", Field: "robot", Detail: fmt.Sprintf("no robot %q is configured", req.Robot)}
	case st.byRobot(req.Robot) != nil:
		return &Reply{Status: Conflict, Ride: st.byRobot(req.Robot).ride.ID, Code: "E-2106", Field: "robot", Detail: "this robot has a ride already"}
	case st.stopOf(c) != nil:
		_, why := st.closed(c, st.now)
		return &Reply{Status: Unavailable, Code: "E-2111", Field: "lift", Detail: "lift " + c.ID + " is stopped: " + why + "; ask again once that stop is ended"}
	case len(st.rides) >= st.maxRides:
		return &Reply{Status: Unavailable, Code: "E-2109", Detail: fmt.Sprintf("%d rides are not over yet", len(st.rides))}
	}
	return nil
}

// resolve picks the lift and turns the words of the request into floors and sides.
func (st *step) resolve(e *entry, in *Create) (*offer, *Reply) {
	if len(st.candidates(in)) == 0 {
		return nil, &Reply{Status: Impossible, Code: "E-2103", Field: liftField(in), Detail: "no such lift that suits; there are " + st.liftIDs()}
	}
	best, refusal := st.best(e, in, nil)
	if best == nil {
		return nil, refusal
	}
	return best, nil
}

func liftField(in *Create) string {
	if in.Group != "" {
		return "group"
	}
	return "lift"
}

func (st *step) liftIDs() string { return strings.Join(st.Lifts(), ", ") }

// place fits the request to one lift's floor table.
func place(req fsm.Request, in *Create, c *car) (fsm.Request, *Reply) {
	req.Lift = c.ID
	var refusal *Reply
	if req.From, req.FromSide, refusal = landing(c, in.From, in.FromDoor, "from"); refusal != nil {
		return req, refusal
	}
	if in.Open && in.To == "" {
		return openEnded(req, in, c)
	}
	if req.To, req.ToSide, refusal = landing(c, in.To, in.ToDoor, "to"); refusal != nil {
		return req, refusal
	}
	if req.From == req.To && req.FromSide == req.ToSide {
		return req, &Reply{Status: Impossible, Code: "E-2102", Field: "to", Detail: "from and to are the same place"}
	}
	return req, nil
}

// openEnded is a ride whose destination comes later. Its landing call goes towards the only
// side that there is, or as its fleet says, or up.
func openEnded(req fsm.Request, in *Create, c *car) (fsm.Request, *Reply) {
	if c.Plan.Style == fsm.JourneyCall || c.Plan.Style == fsm.LevelCall {
		return req, &Reply{Status: Impossible, Code: "E-2102", Field: "to", Detail: "lift " + c.ID + " takes whole journeys: name the destination"}
	}
	req.To, req.ToSide, req.Open, req.Toward = 0, 0, true, in.Toward
	switch {
	case int(req.From) == len(c.Floors):
		req.Toward = elevator.Down
	case req.From == 1 || req.Toward == elevator.DirectionUnknown:
		req.Toward = elevator.Up
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
