package scenarios

import (
	"fmt"
	"slices"
	"time"
)

// Verdict is what became of a run.
type Verdict struct {
	Passed   bool // over, and nothing failed
	Failures []Failure
	Notes    []string      // what fails nothing and proves nothing: faults that never struck
	Lasted   time.Duration // of the run so far
	Demands  int           // statements that could have failed
}

// Failure is one demand that was not met.
type Failure struct {
	File      string
	Line, Col int
	At        time.Duration // since the start of the run
	Statement string        // as it is written
	Seen      string        // instead
}

// Error writes file:line:col, the statement, what was seen instead, and when.
func (f Failure) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s: at %s ", f.File, f.Line, f.Col, f.Statement, clock(f.At))
	if f.Seen == "" {
		return s + "it was not so"
	}
	return s + f.Seen
}

// Verdict says how the run stands; it is final once the run is over.
func (p *Player) Verdict() Verdict {
	return Verdict{
		Passed: p.ended != 0 && len(p.fails) == 0, Failures: slices.Clone(p.fails), Notes: slices.Clone(p.notes),
		Lasted: p.since(), Demands: p.s.Demands(),
	}
}

// clock writes seconds with three digits behind the point.
func clock(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
