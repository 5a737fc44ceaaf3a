package fsm

import (
	"time"

	"hoistway/fsm/elevator"
)

// State is one of the eight states that are reported. The finer [Phase] is a
// field of its own.
type State string

const (
	Idle        State = "IDLE"
	Requesting  State = "REQUESTING"
	Waiting     State = "WAITING"
	Moving      State = "MOVING"
	Exiting     State = "EXITING"
	Done        State = "DONE"
	Fault       State = "FAULT"
	FaultLocked State = "FAULT_LOCKED"
)

// Phase tells more of a state. Each phase belongs to one state.
type Phase string

const (
	Free        Phase = "free"
	Queued      Phase = "queued"
	Standby     Phase = "standby"
	Claiming    Phase = "claiming"
	Calling     Phase = "calling"
	Called      Phase = "called"
	Boarding    Phase = "boarding"
	Registering Phase = "registering"
	Riding      Phase = "riding"
	Returning   Phase = "returning"
	Leaving     Phase = "leaving" // the one phase of EXITING
	Arrived     Phase = "arrived"
	Returned    Phase = "returned"
	Evacuated   Phase = "evacuated"
	Cancelled   Phase = "cancelled"
	Expired     Phase = "expired"
	FailedEnd   Phase = "failed"
	Recovering  Phase = "recovering" // FAULT
	Locked      Phase = "locked"     // FAULT_LOCKED
)

// Where is the place of the robot. Only positive reports change it, never a timer.
type Where string

const (
	Outside  Where = "outside"
	Crossing Where = "crossing"
	Inside   Where = "inside"
	Unknown  Where = "unknown"
)

// CallStyle is how a controller takes calls.
type CallStyle string

const (
	LandingAndCar CallStyle = "landing+car"
	JourneyCall   CallStyle = "journey"
	CarOnly       CallStyle = "car-only"
	LevelCall     CallStyle = "level"
)

// Confirm is the strongest proof of a taken call that a controller gives.
type Confirm string

const (
	ConfirmAck   Confirm = "ack"   // its answer to the command
	ConfirmLamp  Confirm = "lamp"  // the registered-call lamp
	ConfirmState Confirm = "state" // the car comes
	ConfirmNone  Confirm = "none"  // nothing; the wait limit judges
)

// Plan is what a ride must know of the controller. It comes from the vendor
// profile by way of the daemon, since this package knows no profile.
type Plan struct {
	Style     CallStyle
	Confirm   Confirm
	HasHold   bool // a door hold exists
	HasLapse  bool // a hold can be ended early
	HasCancel bool
	Toggles   bool // a second press cancels the first
	Claims    bool // the car must be claimed first
	Notifies  bool // the controller must be told entered and left

	CancelMayClose bool // taking a call back can start a door closing
	NotifyMayClose bool `json:",omitzero"` // the word of what the robot did can
	PermitsEnter   bool // the controller says when a robot may enter, and a permit needs it
	PermitsLeave   bool // the same for leaving at the destination
	Sight          bool // where the controller has no such point, the robot's own sight may tell floor, door and motion
	Blind          bool // it tells nothing before it has given the car: it is claimed unread
	Network        bool // it is reached over a network of its vendor and not over a line

	AcceptWithin time.Duration
	ClaimWithin  time.Duration
	LevelFor     time.Duration `json:",omitzero"` // a level call is let go so long after its last renewal; 0 = not known
	Poll         time.Duration // longest time between two reads of the fast points

	RecallFloor elevator.Floor // where a fire recall brings the car; 0 = not known, then no permit in a fire
	SafeFloor   elevator.Floor // where a robot may wait when it cannot leave at To; 0 = none
}

