package localapi

import "time"

// The JSON of the local API. Ages are whole milliseconds at the time of the
// answer; floors are labels; a value that is not known is null or "unknown".
//
//	GET    /v1/lifts                       200 []Lift
//	GET    /v1/lifts/{lift}                200 Lift
//	GET    /v1/rides                       200 []Ride, as the view has them: running first
//	POST   /v1/rides             NewRide   201 Ride (200 when the same ride id asked before)
//	GET    /v1/rides/{ride}                200 Ride
//	PATCH  /v1/rides/{ride}        Change  200 Ride
//	DELETE /v1/rides/{ride}                202 Ride
//	GET    /v1/records                     200 []journal.Kept; a technician; ?limit=
//	GET    /v1/rides/{ride}/record         200 journal.Record; a technician, or the ride's own robot
//	GET    /v1/audit                       200 []audit.Entry; ?of=acts or outputs, ?limit=
//	POST   /v1/rides/{ride}/signals Signal 200 Ride
//	POST   /v1/rides/{ride}/reset   Reset  200 Ride
//	POST   /v1/robots/{robot}/heartbeat Signal 200 Heard
//	POST   /v1/robots/{robot}/task-finished Finished 202 TaskHeard
//	POST   /v1/webhooks/{lift}             a service's message; GET as well where it checks the address so
//	POST   /v1/webhooks/{lift}/enable      202 Push
//	POST   /v1/webhooks/{lift}/notices Notice 202 Push
//	GET    /v1/lifts/{lift}/outputs        200 Outputs
//	POST   /v1/lifts/{lift}/maintenance NewMaintenance 200 Lift
//	DELETE /v1/lifts/{lift}/maintenance    200 Lift
//	POST   /v1/lifts/{lift}/car-empty Attest 200 Lift
//	POST   /v1/areas/{area}/alarms/clear Attest 200 Cleared
//	POST   /v1/stop                NewStop 200 []Lift, every one
//	GET    /v1/shadow                      200 Shadow
//	GET    /v1/caller                      200 Caller
//	GET    /v1/events                      SSE: hello Hello, lift Lift, ride Ride, gone Gone, shadow Shadow
//	GET    /readyz                         200 or 503 Ready
//
// Every refusal is a Problem.

// Value is one value of a lift with its age and quality.
type Value struct {
	Value   any    `json:"value"`
	AgeMs   *int64 `json:"age_ms"` // null: never read
	Quality string `json:"quality" enum:"unknown,good,stale,failed"`
}

// Lift is one car.
type Lift struct {
	ID        string           `json:"id"`
	At        string           `json:"at"` // the wall clock at this answer or event, RFC 3339 with milliseconds
	Group     string           `json:"group,omitempty"`
	Link      string           `json:"link"`        // unknown, online, offline
	LinkAgeMs *int64           `json:"link_age_ms"` // since the link came or went
	HeardMs   *int64           `json:"heard_ms"`    // since anything was read; null: never
	Floors    []Landing        `json:"floors"`
	Floor     Value            `json:"floor"`
	Doors     map[string]Value `json:"doors"` // by side
	Motion    Value            `json:"motion"`
	Mode      Value            `json:"mode"`
	Position  Value            `json:"position_mm"`
	Load      Value            `json:"load_kg"`
	Overload  Value            `json:"overload"`
	Nudging   Value            `json:"nudging"`
	Obstacle  Value            `json:"obstruction"`
	Stop      Value            `json:"emergency_stop"`
	Calls     Calls            `json:"calls"`
	Vendor    Value            `json:"vendor_code"`
	Owner     *Owner           `json:"owner"`
	Occupied  bool             `json:"occupied"`
	Queue     []string         `json:"queue"`   // ride ids by place
	Waiting   []Waiting        `json:"waiting"` // the same with who and why
	Accepting bool             `json:"accepting"`
	Why       string           `json:"why,omitempty"` // why it is not accepting
	Alarms    []Alarm          `json:"alarms"`
	State     string           `json:"state"` // of the ride reported for this lift
	Phase     string           `json:"phase"`
	Push      *Push            `json:"push"` // null: nothing is pushed for this lift

	Area        string       `json:"area,omitempty"` // lifts of one area share its alarms
	Car         string       `json:"car,omitempty"`  // lifts (decks) that name the same are one car
	Deck        string       `json:"deck,omitempty"` // which of them
	Maintenance *Maintenance `json:"maintenance"`    // null: in use
	Stopped     *Stopped     `json:"stopped"`        // null: not; of this lift, or of all
	AreaAlarm   *AreaAlarm   `json:"area_alarm"`     // null: none; the gravest of its area

	Breach string `json:"breach,omitempty"` // the rule that was about to be broken: nothing is asked of the lift until its ride is reset
}

