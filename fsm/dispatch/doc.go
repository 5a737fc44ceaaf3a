// Package dispatch decides between rides, robots and cars: who holds which car,
// who waits in what place, and which ride an event belongs to. What happens
// within a ride is the business of package fsm.
//
// A [Site] is owned by one goroutine. [Site.Step] changes it in place and
// appends what is to be done to a slice that the caller hands in. The same
// inputs at the same instants give the same outputs: nothing here reads a clock
// or depends on the order of a map.
//
// One car, with all its decks, has at most one lease. A lease ends only when its ride says so, and
// never while the robot may be crossing or inside: the car then stays occupied
// and closed to others.
package dispatch
