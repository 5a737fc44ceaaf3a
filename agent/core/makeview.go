package core

import (
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// View copies what readers may see at t.
func (k *Core) View(t Time) *View {
	v := &View{
		Seq: k.seq, At: t.Now, Cloud: k.session != nil, StoreFault: k.storeFault,
		Params: k.site.Params(),
	}
	if k.session != nil {
		v.Shadow = k.session.View()
	}
	places := map[string]int{}
	tables := map[string]elevator.Table{}
	for _, c := range k.site.Cars() {
		l := LiftView{
			ID: c.ID, Group: c.Group, Floors: c.Floors, Car: c.Car, Occupied: c.Occupied, Queue: c.Queue, Alarms: c.Alarms,
		}
		l.Accepting, l.Why = fsm.Accepting(c.Car, t.Now)
		if c.Owner != nil {
			l.Owner, l.Robot = c.Owner.ID, c.Owner.Robot
		}
		for i, id := range c.Queue {
			places[id] = i + 1
		}
		tables[c.ID] = c.Floors
		v.Lifts = append(v.Lifts, l)
	}
	for _, r := range k.site.Rides() {
		v.Rides = append(v.Rides, RideView{Ride: r, Floors: tables[r.Lift], Place: places[r.ID], Marks: slices.Clone(k.marks(r.ID))})
	}
	return v
}
