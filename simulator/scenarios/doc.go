// Package scenarios is the language in which a QA engineer writes what happens at
// a site and what is demanded of it, one statement a line:
//
//	title  The door meets a trolley three times
//	proves RD-5 RD-7
//
//	at 0s  ride r1 R1 from G to 3 on L1
//	at 12s fault L1 door-reopens 3
//	expect ride r1 DONE within 180s
//	never  robot R1 in doorway and lift L1 moving
//
// [Parse] reads a file and tells everything that is wrong with it at once, each
// with file, line and column and what would fit there; a script with a fault is
// not played. A [Player] carries a [Script] out on a [Stage]: it does what is due,
// looks at what can be seen, and judges. It has no time of its own: whoever drives
// it says what time it is, and asks with [Player.Next] when it wants to look again.
// [Play] is such a driver for a stage in virtual time. What it did and saw comes
// out as lines of a [Transcript]; a [Verdict] says which line failed, what was seen
// instead, and when. [JUnit] writes verdicts for a CI server.
//
// The package knows no agent, no wire and no clock. The words of rides are those of
// the local API; the library of scenarios that ship with the program is in
// [Library].
package scenarios
