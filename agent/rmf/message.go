package rmf

// The messages of rmf_lift_msgs as JSON: names and numbers are theirs. A request's
// type and a state's mode number the same two words the other way round, so each
// has a type of its own.

// Time is builtin_interfaces/Time. The zero Time is none.
type Time struct {
	Sec     int32  `json:"sec"`
	Nanosec uint32 `json:"nanosec"`
}

// millis is epoch milliseconds.
func (t Time) millis() int64 { return int64(t.Sec)*1000 + int64(t.Nanosec)/1e6 }

// after orders two times.
func (t Time) after(u Time) bool {
	return t.Sec > u.Sec || t.Sec == u.Sec && t.Nanosec > u.Nanosec
}

// timeOf is the Time of epoch milliseconds.
func timeOf(ms int64) Time { return Time{Sec: int32(ms / 1000), Nanosec: uint32(ms%1000) * 1e6} }

// Door is a door_state. There is none for unknown: MOVING is what is neither open nor closed.
type Door int

const (
	DoorClosed Door = 0
	DoorMoving Door = 1
	DoorOpen   Door = 2
)

// Motion is a motion_state.
type Motion int

const (
	MotionStopped Motion = 0
	MotionUp      Motion = 1
	MotionDown    Motion = 2
	MotionUnknown Motion = 3
)

// Mode is a current_mode. Only HUMAN and AGV can be asked for.
type Mode int

const (
	ModeUnknown   Mode = 0
	ModeHuman     Mode = 1
	ModeAGV       Mode = 2
	ModeFire      Mode = 3
	ModeOffline   Mode = 4
	ModeEmergency Mode = 5
)

// RequestType is a request_type.
type RequestType int

const (
	EndSession   RequestType = 0
	RequestAGV   RequestType = 1
	RequestHuman RequestType = 2
)

// LiftState tells of one lift. Floors are labels; "" is a floor that is not known, or none.
type LiftState struct {
	LiftTime         Time     `json:"lift_time"`
	LiftName         string   `json:"lift_name"`
	AvailableFloors  []string `json:"available_floors"`
	CurrentFloor     string   `json:"current_floor"`
	DestinationFloor string   `json:"destination_floor"`
	DoorState        Door     `json:"door_state"`
	MotionState      Motion   `json:"motion_state"`
	AvailableModes   []Mode   `json:"available_modes"`
	CurrentMode      Mode     `json:"current_mode"`
	SessionID        string   `json:"session_id"`
}

// LiftRequest asks for a lift. DoorState is CLOSED or OPEN.
type LiftRequest struct {
	LiftName         string      `json:"lift_name"`
	RequestTime      Time        `json:"request_time"`
	SessionID        string      `json:"session_id"`
	RequestType      RequestType `json:"request_type"`
	DestinationFloor string      `json:"destination_floor"`
	DoorState        Door        `json:"door_state"`
}
