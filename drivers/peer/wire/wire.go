// Package wire is the JSON of a gateway's local API as the other side of it sees it.
//
// It is written from the public description, not from the program behind it: a test
// in agent/localapi holds the two against each other, both ways. Ages and times left
// are whole milliseconds; floors are labels; what is not known is null or "unknown".
// Decoding takes keys that are not here, since a newer gateway may tell more.
package wire

// Value is one value of a lift with its age and quality. Value is nil where it is not
// known, Age where it was never read.
type Value[T any] struct {
	Value   *T     `json:"value"`
	AgeMs   *int64 `json:"age_ms"`
	Quality string `json:"quality"` // unknown, good, stale, failed
}

// Lift is one car: GET /v1/lifts/{lift}, and the event lift.
type Lift struct {
	ID            string                   `json:"id"`
	At            string                   `json:"at"` // the other side\'s wall clock, RFC 3339
	Group         string                   `json:"group,omitempty"`
	Link          string                   `json:"link"` // unknown, online, offline
	LinkAgeMs     *int64                   `json:"link_age_ms"`
	HeardMs       *int64                   `json:"heard_ms"`
	Floors        []Landing                `json:"floors"`
	Floor         Value[string]            `json:"floor"`
	Doors         map[string]Value[string] `json:"doors"` // by side
	Motion        Value[string]            `json:"motion"`
	Mode          Value[string]            `json:"mode"`
	PositionMm    Value[int32]             `json:"position_mm"`
	LoadKg        Value[int32]             `json:"load_kg"`
	Overload      Value[bool]              `json:"overload"`
	Nudging       Value[bool]              `json:"nudging"`
	Obstruction   Value[bool]              `json:"obstruction"`
	EmergencyStop Value[bool]              `json:"emergency_stop"`
	Calls         Calls                    `json:"calls"`
	VendorCode    Value[int32]             `json:"vendor_code"`
	Owner         *Owner                   `json:"owner"`
	Occupied      bool                     `json:"occupied"`
	Queue         []string                 `json:"queue"`
	Waiting       []Waiting                `json:"waiting"`
	Accepting     bool                     `json:"accepting"`
	Why           string                   `json:"why,omitempty"`
	Alarms        []Alarm                  `json:"alarms"`
	State         string                   `json:"state"`
	Phase         string                   `json:"phase"`
	Push          *Push                    `json:"push"` // nil: the controller pushes nothing

	Area        string       `json:"area,omitempty"` // lifts of one area share its alarms
	Car         string       `json:"car,omitempty"`  // decks that name the same are one car
	Deck        string       `json:"deck,omitempty"`
	Maintenance *Maintenance `json:"maintenance"` // nil: in use
	Stopped     *Stopped     `json:"stopped"`     // nil: not stopped by a person
	AreaAlarm   *AreaAlarm   `json:"area_alarm"`  // nil: none

	Breach string `json:"breach,omitempty"`
}

// Maintenance is why a lift takes no ride. Until is nil where a person must end it; times
// are of the other side's wall clock, RFC 3339.
type Maintenance struct {
	By    string  `json:"by"`
	Why   string  `json:"why,omitempty"`
	Since string  `json:"since"`
	Until *string `json:"until"`
}

// Stopped is a person's stop of the gateway at a lift.
type Stopped struct {
	By    string `json:"by"`
	Why   string `json:"why,omitempty"`
	Since string `json:"since"`
}

// AreaAlarm is what a lift's area is warned of.
type AreaAlarm struct {
	Kind    string `json:"kind"` // fire, seismic
	Drill   bool   `json:"drill"`
	Latched bool   `json:"latched"`
	Since   string `json:"since"`
	Source  string `json:"source,omitempty"`
}

// Push is how the messages of a lift's service fare.
type Push struct {
	Verify       string     `json:"verify"`
	Unsigned     bool       `json:"unsigned"`
	HeardMs      *int64     `json:"heard_ms"`
	RepairedMs   *int64     `json:"repaired_ms"`
	State        string     `json:"state"` // yes, suspended, unknown
	SuspendsInMs *int64     `json:"suspends_in_ms"`
	Queue        int        `json:"queue"`
	Failing      float64    `json:"failing"`
	Counts       PushCounts `json:"counts"`
	Alarms       []Alarm    `json:"alarms"`
	CanEnable    bool       `json:"can_enable"`
	Steps        []string   `json:"steps"`
	Confirmed    []string   `json:"confirmed"`
}

// PushCounts counts messages since the start.
type PushCounts struct {
	Taken      uint64 `json:"taken"`
	Duplicates uint64 `json:"duplicates"`
	Foreign    uint64 `json:"foreign"`
	Other      uint64 `json:"other"`
	Refused    uint64 `json:"refused"`
	Checks     uint64 `json:"checks"`
	Late       uint64 `json:"late"`
	Turned     uint64 `json:"turned"`
}

// Landing is one floor of a lift.
type Landing struct {
	Label    string   `json:"label"`
	Doors    []string `json:"doors"`
	HeightMm *int32   `json:"height_mm"`
}

// Calls are the registered calls, by floor labels.
type Calls struct {
	Up   Value[[]string] `json:"up"`
	Down Value[[]string] `json:"down"`
	Car  Value[[]string] `json:"car"`
}

// Waiting is one place in the queue.
type Waiting struct {
	Ride  string `json:"ride_id"`
	Robot string `json:"robot"`
	Place int    `json:"place"`
	Why   string `json:"why"`
}

// Owner is who holds the lift.
type Owner struct {
	Ride  string `json:"ride"`
	Robot string `json:"robot"`
}

// Alarm stands until it is cleared.
type Alarm struct {
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
}

// Problem is every refusal (application/problem+json).
type Problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
	Code     string `json:"code"`
	Field    string `json:"field,omitempty"`
}

// Hello is the first event of a stream. Without Resumed the whole state follows.
type Hello struct {
	Version string   `json:"version"`
	Resumed bool     `json:"resumed"`
	Now     string   `json:"now"` // the other side's wall clock, RFC 3339
	Robots  []string `json:"robots"`
}

// Gone is the event of a ride that is no longer kept.
type Gone struct {
	Ride string `json:"ride_id"`
	At   string `json:"at"`
}
