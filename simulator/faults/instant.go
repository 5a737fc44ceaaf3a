package faults

import "hoistway/fsm/elevator"

// Instant is a moment of the run, for rooms that know nothing else of lifts.
type Instant = elevator.Instant
