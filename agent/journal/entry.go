package journal

import (
	"encoding/json"
	"fmt"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// format is the version of what lies on the disk. A segment of another one is put
// aside and never guessed at.
const format = 1

// segmentHead is the first record of each segment.
type segmentHead struct {
	Format int    `json:"format"`
	Ride   string `json:"ride"`
	Robot  string `json:"robot"`
	Part   int    `json:"part"` // from 1
	Began  int64  `json:"began"`
}

// entry is one thing that happened, as it lies on the disk. Exactly one of the parts
// is there. T counts on the clock of the run that the last Run entry began.
type entry struct {
	T int64 `json:"t"`           // ns since the program's start
	W int64 `json:"w,omitempty"` // epoch ms; 0: from the run's own pair of clocks

	Run     *runPart     `json:"run,omitempty"`
	Head    *headPart    `json:"head,omitempty"`
	State   *statePart   `json:"state,omitempty"`
	Robot   *robotPart   `json:"robot,omitempty"`
	Permit  *permitPart  `json:"permit,omitempty"`
	Command *commandPart `json:"cmd,omitempty"`
	Outcome *outcomePart `json:"out,omitempty"`
	Car     *carPart     `json:"car,omitempty"`
	Signal  *signalPart  `json:"sig,omitempty"`
	Order   *orderPart   `json:"ord,omitempty"`
	Alarm   *alarmPart   `json:"alarm,omitempty"`
	Frame   *framePart   `json:"frame,omitempty"`
	Note    *notePart    `json:"note,omitempty"`
}

// runPart says that a run of the program took the ride up, and how its clock lies.
type runPart struct {
	Version string `json:"version"`
	Serial  string `json:"serial"`
	Boot    string `json:"boot,omitempty"` // of the machine
	Zero    int64  `json:"zero"`           // ns from the boot to the program's start
	Wall0   int64  `json:"wall0"`          // epoch ms at the program's start
}

// headPart is the ride and the lift that it is bound to; another follows when that
// changes.
type headPart struct {
	Task     string        `json:"task,omitempty"`
	Robot    string        `json:"robot"`
	Lift     string        `json:"lift"`
	From     string        `json:"from"`
	To       string        `json:"to"`
	FromDoor string        `json:"from_door"`
	ToDoor   string        `json:"to_door"`
	Crossing int64         `json:"crossing_ms"`
	Profile  string        `json:"profile"`
	Hash     string        `json:"hash"`
	Link     string        `json:"link"`
	Floors   []RecordFloor `json:"floors"`
}

type statePart struct {
	From  fsm.State `json:"from"`
	To    fsm.State `json:"to"`
	Phase fsm.Phase `json:"phase"`
	Why   string    `json:"why,omitempty"`
	Code  fsm.Code  `json:"code,omitempty"`
}

type robotPart struct {
	Where fsm.Where `json:"where"`
}

// permitPart has no kind when no permit is wanted any more.
type permitPart struct {
	ID      string         `json:"id,omitempty"` // "" is withheld
	Kind    fsm.PermitKind `json:"kind,omitempty"`
	Floor   string         `json:"floor,omitempty"`
	Side    string         `json:"side,omitempty"`
	Epoch   uint32         `json:"epoch,omitempty"`
	Missing []MissingPart  `json:"missing,omitempty"`
}

type commandPart struct {
	N         uint32 `json:"n"`
	Verb      string `json:"verb"`
	Floor     string `json:"floor,omitempty"`
	To        string `json:"to,omitempty"`
	Side      string `json:"side,omitempty"`
	Direction string `json:"dir,omitempty"`
	Notice    string `json:"notice,omitempty"`
	Reason    string `json:"reason"`
	Urgent    bool   `json:"urgent,omitempty"`
	MayClose  bool   `json:"may_close,omitempty"`
	Lives     int64  `json:"lives_ms,omitempty"` // 0: no limit of its own
}

type outcomePart struct {
	N      uint32 `json:"n"`
	Result string `json:"result"`
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// carPart is what a lift showed. It is whole each time, so that none depends on an
// earlier one that may be lost.
type carPart struct {
	Floor  string     `json:"floor,omitempty"`
	FloorS string     `json:"floor_src,omitempty"`
	Motion string     `json:"motion"`
	Link   string     `json:"link"`
	Mode   string     `json:"mode"`
	Doors  []doorPart `json:"doors,omitempty"`
}

type doorPart struct {
	Side   string `json:"side"`
	Door   string `json:"door"`
	Source string `json:"src,omitempty"`
}

type signalPart struct {
	Kind      string  `json:"kind"`
	Boot      string  `json:"boot"`
	Seq       uint64  `json:"seq"`
	AgeMs     int64   `json:"age_ms"`
	Where     string  `json:"where"`
	Floor     string  `json:"floor,omitempty"`
	FloorSure bool    `json:"sure,omitempty"`
	Motion    string  `json:"motion"`
	OdoM      float64 `json:"odo,omitempty"`
	DoorFloor string  `json:"door_floor,omitempty"`
	DoorSide  string  `json:"door_side,omitempty"`
	DoorOpen  string  `json:"door_open,omitempty"` // "" is not told
	Permit    string  `json:"permit,omitempty"`
	Battery   int     `json:"battery"` // -1 is not told
}

type orderPart struct {
	Who    string `json:"who"`
	What   string `json:"what"`
	Detail string `json:"detail,omitempty"`
	Result string `json:"result"`
	Code   string `json:"code,omitempty"`
}

type alarmPart struct {
	Code   string `json:"code"`
	On     bool   `json:"on,omitempty"`
	Detail string `json:"detail,omitempty"`
}

type framePart struct {
	Line string `json:"line"`
	Out  bool   `json:"o,omitempty"`
	Data []byte `json:"d"` // at most maxFrame bytes
	Len  int    `json:"n"` // of the whole frame
	Note string `json:"note,omitempty"`
	Cmd  uint32 `json:"cmd"`
}

type notePart struct {
	Kind string `json:"kind"` // note or gap
	Text string `json:"text"`
	Lost uint64 `json:"lost,omitempty"`
}

// bodyOf writes an entry. One that is too long for a record says so in its place.
func bodyOf(e entry) ([]byte, error) {
	body, err := json.Marshal(e)
	if err == nil && len(body) > maxRecord {
		text := fmt.Sprintf("an entry of %d bytes is left out", len(body))
		body, err = json.Marshal(entry{T: e.T, W: e.W, Note: &notePart{Kind: "gap", Text: text, Lost: 1}})
	}
	if err != nil {
		return nil, fmt.Errorf("write an entry: %w", err)
	}
	return body, nil
}

func sourceWord(s elevator.Source) string {
	if s == elevator.SourceUnknown {
		return ""
	}
	return s.String()
}
