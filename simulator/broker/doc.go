// Package broker is an MQTT broker inside the process, for pretend services and
// for tests: everybody may come in, nothing outlives it, and it ends when it is
// told to.
package broker
