package robots

// The words of the local API, as its description gives them.
const (
	stateDone   = "DONE"
	stateLocked = "FAULT_LOCKED"

	atLanding = "landing"
	atDoorway = "doorway"
	inCar     = "car"
	nowhere   = "unknown"

	kindHeartbeat      = "heartbeat"
	kindReady          = "ready"
	kindEntering       = "entering"
	kindEntered        = "entered"
	kindLeaving        = "leaving"
	kindLeft           = "left"
	kindGaveUpEntering = "gave_up_entering"
	kindGaveUpLeaving  = "gave_up_leaving"

	doGoTo    = "go_to"
	doEnter   = "enter"
	doLeave   = "leave"
	doBackOff = "back_off"
	doClear   = "clear_door"
)

// ride is what a robot reads of a ride.
type ride struct {
	ID       string  `json:"ride_id"`
	Lift     string  `json:"lift"`
	From     string  `json:"from"`
	FromDoor string  `json:"from_door"`
	ToDoor   string  `json:"to_door"`
	State    string  `json:"state"`
	Phase    string  `json:"phase"`
	Where    string  `json:"where"`
	Permit   *permit `json:"permit"`
	Pass     *pass   `json:"leave_pass"`
	Do       struct {
		Do  string `json:"do"`
		Why string `json:"why"`
	} `json:"do"`
	Fault *struct {
		Code string `json:"code"`
	} `json:"fault"`
}

type permit struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Floor   string `json:"floor"`
	Side    string `json:"side"`
	Start   int64  `json:"start_within_ms"`
	Through int64  `json:"through_within_ms"`
}

// pass is for a robot in the car that hears nobody any more.
type pass struct {
	Floor    string `json:"floor"`
	Side     string `json:"side"`
	NotAfter int64  `json:"not_after_ms"`
}

// signal is whole and dated: what it says does not lean on any signal before it.
type signal struct {
	Kind      string `json:"kind,omitempty"`
	Boot      string `json:"boot"`
	Seq       uint64 `json:"seq"`
	AgeMs     int64  `json:"age_ms"`
	Where     string `json:"where"`
	Floor     string `json:"floor,omitempty"`
	FloorSure bool   `json:"floor_sure,omitempty"`
	Motion    string `json:"motion,omitempty"`
	SeesDoor  *door  `json:"sees_door,omitempty"`
	Permit    string `json:"permit,omitempty"`
}

type door struct {
	Floor string `json:"floor"`
	Side  string `json:"side"`
	Open  bool   `json:"open"`
}

type newRide struct {
	ID       string `json:"ride_id"`
	Robot    string `json:"robot"`
	Lift     string `json:"lift,omitempty"`
	From     string `json:"from"`
	To       string `json:"to"`
	FromDoor string `json:"from_door,omitempty"`
	ToDoor   string `json:"to_door,omitempty"`
	Ready    bool   `json:"ready"`
	Priority int    `json:"priority,omitempty"`
}
