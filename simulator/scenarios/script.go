package scenarios

import (
	"fmt"
	"slices"
	"time"
)

// Bounds of a file, and of a run that says nothing of its own end.
const (
	MaxBytes = 64 << 10
	MaxLines = 2000
	// maxFaults bounds what is told of one file; who has made more of them made one
	// of them often.
	maxFaults = 100
	maxLasts  = 31 * 24 * time.Hour
	// usualEnd is the end of a run with no "lasts"; one in which nothing is left to
	// wait for, and no ride goes on, ends calm after that.
	usualEnd = 10 * time.Minute
	calm     = 5 * time.Second
)

// Script is a scenario that was read without a fault. Playing does not change it;
// who plays it may set another Seed before.
type Script struct {
	File   string
	Title  string   // the file's name when the script says none
	Proves []string // rows: RD-7
	Seed   uint64   // 1 when the script says none
	Site   string   // bench
	Robots []RobotSetup
	// Settings are those of the agent's configuration, as they were written.
	Settings []Setting
	Lifts    []LiftSetup
	CloudOff bool          // the agent has no cloud
	Lasts    time.Duration // 0: until nothing is left to wait for, [Script.Limit] at most
	// OnlyVirtual says why this is not played with the real agent, by the script's own
	// word or because it holds what no wire carries; "" when it is.
	OnlyVirtual string

	statements []statement
}

// RobotSetup is how one robot is.
type RobotSetup struct {
	ID       string
	Crossing time.Duration // how long it takes to enter or to leave; 0 is as the site has it
	Fleet    bool          // it gives no signals, its fleet claims
}

// LiftSetup is how one lift is, beside the site's own.
type LiftSetup struct {
	ID   string
	Area string // "" is that of the whole house
	Kind
}

// Kind is what a controller asks for besides presses, and what it has no point for.
type Kind struct {
	Permission bool // it says itself when a robot may enter or leave
	Claim      bool // it must be claimed before it takes a call
	Level      bool // its calls are levels, kept up until the car has come

	NoFloor, NoDoor, NoLamps bool // it never tells these

	Sight bool // the site lets a robot's own eyes stand in for what is never told
}

// House is the area of the lifts for which a script names none.
const House = "building"

// areaWords are the areas that a script has.
func (s *Script) areaWords() []string {
	var all []string
	for _, id := range liftWords() {
		area := House
		for _, l := range s.Lifts {
			if l.ID == id && l.Area != "" {
				area = l.Area
			}
		}
		if !slices.Contains(all, area) {
			all = append(all, area)
		}
	}
	return all
}

// Setting is one line of the agent's configuration. Value is as it was written;
// Duration or Number is what it means.
type Setting struct {
	Name     string
	Value    string
	Duration time.Duration
	Number   int
}

// Fault is one thing that is wrong with a file. Lines and columns count from 1,
// columns in characters.
type Fault struct {
	File      string
	Line, Col int
	What      string
	Hint      string // "" for none
}

// Error writes file:line:col: what (hint).
func (f Fault) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Col, f.What)
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

// Limit is the time after which the run is over whatever happens.
func (s *Script) Limit() time.Duration {
	if s.Lasts > 0 {
		return s.Lasts
	}
	end := usualEnd
	for i := range s.statements {
		st := &s.statements[i]
		end = max(end, st.at+calm, st.within+calm)
	}
	return end
}

// beyondWires says what of the script no wire of the real site carries; "" for nothing.
func (s *Script) beyondWires() string {
	for _, r := range s.Robots {
		if r.Fleet {
			return "fleets speak to the real agent by a broker of their own"
		}
	}
	for _, l := range s.Lifts {
		if l.Area != "" {
			return "the lifts on wires are of one house"
		}
	}
	for i := range s.statements {
		switch a := s.statements[i].act.(type) {
		case Claim:
			return "fleets speak to the real agent by a broker of their own"
		case Alarm:
			if a.Kind != "" {
				return "no wire of the bench tells an alarm of an area"
			}
		case AskRide:
			if a.Open {
				return "a robot that asks by itself knows where it goes"
			}
		}
	}
	return ""
}

// Demands is how many statements can fail.
func (s *Script) Demands() int {
	n := 0
	for i := range s.statements {
		if s.statements[i].kind != acting {
			n++
		}
	}
	return n
}

// Faults lists the kinds of faults that the script may begin.
func (s *Script) Faults() []string {
	var kinds []string
	for i := range s.statements {
		if inject, ok := s.statements[i].act.(Inject); ok {
			kinds = append(kinds, inject.Fault.Kind)
		}
	}
	return kinds
}

// kind is what a statement is for.
type kind uint8

const (
	acting kind = iota // something is made to happen
	coming             // expect: must come true
	judged             // at 40s expect: must be true then
	barred             // never
	steady             // always
	last               // finally
)

// start is when a statement takes effect or begins to be judged.
type start uint8

const (
	atOnce start = iota // from the start of the run
	atTime
	onTrue    // at the first time that the trigger holds
	following // so long after the statement before
)

// statement is one line that is not a setup line. Durations count from the start
// of the run, but with following, where they count from the statement before.
type statement struct {
	line, col int
	text      string // as written, without the comment
	kind      kind
	start     start
	at        time.Duration // atTime; following: the pause
	trigger   clause        // onTrue
	before    int           // following: index of the statement before
	act       Act
	want      clause
	within    time.Duration // coming: 0 = until the end
	of        *condition    // coming: within counts from the first time that this holds
}

// clause is a condition that must hold so long without a break to count.
type clause struct {
	cond condition
	hold time.Duration
}
