// Package localapi is the HTTP door for robots and people on the gateway.
//
// It decides nothing about rides. A call becomes a [core.Order] that the ride
// loop answers; every answer to a reader is drawn from the last [core.View],
// which is immutable and shared, so that no number of readers can make the loop
// wait. [Server.Publish] only swaps a pointer.
//
// Three kinds of caller exist: a viewer (this machine, no token) may look; a
// robot may ask for its own rides and speak for them; a technician may do both
// for any robot that the request names. Tokens are kept as SHA-256 sums and
// compared in constant time.
//
// Everything from outside is bounded before it is understood: the host it asks
// for, the size and depth of its body, the keys it may hold, how many calls and
// readers there may be at once, and how long each may take. Every refusal is a
// problem document of RFC 9457 with a stable code.
//
// There may be two doors: one for this machine, and one over TLS for others
// ([Server.ServeTLS]), each with connections of its own. Robots have shares of
// their own in everything that is bounded, so that no flood of anybody else takes
// from a ride that goes on.
//
// Events (GET /v1/events) tell what changed. An event is encoded once for all
// readers, at once when a state, a permit or a fault changes and otherwise at
// most ten times a second, for all at the same moment. They never carry the times of a permit: a
// permit's times count from its receipt, and an event may have waited anywhere.
package localapi
