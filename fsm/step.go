package fsm

import "hoistway/fsm/elevator"

// New opens a ride in IDLE: queued when the robot stands ready, else standby.
func New(req Request, p Params, now elevator.Instant) Ride { panic("open") }

// Step is total: every event in every state has an answer.
func Step(r Ride, ev Event, now elevator.Instant) (Ride, []Effect) { panic("open") }

// NextWake is the earliest instant at which a Tick can change the ride; never
// when only an event can.
func NextWake(r Ride) elevator.Instant { panic("open") }

// Rebase moves every instant of the ride by d, for a ride that comes from a
// process with another clock. A deadline that has passed stays passed.
func Rebase(r Ride, d int64) Ride { panic("open") }

// Withheld names each part that the permit which the ride now waits for lacks;
// empty when a permit stands or none is wanted.
func Withheld(r Ride, now elevator.Instant) []Unmet { panic("open") }

// Advise is the one thing that the robot is told to do.
func Advise(r Ride, now elevator.Instant) Advice { panic("open") }

// Pass is the leave pass of a robot inside; ok is false where there is none.
func Pass(r Ride, now elevator.Instant) (LeavePass, bool) { panic("open") }

// Report gives the fields of the ride's state. wall is epoch seconds at now.
func Report(r Ride, floors elevator.Table, now elevator.Instant, wall int64) Fields { panic("open") }

// Accepting reports whether the car as seen may take a new ride, and if not why.
func Accepting(car elevator.Snapshot, now elevator.Instant) (bool, Code) { panic("open") }

// Diagram draws the table of states as Mermaid.
func Diagram() string { panic("open") }
