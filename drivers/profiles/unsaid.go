package profiles

import (
	"errors"

	"hoistway/fsm/elevator"
)

// Unsaid words what became of a command that [Profile.Encode] or [Profile.Ask] did not
// put into bytes. One that can never be is refused in the controller's place: a new one
// would fare no better.
func Unsaid(id elevator.CommandID, err error, now elevator.Instant) elevator.Outcome {
	o := elevator.Outcome{ID: id, Result: elevator.Refused, Advice: elevator.AdviceConfig, Detail: err.Error(), At: now}
	if errors.Is(err, ErrExpired) {
		o.Result, o.Advice = elevator.NotSent, elevator.AdviceNone
	}
	return o
}
