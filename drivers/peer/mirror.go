package peer

import (
	"time"

	"hoistway/drivers"
	"hoistway/drivers/peer/wire"
	"hoistway/fsm/elevator"
)

// mirror turns what a gateway says of a ride into this side's view of it. Times left
// count from before the question left, so that they end here no later than there.
type mirror struct {
	asked  elevator.Instant
	floors elevator.Table
}

func (m mirror) ride(r *wire.Ride) drivers.RideView {
	v := drivers.RideView{
		ID: r.ID, Task: r.Task, Robot: r.Robot, Lift: r.Lift,
		From: m.floors.ByLabel(r.From), To: m.floors.ByLabel(r.To), FromSide: side(r.FromDoor), ToSide: side(r.ToDoor),
		State: r.State, Phase: r.Phase, Where: r.Where, Place: r.Place, PlaceWhy: r.PlaceWhy, Priority: r.Priority, Crossing: crossing(r.CrossingS), Retries: r.Retries,
		Do: r.Do.Do, Why: r.Do.Why, DoUntil: m.end(r.Do.UntilMs), Deadline: m.end(r.DeadlineMs), At: m.asked,
	}
	for _, u := range r.Withheld {
		v.Withheld = append(v.Withheld, drivers.Unmet(u))
	}
	if r.Permit != nil {
		m.permit(r.Permit, &v)
	}
	if p := r.LeavePass; p != nil && m.floors.ByLabel(p.Floor) != 0 && side(p.Side) != elevator.SideUnknown && p.NotAfterMs > 0 {
		v.Pass = drivers.LeavePass{Floor: m.floors.ByLabel(p.Floor), Side: side(p.Side), NotAfter: m.after(p.NotAfterMs)}
	}
	if f := r.Fault; f != nil {
		v.Fault = drivers.RideFault{Code: f.Code, No: f.No, Since: before(m.asked, f.AgeMs), Latched: f.Latched, Help: f.Help, Todo: f.Todo}
	}
	return v
}

// permit takes one that this side can act on. One for a floor or door that it does not
// know is none, and the view says why.
func (m mirror) permit(p *wire.Permit, v *drivers.RideView) {
	out := drivers.RidePermit{
		ID: p.ID, Epoch: p.Epoch, Kind: p.Kind, Floor: m.floors.ByLabel(p.Floor), Side: side(p.Side),
		StartBy: m.after(p.StartWithinMs), ThroughBy: m.after(p.ThroughWithinMs),
	}
	lacks := func(part, seen string) {
		v.Withheld = append(v.Withheld, drivers.Unmet{Part: part, Want: "one that is known here", Seen: seen, Source: "robot"})
	}
	switch {
	case p.ID == "":
		lacks("permit", "no id")
	case out.Floor == 0:
		lacks("floor", p.Floor)
	case out.Side == elevator.SideUnknown:
		lacks("door", p.Side)
	case !known(p.Kind):
		lacks("kind", p.Kind)
	default:
		v.Permit = out
	}
}

func known(kind string) bool {
	switch kind {
	case "enter", "leave", "back", "evacuate":
		return true
	}
	return false
}

// after is when so many milliseconds of the other side have passed at the latest.
func (m mirror) after(ms int64) elevator.Instant { return m.asked.Add(span(ms)) }

func (m mirror) end(ms *int64) elevator.Instant {
	if ms == nil {
		return 0
	}
	return m.after(*ms)
}

// crossing is 0 for what no door line takes.
func crossing(s *float64) time.Duration {
	if s == nil || *s < 0 || *s > 3600 {
		return 0
	}
	return time.Duration(*s * float64(time.Second))
}

func side(word string) elevator.Side {
	s, _ := elevator.ParseSide(word)
	return s
}
