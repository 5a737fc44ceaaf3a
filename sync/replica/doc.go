// Package replica carries out what a pure core asks of the outside world of
// records and messages: batches become durable, messages leave.
//
// The loop that owns the core must never wait for a disk or a broker. So both
// calls return at once and tell the end by a callback. Batches go through one
// goroutine, in order; those that wait while the disk is busy are joined into one
// transaction, so that a burst costs one flush and not twenty. Messages go through
// a few lanes: within a topic the order stays, and a topic that hangs holds up
// only its own lane.
//
// Queues are bounded. What does not fit is refused through its callback, in its
// turn: the core keeps the truth and will say it again.
package replica