// Params are the limits of a ride. A ride copies them when its lease is granted.
type Params struct {
	WaitTimeout time.Duration `json:"wait_timeout"`
	Retries     int           `json:"retries"`
	HoldLimit   time.Duration `json:"hold_limit"`
	HoldRenew   time.Duration `json:"hold_renew"`
	Expiry      time.Duration `json:"expiry"`
	Standby     time.Duration `json:"standby"`
	CloudWait   time.Duration `json:"cloud_wait"` // how long a fault waits for the cloud's plan; 0 with no cloud connected
	Backoff     time.Duration `json:"backoff"`    // first local delay after a fault; doubles

	CoolDown time.Duration `json:"cool_down,omitzero"` // after the cap of a stop no hold there for so long
	RobotTTL time.Duration `json:"robot_ttl,omitzero"` // a robot that sends heartbeats is lost after so long without one; 0 = never
}

// DefaultParams are the limits that hold where nobody set others.
func DefaultParams() Params {
	return Params{
		WaitTimeout: 90 * time.Second, Retries: 3, HoldLimit: 60 * time.Second, HoldRenew: 10 * time.Second,
		Expiry: 15 * time.Minute, Standby: 5 * time.Minute, Backoff: 5 * time.Second,
		CoolDown: coolDown, RobotTTL: time.Minute,
	}
}

// Request asks for a ride.
type Request struct {
	ID       string
	Task     string
	Robot    string
	Lift     string
	From, To elevator.Floor
	FromSide elevator.Side
	ToSide   elevator.Side
	Priority int
	Ready    bool          // the robot stands at the door
	Crossing time.Duration // how long this robot takes to enter or to leave

	Open   bool               `json:",omitzero"` // asked without a destination; To is 0 until one is named
	Toward elevator.Direction `json:",omitzero"` // which way the landing call of an open ride goes
}

// Ride is the whole state of one ride. Comparable; a copy is a snapshot. Field
// names are stored, so they are part of the store's format; parts that are mostly
// zero are left out of it while they are.
type Ride struct {
	Request
	State    State
	Phase    Phase
	Where    Where
	Since    elevator.Instant // entered State
	PhaseAt  elevator.Instant // entered Phase
	Why      string           // of the last change, for people
	Deadline elevator.Instant // of the phase; never = none
	Expires  elevator.Instant // of the ride, while not aboard

	Granted bool             // the lease is held
	Epoch   uint32           // of the lease; 0 before the first
	LeaseAt elevator.Instant // granted
	Watch   elevator.Instant // silence of the lift is counted from here at the earliest
	Stepped elevator.Instant // a time up to which every due timer has been looked at
	Plan    Plan
	Params  Params

	NextN     uint32           // number of the last command
	CloseAt   elevator.Instant // the last command that may start a door closing
	Call      Wish             `json:",omitzero"` // the live call of this leg
	Earlier   [2]Wish          `json:",omitzero"` // calls let go of that may still be registered, newest first
	ShutAt    elevator.Instant `json:",omitzero"` // the door that the robot inside waits for is shut since, or a press for it was
	Door      DoorHold         `json:",omitzero"`
	Past      [3]DoorHold      `json:",omitzero"` // accounts of other stops of this ride
	Permit    Permit           `json:",omitzero"`
	PermitN   uint32           // number of the last permit
	PermitLow uint32           // permits up to this number are of earlier leases
	PermitOut elevator.Instant // until then a permit handed out may still be acted on
	PermitWas PermitKind       // its kind
	Way       PermitKind       // how EXITING leaves: leave, back or evacuate
	WayFloor  elevator.Floor
	WaySide   elevator.Side

	Aboard   bool             // the robot was inside the car since the last call at From
	AboardAt elevator.Instant // since when
	LeftFrom bool             // the car has left From since boarding began

	Unseen   SignalKind       `json:",omitzero"` // what somebody claims of the robot and nobody has seen: entered or left
	UnseenAt elevator.Instant `json:",omitzero"` // since when
	Former   Wish             `json:",omitzero"` // the call of the destination before this one, until the new one is taken
	Beat     elevator.Instant `json:",omitzero"` // when the robot's last signal came; only once it has sent a heartbeat
	Missing  bool             `json:",omitzero"` // the robot is silent, and not known to be outside
	Unclaim  bool             `json:",omitzero"` // the controller shows the claim as lost, with the robot aboard
	Unsent   bool             `json:",omitzero"` // the last command of this attempt never left
	Other    bool             `json:",omitzero"` // the cloud wants another lift for the next attempt
	NoStore  bool             `json:",omitzero"` // the store takes nothing
	NoteN    uint32           `json:",omitzero"` // the word of leaving, whose outcome a give-back waits for
	NoteEnd  elevator.Instant `json:",omitzero"` // it waits no longer than this

	Diverted    bool // the robot gave up leaving at To and rides to the safe floor
	CancelAsked bool // the ride is to end as soon as that is safe
	Onward      bool // the way back stayed shut: a cancelled ride goes on to where it leads
	Ending      bool // the program ends: nothing new is asked
	Stuck       bool // the robot said that it cannot move
	DoorAlarm   bool // the door stayed open after the ride
	Alarmed     Code // the alarm that stands for this ride

	Claimed bool             // the controller gave the car to the ride
	ClaimAt elevator.Instant `json:",omitzero"` // since when
	ClaimN  uint32
	BackN   uint32 // command that gives it back
	BackAt  elevator.Instant

	Code      Code
	Latched   bool
	FaultAt   elevator.Instant
	FaultNo   int
	RetryN    int              // failures in a row
	RetryAt   elevator.Instant // when FAULT goes on by the local policy
	Reopened  int              // doors re-opened at this landing
	Planned   bool             // the cloud's plan for this fault was used
	InsideN   int              // recoveries with the robot inside
	InsideAt  elevator.Instant // the first of them within the window
	ExitN     int              `json:",omitzero"` // exits in a row that failed
	ExitAt    elevator.Instant `json:",omitzero"` // the last of them
	Conflicts int
	Clash     Clash `json:",omitzero"`
	Restarted bool  // adopted from the store; nothing is asserted before the first fresh read
	Restored  bool  `json:",omitzero"` // came back from the store, maybe from an older record, and has pressed nothing since

	Boot    string    // of the robot's last signal
	Boots   [3]string `json:",omitzero"` // the ones before it, newest first: what they still send is late
	Seq     uint64
	Battery int       // per cent; -1 not told
	Self    RobotView `json:",omitzero"` // what the robot last said of itself

	Car elevator.Snapshot `json:"-"` // as last seen; never stored; the last field, see Same
}

