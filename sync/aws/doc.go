// Package aws carries what a session says beside its shadow in the topics of the
// public AWS IoT service: remote commands and jobs. The shadow itself needs nothing but
// another prefix. Pure; the service's documentation is the contract, and nothing of
// ours is expected from the other side.
package aws
