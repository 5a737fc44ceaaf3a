// Package picture is what a picture of a site shows, as JSON: a header that says
// what does not change, and frames that say how things stand at one instant. A
// recording is the header and then the frames, one JSON value a line; the page
// draws the same values live.
//
// Words are those of the agent's local API, numbers are in the units that the
// field names say, and null or an empty string is not known.
package picture

// Format is the version of the shapes in this file.
const Format = 1

// Header says what does not change.
type Header struct {
	Picture int      `json:"hoistway_picture"` // [Format]
	Title   string   `json:"title"`
	Seed    uint64   `json:"seed"`
	Virtual bool     `json:"virtual"` // the clock is not that of a wall
	Floors  []Floor  `json:"floors"`  // bottom to top
	Lifts   []Lift   `json:"lifts"`
	Robots  []string `json:"robots"`
	Again   string   `json:"again,omitempty"` // the command that gives the same run
}

// Floor is one level of the building.
type Floor struct {
	Label    string `json:"label"`
	HeightMM int    `json:"height_mm"` // above the lowest
}

// Lift is one shaft. Floors are the labels that it serves.
type Lift struct {
	ID     string              `json:"id"`
	Wire   string              `json:"wire"`  // "Modbus TCP", "Modbus RTU"
	Doors  map[string][]string `json:"doors"` // by floor label: sides
	Rated  int                 `json:"rated_kg"`
	Recall string              `json:"recall"`
}

// Frame is one instant.
type Frame struct {
	AtMS   int64   `json:"at_ms"` // since the start
	Cars   []Car   `json:"cars"`  // in order of the header
	Wait   []Wait  `json:"waiting,omitempty"`
	Robots []Robot `json:"robots,omitempty"`
	Rides  []Ride  `json:"rides,omitempty"` // running, and those that ended within the last minute
	Wires  []Wire  `json:"wires,omitempty"`
	Faults []Fault `json:"faults,omitempty"` // that are on
	Cloud  Cloud   `json:"cloud"`
	Events []Event `json:"events,omitempty"` // since the frame before
	// Waits are the waiting times in ms of the people who stepped in since the frame
	// before; RideWaits those of robots, from the call to the permit to enter.
	Waits     []int64 `json:"waits_ms,omitempty"`
	RideWaits []int64 `json:"ride_waits_ms,omitempty"`
}

// Car is one lift as it really is.
type Car struct {
	PositionMM int                `json:"position_mm"`
	SpeedMMS   int                `json:"speed_mm_s"`
	Floor      string             `json:"floor"`
	Motion     string             `json:"motion"`
	Doors      map[string]float64 `json:"doors"` // by side: 0 closed to 1 open
	Up         []string           `json:"up,omitempty"`
	Down       []string           `json:"down,omitempty"`
	Calls      []string           `json:"calls,omitempty"`
	Mode       string             `json:"mode"`
	LoadKg     int                `json:"load_kg"`
	People     int                `json:"people"`
	Blocked    bool               `json:"blocked,omitempty"`
	Error      int                `json:"error,omitempty"`
	// As the agent has it.
	Link      string `json:"link"`
	SeenFloor string `json:"seen_floor"`
	SeenDoor  string `json:"seen_door"`
	// SeenDoors is SeenDoor by side, for a car with doors on several; where it is set,
	// SeenDoor is not looked at.
	SeenDoors map[string]string `json:"seen_doors,omitempty"`
	State     string            `json:"state"` // of the ride that has it; IDLE for none
	Owner     string            `json:"owner,omitempty"`
	Alarms    []string          `json:"alarms,omitempty"`
}

// Wait is how many people wait at a landing, and which way they want to go.
type Wait struct {
	Floor string `json:"floor"`
	Up    int    `json:"up"`
	Down  int    `json:"down"`
}

// Robot is where a robot really is.
type Robot struct {
	ID    string `json:"id"`
	Where string `json:"where"` // landing, doorway, car
	Lift  string `json:"lift,omitempty"`
	Floor string `json:"floor,omitempty"`
	Do    string `json:"do,omitempty"`
}

// Ride is one ride.
type Ride struct {
	ID     string `json:"id"`
	Robot  string `json:"robot"`
	Lift   string `json:"lift"`
	From   string `json:"from"`
	To     string `json:"to"`
	State  string `json:"state"`
	Phase  string `json:"phase"`
	Permit string `json:"permit,omitempty"`
	Fault  string `json:"fault,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Wire is the traffic of one lift's wire so far.
type Wire struct {
	Lift     string `json:"lift"`
	Up       bool   `json:"up"`
	Asked    uint64 `json:"asked"`
	Answered uint64 `json:"answered"`
	Spoiled  uint64 `json:"spoiled"` // met a fault
	Wrote    uint64 `json:"wrote"`
	Last     string `json:"last,omitempty"` // the last write, in words
}

// Fault is one that is on.
type Fault struct {
	Name    string `json:"name"`
	Target  string `json:"target"`
	Arg     string `json:"arg,omitempty"`
	SinceMS int64  `json:"since_ms"`
	LeftMS  int64  `json:"left_ms,omitempty"` // 0: no end is set
	Struck  int    `json:"struck"`
}

// Cloud is the stand-in cloud.
type Cloud struct {
	Online  bool  `json:"online"`
	Version int64 `json:"version"`
	Delta   bool  `json:"delta"`
}

// Event is one line of the log.
type Event struct {
	AtMS int64  `json:"at_ms"`
	Who  string `json:"who"`
	Text string `json:"text"`
	Bad  bool   `json:"bad,omitempty"`
}
