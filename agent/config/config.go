// Package config is the agent's settings: one YAML file, strict, with every
// fault found at once and told with its place.
//
// The schema is the one description of the file: it reads it, holds the defaults,
// and writes the reference in the README. What a schema cannot see (two lifts of
// one id, a landing that is not in the table, a profile that is not there) is
// checked on the same tree, so that it comes with the same places and in the same
// list. A [Config] exists only without faults.
package config

import (
	"net/url"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Config is the whole file. Every key has a default or is required.
type Config struct {
	Device   Device
	Lifts    []Lift
	Rides    Rides
	Robots   []Robot
	Robot    Aboard // of a robot's own agent
	API      API
	Cloud    *Cloud // nil: no cloud
	RMF      *RMF   // nil: nothing is said of Open-RMF
	Store    Store
	Profiles Profiles

	sources map[string]source // of profiles, by Lift.Profile
}

// Device is who this gateway is.
type Device struct {
	Serial string
	Kind   string // lift-gateway or robot
	Site   Site
}

// Site says where it hangs.
type Site struct{ Campus, Building string }

// Lift is one car and how to reach its controller.
type Lift struct {
	ID          string
	Profile     string // catalog id, or a path
	Link        string
	Floors      []Floor
	Group       string // its own id where it shares landing calls with no other
	Area        string // for fire and seismic alarms
	Deck        string // "" is the only one of its car
	RecallFloor string // "" is none
	SafeFloor   string // "" is none
	Sharing     string // with_people or exclusive
	RobotSight  string // refused or allowed
	AcceptNoEnd string // why an output without an end on the device's side is accepted
	Car         Car
}

// Floor is one row of the floor table, bottom to top.
type Floor struct {
	Label  string
	Wire   int
	Doors  []string
	Closed bool // to robots
}

// Car is what fits. Zero is not told, and then not checked. Lifts of one ID are decks of
// one car; "" is a car of its own.
type Car struct {
	ID                    string
	WidthM, DepthM, DoorM float64
	LoadKg                int
}

// Rides are the limits of a ride, as fsm/README.md has them.
type Rides struct {
	WaitTimeout, HoldLimit, HoldRenew, Expiry, Standby time.Duration
	Retries                                            int
}

// Robot is one robot that may ride.
type Robot struct {
	ID          string
	TokenSHA256 string
	Crossing    time.Duration
	FootprintM  [2]float64 // zero is not told
	MassKg      int        // zero is not told
}

// Aboard is what the agent of a robot knows of the robot that it is on.
type Aboard struct {
	Displacement   string // "" is no source of its own
	Every, Timeout time.Duration
}

// OnRobot reports that this agent is on a robot and runs no lift itself.
func (d Device) OnRobot() bool { return d.Kind == kindRobot }

// API is the HTTP door.
type API struct {
	Listen      string
	TLS         *TLS // nil: only this machine
	Technicians []Technician
}

// TLS is the door for others than this machine.
type TLS struct{ Listen, CertFile, KeyFile string }

// Technician is a person with rights.
type Technician struct{ Name, TokenSHA256 string }

// AWS is the flavour of the public AWS IoT service.
const AWS = "aws"

// Cloud is the broker behind which the shadow service stands.
type Cloud struct {
	Broker                    string // with its port
	Flavour                   string // hoistway or [AWS]
	ConnectSpread             time.Duration
	Operators                 []Operator
	CAFile, CertFile, KeyFile string
	Username, PasswordFile    string
}

// Operator is a name whose signature releases from afar: Key is a public Ed25519 key.
type Operator struct {
	Name string
	Key  []byte
}

// RMF is how fleets of Open-RMF are spoken with.
type RMF struct {
	Broker                    string // with its port; "" is the local API alone
	Prefix                    string // of the topics
	Sessions                  []Session
	CAFile, CertFile, KeyFile string
	Username, PasswordFile    string
}

// Session is a name under which a fleet speaks for a robot. A robot's id is one anyway.
type Session struct{ Name, Robot string }

// Store is where state.db lives.
type Store struct{ Dir string }

// Profiles is where a site's own profiles are.
type Profiles struct{ Dir string }

// source is a profile's file.
type source struct {
	name string
	src  []byte
}

// ProfileSource is the profile of a lift: its name for messages and its bytes.
// Both are empty for a lift that the configuration does not have.
func (c *Config) ProfileSource(lift string) (name string, src []byte) {
	for _, l := range c.Lifts {
		if l.ID != lift {
			continue
		}
		if s, ok := c.sources[l.Profile]; ok {
			return s.name, s.src
		}
		if src, ok := profiles.Lookup(l.Profile); ok { // a Config that no file made
			return l.Profile, src
		}
	}
	return "", nil
}

// Table is the lift's floor table, bottom to top.
func (l Lift) Table() elevator.Table {
	t := make(elevator.Table, 0, len(l.Floors))
	for _, f := range l.Floors {
		row := elevator.Landing{Label: f.Label, Wire: f.Wire}
		for _, d := range f.Doors {
			if s, ok := elevator.ParseSide(d); ok {
				row.Doors = append(row.Doors, s)
			}
		}
		t = append(t, row)
	}
	return t
}

// URL is the link with the defaults of its scheme filled in; nil for a link that
// Parse would refuse.
func (l Lift) URL() *url.URL {
	t, problems := parseLink(l.Link)
	if len(problems) > 0 {
		return nil
	}
	return t.url()
}
