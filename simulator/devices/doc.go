// Package devices speaks a pretend building on real wires: Modbus TCP on a
// socket, Modbus RTU on a pseudo terminal, either of them on whatever a test hands
// in.
//
// A [World] is the building with a clock and a lock; whoever touches it first
// brings it up to the present, so that all wires show one car alike at one instant.
// A [Unit] is one lift of it behind a unit id: the register map, what was asked of
// it, how the device is built ([Manners]) and the faults that it plays. [TCP] and
// [RTU] put units on a wire, many if need be.
//
// The map and the framing are written by hand from the lift's data sheet (the
// README repeats it), and share nothing with the drivers or their profiles: two
// sides made from one table would agree on the same mistake.
//
// Faults are those of the catalogue in simulator/faults: of the line on a unit, of
// the controller on the world. They are switched at run time. Every write is in a
// journal with its time and its answer, so that a test can say "no landing call was
// placed twice" from the device's side.
package devices
