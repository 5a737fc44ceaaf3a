// Package soak plays years of a site in virtual time and lets the laws watch.
//
// A [Run] plans each day from the seed: when robots ask for rides, what people press,
// and which faults begin, where, and when: at a time, in a state of a ride, or at the
// nth meeting. The site is the pure one of the simulator, with the shipped core and
// line scheduler in it; a guard comes after a fault and says where the robot really is.
// Nothing else is drawn, so that one seed is one run, and a hash says so.
//
// A run breaks in one of two ways. A law is broken: then the plan is cut down to the
// shortest story that still breaks it, and the story is written as a scenario. Or a
// long run never came to some fault or some edge of the diagram: what is never reached
// is not tested, and the report names it.
package soak
