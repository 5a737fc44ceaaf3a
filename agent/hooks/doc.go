// Package hooks keeps the messages that lift services push, from the door to the lift.
//
// A service that is not answered with a yes soon enough stops pushing, and it may push
// anything twice, late, out of order or not at all. So the door judges a message by its
// bytes, puts it into a bounded queue in state.db, and answers; what it means is worked
// out afterwards, from that queue, also after a crash. The message's id and what it
// changed are stored in one transaction, and only then does the link learn of it.
//
// What pushes miss is made good by asking: for what could not be delivered, where the
// service keeps that, and then for everything, every few minutes. Nothing is inferred
// from silence: whether a service still pushes is asked, too.
//
// The package knows no vendor: what a message is worth and what it says is the link's
// to tell ([drivers.Receiver]); how it is made good, too ([drivers.Mender]).
package hooks
