// Package audit keeps who did what, when, why, and what came of it: each administrative
// act of a person, and each command that a lift was given.
//
// It is two rows of JSON lines, so that a busy lift never pushes out what people did.
// Entries are numbered from 1 within a row and are only ever appended; a row is bounded
// and loses its oldest file. A line that a power cut left torn is cut off at the next
// write, and the next number shows that none is missing, or which.
//
// An act is written, and on the disk, before it is carried out ([Log.Act]); what came of
// it is another entry. Commands come from the ride loop, which never waits: they go
// through a bounded queue ([Log.Output]), and what it cannot take is counted and said.
package audit
