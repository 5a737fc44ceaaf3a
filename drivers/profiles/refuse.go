package profiles

import (
	"strconv"
	"time"

	"hoistway/fsm/elevator"
)

// Press is a call that the device has acknowledged.
type Press struct {
	Call elevator.Command
	At   elevator.Instant     // when its last write left
	Code elevator.Seen[int32] // the controller's own code as read last before; zero = not known
}

// Refusal is why the controller did not take a call.
type Refusal struct {
	Code   string // as it came, in decimal
	Advice elevator.Advice
	Text   string
	Again  elevator.Instant // of none yet: a reading from then on tells; 0 = no later one does
}

// answer says what a standing code tells of the call that was written last.
type answer uint8

const (
	never   answer = iota // nothing: it tells the state of the lift
	whenNew               // it refuses the call, if it was not there before
	ofLast                // it refuses the call, since a taken one clears it, if at once or after a while
)

// codeLimit is how old the code before the press may be: an older one does not
// show whose the code after it is.
const codeLimit = time.Second

// workLimit is how long a controller may work on a call that it has acknowledged:
// until then lamp and code may be those of before.
const workLimit = time.Second

// Refused judges an acknowledged call by a reading of lamp and code that began
// after it. Only a dark lamp beside a code that the profile names as an answer to
// calls is a refusal; ok is false for anything less, a reading that failed or is
// older among it. A code that may have stood there before counts only when the
// controller has had the time to clear it.
func (p *Profile) Refused(x Press, s *elevator.Snapshot) (r Refusal, ok bool) {
	lamp, has := s.Lamp(&x.Call)
	if !has || !p.answersCalls() || !readSince(lamp, x.At) || !readSince(s.Vendor, x.At) || lamp.Value.Has(x.Call.Floor) {
		return Refusal{}, false
	}
	m := p.errors[int(s.Vendor.Value)]
	if m.calls == never || m.calls == whenNew && !x.wasOther(s.Vendor.Value) {
		return Refusal{}, false
	}
	if end := x.At.Add(workLimit); !x.wasOther(s.Vendor.Value) && min(lamp.At, s.Vendor.At) < end {
		return Refusal{Again: end}, false
	}
	return Refusal{Code: strconv.Itoa(int(s.Vendor.Value)), Advice: m.advice, Text: m.text}, true
}

// wasOther reports that another code was seen shortly before the press.
func (x Press) wasOther(code int32) bool {
	return x.Code.Fresh(x.At, codeLimit) && x.Code.Value != code
}

func readSince[T comparable](v elevator.Seen[T], at elevator.Instant) bool {
	return !v.Failed && v.At != 0 && v.At >= at
}

// answersCalls reports a controller of which some code refuses calls.
func (p *Profile) answersCalls() bool {
	for _, m := range p.errors {
		if m.calls != never {
			return true
		}
	}
	return false
}
