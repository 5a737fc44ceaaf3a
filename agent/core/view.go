package core

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// View is everything that readers may see, at one instant. It is immutable once
// handed out; readers share it.
type View struct {
	Seq    uint64           // grows with each change
	At     elevator.Instant // of the step that made it
	Lifts  []LiftView
	Rides  []RideView // running first by age, then the ended ones, newest first, bounded
	Shadow shadow.View
	Cloud  bool // a cloud is configured
	// StoreFault says why nothing can be stored; "" while it works. New rides are
	// refused meanwhile.
	StoreFault string
	// SetAside names the damaged store file that was found at start, "" for none.
	SetAside string
	Params   fsm.Params // in force for the next ride
}

// LiftView is one car.
type LiftView struct {
	ID        string
	Group     string
	Floors    elevator.Table
	Car       elevator.Snapshot
	Owner     string // ride that holds the lease, "" for none
	Robot     string
	Occupied  bool     // a robot is or may be inside or crossing
	Queue     []string // ride ids by place
	Accepting bool
	Why       fsm.Code // why not accepting
	Alarms    []fsm.Alarm
}

// RideView is one ride.
type RideView struct {
	Ride   fsm.Ride
	Floors elevator.Table
	Place  int // in the queue from 1; 0 when not queued
	Marks  []Mark
}

// Mark is one transition of a ride, newest last.
type Mark struct {
	At    elevator.Instant
	Wall  int64 // epoch milliseconds
	From  fsm.State
	To    fsm.State
	Phase fsm.Phase
	Why   string
}

// Order is what a person or a robot asks of the agent. The set is closed.
type Order interface{ order() }

// CreateRide asks for a ride. Floors and doors come as the words of the request:
// From, To, FromDoor and ToDoor of Request are left zero, and dispatch looks the
// words up in the floor table of the lift that it picks, or refuses with the
// field at fault. Any takes whichever lift is best, of Group where one is named.
type CreateRide struct {
	Request  fsm.Request
	From, To string // labels
	FromDoor string // "" takes the only or first door of the landing
	ToDoor   string
	Any      bool
	Group    string
}

// SendSignal brings a robot's signal to its ride.
type SendSignal struct {
	Ride   string
	Signal fsm.Signal
}

// SendHeartbeat is a robot's sign of life with no ride named.
type SendHeartbeat struct {
	Robot  string
	Signal fsm.Signal
}

// CancelRide ends a ride as soon as that is safe.
type CancelRide struct{ Ride, By string }

// ResetRide is a person's word.
type ResetRide struct {
	Ride    string
	RobotIs fsm.Whereabouts
	By      string
}

func (CreateRide) order()    {}
func (SendSignal) order()    {}
func (SendHeartbeat) order() {}
func (CancelRide) order()    {}
func (ResetRide) order()     {}

// Answer is what became of an order.
type Answer struct {
	Status AnswerStatus
	Ride   string // the ride made or found
	Code   string // E-code of a refusal
	Field  string // the field of the request that is at fault
	Detail string
}

// AnswerStatus is the kind of an answer.
type AnswerStatus uint8

const (
	AnswerUnknown AnswerStatus = iota
	Accepted                   // done; for a cancel or a signal: taken
	Created                    // a new ride
	Existing                   // the same ride id asked for the same before
	Conflict                   // the same ride id asked for something else, or not possible in this state
	NotFound                   // no such ride or robot
	Impossible                 // can never work: unknown floor or lift, from = to, …
	Unavailable                // not now: nothing can be stored, or the program ends
)

// EachRide shows every ride in its place, those not over first: to be read at once
// and not to be written to. It costs nothing, where a [View] is a copy of all.
func (k *Core) EachRide(see func(*fsm.Ride)) { k.site.EachRide(see) }
