// Package opcua speaks OPC UA to a controller: nodes are read, told by
// subscription, written, and methods are called, as a profile names them.
//
// The library (gopcua) makes and takes apart the messages and secures the channel. It
// is not trusted with more. It reconnects by itself and asks again what may have been
// done; so its client is left aside and a session here lives on one connection and
// never longer. It takes memory for any length that a message announces, and a panic of
// its reader is one of the whole program; so a relay stands between it and the socket
// (wire.go), which passes whole messages only and looks at each first (sound.go). The
// relay is also where it is known whether a byte of a command has left.
//
// # What is believed
//
// A value with a bad or uncertain status is failed; so is one of another type than the
// profile says. A value is dated by when its question left: what the server says of
// times of values is for people. What a subscription told stands as long as the server
// goes on saying, in time, that nothing has changed. It is dated by when the server said
// so, less the server's own pauses; pace.go brings that onto our clock, never too late:
// a lamp that was read before a press may not count as read after it.
//
// # What becomes of a command
//
// No byte left: not sent. The server said no: refused, with its status as the code.
// It said yes: done. Anything else, a time-out above all: unknown, and the nodes are
// read next. A status that does not say whether the write reached the controller, such
// as a time-out of the server's own, is unknown too.
package opcua
