// Package commission is the technician's bench: what is on a port, how a line is
// set, what a controller says, what a recording holds, what is wrong, and what was
// proven when a lift was handed over.
//
// It looks before it speaks. Ports are listed without opening them. A line is
// listened to before anything is sent on it. What changes something shows its
// bytes first, is sent once, and leaves a line in the audit before its first byte.
//
// Three ways lead to a controller. A [Session] drives a link as the agent does, by
// its profile or by bare questions, when no agent runs. A [Desk] answers the same
// questions inside a running agent, through the line's own queue, so that a line
// never has two masters. A scan ([World.Scan]) and the line checks of [World.Doctor]
// take a whole line for themselves, and are for lines that nobody else uses.
//
// What is found is data: rows, findings, records. The command line prints them.
package commission
