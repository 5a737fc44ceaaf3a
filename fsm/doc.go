// Package fsm is the machine of one ride: one robot, from one landing to another,
// by one lift.
//
// [Step] takes a ride, something that happened and the time, and returns the ride
// afterwards with the effects to carry out. The same input gives the same output:
// it reads no clock, keeps no goroutine and does no I/O. Whoever calls it stores
// the ride, sends the commands, reports the moves, and calls again with a [Tick] at
// [NextWake].
//
// Two things are kept apart. The state ([State], one of eight, and a finer [Phase])
// says how far the ride is; [Where] says where the robot is. Only a robot's report,
// a person's word and the handing out of a permit change Where: no timer does, so
// that silence is never taken for a proof. What may be done in a fault follows from
// Where and not from how the ride came there.
//
// The legal moves are data (table.go). Within a state, rules look at levels rather
// than at edges: what the lift and the robot show now, however often they say so.
// A lost or repeated message then changes nothing, and a restart is only another
// first look. Unknown is never open, closed, standing or empty.
//
// Commands pass one gate (send.go), whatever the rules above it think: nothing that
// may close a door is asked while the robot may be in it, and nothing at all of a
// lift in fire service or under inspection.
package fsm
