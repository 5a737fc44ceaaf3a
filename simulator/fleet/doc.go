// Package fleet is many gateways in one process, each a light but real client of
// a real MQTT broker.
//
// What is light is what a gateway has around the sync: no lift, no daemon, no
// disk. What is real is the sync itself: each gateway is the shipped session
// (package shadow) behind the shipped carrier (package replica) on the shipped
// client (package mqttlink), with a connection and a store of its own. The store is
// a map that outlives the gateway's pretended power cuts. So what a fleet shows of
// storms, of memory and of bytes is what the product does, and no other client's
// doing.
//
// A run has five parts. The fleet arrives, each gateway after the random wait that
// the client itself draws. It lives for a while: rides are reported, connections
// are cut without a goodbye, gateways lose their power and come back, an operator
// wishes settings, and in a storm every connection is cut at one instant. Then it
// settles: no more rides, everyone back, everything told. An auditor, who is
// a client of its own and shares nothing with the gateways but the topics, reads
// each document from the cloud and compares it with what the gateway believes.
// At last all say goodbye.
//
// Nothing here spreads a load over time: that is the client's and the session's
// part, and a storm is the proof of it.
package fleet
