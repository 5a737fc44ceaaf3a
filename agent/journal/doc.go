// Package journal is the flight recorder: what happened to each ride, and why, on one
// time line, kept on the disk within a budget of bytes.
//
// The ride loop shows the recorder every step ([Recorder.Stepped]) and every command
// that it hands over ([Recorder.Given]); the lines show it every frame
// ([Recorder.Trace]). None of the three waits: the loop compares a few words of each
// ride, copies what is new into a bounded queue and goes on. One goroutine
// ([Recorder.Run]) works out what changed (transitions, permits with every part that
// they lack, doors, signals) and writes it. What the queue cannot take is counted, and
// the record says that something is missing there: a record with a known hole is worth
// more than a late hold.
//
// On the disk a ride is a row of segment files to which only is appended, each record
// with its length and its sum. A power cut costs the tail of one file. No record waits
// for the disk: a fault and the end of a ride are made durable at once, all else within
// five seconds. When the budget is spent, the oldest ride without a fault goes first;
// rides with a fault may take three quarters of it.
//
// Nothing depends on the recorder. Where it cannot write, rides go on without a record.
package journal
