package dispatch

import (
	"time"

	"hoistway/fsm"
)

// calm is the pause between two changes of the destination with the robot in the car: each presses
// buttons, and people ride along.
const calm = 10 * time.Second

// retarget gives a ride another destination. Words that can never work are refused before
// the ride is asked; a ride whose robot has not boarded, and whose choice of a car is ours,
// may take a car that has the floor.
func (st *step) retarget(in Retarget) {
	e, over := st.find(in.Ride)
	if e == nil {
		st.reply(Reply{Status: NotFound, Ride: in.Ride, Code: "E-2006", Detail: "no such ride"})
		return
	}
	r := &e.ride
	if why := r.MayRetarget(in.Aboard); over || why != "" && !st.same(e, in) {
		st.reply(Reply{Status: Conflict, Ride: in.Ride, Code: "E-2111", Detail: orOver(why)})
		return
	}
	if st.car(r.Lift) == nil {
		st.reply(Reply{Status: Conflict, Ride: in.Ride, Code: "E-2111", Detail: "its lift is not configured any more"})
		return
	}
	if refusal := st.aim(e, in); refusal != nil {
		refusal.Ride = in.Ride
		st.reply(*refusal)
		return
	}
	st.reply(Reply{Status: Accepted, Ride: in.Ride})
}

func orOver(why string) string {
	if why == "" {
		return "the ride is over"
	}
	return why
}

// same reports the destination that the ride has already.
func (st *step) same(e *entry, in Retarget) bool {
	c := st.car(e.ride.Lift)
	return c != nil && c.Floors.Label(e.ride.To) == in.To && (in.ToDoor == "" || in.ToDoor == e.ride.ToSide.String())
}

// aim finds the destination in the table of the ride's lift and hands it to the ride.
func (st *step) aim(e *entry, in Retarget) *Reply {
	r := &e.ride
	if st.same(e, in) {
		return nil
	}
	to, side, refusal := landing(st.car(r.Lift), in.To, in.ToDoor, "to")
	if refusal != nil {
		if st.elsewhere(e, in) {
			return nil
		}
		return refusal
	}
	if wait := e.book.Changed.Add(calm).Until(st.now); !r.Ashore() && e.book.Changed != 0 && wait > 0 {
		return &Reply{Status: Conflict, Code: "E-2111", Field: "to", Detail: "the destination was changed just now: ask again in " + inSeconds(wait)}
	}
	if r.Ashore() && to == r.From && side == r.FromSide {
		return &Reply{Status: Impossible, Code: "E-2102", Field: "to", Detail: "from and to are the same place"}
	}
	if !r.Ashore() && r.To != 0 { // the first of an open ride is no change
		e.book.Changed = st.now
	}
	e.book.Goal, e.book.Door, e.stepped = in.To, in.ToDoor, true
	st.deliver(e, fsm.Retarget{To: to, ToSide: side, Aboard: in.Aboard, By: in.By})
	return nil
}

// elsewhere takes a ride without a lease to a lift that has the floor.
func (st *step) elsewhere(e *entry, in Retarget) bool {
	mine := st.car(e.ride.Lift)
	if !e.book.Asked.choice() || mine.owner == e || e.ride.Where != fsm.Outside {
		return false
	}
	goal, door := e.book.Goal, e.book.Door
	e.book.Goal, e.book.Door = in.To, in.ToDoor
	wish := e.wish()
	best, _ := st.best(e, &wish, mine)
	if best == nil {
		e.book.Goal, e.book.Door = goal, door
		return false
	}
	st.moveTo(e, best.car, best.req, mine.ID+" does not go to "+in.To)
	return true
}

// claim brings somebody else's word about a robot to its ride.
func (st *step) claim(in Claim) {
	e, over := st.find(in.Ride)
	switch {
	case e == nil:
		st.reply(Reply{Status: NotFound, Ride: in.Ride, Code: "E-2006", Detail: "no such ride"})
		return
	case over:
		st.reply(Reply{Status: Accepted, Ride: in.Ride, Detail: "the ride is over"})
		return
	}
	was := e.ride
	st.deliver(e, fsm.Claims{Says: in.Says, By: in.By})
	detail := ""
	if r := &e.ride; fsm.Same(&was, r) && r.Unseen != in.Says {
		detail = "not believed: the ride is " + string(r.State) + ", its robot " + string(r.Where)
	}
	st.reply(Reply{Status: Accepted, Ride: in.Ride, Detail: detail})
}
