package explain

import "strings"

// faults pairs each fault code of a ride with the error code that explains it.
var faults = []struct{ fault, code string }{
	{"CALL_NOT_ACCEPTED", "E-5001"},
	{"CALL_REFUSED", "E-5002"},
	{"CLAIM_REFUSED", "E-5003"},
	{"WAIT_TIMEOUT", "E-5004"},
	{"DOOR_CLOSED_EARLY", "E-5005"},
	{"BOARD_TIMEOUT", "E-5006"},
	{"SIGNAL_CONFLICT", "E-5007"},
	{"TRAVEL_TIMEOUT", "E-5008"},
	{"WRONG_FLOOR", "E-5009"},
	{"EXIT_TIMEOUT", "E-5010"},
	{"LINK_LOST", "E-5011"},
	{"STALE", "E-5012"},
	{"NETWORK_TIMEOUT", "E-5013"},
	{"OVERLOAD", "E-5014"},
	{"BUSY", "E-5015"},
	{"MODE_FIRE", "E-5016"},
	{"MODE_SEISMIC", "E-5017"},
	{"MODE_INSPECTION", "E-5018"},
	{"MODE_INDEPENDENT", "E-5019"},
	{"OUT_OF_SERVICE", "E-5020"},
	{"EMERGENCY_STOP", "E-5021"},
	{"ROBOT_LOST", "E-5022"},
	{"IO_ERROR", "E-5023"},
	{"RESTARTED", "E-5024"},
	{"STORE", "E-5025"},
	{"INVARIANT", "E-5026"},
	{"VENDOR", "E-5027"},
	// Why a lift takes no ride though its controller would.
	{"MAINTENANCE", "E-5028"},
	{"STOPPED", "E-5029"},
	{"DRILL", "E-5030"},
}

// ForFault gives the code that explains a fault of a ride, or "" for a fault that
// is not known. What a controller said of itself may follow a colon (VENDOR:0x21).
func ForFault(fault string) string {
	name, _, _ := strings.Cut(fault, ":")
	for _, f := range faults {
		if f.fault == name {
			return f.code
		}
	}
	return ""
}

func faultOf(code string) string {
	for _, f := range faults {
		if f.code == code {
			return f.fault
		}
	}
	return ""
}
