package opcua

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// name is a status as the standard calls it: BadNotWritable; or its number.
func name(c ua.StatusCode) string {
	if d, ok := ua.StatusCodes[c]; ok {
		return strings.TrimPrefix(d.Name, "Status")
	}
	return fmt.Sprintf("0x%08X", uint32(c))
}

func good(c ua.StatusCode) bool { return c>>30 == 0 }

// leavesOpen reports a status that leaves it open whether a write reached the controller.
func leavesOpen(c ua.StatusCode) bool {
	return c>>30 == 1 || slices.Contains([]ua.StatusCode{
		ua.StatusGoodCompletesAsynchronously, ua.StatusGoodClamped, ua.StatusBadTimeout, ua.StatusBadRequestTimeout,
		ua.StatusBadCommunicationError, ua.StatusBadUnexpectedError, ua.StatusBadInternalError, ua.StatusBadConnectionClosed,
		ua.StatusBadRequestInterrupted, ua.StatusBadRequestCancelledByClient, ua.StatusBadRequestCancelledByRequest,
		ua.StatusBadShutdown, ua.StatusBadOutOfMemory, ua.StatusBad, ua.StatusBadDeviceFailure, ua.StatusBadSensorFailure,
	}, c)
}

// forGood are refusals that no waiting mends.
func forGood(c ua.StatusCode) bool {
	return slices.Contains([]ua.StatusCode{
		ua.StatusBadNodeIDUnknown, ua.StatusBadNodeIDInvalid, ua.StatusBadNotWritable, ua.StatusBadUserAccessDenied,
		ua.StatusBadTypeMismatch, ua.StatusBadOutOfRange, ua.StatusBadAttributeIDInvalid, ua.StatusBadWriteNotSupported,
		ua.StatusBadMethodInvalid, ua.StatusBadArgumentsMissing, ua.StatusBadInvalidArgument, ua.StatusBadServiceUnsupported,
		ua.StatusBadNotExecutable, ua.StatusBadNotImplemented, ua.StatusBadNotSupported,
	}, c)
}

// answered words what the server said of a write or a call.
func (l *link) answered(id elevator.CommandID, c ua.StatusCode) elevator.Outcome {
	o := elevator.Outcome{ID: id, At: l.env.Now()}
	switch {
	case leavesOpen(c):
		o.Code, o.Detail = name(c), "the server does not say whether it was carried out"
		return o
	case good(c):
		o.Result = elevator.Done
		return o
	}
	o.Result, o.Code = elevator.Refused, name(c)
	if forGood(c) {
		o.Advice = elevator.AdviceConfig
	}
	if d, ok := ua.StatusCodes[c]; ok {
		o.Detail = d.Text
	}
	if advice, text := l.prof.Meaning(o.Code); text != "" {
		o.Advice, o.Detail = advice, text
	}
	return o
}

// failed words a write or a call that was not answered as it should be. left: a message
// went out meanwhile.
func (l *link) failed(id elevator.CommandID, err error, left bool) elevator.Outcome {
	var c ua.StatusCode
	if errors.As(err, &c) && !leavesOpen(c) && c != ua.StatusBadServerNotConnected && left {
		return l.answered(id, c)
	}
	o := elevator.Outcome{ID: id, At: l.env.Now(), Detail: err.Error()}
	if !left {
		o.Result = elevator.NotSent
	}
	return o
}

// kindOfRead sorts an error of a read.
func kindOfRead(err error) error {
	var c ua.StatusCode
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &c) && c == ua.StatusBadTimeout:
		return drivers.ErrTimeout
	case errors.Is(err, drivers.ErrProtocol), errors.Is(err, ua.StatusBadDecodingError):
		return drivers.ErrProtocol
	case errors.As(err, &c) && forGood(c):
		return drivers.ErrConfig
	case errors.As(err, &c) && c != ua.StatusBadServerNotConnected:
		return drivers.ErrDevice
	case errors.Is(err, io.EOF):
		return drivers.ErrLink
	}
	return drivers.ErrLink
}
