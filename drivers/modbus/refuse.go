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
	10: {"the gateway has no path to the unit: look at its own table of units and lines", drivers.ErrDevice, false},
	11: {"the device behind the gateway does not answer", drivers.ErrDevice, true},
}

func refusal(code byte) *fieldbus.Refusal {
	r := &fieldbus.Refusal{Code: fmt.Sprintf("0x%02X", code), Kind: drivers.ErrProtocol, Text: "exception of the device"}
	if x, ok := exceptions[code]; ok {
		r.Text, r.Kind, r.Unclear = x.text, x.kind, x.unclear
	}
	return r
}

// hint adds to a refused write where in the profile another way of saying it is, or
// that the device may be locked. The other way is never tried by itself: that would be
// a second press.
func hint(err error, x profiles.Write) error {
	var no *fieldbus.Refusal
	if !errors.As(err, &no) || no.Code != "0x01" && no.Code != "0x02" {
		return err
	}
	one, several := 6, 16
	if x.Table == profiles.Coils {
		one, several = 5, 15
	}
	switch {
	case len(x.Values) > 1:
		no.Text += fmt.Sprintf("; function %d was used", several)
	case x.Multi:
		no.Text += fmt.Sprintf("; function %d was used, multi: false in the profile's write uses %d", several, one)
	default:
		no.Text += fmt.Sprintf("; function %d was used, multi: true in the profile's write uses %d", one, several)
	}
	if no.Code == "0x01" {
		no.Text += "; or writing is not licensed or not allowed on the controller"
	}
	return err
}

// outcome words what became of a command.
func outcome(id elevator.CommandID, r fieldbus.Result) elevator.Outcome {
	o := r.Outcome(id)
	var call *refusedCall
	if errors.As(r.Err, &call) {
		o.Code, o.Advice = call.Code, call.Advice
	}
	return o
}
