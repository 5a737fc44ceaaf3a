package dispatch

import (
	"time"

	"hoistway/fsm/elevator"
)

// Maintenance of a lift: no lease is granted, what runs ends, what waits keeps its place.
type Maintenance struct {
	Since elevator.Instant
	Until elevator.Instant // never = until it is ended
	By    string
	Why   string
}

// Stopped is a person's stop of one lift, or of all: what has not boarded is cancelled,
// nothing new is asked, and whoever is aboard rides on to where it leaves.
type Stopped struct {
	Since elevator.Instant
	By    string
	Why   string
}

// AreaKind is what an area is warned of.
type AreaKind string

const (
	AreaFire    AreaKind = "fire"
	AreaSeismic AreaKind = "seismic"
)

// AreaAlarm is one alarm of an area. A drill is shown and stops new rides; it is not latched.
type AreaAlarm struct {
	Kind    AreaKind
	Drill   bool
	Latched bool // only a person ends it
	Since   elevator.Instant
	Source  string // who raised it: a lift's id, or a name
}

// AreaView is one area for readers, with its lifts in the order of the configuration.
type AreaView struct {
	Area   string
	Lifts  []string
	Alarms []AreaAlarm
}

// Maintain begins or ends the maintenance of a lift. For 0 lasts until it is ended; a
// second one replaces the first.
type Maintain struct {
	Lift    string
	On      bool
	For     time.Duration
	By, Why string
}

// Stop begins or ends a person's stop. Lift "" is all of them.
type Stop struct {
	Lift    string
	On      bool
	By, Why string
}

// CarEmpty is a person's word on site that no robot is in this car.
type CarEmpty struct{ Lift, By string }

// RaiseArea warns all lifts of an area.
type RaiseArea struct {
	Area   string
	Kind   AreaKind
	Drill  bool
	Source string
}

// ClearArea ends the alarms of an area, drills included.
type ClearArea struct{ Area, By string }

// Retarget gives a ride another destination. The words are of the table of its lift.
type Retarget struct {
	Ride, To, ToDoor string
	Aboard           bool
	By               string
}

func (Maintain) input()  {}
func (Stop) input()      {}
func (CarEmpty) input()  {}
func (RaiseArea) input() {}
func (ClearArea) input() {}
func (Retarget) input()  {}
