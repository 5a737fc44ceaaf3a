package fsm

import "hoistway/fsm/elevator"

// Effect is what a step wants done. The set is closed; order matters.
type Effect interface{ effect() }

// Send asks for a command. Urgent ones (a hold, what is owed, a cancel in an
// emergency) do not wait for the ride's state to be stored.
type Send struct {
	Command elevator.Command
	Urgent  bool
}

// Moved is a change of state: the one thing that is reported to the shadow.
type Moved struct {
	From, To State
	Phase    Phase
	Why      string
}

// FreeLease gives the car to the next ride. KeepPlace keeps the age in the queue;
// Other wants another lift for this ride, where one suits.
type FreeLease struct{ KeepPlace, Other bool }

// Alarms that are no faults; the others carry the code of the fault they stand for.
const (
	DoorOpenAlarm   = "DOOR_OPEN"   // a door stays open, or not known to be closed, after a ride
	RobotStuckAlarm = "ROBOT_STUCK" // a robot says that it cannot move
	RobotLostAlarm  = "ROBOT_LOST"  // a robot that is not known outside is silent
	ClaimLostAlarm  = "CLAIM_LOST"  // the car is not the robots' any more, with one aboard
	StoreAlarm      = "STORE"       // the ride goes on in memory alone
)

// Alarm is raised (On) or cleared.
type Alarm struct {
	Code   string
	On     bool
	Detail string
}

// Illegal is an attempt at a transition that the table does not have.
type Illegal struct {
	State State
	Event string
}

func (Send) effect()      {}
func (Moved) effect()     {}
func (FreeLease) effect() {}
func (Alarm) effect()     {}
func (Illegal) effect()   {}

// PermitKind is one of the four permits.
type PermitKind string

const (
	Enter         PermitKind = "enter"
	LeaveAtTarget PermitKind = "leave"
	LeaveBack     PermitKind = "back"
	Evacuate      PermitKind = "evacuate"
)

// Permit lets a robot cross one door line once. The zero Permit is none.
type Permit struct {
	N       uint32 // (ride, N) is its id
	Epoch   uint32
	Kind    PermitKind
	Floor   elevator.Floor
	Side    elevator.Side
	Start   elevator.Instant // the robot must have started before
	Through elevator.Instant // and be through before
}

// Unmet is one part that a permit lacks.
type Unmet struct {
	Part   string // door, floor, motion, mode, lease, fresh, alarm, load, …
	Want   string
	Seen   string
	Source elevator.Source
}

// Action is the one thing that a robot is told to do.
type Action string

const (
	DoWait      Action = "wait"
	DoGoTo      Action = "go_to"
	DoEnter     Action = "enter"
	DoStay      Action = "stay"
	DoLeave     Action = "leave"
	DoBackOff   Action = "back_off"
	DoClearDoor Action = "clear_door"
	DoGetHelp   Action = "get_help"
)

// Advice is the one thing to do, why, and until when.
type Advice struct {
	Do    Action
	Why   string
	Until elevator.Instant // never = until told otherwise
}

// LeavePass is what a robot inside may act on when it has lost its link.
type LeavePass struct {
	Floor    elevator.Floor
	Side     elevator.Side
	NotAfter elevator.Instant
}
