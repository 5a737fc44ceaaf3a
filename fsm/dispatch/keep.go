package dispatch

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// keep asks for each ride to be stored whose durable part has changed.
func (st *step) keep() {
	for _, e := range st.rides {
		if d := durable(e.ride); d != e.stored {
			e.stored = d
			st.put(Keep{Ride: e.ride})
		}
	}
}

// durable is a ride without what changes at each poll and is worth no write to
// flash: after a restart it is read again, and until then it is unknown.
func durable(r fsm.Ride) fsm.Ride {
	r.Car = elevator.Snapshot{}
	r.Self = fsm.RobotView{}
	r.Boot, r.Seq, r.Battery, r.NextN = "", 0, 0, 0
	r.Permit = fsm.Permit{}
	r.Deadline = 0
	r.Door.Until, r.Door.Renew, r.Door.Used = 0, 0, 0
	return r
}
