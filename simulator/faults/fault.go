package faults

import "time"

// Family is where a fault sits.
type Family uint8

const (
	FamilyUnknown Family = iota
	Controller           // the lift itself
	Line                 // between gateway and lift
	HTTP                 // a vendor's HTTP service
	Cloud                // broker and shadow service
	Host                 // the gateway's machine
	Robot
)

// Aim is the kind of thing that a fault is aimed at.
type Aim uint8

const (
	AimUnknown Aim = iota
	AtLift         // by its id
	AtRobot        // by its id
	AtCloud        // the word cloud
	AtGateway      // the word gateway
)

// Takes is what may follow the name of a fault.
type Takes uint8

const (
	Nothing  Takes = iota
	Number         // a whole number, within Min and Max
	Duration       // such as 800ms or 90s, within Min and Max in milliseconds
	Landing        // a landing's label
	Side           // front, rear, left or right
	Word           // one of Words
)

// Kind is one row of the catalogue.
type Kind struct {
	Name   string // as people type it, "door-reopens"
	Family Family
	Aim    Aim
	Takes  Takes
	Words  []string // of Word
	Min    int      // of Number and Duration
	Max    int
	Usual  string // the argument when none is given; "" with Takes set: it must be given
	// Meets says what one meeting with the fault is, "" for a fault that simply is
	// on or off: "a request", "a closing of the door", "a car call".
	Meets string
	Does  string // what happens, one sentence
	Owed  string // what the agent owes, one sentence
}

// Fault is one fault to play. Comparable.
type Fault struct {
	Kind   string
	Target string        // id of a lift or robot, cloud or gateway
	Arg    string        // as typed, checked against the kind; "" takes the usual one
	For    time.Duration // from its start; 0: until it wears off or is cleared
	Times  int           // meetings that it spoils before it wears off; 0: no limit
	From   int           // the first meeting that it may spoil, counted from 1; 0 is 1
	Chance int           // per cent of the meetings; 0 is 100
	Seed   uint64        // of the chance
}
