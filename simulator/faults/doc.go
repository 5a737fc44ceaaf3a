// Package faults names what can go wrong at a site: a catalogue, and how one
// fault of it is switched on.
//
// The catalogue is a list of [Kind] values: a name that people type, the family
// it belongs to, what it is aimed at, what may follow the name, and the
// behaviour that the agent owes. A [Fault] is one of them with a target, a start,
// an end and a seed. A [Player] keeps the faults that are on and decides, meeting
// by meeting, whether one of them strikes: the same seed and the same meetings
// give the same strikes.
//
// The package does nothing to anybody: whoever owns a car, a line, a robot, a
// cloud or a gateway asks the player and carries out what it says.
package faults
