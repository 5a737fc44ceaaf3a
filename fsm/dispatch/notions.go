package dispatch

import (
	"hoistway/fsm/elevator"
)

// Maintenance of a lift: no lease is granted, what runs ends, what waits keeps its place.
type Maintenance struct {
	Since elevator.Instant
	Until elevator.Instant `json:",omitzero"` // never = until it is ended
	By    string
	Why   string `json:",omitzero"`
	Cloud bool   `json:",omitzero"` // the cloud's, and nobody's on site
	Named int64  `json:",omitzero"` // its end as the cloud has named it, epoch seconds
}

// Stopped is a person's stop of one lift, or of all: what has not boarded is cancelled,
// nothing new is asked, and whoever is aboard rides on to where it leaves.
type Stopped struct {
	Since elevator.Instant
	By    string
	Why   string `json:",omitzero"`
	Cloud bool   `json:",omitzero"` // the cloud's, and nobody's on site
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
	Drill   bool `json:",omitzero"`
	Latched bool `json:",omitzero"` // only a person ends it
	Since   elevator.Instant
	Source  string // who raised it: a lift's id, or a name
}

// AreaView is one area for readers, with its lifts in the order of the configuration.
type AreaView struct {
	Area   string
	Lifts  []string
	Alarms []AreaAlarm
}
