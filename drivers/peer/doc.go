// Package peer is a lift behind another gateway of the same kind.
//
// What it carries is the ride, never a single command: the gateway's machine is the
// authority, and two masters of one door would be one too many. [drivers.Rider] asks
// for rides, tells signals and mirrors permits; Do refuses everything, unsent.
//
// A robot acts on what it sees here, so that nothing may look fresher, nearer or
// longer than it is. The other side tells ages and times left, and a question takes
// time on its way: a value is as old as the question plus its age, a permit ends when
// it would have ended had it been granted the moment the question left. An event of
// the stream may have waited in any buffer and says nothing of when it was made; so
// events only say that it is time to ask, and what they tell is asked for anew.
package peer
