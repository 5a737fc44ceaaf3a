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
//  1. What is owed: the release of a pulse whose set may have left, the drop of a
//     level that is held no longer.
//  2. Commands that end something.
//  3. What is promised by a period: feeds of watchdogs, replies to what was
//     overheard, the beats of levels.
//  4. Door holds, then the other commands, each kind in order of arrival.
//  5. Looks whether a device has done what it was told.
//  6. Reads that were asked for, or that follow a command of unknown outcome.
//  7. Fast polls, earliest due first.
//  8. Slow polls.
//  9. A technician's questions.
//
// Nobody starves. While something below them waits, commands go four in a row and
// what is promised eight; replies go four in a row before anything else; looks four
// before a read. One read in eight is a slow one, and one in sixteen gives way to a
// question.
//
// # What is never done
//
// A command is never merged with another and never sent a second time: when
// bytes of it may have left and no answer came, it ends as unknown. It is never
// sent at or after the end of its life. It waits until its unit has answered a
// read since the line was opened, so that a wrong device, or an adapter that
// echoes, is found by reading. Only what is owed is repeated, because a release
// given twice is still one release, and what holds a level, because that is what
// holding is. What may start a door closing is never sent by itself.
//
// # What is held
//
// A write with a [Level] was done once and is written again each period. It ends
// with its length, with the life of its hold, with a Stop of its group, with its
// owner, or with the line; then its drop is owed. A write of the same key takes it
// over: the drop is the newer one's then, and is not paid in between. While a
// command that renews it waits, a level that is over is neither dropped nor
// written. On a new line nothing is held any more.
//
// A pause of a unit holds up a beat or a feed for half its period at most.
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
// their periods; where eight or more share a line that a time-out holds up for long,
// once a minute in the end. A command or a question for it has it probed within a
// second of its last silence, ahead of the polls. A reply breaks the silence: it has
// no answer that could be mistaken. Where answers are numbered the caller closes the connection
// instead and says that the line is lost, unless others answer on it.
package schedule
