package dispatch

import "hoistway/fsm"

// keep asks for each ride to be stored whose durable part has changed.
func (st *step) keep() {
	for _, e := range st.rides {
		if !e.stepped {
			continue
		}
		e.stepped = false
		if !fsm.Outlasts(&e.stored, &e.ride) {
			e.stored = e.ride
			st.put(Keep{Ride: &e.ride})
		}
	}
}
