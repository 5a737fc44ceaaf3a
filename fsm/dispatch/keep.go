package dispatch

// keep asks for each ride to be stored whose durable part has changed.
func (st *step) keep() {
	for _, e := range st.rides {
		if !e.stepped {
			continue
		}
		e.stepped = false
		d := e.ride
		if d.Forget(); d != e.stored {
			e.stored = d
			st.put(Keep{Ride: e.ride.ID})
		}
	}
}
