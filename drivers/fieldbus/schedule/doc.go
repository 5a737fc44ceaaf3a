// Package schedule decides what goes on a line next.
//
// A line, be it two wires or one TCP connection, carries one transaction at a
// time. [Step] is told what happened and the time, and answers with the one
// thing to do now: open the line, send a transaction, stay silent and throw
// away what comes, or wait. It reads no clock and does no I/O; same events,
// same instants and same seed give the same answers. Polls and commands are
// opaque keys here: what their bytes are is the caller's business.
//
// # What goes first
//
//  1. What is owed: the release of a pulse whose set may have left.
//  2. Commands: those that end something, then door holds, then the rest, each
//     kind in order of arrival. After four in a row one waiting read goes first.
//  3. Reads that were asked for, or that follow a command of unknown outcome.
//  4. Fast polls, earliest due first.
//  5. Slow polls; while one waits, every eighth read is a slow one.
//
// # What is never done
//
// A command is never merged with another and never sent a second time: when
// bytes of it may have left and no answer came, it ends as unknown. It is never
// sent at or after the end of its life. It waits until its unit has answered a
// read since the line was opened, so that a wrong device, or an adapter that
// echoes, is found by reading. Only what is owed is repeated, because a release
// given twice is still one release.
//
// # After a time-out
//
// On a blind line, one whose answers carry no number of their question, a late
// answer may still be under way. The line then stays silent for the unit's worst
// response time, and the unit must answer a probe, a read of another quantity
// that no stale frame fits, before anything else is asked of it but a debt. Each
// further probe has a quantity of its own, so that a device slower than was
// promised is not taken to answer the wrong one: it answers in order, and the
// first fitting answer proves that nothing older is under way. A no fits any
// question: after it the line is silent once more, and only a second one in a row
// is taken for the probe's.
//
// A unit that stays silent is tried less and less often, so that the others keep
// their periods. Where answers are numbered the caller closes the connection
// instead and says that the line is lost, unless others answer on it.
package schedule
