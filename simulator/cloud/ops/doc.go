// Package ops is the operator's half of the stand-in cloud: what is made of a fleet
// whose documents, faults and presence the service's half ([hoistway/simulator/cloud/rules])
// knows. Groups by tags, settings in batches, alarms that are merged and rise, the
// nightly inspection, the figures by which the whole is judged, what hangs together
// with what, who may operate, and the history of what was wished and reported.
//
// It is pure: plain happenings and the server's time in epoch seconds come in, wishes,
// notices and rows to keep go out. The same inputs give the same results. It is
// blind to lifts: a code is a text, a lift is the name of a shadow.
package ops
