// Package profiles turns a vendor's description of a controller, a YAML file,
// into what may be read, what it means and how to ask: data in, data out.
//
// It is pure. It opens nothing but the catalog embedded in it.
package profiles

import (
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// Table is one of the four Modbus tables.
type Table uint8

const (
	TableUnknown Table = iota
	Coils
	DiscreteInputs
	HoldingRegisters
	InputRegisters
)

// Block is one read request: Count items of Table from Addr, due every Every.
type Block struct {
	Table Table
	Addr  uint16
	Count uint16
	Every time.Duration
}

// Write is one write request. For coils a value is 0 or 1.
type Write struct {
	Table  Table // Coils or HoldingRegisters
	Addr   uint16
	Values []uint16
	Multi  bool          // function 15 or 16 even for one value
	Pause  time.Duration // silence on this device after it
	Owed   bool          // the release of a pulse: paid first after a lost line
}

// Action is how one command is carried out.
type Action struct {
	Writes    []Write
	HoldUntil elevator.Instant // end of the hold on the device's side; 0 = none
	MayClose  bool
}

// Traits are what a ride must know of the controller, in the profile's own words
// (fsm.Plan has the same fields; the daemon carries them over).
type Traits struct {
	Style        string // landing+car, journey, car-only, level
	Confirm      string // ack, lamp, state, none
	HasHold      bool
	HasLapse     bool
	HasCancel    bool
	Toggles      bool
	Claims       bool
	Notifies     bool
	AcceptWithin time.Duration
	ClaimWithin  time.Duration
	FastPoll     time.Duration
	DiesAfter    time.Duration // the device ends a hold by itself; 0 = it does not
}

// Parse reads one profile. The profile is nil when there is any fault.
func Parse(file string, src []byte) (*Profile, []strict.Fault) { panic("open") }

// Profile is a checked description of one kind of controller. Read-only.
type Profile struct {
	ID    string
	Title string
}

// Traits gives the facts for a ride.
func (p *Profile) Traits() Traits { panic("open") }

// ReadPlan groups the points into as few requests as the device's limits allow.
func (p *Profile) ReadPlan() []Block { panic("open") }

// Decode lays the words of one answered block (one word an item, bits as 0 or 1)
// over a snapshot. Words of a number other than Count are an error and change
// nothing. A raw value that the profile does not name becomes unknown, never a guess.
func (p *Profile) Decode(b Block, words []uint16, floors elevator.Table, at elevator.Instant, into *elevator.Snapshot) error {
	panic("open")
}

// Fail marks the parts that block b feeds as failed.
func (p *Profile) Fail(b Block, into *elevator.Snapshot) { panic("open") }

// Encode says how to carry out a command. It fails with a clear error for what
// the controller cannot do or the floor table does not have.
func (p *Profile) Encode(c elevator.Command, floors elevator.Table, now elevator.Instant) (Action, error) {
	panic("open")
}

// Lookup gives a catalog profile's source by id (bench/modbus-lift).
func Lookup(id string) (src []byte, ok bool) { panic("open") }

// IDs lists the catalog, sorted.
func IDs() []string { panic("open") }
