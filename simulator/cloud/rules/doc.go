// Package rules is the service's half of the sync contract: one message of a
// device in, the service's messages and the changed documents out. It is pure, so
// that a scenario in virtual time and the cloud on a real broker play by the same
// rules.
//
// What a document becomes is decided by package shadow, which both sides share;
// that the answers have the public service's shape is proved here against texts
// written by hand, since a fault in shared code would look right to both.
//
// The device side of a conversation cannot be told from an operator's by its
// topic, and a broker hands on no names. Who may write which section is therefore
// the broker's business; everything that comes over a device's topic is taken.
package rules
