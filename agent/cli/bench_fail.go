package cli

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"hoistway/agent/commission"
	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
)

// lineFault gives what went wrong with a controller its code.
func lineFault(err error) error {
	var f *failure
	if err == nil || errors.As(err, &f) {
		return err
	}
	code, exit := lineCode(err)
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if code == codeQuestion {
		text = strings.TrimPrefix(text, drivers.ErrConfig.Error()+": ") // which blames the controller
	}
	return &failure{exit: exit, code: code, text: text, err: err}
}

func lineCode(err error) (code string, exit int) {
	var no *fieldbus.Refusal
	switch {
	case errors.Is(err, commission.ErrSpec):
		return codeLink, exitUsage
	case errors.Is(err, fs.ErrPermission):
		return "E-6008", exitReach
	case errors.Is(err, syscall.EBUSY), strings.Contains(err.Error(), "port busy"):
		return "E-6009", exitReach
	case errors.Is(err, drivers.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return "E-6002", exitReach
	case errors.As(err, &no) && errors.Is(err, drivers.ErrConfig):
		return "E-6005", exitFinding
	case errors.Is(err, drivers.ErrBusy):
		return "E-6006", exitFinding
	case errors.Is(err, drivers.ErrDevice):
		return "E-6007", exitFinding
	case errors.Is(err, drivers.ErrConfig), errors.Is(err, drivers.ErrNotCapable):
		return codeQuestion, exitUsage
	case errors.Is(err, drivers.ErrProtocol):
		return "E-6003", exitFinding
	}
	return "E-6001", exitReach
}
