// Package mqttlink is the uplink: it keeps one connection to an MQTT broker, and
// is the only package that knows the client library. It knows no topic, no
// shadow and no lift.
//
// The library is used for one connection at a time and for nothing more. Left to
// reconnect by itself it calls a publish done that was merely sent again, keeps
// what it could not send without bound, and comes back in step with the rest of a
// fleet. So its reconnecting and its stores are off, [Link.Run] supervises with a
// jittered back-off and a new client each time, and nothing is queued here: what a
// broker must not miss belongs to an outbox with a disk behind it, and is sent
// again until [Link.Publish] returns nil.
//
// A session is always clean: commands must not wait in a broker until they are
// stale. After each LinkUp the owner pulls the state anew.
package mqttlink
