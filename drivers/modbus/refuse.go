package modbus

import (
	"errors"
	"fmt"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// exceptions says what the codes of the standard mean. A code that is not here
// is kept as it came.
var exceptions = map[byte]struct {
	text    string
	kind    error
	unclear bool
}{
	1:  {"the function is not known", drivers.ErrConfig, false},
	2:  {"the address is not known", drivers.ErrConfig, false},
	3:  {"the value is not allowed", drivers.ErrConfig, false},
	4:  {"the device failed", drivers.ErrDevice, false},
	5:  {"accepted, and takes long", drivers.ErrBusy, true},
	6:  {"busy", drivers.ErrBusy, false},
	8:  {"the device's memory failed", drivers.ErrDevice, false},
	10: {"the gateway has no path", drivers.ErrDevice, false},
	11: {"the device behind the gateway does not answer", drivers.ErrDevice, true},
}

func refusal(code byte) *fieldbus.Refusal {
	r := &fieldbus.Refusal{Code: fmt.Sprintf("0x%02X", code), Kind: drivers.ErrProtocol, Text: "exception of the device"}
	if x, ok := exceptions[code]; ok {
		r.Text, r.Kind, r.Unclear = x.text, x.kind, x.unclear
	}
	return r
}

// outcome words what became of a command.
func outcome(id elevator.CommandID, r fieldbus.Result) elevator.Outcome {
	o := elevator.Outcome{ID: id, Result: r.Result, Detail: r.Why, At: r.At}
	if r.Err != nil {
		o.Detail = r.Err.Error()
	}
	var no *fieldbus.Refusal
	if errors.As(r.Err, &no) {
		o.Code, o.Advice = no.Code, advice(no.Kind)
	}
	var call *refusedCall
	if errors.As(r.Err, &call) {
		o.Code, o.Advice = call.Code, call.Advice
	}
	return o
}

// unsaid words what became of a command that was not put into bytes. One that can
// never be is refused in the controller's place: a new one would fare no better.
func unsaid(id elevator.CommandID, err error, now elevator.Instant) elevator.Outcome {
	o := elevator.Outcome{ID: id, Result: elevator.Refused, Advice: elevator.AdviceConfig, Detail: err.Error(), At: now}
	if errors.Is(err, profiles.ErrExpired) {
		o.Result, o.Advice = elevator.NotSent, elevator.AdviceNone
	}
	return o
}

func advice(kind error) elevator.Advice {
	switch kind {
	case drivers.ErrBusy:
		return elevator.AdviceRetry
	case drivers.ErrConfig:
		return elevator.AdviceConfig
	case drivers.ErrDevice:
		return elevator.AdviceWait
	}
	return elevator.AdviceNone
}
