// Package profiles turns a vendor's description of a controller, a YAML file,
// into what may be read, what it means and how to ask: data in, data out.
//
// [Parse] checks a whole file at once. The [Profile] then answers four questions:
// what a ride must know (Traits), what to read (ReadPlan), what an answer means
// (Decode, Fail, Refused) and what to write (Encode). Nothing in the profile is code, so a
// new controller is a new file.
//
// What the file does not name is unknown: a raw value without a word, a landing
// that the floor table lacks, a number out of the range that is believed. None of
// them becomes a guess, and none keeps an older value alive.
//
// The package is pure. It opens nothing but the catalog embedded in it.
package profiles

import (
	"slices"
	"time"

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
	Raw    bool          // one coil, whose value goes onto the wire as it stands (0xFF00 is the usual on)
	Mask   uint16        // of a register: the bits that are changed, the others keep what they are; 0 = all
	Pause  time.Duration // silence on this device after it
	Owed   bool          // the release of a pulse or level: paid first after a lost line

	Changed  bool // read first, and not written where it stands there already
	MayClose bool // it may start a door closing: an owed one is never written by itself
	Level    Level
	Cleared  Cleared
}

// Level holds a value by writing it again. The zero one holds nothing.
type Level struct {
	Key        uint32        // levels of one key end each other; 0 = no level
	Every, For time.Duration // Every 0: this write only ends the level
}

// Cleared is a trigger that the device clears. The zero one is no trigger.
type Cleared struct {
	To            uint16 // what the item then reads as
	Within, Every time.Duration
}

// Action is how one command is carried out.
type Action struct {
	Writes    []Write
	HoldUntil elevator.Instant // end of the hold on the device's side; 0 = none
	MayClose  bool
	Judged    bool             // acknowledged is not taken: Refused tells, by a reading after it
	Until     elevator.Instant // never sent at or after it
	Confirmed time.Duration    // how long Proven may take to tell, where the answer leaves it open; 0 = it cannot
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

	CancelMayClose bool // taking some call back can start a door closing
	NotifyMayClose bool // the word of what the robot did can
	PermitsEnter   bool // it tells when a robot may enter
	PermitsLeave   bool // it tells when a robot may leave
	Blind          bool // it tells nothing before it has given the car

	LevelFor  time.Duration // a call of the style level is let go so long after its last renewal
	DiesAfter time.Duration // the device ends a hold by itself; 0 = it does not
}

// Profile is a checked description of one kind of controller. Read-only, so safe
// for several goroutines.
type Profile struct {
	ID       string
	Title    string
	Protocol string // modbus, frames, …
	Maturity string // draft, bench, field

	traits  Traits
	lowest  int // wire numbers
	highest int
	slow    time.Duration
	limits  limits
	dev     Device
	stopped bool // a fully open door implies a standing car
	points  []point
	plan    []Block
	told    []told
	http    *HTTP
	socket  *Socket
	nodes   *Nodes
	topics  *Topics
	frames  *Frames
	sides   [elevator.Sides]Raw
	// directions is by elevator.Direction.
	directions [3]Raw
	commands   map[ask]command
	errors     map[int]meaning
	codes      map[string]meaning // the same by how they come
	facts      Facts
	text       []byte // the resolved form
	laid       []byte // the same for people
	hash       string
	extends    bool
}

type limits struct {
	read, bits, holes int
	write, writeBits  int
	spacing           time.Duration
	functions         []int // none = all
	ranges            [InputRegisters + 1][]span
}

type meaning struct {
	advice elevator.Advice
	text   string
	calls  answer
}

// Draft reports a profile that is read and never used for a command.
func (p *Profile) Draft() bool { return p.Maturity == "draft" }

// Traits gives the facts for a ride.
func (p *Profile) Traits() Traits { return p.traits }

// ReadPlan groups the points into as few requests as the device's limits allow,
// fast ones first.
func (p *Profile) ReadPlan() []Block { return slices.Clone(p.plan) }

// Advice says what one of the controller's own error codes means; AdviceNone and
// no text for a code that the profile does not know.
func (p *Profile) Advice(code int) (elevator.Advice, string) {
	m := p.errors[code]
	return m.advice, m.text
}

// Meaning says what a code means that comes as text; see Advice.
func (p *Profile) Meaning(code string) (elevator.Advice, string) {
	m := p.codes[code]
	return m.advice, m.text
}

// WriteSpacing is the silence that the device wants after a write. It is in each
// Write's Pause already.
func (p *Profile) WriteSpacing() time.Duration { return p.limits.spacing }

// WireRange is the inclusive range of the controller's numbers of landings.
func (p *Profile) WireRange() (lowest, highest int) { return p.lowest, p.highest }

// HasDoor reports whether the state of the door of a side can be read.
func (p *Profile) HasDoor(s elevator.Side) bool {
	return slices.ContainsFunc(p.points, func(pt point) bool { return pt.part == door && pt.side == s }) ||
		slices.ContainsFunc(p.told, func(t told) bool { return t.part == door && t.side == s })
}

// LongestHold is the most that one hold command may ask, at the side that takes
// least; 0 where a hold takes no time or there is none.
func (p *Profile) LongestHold() time.Duration {
	var least time.Duration
	for a, c := range p.commands {
		if a.verb == elevator.Hold && c.longest > 0 && (least == 0 || c.longest < least) {
			least = c.longest
		}
	}
	return least
}

func (t Table) String() string {
	names := [...]string{"unknown", "coil", "discrete", "holding", "input"}
	if int(t) < len(names) {
		return names[t]
	}
	return "invalid"
}

func (t Table) bits() bool { return t == Coils || t == DiscreteInputs }
