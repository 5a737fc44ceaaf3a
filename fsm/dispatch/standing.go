package dispatch

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Standing is what stands over rides: stops, maintenance and area alarms. It is one record
// in the store, and outlasts a restart. The cloud's orders stand beside those of people on
// site: neither ends what the other wants, but whoever is on site ends both.
type Standing struct {
	Orders                        // of people on site
	Cloud  Orders                 `json:",omitzero"`
	Areas  map[string][]AreaAlarm `json:",omitzero"` // by area
}

// Orders are the stops and the maintenance of one side.
type Orders struct {
	All         *Stopped               `json:",omitzero"` // a stop of all lifts
	Stops       map[string]Stopped     `json:",omitzero"` // of one, by lift
	Maintenance map[string]Maintenance `json:",omitzero"` // by lift
}

// of are the orders of one side.
func (s *Standing) of(cloud bool) *Orders {
	if cloud {
		return &s.Cloud
	}
	return &s.Orders
}

// sides are both, that on site first.
func (s *Standing) sides() [2]*Orders { return [2]*Orders{&s.Orders, &s.Cloud} }

// Clone copies it, so that the two share nothing that changes.
func (s Standing) Clone() Standing {
	s.Orders, s.Cloud, s.Areas = s.Orders.clone(), s.Cloud.clone(), maps.Clone(s.Areas)
	for area, alarms := range s.Areas {
		s.Areas[area] = slices.Clone(alarms)
	}
	return s
}

func (o Orders) clone() Orders {
	if o.All != nil {
		all := *o.All
		o.All = &all
	}
	o.Stops, o.Maintenance = maps.Clone(o.Stops), maps.Clone(o.Maintenance)
	return o
}

// Rebase moves it onto another clock. An end that has passed stays passed.
func (s *Standing) Rebase(d int64) {
	for _, o := range s.sides() {
		o.rebase(d)
	}
	for _, alarms := range s.Areas {
		for i := range alarms {
			shift(&alarms[i].Since, d)
		}
	}
}

func (o *Orders) rebase(d int64) {
	if o.All != nil {
		shift(&o.All.Since, d)
	}
	for id, v := range o.Stops {
		shift(&v.Since, d)
		o.Stops[id] = v
	}
	for id, v := range o.Maintenance {
		shift(&v.Since, d)
		shift(&v.Until, d)
		o.Maintenance[id] = v
	}
}

func (st *step) keepStanding() { st.put(KeepStanding{}) }

func (st *step) noLift(id string) {
	st.reply(Reply{Status: NotFound, Code: "E-2005", Field: "lift", Detail: "no such lift; there are " + st.liftIDs()})
}

func (st *step) maintain(in Maintain) {
	c := st.car(in.Lift)
	if c == nil {
		st.noLift(in.Lift)
		return
	}
	if !in.On {
		for _, o := range st.standing.ended(in.Cloud) {
			delete(o.Maintenance, c.ID)
		}
	} else {
		m := Maintenance{Since: st.now, By: in.By, Why: in.Why, Cloud: in.Cloud, Named: in.Named}
		if in.For > 0 {
			m.Until = st.now.Add(in.For)
		}
		put(&st.standing.of(in.Cloud).Maintenance, c.ID, m)
	}
	st.said(c.ID, "maintenance", in.On, in.By, in.Why)
	st.choose()
}

// ended are the sides whose orders an end of one side ends.
func (s *Standing) ended(cloud bool) []*Orders {
	if cloud {
		return []*Orders{&s.Cloud}
	}
	return []*Orders{&s.Orders, &s.Cloud}
}

// window begins or ends a maintenance window, of all lifts.
func (st *step) maintenanceWindow(in Window) {
	st.window = in.Until
	st.choose()
}

func put[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}

// said tells what stands now, keeps it, and answers.
func (st *step) said(lift, what string, on bool, by, why string) {
	word := "over"
	if on {
		word = "on"
	}
	st.put(Note{Lift: lift, Text: fmt.Sprintf("%s %s, by %s%s", what, word, by, because(why))})
	st.keepStanding()
	st.reply(Reply{Status: Accepted})
}

