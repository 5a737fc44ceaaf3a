package rest

import (
	"errors"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// outcome words what became of a message of a command.
func (s *spec) outcome(id elevator.CommandID, a answer, err error) elevator.Outcome {
	o := elevator.Outcome{ID: id, At: s.env.Now()}
	if err != nil {
		o.Detail = err.Error()
	}
	switch {
	case errors.Is(err, drivers.ErrNotSent), err != nil && !a.left:
		o.Result = elevator.NotSent
		return o
	case a.Kind == profiles.AnswerGarbage:
		return o
	case a.Kind == profiles.AnswerGood:
		o.Result = elevator.Done
		return o
	}
	o.Result, o.Code = elevator.Refused, a.Code
	o.Advice = map[profiles.AnswerKind]elevator.Advice{
		profiles.AnswerBusy: elevator.AdviceRetry, profiles.AnswerDenied: elevator.AdviceRetry,
		profiles.AnswerConfig: elevator.AdviceConfig, profiles.AnswerDevice: elevator.AdviceWait,
	}[a.Kind]
	if advice, text := s.prof.Meaning(a.Code); text != "" {
		o.Advice, o.Detail = advice, text+" ("+o.Detail+")"
	}
	return o
}
