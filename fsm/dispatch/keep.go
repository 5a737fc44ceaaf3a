package dispatch

import "hoistway/fsm"

// keep asks for each ride to be stored whose durable part has changed.
func (st *step) keep() {
	for _, e := range st.rides {
		if !e.stepped {
			continue
		}
		e.stepped = false
		if !fsm.Outlasts(&e.stored, &e.ride) || e.noted != e.book {
			e.stored, e.noted = e.ride, e.book
			st.put(Keep{e})
		}
	}
}
