package wire

// Ride is one ride: GET /v1/rides/{ride}, the answer to what changes it, and the
// event ride, in which permit and leave pass have no times.
type Ride struct {
	ID          string       `json:"ride_id"`
	At          string       `json:"at"` // the other side\'s wall clock, RFC 3339
	Task        string       `json:"task_id,omitempty"`
	Robot       string       `json:"robot"`
	Lift        string       `json:"lift"`
	From        string       `json:"from"`
	To          string       `json:"to"`
	FromDoor    string       `json:"from_door"`
	ToDoor      string       `json:"to_door"`
	State       string       `json:"state"`
	Phase       string       `json:"phase"`
	Place       int          `json:"place"`
	PlaceWhy    string       `json:"place_why,omitempty"`
	EtaMs       *int64       `json:"eta_ms"` // until the car is at From, as estimated
	CarWhy      string       `json:"car_why,omitempty"`
	Priority    int          `json:"priority"`
	CrossingS   *float64     `json:"crossing_s"`
	Where       string       `json:"where"`
	Permit      *Permit      `json:"permit"`
	Withheld    []Unmet      `json:"withheld"`
	LeavePass   *LeavePass   `json:"leave_pass"`
	Do          Do           `json:"do"`
	DeadlineMs  *int64       `json:"deadline_ms"`
	Retries     int          `json:"retries"`
	Fault       *Fault       `json:"fault"`
	Transitions []Transition `json:"transitions"`
}

// Permit lets the robot cross one door line; its times count from receipt.
type Permit struct {
	ID              string `json:"id"`
	Epoch           uint32 `json:"epoch"`
	Kind            string `json:"kind"`
	Floor           string `json:"floor"`
	Side            string `json:"side"`
	StartWithinMs   int64  `json:"start_within_ms"`
	ThroughWithinMs int64  `json:"through_within_ms"`
}

// Unmet is a part that a permit lacks.
type Unmet struct {
	Part   string `json:"part"`
	Want   string `json:"want"`
	Seen   string `json:"seen"`
	Source string `json:"source"`
}

// LeavePass is for a robot inside that has lost its link.
type LeavePass struct {
	Floor      string `json:"floor"`
	Side       string `json:"side"`
	NotAfterMs int64  `json:"not_after_ms"`
}

// Do is the one thing to do.
type Do struct {
	Do      string `json:"do"`
	Why     string `json:"why"`
	UntilMs *int64 `json:"until_ms"`
}

// Fault is the standing fault of a ride.
type Fault struct {
	Code    string `json:"code"`
	No      int    `json:"no"`
	AgeMs   int64  `json:"age_ms"`
	Latched bool   `json:"latched"`
	Help    string `json:"help,omitempty"`
	Todo    string `json:"todo,omitempty"`
}

// Transition is one change of state.
type Transition struct {
	At    string `json:"at"` // RFC 3339
	From  string `json:"from"`
	To    string `json:"to"`
	Phase string `json:"phase"`
	Why   string `json:"why"`
}

// NewRide is the body of POST /v1/rides.
type NewRide struct {
	ID        string `json:"ride_id,omitempty"`
	Task      string `json:"task_id,omitempty"`
	Robot     string `json:"robot,omitempty"`
	Lift      string `json:"lift,omitempty"`
	Group     string `json:"group,omitempty"`
	From      string `json:"from"`
	To        string `json:"to"`
	FromDoor  string `json:"from_door,omitempty"`
	ToDoor    string `json:"to_door,omitempty"`
	Priority  int    `json:"priority,omitempty"`
	Ready     *bool  `json:"ready,omitempty"`
	EtaS      *int   `json:"eta_s,omitempty"`
	CrossingS *int   `json:"crossing_s,omitempty"`
}

// Change is the body of PATCH /v1/rides/{ride}.
type Change struct {
	To     string `json:"to"`
	ToDoor string `json:"to_door,omitempty"`
	Aboard bool   `json:"aboard,omitempty"`
}

// Signal is the body of POST /v1/rides/{ride}/signals and, without Kind and Permit,
// of POST /v1/robots/{robot}/heartbeat.
type Signal struct {
	Kind      string    `json:"kind,omitempty"`
	Boot      string    `json:"boot"`
	Seq       uint64    `json:"seq"`
	AgeMs     int64     `json:"age_ms"`
	Where     string    `json:"where"`
	Floor     string    `json:"floor,omitempty"`
	FloorSure bool      `json:"floor_sure,omitempty"`
	Motion    string    `json:"motion,omitempty"`
	OdoM      *float64  `json:"odo_m,omitempty"`
	SeesDoor  *SeesDoor `json:"sees_door,omitempty"`
	Permit    string    `json:"permit,omitempty"`
	Battery   *int      `json:"battery,omitempty"`
}

// SeesDoor is a door as the robot sees it.
type SeesDoor struct {
	Floor string `json:"floor"`
	Side  string `json:"side"`
	Open  bool   `json:"open"`
}

// Heard answers a heartbeat with the robot's rides that have not ended.
type Heard struct {
	Robot string   `json:"robot"`
	Rides []string `json:"rides"`
}
