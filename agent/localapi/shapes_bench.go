package localapi

import (
	"time"

	"hoistway/agent/commission"
)

// The JSON of the technician's bench. All of it wants a technician's token.
//
//	GET  /v1/lifts/{lift}/commissioning/plan              200 BenchPlan
//	GET  /v1/lifts/{lift}/commissioning/stats             200 BenchStats
//	GET  /v1/lifts/{lift}/commissioning/frames?after=&wait_s= 200 BenchFrames
//	GET  /v1/lifts/{lift}/commissioning/peek?q=           200 BenchPeek
//	GET  /v1/lifts/{lift}/commissioning/preview?q=        200 BenchPreview
//	POST /v1/lifts/{lift}/commissioning/poke      NewPoke 200 BenchPoke

// BenchPlan is what is read of a controller.
type BenchPlan struct {
	Lift  string            `json:"lift"`
	Reads []commission.Read `json:"reads"`
}

// BenchStats is what passed on a lift's line.
type BenchStats struct {
	Lift        string    `json:"lift"`
	Line        string    `json:"line"`
	Link        string    `json:"link"`
	Now         time.Time `json:"now"`
	Next        uint64    `json:"next"` // the number of the last frame: frames?after= this are the coming ones
	Questions   int       `json:"questions"`
	Answers     int       `json:"answers"`
	BytesOut    int       `json:"bytes_out"`
	BytesIn     int       `json:"bytes_in"`
	Dropped     int       `json:"dropped"` // what came and was no answer
	LastDropped string    `json:"last_dropped"`
	SlowestMs   float64   `json:"slowest_answer_ms"`
	SpanMs      int64     `json:"span_ms"`           // from the first frame to the last
	Occupancy   float64   `json:"occupancy"`         // of the last minute, 0 to 1
	WaitP50Ms   float64   `json:"queue_wait_p50_ms"` // of commands
	WaitP99Ms   float64   `json:"queue_wait_p99_ms"`
	Late        uint64    `json:"late"`
	Spoilt      uint64    `json:"spoilt"`
	Refused     uint64    `json:"refused"`
	Timeouts    uint64    `json:"timeouts"` // of all units of the line
	Reopened    uint64    `json:"reopened"`
	Diagnosis   string    `json:"diagnosis"` // of the lift's own unit; "" for nothing
}

// BenchFrames are frames of a lift's line, oldest first.
type BenchFrames struct {
	Lift   string       `json:"lift"`
	Link   string       `json:"link"`
	Line   string       `json:"line"`
	Now    time.Time    `json:"now"`
	Next   uint64       `json:"next"`   // ask with after= this
	Missed uint64       `json:"missed"` // frames in between that are not kept any more
	Frames []BenchFrame `json:"frames"`
}

// BenchFrame is one frame.
type BenchFrame struct {
	N    uint64    `json:"n"`
	At   time.Time `json:"at"`
	Out  bool      `json:"out"`
	Hex  string    `json:"hex"`
	Note string    `json:"note,omitempty"` // why it was no answer
}

// BenchPeek answers a raw question.
type BenchPeek struct {
	Lift     string   `json:"lift"`
	Question string   `json:"question"`
	Words    []uint16 `json:"words"`
	Text     string   `json:"text"`
	AgeMs    int64    `json:"age_ms"`
}

// BenchPreview is what a write would send.
type BenchPreview struct {
	Lift     string   `json:"lift"`
	Question string   `json:"question"`
	Frames   []string `json:"frames"` // in hexadecimal
}

// NewPoke asks for a raw write.
type NewPoke struct {
	Question    string `json:"question"`
	IUnderstand bool   `json:"i_understand" doc:"true: you know what this moves"`
	Force       bool   `json:"force,omitempty" doc:"write although a ride holds the lift"`
}

// BenchPoke is what became of it.
type BenchPoke struct {
	Lift     string `json:"lift"`
	Question string `json:"question"`
	Outcome  string `json:"outcome" enum:"done,refused,not_sent,unknown"`
	Code     string `json:"code"`
	Detail   string `json:"detail"`
}
