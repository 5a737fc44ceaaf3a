// Package virtual is a whole site in virtual time: a building, a line to each
// lift, the agent's own core and line scheduler, a store, a cloud and robots, on
// one [timeline.Timeline].
//
// A [Site] does one thing at a time, in order of time and then of planning. No
// clock, goroutine or map order has a say, so that the same [Setup] and the same
// acts give the same bytes of the log. What decides is the shipped code: this
// package only plays the parts around it that are goroutines in the real program.
// Where that program waits (for the disk, for an answer, for a person), an event
// is planned here.
//
// # What is played, and how
//
// The loop of the agent takes one input at a time; effects that follow a batch wait
// until it and every batch before it are stored. A line carries one transaction at
// a time, with the time that bytes take; the device acts in the middle of it. A
// robot speaks to the agent by calls that take a few milliseconds and may fail. The
// broker keeps the last word of presence and the last will. A process has a clock
// of its own that starts at its start: after a kill the stored rides come back over
// the same road as in the real program.
//
// A site is owned by one caller; its methods are not safe for several goroutines.
package virtual
