package rmf

import "hoistway/fsm"

// Order is what a request asks of the ride loop. The set is closed.
type Order interface{ order() }

// Open makes a ride whose destination is not known yet: the robot waits at Floor.
type Open struct{ Ride, Lift, Robot, Session, Floor string }

// Redirect gives a ride another destination. The robot may be aboard.
type Redirect struct{ Ride, Floor, By string }

// Claim hands on what a request implies of the robot: [fsm.Entered], [fsm.Left] or
// [fsm.GaveUpEntering]. Nobody has seen it.
type Claim struct {
	Ride string
	Says fsm.SignalKind
	By   string
}

// Cancel ends a ride as soon as that is safe.
type Cancel struct{ Ride, By string }

func (Open) order()     {}
func (Redirect) order() {}
func (Claim) order()    {}
func (Cancel) order()   {}

// Verdict is what became of a request. Orders are to be asked one after the other, as
// long as none is refused; each answer goes to [Translator.Answered].
type Verdict struct {
	Orders  []Order
	Refused *Refusal
	Note    string // why nothing is done, or what is; for the log
}

// Refusal says why a request is not taken. Field is that of the message.
type Refusal struct{ Code, Field, Detail string }

func refused(code, field, detail string) Verdict {
	return Verdict{Refused: &Refusal{code, field, detail}, Note: detail}
}

func noted(note string) Verdict { return Verdict{Note: note} }
