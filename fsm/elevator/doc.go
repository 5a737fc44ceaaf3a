// Package elevator holds the nouns of a lift: what a car looks like from
// outside, what may be asked of it, and what became of what was asked.
//
// Everything here is true with no ride at all. The package is pure: it reads no
// clock, opens nothing and starts nothing. Time is an [Instant] that the caller
// hands in.
//
// The zero value of every enumeration means unknown, and unknown is never read
// as open, closed, idle or zero: a rule that needs "stopped" asks for Stopped
// and is not satisfied by silence.
package elevator
