package core

import (
	"slices"

	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
)

// View copies what readers may see at t.
func (k *Core) View(t Time) *View {
	v := &View{
		Seq: k.seq, At: t.Now, Cloud: k.session != nil, StoreFault: k.storeFault,
		Params: k.site.Params(), Settings: k.settingsView(), FellBack: k.fellBack, Drift: k.wallDrift, Areas: k.site.Areas(), Stopped: k.site.Standing().All,
	}
	if k.session != nil {
		v.Shadow = k.session.View()
	}
	places := map[string]dispatch.Queued{}
	tables := map[string]elevator.Table{}
	for _, c := range k.site.CarsAt(t.Now) {
		for _, q := range c.Queue {
			places[q.Ride] = q
		}
		tables[c.ID] = c.Floors
		l := liftView(&c)
		k.gates.show(&l)
		v.Lifts = append(v.Lifts, l)
	}
	v.Breaches = k.gates.counts()
	for _, r := range k.site.Rides() {
		q := places[r.ID]
		x := RideView{
			Ride: r, Floors: tables[r.Lift], Place: q.Place, Marks: slices.Clone(k.marks(r.ID)),
			PlaceWhy: q.Why, Eta: q.ETA,
		}
		if b := k.site.Booking(r.ID); b != nil {
			x.Asked, x.CarWhy = b.Asked, b.CarWhy
		}
		if q.Place == 0 {
			x.Eta = k.site.Comes(r.ID, t.Now)
		}
		v.Rides = append(v.Rides, x)
	}
	return v
}

func liftView(c *dispatch.CarView) LiftView {
	l := LiftView{
		ID: c.ID, Group: c.Group, Floors: c.Floors, Car: c.Car, Occupied: c.Occupied, Alarms: c.Alarms,
		Accepting: c.Accepting, Why: c.Why, Area: c.Area, CarID: c.CarID, Deck: c.Deck,
		Maintenance: c.Maintenance, Stopped: c.Stopped, AreaAlarm: c.AreaAlarm,
	}
	if c.Owner != nil {
		l.Owner, l.Robot = c.Owner.ID, c.Owner.Robot
	}
	for _, q := range c.Queue {
		l.Queue = append(l.Queue, q.Ride)
	}
	return l
}
