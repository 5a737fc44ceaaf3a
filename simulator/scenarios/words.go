package scenarios

import (
	"strings"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
)

// The words of the local API that conditions may name. A ride is known here by
// what its robot may read of it; a test compares these lists with the ride machine.

func stateWords() []string {
	return []string{"IDLE", "REQUESTING", "WAITING", "MOVING", "EXITING", "DONE", "FAULT", "FAULT_LOCKED"}
}

func phaseWords() []string {
	return []string{
		"free", "queued", "standby", "claiming", "calling", "called", "boarding", "registering", "riding", "returning",
		"leaving", "arrived", "returned", "evacuated", "cancelled", "expired", "failed", "recovering", "locked",
	}
}

func codeWords() []string {
	return []string{
		"CALL_NOT_ACCEPTED", "CALL_REFUSED", "CLAIM_REFUSED", "WAIT_TIMEOUT", "DOOR_CLOSED_EARLY", "BOARD_TIMEOUT",
		"SIGNAL_CONFLICT", "TRAVEL_TIMEOUT", "WRONG_FLOOR", "EXIT_TIMEOUT", "LINK_LOST", "STALE", "NETWORK_TIMEOUT",
		"OVERLOAD", "BUSY", "MODE_FIRE", "MODE_SEISMIC", "MODE_INSPECTION", "MODE_INDEPENDENT", "OUT_OF_SERVICE",
		"EMERGENCY_STOP", "ROBOT_LOST", "IO_ERROR", "RESTARTED", "STORE", "INVARIANT", "VENDOR",
	}
}

// alarmWords are the alarms that are no fault of a ride.
func alarmWords() []string { return append([]string{"DOOR_OPEN", "ROBOT_STUCK"}, codeWords()...) }

func whereWords() []string { return []string{"outside", "crossing", "inside", "unknown"} }

func permitWords() []string { return []string{"enter", "leave", "back", "evacuate", "none", "any"} }

func doWords() []string {
	return []string{"wait", "go_to", "enter", "stay", "leave", "back_off", "clear_door", "get_help"}
}

func sayWords() []string {
	return []string{
		"heartbeat", "ready", "entering", "entered", "leaving", "left", "gave_up_entering", "gave_up_leaving",
		"keep_open", "stopped", "cannot_move", "cleared",
	}
}

// claimWords are the signals of a robot that a fleet may stand in for.
func claimWords() []string { return []string{"entered", "left", "gave_up_entering"} }

func areaAlarmWords() []string { return []string{"fire", "seismic"} }

func resetWords() []string { return []string{"outside", "removed", "inside"} }

func linkWords() []string { return []string{"connecting", "online", "degraded", "offline", "unknown"} }

func askedWords() []string {
	return []string{"landing-call", "car-call", "hold", "cancel", "claim", "give-back", "anything"}
}

func modeWords() []string { return elevator.ModeNames()[1:] }

func doorWords() []string { return elevator.DoorNames()[1:] }

func sideWords() []string { return elevator.SideNames()[1:] }

// The one site that there is.

func siteWords() []string { return []string{"bench"} }

func liftWords() []string { return []string{"L1", "L2"} }

func robotWords() []string { return []string{"R1", "R2"} }

func landingWords() []string { return []string{"B1", "G", "1", "2", "3"} }

// hint names the word that was most likely meant, else all that would fit.
func hint(word string, fit []string) string {
	switch meant := faults.DidYouMean(word, fit); {
	case meant != "":
		return meant
	case len(fit) == 0:
		return ""
	case len(fit) == 1:
		return "here goes " + fit[0]
	}
	return "here goes one of " + strings.Join(fit, ", ")
}
