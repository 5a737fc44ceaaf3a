// Package config is the agent's settings: one YAML file, strict, with every
// fault found at once and told with its place.
package config

import "time"

// Config is the whole file. Every key has a default or is required.
type Config struct {
	Device Device
	Lifts  []Lift
	Rides  Rides
	Robots []Robot
	API    API
	Cloud  *Cloud // nil: no cloud
	Store  Store
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
	Group       string
	RecallFloor string
	SafeFloor   string
	Sharing     string // with_people or exclusive
	RobotSight  string // refused or allowed
	AcceptNoEnd string // why an output without an end on the device's side is accepted
	Car         Car
}

// Floor is one row of the floor table, bottom to top.
type Floor struct {
	Label string
	Wire  int
	Doors []string
}

// Car is what fits.
type Car struct {
	WidthM, DepthM, DoorM float64
	LoadKg                int
}

// Rides are the limits of ride.md's table.
type Rides struct {
	WaitTimeout, HoldLimit, HoldRenew, Expiry, Standby time.Duration
	Retries                                            int
}

// Robot is one robot that may ride.
type Robot struct {
	ID          string
	TokenSHA256 string
	Crossing    time.Duration
	FootprintM  [2]float64
	MassKg      int
}

// API is the local HTTP door.
type API struct {
	Listen      string
	Technicians []Technician
}

// Technician is a person with rights.
type Technician struct{ Name, TokenSHA256 string }

// Cloud is the broker behind which the shadow service stands.
type Cloud struct {
	Broker                    string
	Flavour                   string // hoistway
	ConnectSpread             time.Duration
	CAFile, CertFile, KeyFile string
	Username, PasswordFile    string
}

// Store is where state.db lives.
type Store struct{ Dir string }