// Push is how a service's messages come for a lift.
type Push struct {
	_ struct{} `nullable:"true"`

	Verify       string     `json:"verify"`                             // sorted_md5, hmac_sha256, token, none
	Unsigned     bool       `json:"unsigned"`                           // messages without a signature are taken
	HeardMs      *int64     `json:"heard_ms"`                           // since a message was taken; null: never
	RepairedMs   *int64     `json:"repaired_ms"`                        // since everything was read anew; null: not yet
	State        string     `json:"state" enum:"yes,suspended,unknown"` // whether the service pushes, by its own word
	SuspendsInMs *int64     `json:"suspends_in_ms"`                     // until the service suspends the push; null: it does not
	Queue        int        `json:"queue"`
	Failing      float64    `json:"failing"` // part of the answers of five minutes that were no yes
	Counts       PushCounts `json:"counts"`
	Alarms       []Alarm    `json:"alarms"`
	CanEnable    bool       `json:"can_enable"`
	Steps        []string   `json:"steps"`     // what a person does to have a suspended push go on
	Confirmed    []string   `json:"confirmed"` // what the vendor has confirmed of its pushes

	silence time.Duration
}

// PushCounts counts messages since the start.
type PushCounts struct {
	Taken      uint64 `json:"taken"`
	Duplicates uint64 `json:"duplicates"`
	Foreign    uint64 `json:"foreign"`
	Other      uint64 `json:"other"`
	Refused    uint64 `json:"refused"`
	Checks     uint64 `json:"checks"`
	Late       uint64 `json:"late"`   // values that were older than what was known
	Turned     uint64 `json:"turned"` // for want of room
}

// Notice is the body of POST /v1/webhooks/{lift}/notices.
type Notice struct {
	Text string `json:"text" doc:"the vendor's own words"`
}

// Landing is one floor of a lift.
type Landing struct {
	Label string   `json:"label"`
	Doors []string `json:"doors"`
	// HeightMm is above the lowest landing, learned when the car stood here; null: not yet.
	HeightMm *int32 `json:"height_mm"`
}

// Calls are the registered calls, each a list of floor labels.
type Calls struct {
	Up   Value `json:"up"`
	Down Value `json:"down"`
	Car  Value `json:"car"`
}

// Owner holds the lease.
type Owner struct {
	_ struct{} `nullable:"true"`

	Ride  string `json:"ride"`
	Robot string `json:"robot"`
}

// Waiting is one place in a lift's queue.
type Waiting struct {
	Ride  string `json:"ride_id"`
	Robot string `json:"robot"`
	Place int    `json:"place"` // from 1
	Why   string `json:"why"`   // what it waits for
}

// Alarm stands until it is cleared.
type Alarm struct {
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
}

// Ride is one ride as its robot and people see it.
type Ride struct {
	ID         string       `json:"ride_id"`
	At         string       `json:"at"` // the wall clock at this answer or event, RFC 3339 with milliseconds
	Task       string       `json:"task_id,omitempty"`
	Robot      string       `json:"robot"`
	Lift       string       `json:"lift"`
	From       string       `json:"from"`
	To         string       `json:"to"`
	FromDoor   string       `json:"from_door"`
	ToDoor     string       `json:"to_door"`
	State      string       `json:"state" enum:"IDLE,REQUESTING,WAITING,MOVING,EXITING,DONE,FAULT,FAULT_LOCKED"`
	Phase      string       `json:"phase"`
	Place      int          `json:"place"`               // in the queue from 1; 0: not queued
	PlaceWhy   string       `json:"place_why,omitempty"` // what it waits for there
	EtaMs      *int64       `json:"eta_ms"`              // until the car is at from, as estimated; null: not known, or it is there
	CarWhy     string       `json:"car_why,omitempty"`   // why this lift, where the request left it open
	Priority   int          `json:"priority"`
	CrossingS  *float64     `json:"crossing_s"` // through one door line; null: not known
	Where      string       `json:"where" enum:"outside,crossing,inside,unknown"`
	Permit     *Permit      `json:"permit"`
	Withheld   []Unmet      `json:"withheld"`
	LeavePass  *LeavePass   `json:"leave_pass"`
	Do         Do           `json:"do"`
	DeadlineMs *int64       `json:"deadline_ms"` // left in this phase
	Retries    int          `json:"retries"`
	Fault      *Fault       `json:"fault"`
	Marks      []Transition `json:"transitions"`
}

