package fsm

import "strings"

// class says how a fault recovers when the robot is known outside.
type class uint8

const (
	retries class = iota // try again, counted
	waits                // wait for the cause to go, not counted
	ends                 // end the ride
	latches              // a person only
)

func (c Code) class() class {
	switch c {
	case Overload, Busy, StaleData, LinkLost, ModeInspection, ModeIndependent, OutOfService:
		return waits
	case CallRefused, RobotLost:
		return ends
	case ModeFire, ModeSeismic, EmergencyStop, Invariant:
		return latches
	}
	return retries
}

// base strips the controller's own code from a VENDOR fault.
func (c Code) base() Code {
	if strings.HasPrefix(string(c), string(Vendor)+":") {
		return Vendor
	}
	return c
}

// mode reports a fault that the mode of the lift is.
func (c Code) mode() bool {
	switch c {
	case ModeFire, ModeSeismic, ModeInspection, ModeIndependent, OutOfService, EmergencyStop:
		return true
	}
	return false
}
