package core

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
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
	Drift  Drift
	// StoreFault says why nothing can be stored; "" while it works. New rides are
	// refused meanwhile.
	StoreFault string
	// Breaches counts, by the name of the rule, how often this process was about to break one
	// of its own invariants; nil for never. [LiftView.Breach] says which lift stands still for it.
	Breaches map[string]uint64
	// SetAside names the damaged store file that was found at start, "" for none.
	SetAside string
	Params   fsm.Params // in force for the next ride
	// Settings are what the cloud may change, and where each value comes from.
	Settings []SettingView
	// FellBack says why the settings of the cloud that were stored are not in force, and those
	// before them are; "" when they are.
	FellBack string
	// Stopped is a person's stop of all lifts, nil for none. One of a single lift is with the lift.
	Stopped *Stopped
	Areas   []AreaView // every area that a lift is in, by name
}

// What stands over rides, as dispatch has it. The instants are of this process.
type (
	Maintenance = dispatch.Maintenance
	Stopped     = dispatch.Stopped
	AreaAlarm   = dispatch.AreaAlarm
	AreaKind    = dispatch.AreaKind
	AreaView    = dispatch.AreaView
)

// The kinds of area alarms.
const (
	AreaFire    = dispatch.AreaFire
	AreaSeismic = dispatch.AreaSeismic
)

// Why a lift takes no ride though its controller would, beside the codes of fsm.
const (
	WhyMaintenance = dispatch.WhyMaintenance
	WhyStopped     = dispatch.WhyStopped
	WhyDrill       = dispatch.WhyDrill
)

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
	// Breach says which invariant was about to be broken: nothing is asked of the lift until a
	// person resets the ride named by BreachRide. "" for none.
	Breach     string
	BreachRide string

	Area        string       // for alarms; never ""
	CarID       string       // lifts (decks) of one car share it; "" = the car has one deck
	Deck        string       // which of them, "" for the only one
	Maintenance *Maintenance // nil: none
	Stopped     *Stopped     // nil: none; of this lift, or of all
	AreaAlarm   *AreaAlarm   // nil: none; the gravest of its area
}

// RideView is one ride.
type RideView struct {
	Ride   fsm.Ride
	Floors elevator.Table
	Place  int // in the queue from 1; 0 when not queued
	Marks  []Mark

	PlaceWhy string        // why it waits; "" when it does not
	Eta      time.Duration // until the car is at From, estimated; 0 = not known, or it is there
	CarWhy   string        // which car, and why it changed; "" when the request named it
	Asked    Asked         // the request as it was first made
}

// Asked is what a ride was first asked for, in the words of the request.
type Asked = dispatch.Asked

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
	Among    uint64             // bit i = lift i of the configuration suits the robot; 0 = all do
	Eta      time.Duration      // until the robot is at From; 0 = not told
	Open     bool               // the destination comes later, by PatchRide: To is ""
	Toward   elevator.Direction // of an open destination, as far as it is known
}

// PatchRide gives a ride another destination: freely before boarding, aboard only with
// Aboard. To and ToDoor are words as in CreateRide, of the table of the ride's lift. The
// same destination again is Accepted and changes nothing.
type PatchRide struct {
	Ride, To, ToDoor string
	Aboard           bool
	By               string
}

// ClaimRide is what somebody else says of a ride's robot: Entered, Left or GaveUpEntering.
// It is Accepted whenever there is such a ride; Detail tells what was not believed.
type ClaimRide struct {
	Ride string
	Says fsm.SignalKind
	By   string
}

// MaintainLift begins or ends maintenance. For 0 lasts until it is ended, over restarts too.
type MaintainLift struct {
	Lift    string
	On      bool
	For     time.Duration
	By, Why string
}

// StopAll begins or ends a person's stop of one lift, or with Lift "" of all: rides that
// have not boarded are cancelled, new ones refused; a robot aboard rides on to its exit.
type StopAll struct {
	Lift    string
	On      bool
	By, Why string
}

// AttestEmpty is a person's word on site that no robot is in this car.
type AttestEmpty struct{ Lift, By string }

// RaiseArea warns all lifts of an area.
type RaiseArea struct {
	Area   string
	Kind   AreaKind
	Drill  bool
	Source string
}

// ClearArea ends the alarms of an area once its lifts are normal again, and its drills at
// any time.
type ClearArea struct{ Area, By string }

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

// FinishTask is a robot's word that its job has ended, which the end of a ride does not say.
type FinishTask struct{ Robot, Task, Result string }

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
func (FinishTask) order()    {}
func (CancelRide) order()    {}
func (ResetRide) order()     {}
func (PatchRide) order()     {}
func (ClaimRide) order()     {}
func (MaintainLift) order()  {}
func (StopAll) order()       {}
func (AttestEmpty) order()   {}
func (RaiseArea) order()     {}
func (ClearArea) order()     {}

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

// String is the word for it in records; one that is not known is "unknown".
func (s AnswerStatus) String() string {
	words := [...]string{"unknown", "accepted", "created", "existing", "conflict", "not_found", "impossible", "unavailable"}
	if int(s) < len(words) {
		return words[s]
	}
	return words[0]
}

// EachRide shows every ride in its place, those not over first: to be read at once
// and not to be written to. It costs nothing, where a [View] is a copy of all.
func (k *Core) EachRide(see func(*fsm.Ride)) { k.site.EachRide(see) }