// stop cancels what has not boarded. Whoever is aboard, or may be, rides on and is let out:
// a stop takes nothing from under a robot.
func (st *step) stop(in Stop) {
	if in.Lift != "" && st.car(in.Lift) == nil {
		st.noLift(in.Lift)
		return
	}
	stop := Stopped{Since: st.now, By: in.By, Why: in.Why, Cloud: in.Cloud}
	switch {
	case in.On && in.Lift == "":
		st.standing.of(in.Cloud).All = &stop
	case in.On:
		put(&st.standing.of(in.Cloud).Stops, in.Lift, stop)
	default:
		st.endStop(in)
	}
	st.said(in.Lift, "stop", in.On, in.By, in.Why)
	if in.On {
		st.urgent = true
		st.each(func(e *entry) {
			if (in.Lift == "" || e.ride.Lift == in.Lift) && !boarded(&e.ride) {
				st.deliver(e, fsm.Cancel{By: in.By + ", who stopped the lift"})
			}
		})
		st.urgent = false
	}
}

// endStop ends the stops of one lift. That of all lifts ends by the cloud alone, and with
// it, by whoever is on site, those of each.
func (st *step) endStop(in Stop) {
	for _, o := range st.standing.ended(in.Cloud) {
		switch {
		case in.Lift != "":
			delete(o.Stops, in.Lift)
		case in.Cloud:
			o.All = nil
		default:
			o.All, o.Stops = nil, nil
		}
	}
}

// boarded reports a ride whose robot was let into the car, or is in it.
func boarded(r *fsm.Ride) bool {
	return finished(r) || r.Aboard || r.Where == fsm.Inside || r.State == fsm.Moving || r.State == fsm.Exiting
}

// heardAboard is how fresh a robot's own word that it is in the car must be to stand
// against a person's that the car is empty.
const heardAboard = 10 * time.Second

// carEmpty takes a person's word, but not against a robot that says otherwise just now,
// nor into a ride that is under way.
func (st *step) carEmpty(in CarEmpty) {
	c := st.car(in.Lift)
	if c == nil {
		st.noLift(in.Lift)
		return
	}
	for _, e := range st.rides {
		if why := st.contradicts(e, c); why != "" {
			st.reply(Reply{Status: Conflict, Ride: e.ride.ID, Code: "E-2111", Detail: why})
			return
		}
	}
	st.each(func(e *entry) {
		if m := st.car(e.ride.Lift); m != nil && m.shell == c.shell && e.ride.Where != fsm.Outside {
			st.deliver(e, fsm.Reset{RobotIs: fsm.RobotRemoved, By: in.By})
		}
	})
	st.put(Note{Lift: c.ID, Text: "the car is empty, by " + in.By})
	st.reply(Reply{Status: Accepted})
}

func (st *step) contradicts(e *entry, c *car) string {
	r := &e.ride
	m := st.car(r.Lift)
	switch {
	case m == nil || m.shell != c.shell || finished(r):
		return ""
	case r.State == fsm.Moving, r.State == fsm.Exiting, r.Phase == fsm.Boarding:
		return fmt.Sprintf("the ride of %s is under way: cancel or reset it first", r.Robot)
	case st.permitOut(r) > 0:
		return "wait " + inSeconds(st.permitOut(r)) + ": a permit of " + r.Robot + " is out"
	case r.Where != fsm.Outside && r.Self.Where == fsm.InCar && !r.Self.At.Add(heardAboard).Reached(st.now):
		return fmt.Sprintf("%s said %s ago that it is in the car", r.Robot, st.now.Sub(r.Self.At).Round(time.Second))
	}
	return ""
}

// expire ends maintenance whose time is over.
func (st *step) expire() {
	if st.window.Reached(st.now) {
		st.window = 0
	}
	for _, c := range st.cars {
		for _, o := range st.standing.sides() {
			m, ok := o.Maintenance[c.ID]
			if ok && m.Until.Reached(st.now) {
				delete(o.Maintenance, c.ID)
				st.put(Note{Lift: c.ID, Text: "maintenance over: its time has passed"})
				st.keepStanding()
			}
		}
	}
}

// ends is when the next maintenance ends; never when none does.
func (s *Site) ends() (next elevator.Instant) {
	next = s.window
	for _, o := range s.standing.sides() {
		for _, m := range o.Maintenance {
			if m.Until != 0 && (next == 0 || m.Until < next) {
				next = m.Until
			}
		}
	}
	return next
}
