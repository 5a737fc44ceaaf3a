// Package modbus speaks Modbus to a controller: over TCP, over a serial line
// (RTU), and RTU through a serial server.
//
// What to read, what it means and how to ask comes from a profile; when, and who
// else is on the line, is package fieldbus. Left to this package are the frames,
// and the link of one lift with its snapshot.
//
// Frames are made, checked and taken apart by goburrow/modbus. Its transports
// are not used: they do not come back after an error. Its codec trusts more than
// a lift allows, so that each answer passes a judge of ours first (frame.go):
// unit, function, byte count or echoed content, transaction number or checksum
// must all fit the question. What does not fit is skipped and the waiting goes
// on; it never becomes a value.
//
// # What becomes of a command
//
// No byte left: not sent. The device answered with an exception: refused, with
// the exception's code as it came. Bytes left and no fitting answer came:
// unknown, and the fast points are read next. Two exceptions leave it unknown
// too, since the write may have been carried out: 5 (accepted, takes long) and 11
// (a gateway's device did not answer the gateway). Some controllers acknowledge a
// call and yet do not take it; where the profile names the codes by which they say
// so, lamp and code are read once after the write, and a dark lamp beside such a
// code is a refusal with that code (judge.go). What the profile cannot say, or
// the floor table does not have, is refused here in the controller's place.
package modbus
