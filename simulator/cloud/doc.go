// Package cloud is a stand-in for the cloud: the device-shadow service and its
// extensions over MQTT, for demos and tests. It is a client of any broker, as the
// real one would be behind a real one; without an address it brings its own
// broker, on loopback.
//
// What it answers is decided by package rules. Here are the broker, the clock, the
// goroutines and the order of what is sent: to one thing one message after
// another, each acknowledged by the broker before the next, so that a device sees
// accepted, delta and documents of one write in that order. Different things go by
// different lanes, or a fleet that comes back would wait for one acknowledgement
// after the other.
package cloud