// Clash is a standing contradiction between lift and robot. Kind is "" for none.
type Clash struct {
	Kind  string           // car_away, not_aboard, elsewhere, robot_moves, floors_differ, left_shut or not_permitted
	At    elevator.Instant // first sample
	Read  elevator.Instant // the lift's reading of the last sample that counted
	N     int              // samples
	Agree elevator.Instant // in FAULT: since when both agree again
}

// Wish is a call that the ride wants registered, and how far that has come.
type Wish struct {
	Command   elevator.Command // as last sent; zero = none yet
	Sent      elevator.Instant
	Taken     bool // proof seen that the controller has it
	Presses   int
	Confirmed elevator.Instant
	DarkAt    elevator.Instant `json:",omitzero"` // taken, and its lamp was read off ever since
	Unsure    bool             // the outcome was unknown: read before pressing again
	Answered  bool             // some outcome has come, if only that it is unknown
}

// DoorHold is the account of holds at one stop.
type DoorHold struct {
	N       uint32 // command of the last hold
	Floor   elevator.Floor
	Side    elevator.Side
	Since   elevator.Instant // the first hold of this stop
	Until   elevator.Instant // end of the last hold asked for
	Renew   elevator.Instant // when the next is due
	Used    time.Duration    // held so far at this stop, over all retries
	Grace   bool             // the one grace hold was spent
	Stopped bool             // the cap is reached: no more before the cool-down
	Shut    bool             `json:",omitzero"` // since then the door was seen closed, or the car away
}

// RobotView is what the robot last said of itself.
type RobotView struct {
	At        elevator.Instant
	Where     SignalWhere
	Floor     elevator.Floor
	FloorSure bool
	Motion    elevator.Motion
	OdoM      float64
	DoorFloor elevator.Floor
	DoorSide  elevator.Side
	DoorOpen  elevator.Tri
}
