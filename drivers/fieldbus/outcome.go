package fieldbus

import (
	"errors"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// ClassOf is how urgent a verb is, and what it may end.
func ClassOf(v elevator.Verb) Class {
	switch v {
	case elevator.Lapse:
		return Stop
	case elevator.Hold:
		return Hold
	}
	return Call
}

// Outcome words the result for who asked. The code is the device's own, where its no
// is what decided.
func (r Result) Outcome(id elevator.CommandID) elevator.Outcome {
	o := elevator.Outcome{ID: id, Result: r.Result, Detail: r.Why, At: r.At}
	if r.Err != nil {
		o.Detail = r.Err.Error()
	}
	var no *Refusal
	if !errors.As(r.Err, &no) || r.Result != elevator.Refused && !no.Unclear {
		return o
	}
	o.Code, o.Advice = no.Code, advice(no.Kind)
	if no.Code == "" {
		o.Detail = no.Text
	}
	return o
}

func advice(kind error) elevator.Advice {
	switch {
	case errors.Is(kind, drivers.ErrBusy):
		return elevator.AdviceRetry
	case errors.Is(kind, drivers.ErrConfig):
		return elevator.AdviceConfig
	case errors.Is(kind, drivers.ErrDevice):
		return elevator.AdviceWait
	}
	return elevator.AdviceNone
}
