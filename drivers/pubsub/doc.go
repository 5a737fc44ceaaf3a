// Package pubsub speaks to a controller through a message broker: questions are
// published and answered, values come by themselves, as a profile says on which topics.
//
// The connection is not made here: [drivers.Env] hands in a [drivers.PubSub], which the
// program shares among the lifts behind one broker.
//
// # What is believed
//
// An answer counts when it comes on its topic, says what it has to, and names its
// question; it is dated by when the question left. What comes by itself is dated by when
// it came, or by its own time where it has one and that is older. What the broker had
// kept for us is as old as the program, unless it says its time: a retained message
// tells nothing of now. A payload that cannot be read makes its source failed.
//
// # Who is there
//
// That the broker answers says nothing of the lift. The lift is offline when no message
// of it came for the profile's silence, except where the profile lets the broker stand
// for it because the lift tells nothing to strangers.
//
// # What becomes of a command
//
// The broker does not have it, and nothing left: not sent. The answer says yes or no:
// done or refused, with the code as it came. That the broker has it proves nothing; so
// without an answer it is unknown, and it is not said again.
package pubsub
