package dispatch

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Asked is what a ride was first asked for, in the words of the request. A change of the
// destination leaves it as it was, so that the same request again is the same ride.
type Asked struct {
	Lift     string             `json:",omitzero"` // "" where any suits
	Group    string             `json:",omitzero"`
	Any      bool               `json:",omitzero"`
	Among    uint64             `json:",omitzero"`
	From     string             // labels
	To       string             `json:",omitzero"`
	FromDoor string             `json:",omitzero"`
	ToDoor   string             `json:",omitzero"`
	Open     bool               `json:",omitzero"`
	Toward   elevator.Direction `json:",omitzero"`
}

// Booking is what a site keeps of a ride beside the ride itself; it is stored with it.
type Booking struct {
	Asked  Asked
	At     elevator.Instant // when it was asked: its age in the queue
	Due    elevator.Instant `json:",omitzero"` // when the robot means to be at From; never = not told
	Goal   string           `json:",omitzero"` // label of the destination since it was changed
	Door   string           `json:",omitzero"` // and its door, "" for the first one there
	CarWhy string           `json:",omitzero"` // which car, and why; "" when the request named it

	Changed elevator.Instant `json:",omitzero"` // when the destination was last changed with the robot in the car
}

// Rebase moves the booking onto another clock, as [fsm.Rebase] does its ride.
func (b *Booking) Rebase(d int64) {
	shift(&b.At, d)
	shift(&b.Due, d)
	shift(&b.Changed, d)
}

// shift moves an instant that was set; it must not become zero, which is never.
func shift(at *elevator.Instant, d int64) {
	if *at == 0 {
		return
	}
	if *at += elevator.Instant(d); *at == 0 {
		*at = -1
	}
}

func book(in *Create, now elevator.Instant) Booking {
	b := Booking{At: now, Asked: Asked{
		Lift: in.Request.Lift, Group: in.Group, Any: in.Any, Among: in.Among, From: in.From, To: in.To,
		FromDoor: in.FromDoor, ToDoor: in.ToDoor, Open: in.Open, Toward: in.Toward,
	}}
	if in.Any || in.Group != "" {
		b.Asked.Lift = ""
	}
	if in.Eta > 0 {
		b.Due = now.Add(in.Eta)
	}
	return b
}

// choice reports a request that leaves the choice of the car to us.
func (a *Asked) choice() bool { return a.Any || a.Group != "" }

// wish is the request for another car: as it was asked, with the destination of today.
func (e *entry) wish() Create {
	a := &e.book.Asked
	in := Create{
		Request: e.ride.Request, From: a.From, To: a.To, FromDoor: a.FromDoor, ToDoor: a.ToDoor,
		Any: a.Any, Group: a.Group, Among: a.Among, Open: a.Open && e.ride.To == 0, Toward: a.Toward,
	}
	if e.book.Goal != "" {
		in.To, in.ToDoor = e.book.Goal, e.book.Door
	}
	return in
}

// unbooked is the booking of a ride that was stored without one.
func unbooked(r *fsm.Ride, floors elevator.Table) Booking {
	return Booking{At: r.Since, Asked: Asked{
		Lift: r.Lift, From: floors.Label(r.From), To: floors.Label(r.To),
		FromDoor: r.FromSide.String(), ToDoor: r.ToSide.String(),
	}}
}
