package drivers

import (
	"strings"
	"time"

	"hoistway/fsm/elevator"
)

// RideSpec asks a [Rider] for a ride. Floors are of this side's table and are told by
// their labels.
type RideSpec struct {
	ID       string // required: it makes asking again safe
	Task     string
	Robot    string // required
	Lift     string // "": the link's own; "any": whichever is best
	Group    string // whichever lift of this group is best, instead of Lift
	From, To elevator.Floor
	FromSide elevator.Side // unknown: the landing's first door
	ToSide   elevator.Side
	Priority int           // 0 to 9
	Ready    bool          // the robot stands at the door
	Eta      time.Duration // until it is there; 0: not told
	Crossing time.Duration // how long it takes through one door line; 0: as configured there
}

// RideSignal is whole: it leans on no signal before it. The words of Kind and Where
// are those of the ride machine.
type RideSignal struct {
	Kind      string
	Boot      string           // another word after each start of the robot
	Seq       uint64           // counts up over all signals of one boot
	At        elevator.Instant // when its content was true; required
	Where     string           // landing, doorway, car, unknown
	Floor     elevator.Floor
	FloorSure bool
	Motion    elevator.Motion
	OdoM      *float64
	Door      *SeenDoor
	Permit    string // id of the permit that the robot acts on
	Battery   *int   // per cent
}

// SeenDoor is a door as the robot sees it.
type SeenDoor struct {
	Floor elevator.Floor
	Side  elevator.Side
	Open  bool
}

// RideView is a ride as the far end has it. Instants are of this side's clock, counted
// from before the question left: nothing lasts longer here than it was given for there.
type RideView struct {
	ID, Task, Robot  string
	Lift             string         // "" while none is chosen
	From, To         elevator.Floor // 0: a floor that this side's table lacks
	FromSide, ToSide elevator.Side
	State, Phase     string
	Where            string // where the far end takes the robot to be
	Place            int    // in the queue from 1; 0: not queued
	PlaceWhy         string // what it waits for there; "": not told
	Priority         int
	Crossing         time.Duration // through one door line; 0: not told
	Permit           RidePermit
	Withheld         []Unmet // why there is no permit
	Pass             LeavePass
	Do, Why          string           // the one thing to do
	DoUntil          elevator.Instant // never: no end was told
	Deadline         elevator.Instant // of the phase
	Retries          int
	Fault            RideFault
	At               elevator.Instant // as of when; it stays when Lost
	Lost             bool             // the far end could not be asked; the rest is what was last known
}

// RidePermit lets the robot cross one door line. The zero permit is none.
type RidePermit struct {
	ID        string
	Epoch     uint32
	Kind      string // enter, leave, back, evacuate
	Floor     elevator.Floor
	Side      elevator.Side
	StartBy   elevator.Instant // begin before this
	ThroughBy elevator.Instant // be through before this
}

// Unmet is a part that a permit lacks.
type Unmet struct{ Part, Want, Seen, Source string }

// LeavePass is for a robot inside that has lost its link: it may leave where its own
// sensors show this floor and side, open and at a stand. The zero pass is none.
type LeavePass struct {
	Floor    elevator.Floor
	Side     elevator.Side
	NotAfter elevator.Instant
}

// RideFault is the standing fault of a ride; no Code: none.
type RideFault struct {
	Code    string
	No      int
	Since   elevator.Instant
	Latched bool
	Help    string // E-code for hoistway help
	Todo    string
}

// RideRefusal is a no of the far end, as it came.
type RideRefusal struct {
	Kind   error  // one of the kinds
	Code   string // E-2101
	Title  string
	Detail string
	Field  string        // what of the question is at fault, as a JSON pointer
	After  time.Duration // it asked for so much silence
}

func (r *RideRefusal) Error() string {
	s := strings.TrimSpace(r.Code + " " + r.Title)
	if r.Detail != "" {
		s += ": " + r.Detail
	}
	if r.Field != "" {
		s += " (" + r.Field + ")"
	}
	return s
}

func (r *RideRefusal) Unwrap() error { return r.Kind }
