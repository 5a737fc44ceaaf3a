// Package fsm is the machine of one ride.
//
// [Step] takes a ride, something that happened and the time, and returns the
// ride afterwards with the effects to carry out: same input, same output. It
// reads no clock, keeps no goroutine and does no I/O.
package fsm
