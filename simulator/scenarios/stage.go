package scenarios

import (
	"strings"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
)

// Stage is a site on which a scenario plays: the pure laws in virtual time, or the
// real agent. It is asked only by the one player that drives it.
type Stage interface {
	// Do carries out one act now. An error says why this stage cannot.
	Do(a Act) error
	// Ride and the others show what is there now; ok is false for what is not known.
	Ride(id string) (r Ride, ok bool)
	Lift(id string) (l Lift, ok bool)
	Robot(id string) (r Robot, ok bool)
	Cloud() Cloud
}

// Striker is what a stage may tell besides: the faults begun on it, of the kinds that are
// met, that have not struck yet.
type Striker interface{ Unstruck() []faults.Fault }

// Act is one thing that a scenario makes happen. The set is closed.
type Act interface{ act() }

// AskRide lets a robot ask for a ride.
type AskRide struct {
	ID, Robot        string
	From, To         string             // labels
	FromDoor, ToDoor string             // "" = the landing's only or first door
	Lift             string             // "" = any
	NotReady         bool               // the robot is not at the door yet; it says ready later
	Open             bool               // the destination is told later; To is ""
	Toward           elevator.Direction // of an open destination, where it is known
	Priority         int                // 0 to 9
}

// ChangeRide gives a ride another destination. Aboard says that the robot may be in
// the car already.
type ChangeRide struct {
	ID, To, ToDoor string
	Aboard         bool
	By             string
}

// Claim is what a fleet that sees no door line takes its robot to have done: entered,
// left or gave_up_entering.
type Claim struct{ ID, Says, By string }

// Maintain begins or ends the maintenance of a lift; For 0 is until it is ended.
type Maintain struct {
	Lift string
	On   bool
	For  time.Duration
	By   string
}

// Stop is a person's stop of what the agent asks of a lift, or of all ("").
type Stop struct {
	Lift string
	On   bool
	By   string
}

// EmptyCar is the word of somebody on site that no robot is in this car.
type EmptyCar struct{ Lift, By string }

// Alarm is an alarm of an area (fire, seismic), told to the agent by the building; with
// Kind "" it is cleared by a person. A drill is shown, and not latched.
type Alarm struct {
	Area, Kind string
	Drill      bool
	By         string
}

// CancelRide and ResetRide are a technician's words to the agent.
type CancelRide struct{ ID, By string }

// ResetRide see [CancelRide]. RobotIs is outside, removed or inside.
type ResetRide struct{ ID, RobotIs, By string }

// Say lets a robot give a signal of this kind as it stands ("ready").
type Say struct{ Robot, Kind string }

// Inject begins a fault; Clear ends those of a target, of one kind or all.
type Inject struct{ Fault faults.Fault }

// Clear see [Inject]. Kind "" clears all.
type Clear struct{ Target, Kind string }

// Press is a person at a button: a landing call (Direction up or down), or with
// DirectionUnknown a car call.
type Press struct {
	Lift, Floor string
	Direction   elevator.Direction
}

// Crowd lets people come from now on, for a while.
type Crowd struct {
	Mix           string  // up-peak, down-peak, lunch, two-way
	PerFiveMinute float64 // people
	For           time.Duration
}

// Desire is an order of the cloud's operator: a setting of the agent, or LIFT.FIELD of a
// lift. Value is JSON; "null" gives the setting back to the configuration file.
type Desire struct {
	Path, Value string
	Expires     time.Duration // 0: the stand-in cloud's own
}

// Place is the shadow that an order is for, "" being the agent's own, and its field there.
func (d Desire) Place() (name, field string) {
	if lift, field, ok := strings.Cut(d.Path, "."); ok {
		return lift, field
	}
	return "", d.Path
}

func (AskRide) act()    {}
func (ChangeRide) act() {}
func (Claim) act()      {}
func (Maintain) act()   {}
func (Stop) act()       {}
func (EmptyCar) act()   {}
func (Alarm) act()      {}
func (CancelRide) act() {}
func (ResetRide) act()  {}
func (Say) act()        {}
func (Inject) act()     {}
func (Clear) act()      {}
func (Press) act()      {}
func (Crowd) act()      {}
func (Desire) act()     {}

// Ride is a ride as its robot may read it. Words are those of the local API; ""
// is none or not known.
type Ride struct {
	State, Phase string
	Been         []string // states so far, oldest first, the present one last
	Faults       []string // codes so far, oldest first
	Fault        string   // that stands now
	Where        string   // outside, crossing, inside, unknown
	Permit       string   // enter, leave, back, evacuate
	Do           string   // wait, enter, …
	Lift         string
	Refused      string // E-code when the agent did not take the ride
	From, To     string // labels as they are now; To is "" while it is open
	Place        int    // in the queue, from 1; 0 when it does not wait there
	// Answered is what the last order about this ride came to: accepted, or an E-code; ""
	// before the first one is answered.
	Answered string
}

// Lift is a lift: first as it really is, then as the agent has it.
type Lift struct {
	Floor  string            // label of the landing where it stands or which it passes
	Motion string            // stopped, up, down
	Doors  map[string]string // by side: closed, opening, open, closing
	Mode   string
	// How often the controller was asked and did not refuse, by what: landing-call,
	// car-call, hold, cancel, claim, give-back.
	Asked map[string]int

	Link      string // connecting, online, degraded, offline
	SeenFloor string // "" = not known
	SeenDoors map[string]string
	SeenMode  string
	SeenEntry string // yes or no: whether the controller says that a robot may enter
	Owner     string // ride that has the lease
	Accepting bool
	Alarms    []string

	Maintenance bool
	Halted      bool   // a person has stopped what the agent asks of it
	Occupied    bool   // a robot is or may be inside or crossing
	AreaAlarm   string // fire or seismic
	Drill       bool   // the alarm of its area is a drill
	Answered    string // as of a ride, the last order about this lift or its area
}

// Robot is where a robot really is, whatever it says.
type Robot struct {
	Where string // landing, doorway, car
	Lift  string
	Floor string
}

// Cloud is what the stand-in cloud holds of the agent.
type Cloud struct {
	Online   bool
	Version  int64             // of the classic shadow, 0 for none
	Delta    bool              // desired and reported differ in any shadow
	Reported map[string]string // leaves of the classic shadow and of each lift's: "wait_timeout", "L1.state": JSON
}
