// Package fieldbus carries bytes to controllers: over a TCP connection, over UDP, or
// over a serial line, each in one hand at a time.
//
// [Lines] is a pool keyed by line. Two lifts behind one address, or on one pair
// of wires, [Lines.Join] the same line and share its one transaction at a time.
// What goes next is decided by the pure package schedule; this package opens,
// sends, reads, throws away, and tells the schedule how it went.
//
// # Who has the line
//
// One goroutine does what is due by itself: it opens, polls, releases, holds, keeps
// silent. Who asks for something while the line is free and well takes it and carries
// out its own transactions, no others, which spares two changes of goroutines each
// time; then it hands the line on with what is to be done next. What drivers hand in
// therefore runs on changing goroutines, never on two at a time, and each sees what
// the one before has written. Who may not wait for the end of a transaction leaves it
// to the owner: for a ctx with a nearer deadline than the unit's time-out that is so
// from the start, while one that is cancelled in mid-transaction is obeyed after it.
//
// It knows no protocol. A driver hands in what to say as a function that gets
// the [Wire] and calls [Wire.Exchange] with the bytes to send and a [Hear], which
// judges what comes: not enough yet, not ours, the answer, or spoilt.
//
// # What the transports promise
//
// TCP: one absolute deadline a question; any error, a time-out included, closes
// the connection, so that a late answer dies with it; the next opening follows
// with back-off. One time-out is let pass where answers carry numbers and another
// unit has answered since the last: one dead device behind a gateway does not cost
// the others their connection.
//
// A connection that stood idle for a second is looked at before the next question;
// one that the peer has closed meanwhile is opened anew, quietly.
//
// UDP: a datagram is one message. A time-out loses nothing but the question; a host
// that says that nobody listens is a lost line.
//
// Serial: the port is touched here only, through one wrapper. Before each
// sending what came unasked is thrown away and the line's silent interval is
// kept. An unplugged adapter is a lost line, opened anew with back-off. A write
// that does not return within a second is a lost line too.
//
// # What comes unasked
//
// A line with a Cut is heard all the time. Each frame is offered to the users in
// order of their joining: while the line is idle, before a sending, in the silence
// after a time-out, and in the middle of a question where that skips it. A reply is
// a transaction of its own, outside the polls; at most eight wait, and a device that
// floods the line gets no more of it than the schedule allows.
package fieldbus
