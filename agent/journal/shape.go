package journal

// Schema names the shape of an exported record. It grows by new keys only; anything
// else gets another number.
const Schema = "hoistway.record/1"

// Record is the record of one ride, as one JSON document. In each lane t_ms are the
// milliseconds since the record began, by the machine's steady clock (over a reboot by
// wall time), until_ms the end of what lasted, null for what lasts still. Times as text
// are UTC. What is not known is "unknown", "" or null.
type Record struct {
	Schema     string        `json:"schema"`
	ExportedAt string        `json:"exported_at"`
	Agent      RecordAgent   `json:"agent"`
	Ride       RecordRide    `json:"ride"`
	Profile    RecordProfile `json:"profile"`
	Running    bool          `json:"running"`
	Faulted    bool          `json:"faulted"`
	State      string        `json:"state"`
	Phase      string        `json:"phase"`
	LastFault  string        `json:"last_fault"`
	StartedAt  string        `json:"started_at"`
	EndedAt    *string       `json:"ended_at"`
	SpanMs     float64       `json:"span_ms"`
	Bytes      int64         `json:"bytes" doc:"on the disk"`
	Damage     []string      `json:"damage"`
	Floors     []RecordFloor `json:"floors" doc:"bottom to top"`
	Lanes      Lanes         `json:"lanes"`
}

// RecordAgent is who exported.
type RecordAgent struct {
	Version string `json:"version"`
	Serial  string `json:"serial"`
}

// RecordRide is what was asked for.
type RecordRide struct {
	ID         string `json:"id"`
	Task       string `json:"task"`
	Robot      string `json:"robot"`
	Lift       string `json:"lift"`
	From       string `json:"from"`
	To         string `json:"to"`
	FromDoor   string `json:"from_door"`
	ToDoor     string `json:"to_door"`
	CrossingMs int64  `json:"crossing_ms"`
}

// RecordProfile is by what the lift was driven.
type RecordProfile struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
	Link string `json:"link"`
}

// RecordFloor is one landing.
type RecordFloor struct {
	Label string   `json:"label"`
	Doors []string `json:"doors"`
}

// Lanes are the rows of the time line, each sorted by time; never null.
type Lanes struct {
	State    []StateSpan   `json:"state"`
	Robot    []RobotSpan   `json:"robot"`
	Permit   []PermitSpan  `json:"permit"`
	Commands []CommandSpan `json:"commands"`
	Door     []DoorSpan    `json:"door"`
	Floor    []FloorSpan   `json:"floor"`
	Motion   []MotionSpan  `json:"motion"`
	Lift     []LiftSpan    `json:"lift"`
	Signals  []SignalMark  `json:"signals"`
	Orders   []OrderMark   `json:"orders"`
	Alarms   []AlarmSpan   `json:"alarms"`
	Frames   []FrameMark   `json:"frames"`
	Notes    []NoteMark    `json:"notes"`
}

// TimeMark is a moment.
type TimeMark struct {
	TMs float64 `json:"t_ms"`
	At  string  `json:"at"`
}

// TimeSpan is a stretch of time.
type TimeSpan struct {
	TimeMark
	UntilMs *float64 `json:"until_ms"`
}

// StateSpan is a state and phase of the ride.
type StateSpan struct {
	TimeSpan
	From    string `json:"from"`
	State   string `json:"state"`
	Phase   string `json:"phase"`
	RobotIs string `json:"robot_is"`
	Why     string `json:"why"`
	Fault   string `json:"fault"`
}

// RobotSpan is where the robot is known to be.
type RobotSpan struct {
	TimeSpan
	Where string `json:"where" enum:"outside,crossing,inside,unknown"`
}

// PermitSpan is a permit that stands, or that is withheld and why.
type PermitSpan struct {
	TimeSpan
	Status  string        `json:"status" enum:"granted,withheld"`
	ID      string        `json:"id"`
	Kind    string        `json:"kind"`
	Floor   string        `json:"floor"`
	Side    string        `json:"side"`
	Epoch   uint32        `json:"epoch"`
	Missing []MissingPart `json:"missing"`
}

// MissingPart is one part that a permit lacks.
type MissingPart struct {
	Part   string `json:"part"`
	Want   string `json:"want"`
	Seen   string `json:"seen"`
	Source string `json:"source"`
}

// CommandSpan is a command from the moment that it was handed over to its outcome.
type CommandSpan struct {
	TimeSpan
	ID        string   `json:"id"`
	N         uint32   `json:"n"`
	Verb      string   `json:"verb"`
	Floor     string   `json:"floor"`
	To        string   `json:"to"`
	Side      string   `json:"side"`
	Direction string   `json:"direction"`
	Notice    string   `json:"notice"`
	Reason    string   `json:"reason"`
	Urgent    bool     `json:"urgent"`
	MayClose  bool     `json:"may_close"`
	LivesMs   *int64   `json:"lives_ms"`
	Result    string   `json:"result" enum:"done,refused,not_sent,unknown,pending"`
	Code      string   `json:"code"`
	Detail    string   `json:"detail"`
	TookMs    *float64 `json:"took_ms"`
}

// DoorSpan is how one door was seen.
type DoorSpan struct {
	TimeSpan
	Side   string `json:"side"`
	Door   string `json:"door"`
	Source string `json:"source"`
}

// FloorSpan is where the car was seen, "" for a place that is not known.
type FloorSpan struct {
	TimeSpan
	Floor  string `json:"floor"`
	Source string `json:"source"`
}

// MotionSpan is what the car did.
type MotionSpan struct {
	TimeSpan
	Motion string `json:"motion"`
}

// LiftSpan is the link to the lift and its mode.
type LiftSpan struct {
	TimeSpan
	Link string `json:"link"`
	Mode string `json:"mode"`
}

// SignalMark is what the robot said.
type SignalMark struct {
	TimeMark
	Kind      string    `json:"kind"`
	Boot      string    `json:"boot"`
	Seq       uint64    `json:"seq"`
	AgeMs     int64     `json:"age_ms"`
	Where     string    `json:"where"`
	Floor     string    `json:"floor"`
	FloorSure bool      `json:"floor_sure"`
	Motion    string    `json:"motion"`
	OdoM      float64   `json:"odo_m"`
	SeesDoor  *SeenDoor `json:"sees_door"`
	Permit    string    `json:"permit"`
	Battery   *int      `json:"battery"`
}

// SeenDoor is a door by the robot's own eyes.
type SeenDoor struct {
	_ struct{} `nullable:"true"`

	Floor string `json:"floor"`
	Side  string `json:"side"`
	Open  string `json:"open"`
}

// OrderMark is what somebody asked.
type OrderMark struct {
	TimeMark
	Who    string `json:"who"`
	What   string `json:"what"`
	Detail string `json:"detail"`
	Result string `json:"result"`
	Code   string `json:"code"`
}

// AlarmSpan is an alarm while it stood.
type AlarmSpan struct {
	TimeSpan
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// FrameMark is what passed on the line around a command.
type FrameMark struct {
	TimeMark
	Line    string `json:"line"`
	Out     bool   `json:"out"`
	Hex     string `json:"hex"`
	Bytes   int    `json:"bytes" doc:"of the whole frame"`
	Cut     bool   `json:"cut"`
	Note    string `json:"note"`
	Command uint32 `json:"command"`
}

// NoteMark tells of the recording itself, and what else is worth a word.
type NoteMark struct {
	TimeMark
	Kind string `json:"kind" enum:"run,gap,note"`
	Text string `json:"text"`
	Lost uint64 `json:"lost"`
}
