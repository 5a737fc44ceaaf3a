package dispatch

import (
	"fmt"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// gain is how much sooner another car must be for a ride to change to it.
const gain = 20 * time.Second

// offer is one car that could serve a ride.
type offer struct {
	car    *car
	req    fsm.Request
	serves bool
	eta    time.Duration
}

// beats reports an offer that is to be picked before another: one that takes rides now
// before one that does not, then the sooner one. Equal ones stay in the order of the
// configuration.
func (o *offer) beats(than *offer) bool {
	if o.serves != than.serves {
		return o.serves
	}
	return o.eta < than.eta
}

// best is the best offer for a request, leaving one car out; nil with none. refusal is why
// the first car that does not fit does not.
func (st *step) best(e *entry, in *Create, but *car) (best *offer, refusal *Reply) {
	for _, c := range st.candidates(in) {
		req, no := place(in.Request, in, c)
		if no == nil {
			no = st.holdable(&req, c)
		}
		switch {
		case no != nil && refusal == nil:
			refusal = no
		case no != nil, c == but:
		default:
			if o := (&offer{c, req, st.serves(c), st.eta(c, e, st.now)}); best == nil || o.beats(best) {
				best = o
			}
		}
	}
	return best, refusal
}

// holdable refuses a robot that needs the door for longer than it may be held at one stop:
// no permit could ever be given, and each try would block the door for people.
func (st *step) holdable(req *fsm.Request, c *car) *Reply {
	limit := st.params.HoldLimit
	if !c.Plan.HasHold || limit <= 0 || req.Crossing+fsm.PermitMargin <= limit {
		return nil
	}
	return &Reply{
		Status: Impossible, Code: "E-2114", Field: "crossing_s",
		Detail: fmt.Sprintf("a crossing of %s and %s to start it; lift %s holds its door for %s at a stop", req.Crossing, fsm.PermitMargin, c.ID, limit),
	}
}

// candidates are the cars that a request leaves open.
func (st *step) candidates(in *Create) []*car {
	var out []*car
	for i, c := range st.cars {
		switch {
		case in.Among != 0 && (i >= 64 || in.Among&(1<<i) == 0):
		case in.Group != "" && c.Group != in.Group:
		case in.Any || in.Group != "" || c.ID == in.Request.Lift:
			out = append(out, c)
		}
	}
	return out
}

// serves reports a lift that takes rides now, and whose car does not wait for a person
// to set free the ride that has it.
func (st *step) serves(c *car) bool {
	if closed, _ := st.closed(c, st.now); closed != "" {
		return false
	}
	ok, _ := c.Plan.Accepting(&c.seen.Car, st.now)
	h := st.holder(c)
	return ok && (h == nil || queues(&h.ride) || finished(&h.ride)) && (h != nil || st.stray(c, nil) == nil)
}

// choices looks at them at a reading: at those of who has a car at each, since another may
// have come, and at all once a second.
func (st *step) choices() {
	if st.looked == 0 || st.now.Sub(st.looked) >= time.Second {
		st.looked = st.now
		st.choose()
		return
	}
	for _, c := range st.cars {
		if c.owner != nil && c.owner.book.Asked.choice() && !st.stopping {
			st.reconsider(c.owner)
		}
	}
}

// choose looks again at the choice of a car for each ride that left it to us and has not
// boarded. It is done at readings and orders, never since time has passed.
func (st *step) choose() {
	if st.stopping {
		return
	}
	st.each(func(e *entry) {
		if e.book.Asked.choice() && !finished(&e.ride) {
			st.reconsider(e)
		}
	})
}

func (st *step) reconsider(e *entry) {
	c := st.car(e.ride.Lift)
	switch {
	case c == nil:
	case c.owner == e:
		st.swap(e, c)
	case e.ride.Where == fsm.Outside && !e.ride.Latched && e.ride.State != fsm.FaultLocked:
		st.rebook(e, c)
	}
}

// rebook puts a ride that has no car yet into the line of a better one.
func (st *step) rebook(e *entry, c *car) {
	in := e.wish()
	var but *car
	if e.ride.Other {
		but = c
	}
	best, _ := st.best(e, &in, but)
	if best == nil || best.car == c || !best.serves {
		return
	}
	mine := offer{serves: st.serves(c), eta: st.eta(c, e, st.now)}
	switch {
	case !mine.serves:
		st.moveTo(e, best.car, best.req, fmt.Sprintf("%s takes no rides", c.ID))
	case e.ride.Other, best.eta+gain <= mine.eta:
		st.moveTo(e, best.car, best.req, fmt.Sprintf("%s is sooner by %s", best.car.ID, (mine.eta-best.eta).Round(time.Second)))
	}
}

// moveTo changes the lift of a ride that has no lease.
func (st *step) moveTo(e *entry, to *car, req fsm.Request, why string) {
	from := st.car(e.ride.Lift)
	st.clear(from, func(a raised) bool { return a.ride == e.ride.ID && a.Code != fsm.DoorOpenAlarm })
	e.ride.Rebook(req, &to.seen.Car, from.Group == to.Group && from.Group != "")
	e.stepped, e.yielded = true, 0
	e.wake = fsm.NextWake(&e.ride)
	st.chosen(e, from, to, why)
}

func (st *step) chosen(e *entry, from, to *car, why string) {
	e.book.CarWhy = fmt.Sprintf("%s in place of %s: %s", to.ID, from.ID, why)
	e.stepped = true
	st.put(Note{Lift: to.ID, Ride: e.ride.ID, Text: "the car is chosen again: " + e.book.CarWhy})
}

// swap gives a ride another car than the one that it has. The landing call of a group is
// the group's: it goes over with the ride, and nothing is pressed again.
func (st *step) swap(e *entry, mine *car) {
	if !e.ride.MayMove(true) { // a call of the group binds least
		return
	}
	in := e.wish()
	var best *offer
	var why string
	for _, c := range st.candidates(&in) {
		carry := c.Group != "" && c.Group == mine.Group
		if c == mine || c.Plan.Claims || st.holder(c) != nil || !st.serves(c) || !e.ride.MayMove(carry) {
			continue
		}
		req, no := place(in.Request, &in, c)
		if no != nil || !sameLandings(&req, &e.ride) {
			continue
		}
		if w := st.better(e, mine, c); w != "" {
			if o := (&offer{c, req, true, st.eta(c, e, st.now)}); best == nil || o.beats(best) {
				best, why = o, w
			}
		}
	}
	if best != nil {
		st.carryOver(e, mine, best.car, why)
	}
}

// better says why a free car is to be taken in place of the one that a ride has; "" when not.
func (st *step) better(e *entry, mine, c *car) string {
	ok, code := mine.Plan.Accepting(&mine.seen.Car, st.now)
	shut, _ := st.closed(mine, st.now)
	r := &e.ride
	switch {
	case shut != "":
		return fmt.Sprintf("%s takes no rides: %s", mine.ID, shut)
	case !ok:
		return fmt.Sprintf("%s takes no rides: %s", mine.ID, code)
	case c.opensAt(r.From, r.FromSide, st.now) && !mine.standsAt(r.From, st.now):
		return c.ID + " stands open at the landing"
	case r.Call.Command.ID.N == 0 && st.comes(c, r, st.now)+gain <= st.comes(mine, r, st.now):
		return c.ID + " is nearer"
	}
	return ""
}

// standsAt reports a car that is seen at a landing, whatever its door does.
func (c *car) standsAt(f elevator.Floor, now elevator.Instant) bool {
	s := &c.seen.Car
	return s.Link == elevator.Online && s.Floor.Fresh(now, sightLimit) && s.Floor.Value == f && s.Motion.Value == elevator.Stopped
}

// sameLandings: a call can go over only where both lifts number the landings alike.
func sameLandings(req *fsm.Request, r *fsm.Ride) bool {
	return req.From == r.From && req.To == r.To && req.FromSide == r.FromSide && req.ToSide == r.ToSide
}

func (st *step) carryOver(e *entry, from, to *car, why string) {
	st.chosen(e, from, to, why)
	from.owner, from.last = nil, e
	st.put(Freed{Lift: from.ID, Ride: e.ride.ID})
	st.epoch++
	to.owner = e
	st.deliver(e, &fsm.Leased{
		Lift: to.ID, Epoch: st.epoch, Plan: to.Plan, Params: st.params, Car: to.seen.Car, Carry: true, Why: e.book.CarWhy,
	})
}
