package localapi

// Maintenance of a lift: it takes no ride meanwhile.
type Maintenance struct {
	_ struct{} `nullable:"true"`

	By    string  `json:"by"`
	Why   string  `json:"why,omitempty"`
	Since string  `json:"since"` // RFC 3339
	Until *string `json:"until"` // RFC 3339; null: until a person ends it
}

// Stopped is a person's stop of this gateway at a lift.
type Stopped struct {
	_ struct{} `nullable:"true"`

	By    string `json:"by"`
	Why   string `json:"why,omitempty"`
	Since string `json:"since"` // RFC 3339
}

// AreaAlarm is what the area of a lift is warned of.
type AreaAlarm struct {
	_ struct{} `nullable:"true"`

	Kind    string `json:"kind" enum:"fire,seismic"`
	Drill   bool   `json:"drill"`
	Latched bool   `json:"latched"` // only a person clears it
	Since   string `json:"since"`   // RFC 3339
	Source  string `json:"source,omitempty" doc:"the lift that showed it, or who told of it"`
}

// NewMaintenance is the body of POST /v1/lifts/{lift}/maintenance. With neither end it lasts
// until a person ends it.
type NewMaintenance struct {
	Until string `json:"until,omitempty" doc:"RFC 3339, in the future"`
	ForS  *int   `json:"for_s,omitempty" doc:"seconds from now; instead of until"`
	Why   string `json:"why,omitempty"`
}

// Attest is the body of what a person has to have looked at on site.
type Attest struct {
	SeenBy string `json:"seen_by" doc:"who has looked"`
}

// NewStop is the body of POST /v1/stop.
type NewStop struct {
	On   bool   `json:"on" doc:"false ends a stop"`
	Lift string `json:"lift,omitempty" doc:"this lift only; every lift when absent"`
	Why  string `json:"why,omitempty"`
}

// Cleared is the answer of POST /v1/areas/{area}/alarms/clear.
type Cleared struct {
	Area  string   `json:"area"`
	Lifts []string `json:"lifts"` // the lifts of this area
}

// Change is the body of PATCH /v1/rides/{ride}.
type Change struct {
	To     string `json:"to"`
	ToDoor string `json:"to_door,omitempty" doc:"front, rear, left or right; the only or first door of the landing when absent"`
	Aboard bool   `json:"aboard,omitempty" doc:"also with the robot in the car, which then rides on"`
}