// Permit lets the robot cross one door line; times are from receipt. In an event
// both times are zero: an event can wait in a buffer for any time, so a robot
// acts only on a permit that it fetched itself.
type Permit struct {
	_ struct{} `nullable:"true"`

	ID              string `json:"id"`
	Epoch           uint32 `json:"epoch"`
	Kind            string `json:"kind" enum:"enter,leave,back,evacuate"`
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
	_ struct{} `nullable:"true"`

	Floor      string `json:"floor"`
	Side       string `json:"side"`
	NotAfterMs int64  `json:"not_after_ms"`
}

// Do is the one thing to do.
type Do struct {
	Action  string `json:"do" enum:"wait,go_to,enter,stay,leave,back_off,clear_door,get_help"`
	Why     string `json:"why"`
	UntilMs *int64 `json:"until_ms"`
}

// Fault is the standing fault of a ride.
type Fault struct {
	_ struct{} `nullable:"true"`

	Code    string `json:"code"`
	No      int    `json:"no"`
	AgeMs   int64  `json:"age_ms"`
	Latched bool   `json:"latched"`
	Help    string `json:"help,omitempty"` // E-code for hoistway help
	Todo    string `json:"todo,omitempty"` // what a person should do
}

// Transition is one change of state.
type Transition struct {
	At    string `json:"at"` // RFC 3339 with milliseconds
	From  string `json:"from"`
	To    string `json:"to"`
	Phase string `json:"phase"`
	Why   string `json:"why"`
}

// NewRide is the body of POST /v1/rides.
type NewRide struct {
	ID       string `json:"ride_id,omitempty" doc:"your own id; the same id again is the same ride"`
	Task     string `json:"task_id,omitempty"`
	Robot    string `json:"robot,omitempty"` // a robot means itself when absent
	Lift     string `json:"lift,omitempty" doc:"a lift, or any; needed unless a group is named"`
	Group    string `json:"group,omitempty" doc:"whichever lift of this group is best"`
	From     string `json:"from"`
	To       string `json:"to"`
	FromDoor string `json:"from_door,omitempty" doc:"front, rear, left or right; the only or first door of the landing when absent"`
	ToDoor   string `json:"to_door,omitempty" doc:"as from_door"`
	Priority int    `json:"priority,omitempty"`
	Ready    *bool  `json:"ready,omitempty" doc:"the robot stands at the door; true when absent"`
	EtaS     *int   `json:"eta_s,omitempty" doc:"seconds until the robot is there; shown in place_why, it calls no car"`
	Crossing *int   `json:"crossing_s,omitempty" doc:"seconds that this robot takes through one door line"`
}

// Signal is the body of POST /v1/rides/{ride}/signals and, without kind and
// permit, of a robot's heartbeat.
type Signal struct {
	Kind      string    `json:"kind,omitempty" enum:"heartbeat,ready,entering,entered,leaving,left,gave_up_entering,gave_up_leaving,keep_open,stopped,cannot_move,cleared"`
	Boot      string    `json:"boot" doc:"another word after each start of the robot"`
	Seq       uint64    `json:"seq" doc:"counts up over all signals of one boot; a lower or equal one changes nothing"`
	AgeMs     int64     `json:"age_ms" doc:"how old the content is"`
	Where     string    `json:"where" enum:"landing,doorway,car,unknown"`
	Floor     string    `json:"floor,omitempty"`
	FloorSure bool      `json:"floor_sure,omitempty"`
	Motion    string    `json:"motion,omitempty" enum:"still,up,down,unknown"`
	OdoM      *float64  `json:"odo_m,omitempty"`
	SeesDoor  *SeesDoor `json:"sees_door,omitempty"`
	Permit    string    `json:"permit,omitempty" doc:"id of the permit that the robot acts on"`
	Battery   *int      `json:"battery,omitempty"`
}

