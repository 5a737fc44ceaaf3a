// Package rmf speaks Open-RMF: it turns what the agent knows of a lift into a
// LiftState, and a LiftRequest into orders for the ride machine.
//
// The two sides think differently. A ride knows where a robot waits, where it wants
// to go, and where it says it is. A request names one floor and never says any of
// that: the first one means where the robot waits, another floor after that means
// that the robot is in the car and wants to go there, and the end of a session means
// that it is out. So a session is read off the ride that it has opened, which the
// store keeps over a restart, and what a request implies is handed on as a [Claim],
// never as a report: the ride machine believes it when the lift shows it.
//
// Requests come again and again: once a second from the fleet, upon every state from
// the supervisor, and after a reconnect from hours ago, out of a queue that keeps the
// last hundred. [Translator.Hear] therefore compares each with the ride as it is. What
// would change nothing is a repeat and does nothing; what would change something must
// be of now, or be said again a while later.
//
// Fleets drive at a door when they read three things: the floor is right, the door is
// OPEN, the session is theirs. They look at nothing else. The door is therefore OPEN
// to the session that has the car only while the ride's permit stands.
//
// Everything here is a function of its arguments: clocks, sockets and the ride loop
// belong to rmf/bridge.
package rmf
