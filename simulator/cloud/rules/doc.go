// Package rules is the service's half of the sync contract: one message of a device, one
// act of an operator or a second of time in; the service's messages, the changed
// documents, what happened and what is to be stored out. It is pure, so that a scenario
// in virtual time and the cloud on a real broker play by the same rules.
//
// What a document becomes is decided by package shadow, which both sides share;
// that the answers have the public service's shape is proved here against texts
// written by hand, since a fault in shared code would look right to both.
//
// The device side of a conversation cannot be told from an operator's by its topic, and
// a broker hands on no names. Who may speak on which topic is therefore the broker's
// business, by [MayPublish] and [MaySubscribe]; an owner whose operators have another way
// in has desired refused over a device's topics by [Options].
package rules
