package fsm

// Code is the code of a fault of a ride.
type Code string

const (
	NoFault         Code = ""
	CallNotAccepted Code = "CALL_NOT_ACCEPTED"
	CallRefused     Code = "CALL_REFUSED"
	ClaimRefused    Code = "CLAIM_REFUSED"
	WaitTimeout     Code = "WAIT_TIMEOUT"
	DoorClosedEarly Code = "DOOR_CLOSED_EARLY"
	BoardTimeout    Code = "BOARD_TIMEOUT"
	SignalConflict  Code = "SIGNAL_CONFLICT"
	TravelTimeout   Code = "TRAVEL_TIMEOUT"
	WrongFloor      Code = "WRONG_FLOOR"
	ExitTimeout     Code = "EXIT_TIMEOUT"
	LinkLost        Code = "LINK_LOST"
	StaleData       Code = "STALE"
	NetworkTimeout  Code = "NETWORK_TIMEOUT"
	Overload        Code = "OVERLOAD"
	Busy            Code = "BUSY"
	ModeFire        Code = "MODE_FIRE"
	ModeSeismic     Code = "MODE_SEISMIC"
	ModeInspection  Code = "MODE_INSPECTION"
	ModeIndependent Code = "MODE_INDEPENDENT"
	OutOfService    Code = "OUT_OF_SERVICE"
	EmergencyStop   Code = "EMERGENCY_STOP"
	RobotLost       Code = "ROBOT_LOST"
	IOError         Code = "IO_ERROR"
	RestartedCode   Code = "RESTARTED"
	StoreFault      Code = "STORE"
	Invariant       Code = "INVARIANT"
	Vendor          Code = "VENDOR" // the controller's own code follows: VENDOR:0x21
)

// faulty reports a ride that stands in a fault, locked or not.
func (r *Ride) faulty() bool { return r.State == Fault || r.State == FaultLocked }
