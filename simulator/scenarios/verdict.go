package scenarios

import (
	"fmt"
	"time"
)

// Verdict is what became of a run.
type Verdict struct {
	Passed   bool // over, and nothing failed
	Failures []Failure
	Steps    []Step        // one for each statement, in the order of the file
	Lasted   time.Duration // of the run so far
	Demands  int           // statements that could have failed
}

// Failure is one demand that was not met.
type Failure struct {
	File      string
	Line, Col int
	At        time.Duration // since the start of the run
	Statement string        // as it is written
	Want      string
	Seen      string // instead
}

// Error writes file:line:col, the statement, what was seen instead, and when.
func (f Failure) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s: at %s ", f.File, f.Line, f.Col, f.Statement, clock(f.At))
	if f.Seen == "" {
		return s + "it was not so"
	}
	return s + f.Seen
}

// Step is how one statement stands.
type Step struct {
	Line      int
	Statement string
	Result    string        // done, failed, not reached
	At        time.Duration // of done and failed
}

// Verdict says how the run stands; it is final once the run is over.
func (p *Player) Verdict() Verdict {
	v := Verdict{
		Passed: p.ended != 0 && len(p.fails) == 0, Failures: append([]Failure(nil), p.fails...),
		Lasted: p.since(), Demands: p.s.Demands(),
	}
	for i := range p.parts {
		st, pt := &p.s.statements[i], &p.parts[i]
		step := Step{Line: st.line, Statement: st.text, Result: [...]string{"not reached", "done", "failed"}[pt.state]}
		if pt.state != open {
			step.At = pt.at.Sub(p.start)
		}
		v.Steps = append(v.Steps, step)
	}
	return v
}

// clock writes seconds with three digits behind the point.
func clock(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