// Reset is the body of POST /v1/rides/{ride}/reset: a person's word.
type Reset struct {
	RobotIs string `json:"robot_is" enum:"outside,removed,inside"`
	SeenBy  string `json:"seen_by,omitempty"`
}

// Heard answers a heartbeat with the robot's rides that have not ended.
type Heard struct {
	Robot string   `json:"robot"`
	Rides []string `json:"rides"`
}

// Finished is the body of POST /v1/robots/{robot}/task-finished: the job that a robot rode for
// has ended. A ride's DONE does not say so.
type Finished struct {
	Task   string `json:"task_id"`
	Result string `json:"result,omitempty" enum:"done,failed,cancelled"` // absent is done
}

// TaskHeard answers it, once it is stored.
type TaskHeard struct {
	Robot  string `json:"robot"`
	Task   string `json:"task_id"`
	Result string `json:"result"`
	Cloud  bool   `json:"cloud"` // there is one to be told
}

// Hello opens a stream of events. When it did not resume, the whole state
// follows, and what the reader knew before is void.
type Hello struct {
	Version string   `json:"version"`
	Resumed bool     `json:"resumed"`
	Now     string   `json:"now"` // RFC 3339 with milliseconds
	Robots  []string `json:"robots"`
}

// Caller is who the gateway takes the caller for, by its token.
type Caller struct {
	Role string `json:"role" enum:"viewer,robot,technician"`
	Name string `json:"name"` // of the robot or the technician; "" for a viewer
}

// Gone is the event of a ride that is no longer kept.
type Gone struct {
	Ride string `json:"ride_id"`
	At   string `json:"at"`
}

// Problem is every refusal, as application/problem+json (RFC 9457).
type Problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
	Code     string `json:"code"`            // E-code for hoistway help
	Field    string `json:"field,omitempty"` // JSON pointer into the body, or the name of a parameter
}

// SeesDoor is a door as the robot sees it.
type SeesDoor struct {
	Floor string `json:"floor"`
	Side  string `json:"side"`
	Open  bool   `json:"open"`
}

// Shadow is the answer of GET /v1/shadow.
type Shadow struct {
	At         string           `json:"at"`
	Configured bool             `json:"configured"` // a cloud is configured
	Connected  bool             `json:"connected"`
	Session    uint64           `json:"session"`
	Epoch      uint64           `json:"epoch"`
	Shadows    []ShadowDocument `json:"shadows"`
	Settings   []Setting        `json:"settings"`      // those that the cloud may change
	SetAside   string           `json:"set_aside_why"` // why stored settings of the cloud are not in force; "" when they are
	Beside     ShadowBeside     `json:"beside"`
}

// Setting is a value in force, and where it comes from.
type Setting struct {
	Path  string `json:"path"`
	Value any    `json:"value"` // null: none
	From  string `json:"from" enum:"file,cloud"`
	Batch string `json:"batch"` // by which it came; "" for none
	By    string `json:"by"`    // who has written it; "" for not told
}

// ShadowBeside is what goes to the cloud beside the documents.
type ShadowBeside struct {
	EventsWaiting  int    `json:"events_waiting"`   // not yet known to be had
	EventsDropped  uint64 `json:"events_dropped"`   // for want of room, since the start
	EventsHadMs    *int64 `json:"events_had_ms"`    // since the cloud last said that it had some; null: not since the start
	SamplesDropped uint64 `json:"samples_dropped"`  // of telemetry, since the start
	Commands       int    `json:"commands_waiting"` // under way, or answered and not yet heard
	DriftS         *int64 `json:"drift_s"`          // this machine's clock ahead of the cloud's; null: not known
}

// ShadowDocument is one document; name "" is the classic shadow.
type ShadowDocument struct {
	Name    string         `json:"name"`
	Version int64          `json:"version"`
	State   ShadowState    `json:"state"`
	Pending map[string]any `json:"pending"`
	Sync    string         `json:"sync" enum:"converged,settled,differs,unknown"`
	Updates int64          `json:"updates"`
}

// ShadowState is the public shape's state.
type ShadowState struct {
	Desired  map[string]any `json:"desired"`
	Reported map[string]any `json:"reported"`
	Delta    map[string]any `json:"delta"`
}

// Ready is the answer of GET /readyz.
type Ready struct {
	Ready   bool     `json:"ready"`
	Reasons []string `json:"reasons"`
}
