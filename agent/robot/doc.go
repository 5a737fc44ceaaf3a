// Package robot is what the agent on a robot knows of the rides of that robot.
//
// The machine that runs a ride is the gateway's. This side holds a mirror of it: the
// last answer with the time before which its question left, so that nothing lasts
// longer here than it was given for there. A mirror shows what it was told for as long
// as that is good, and no longer; it invents neither a state nor a permit.
//
// Only when the gateway cannot be asked does it decide by itself, and then three things
// alone: a robot that stands outside stays there, one that is on its way through a door
// by a permit goes on until the time of that permit is over, and one in the car leaves
// by its leave pass where its own eyes show the floor, the open door and a standing car.
// Everything else waits, and says for what. After [SilentAfter] without an answer the
// ride is shown as FAULT with NETWORK_TIMEOUT, since nobody here knows better.
//
// What the robot says meanwhile lies in the [Outbox] in its order and with its dates.
//
// The package is pure: [Mirror] and [Outbox] are values of one owner, and every method
// that depends on time gets it. agent/robot/escort is the shell around it.
package robot
