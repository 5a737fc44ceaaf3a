// Package real puts the real agent before a pretend building: its own daemon, on
// real wires, with pretend robots at its local API and the stand-in cloud behind
// it. It is the stage of scenarios that are to be seen on the shipped program, and
// of the demonstration.
//
// What carries the bytes is a [Net]: sockets and pseudo terminals of this machine;
// in tests pipes within the process, on which a whole site lives in a bubble of
// virtual time. The agent's doors to the world are its own ([machine]): to kill it, they
// are cut all at once and its store is taken as it lies, so that whatever the dying
// process still does reaches nobody.
package real
