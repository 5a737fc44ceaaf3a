package scenarios

import "hoistway/fsm/elevator"

// Instant is a point of a stage's clock, for callers that know scenarios alone.
type Instant = elevator.Instant
