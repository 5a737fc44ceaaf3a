// Package devices speaks a pretend building on real wires: Modbus TCP on a
// socket, Modbus RTU on a pseudo terminal.
//
// A [World] is the building with a clock and a lock; whoever touches it first
// brings it up to the present. A [Unit] is one lift of it behind a unit id: the
// register map, what was asked of it, and the faults to play. [TCP] and [RTU] put
// a unit on a wire.
//
// The map and the framing are written by hand from the lift's data sheet (the
// README repeats it), and share nothing with the drivers or their profiles: two
// sides made from one table would agree on the same mistake.
//
// Faults are switched at run time, may be limited to a function code, and wear
// off after a count. Every write is in a journal with its time and its answer, so
// that a test can say "no landing call was placed twice" from the device's side.
package devices
