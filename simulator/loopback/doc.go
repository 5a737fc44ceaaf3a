// Package loopback is what the simulator's servers for this machine have in common:
// who may ask, one JSON object as a body, a server that ends with its context, and a
// stream of events that cuts a reader who does not read.
//
// What is served here can make faults or change settings, so it stays on loopback,
// answers to no other name than this machine's, and takes nothing from the scripts of
// another page.
package loopback
