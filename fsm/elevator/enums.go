package elevator

import "fmt"

// Door is the state of one landing door together with its car door.
type Door uint8

const (
	DoorUnknown Door = iota
	DoorClosed
	DoorOpening
	DoorOpen // fully open
	DoorClosing
)

// Motion is what the car does in the shaft.
type Motion uint8

const (
	MotionUnknown Motion = iota
	Stopped              // standing level at a landing, or standing anyway where the controller cannot tell
	MovingUp
	MovingDown
)

// Direction is the direction of a landing call.
type Direction uint8

const (
	DirectionUnknown Direction = iota
	Up
	Down
)

// Mode is the operating mode of a controller.
type Mode uint8

const (
	ModeUnknown Mode = iota
	Normal
	Independent
	Inspection
	Fire
	Seismic
	EmergencyStop
	OutOfService
	Homing    // on its way to its home landing
	Parking   // on its way to where it parks
	Attendant // somebody in the car works it
	Firefighter
	EmergencyPower
	CabinetRecall // called back by hand from the machine room's cabinet
	Vip           // kept for one passenger
	OccupantEvacuation
)

// The kinds of mode that a ride cares about. A mode is of one of them at most; an
// unknown one is of none.

// Serves reports a mode in which calls are taken and a robot may ride.
func (m Mode) Serves() bool { return m == Normal || m == Homing || m == Parking }

// Recalls reports that firemen have the lift, or that it is being brought to them.
func (m Mode) Recalls() bool { return m == Fire || m == Firefighter || m == CabinetRecall }

// Manned reports that a person has the lift, or has it kept for somebody.
func (m Mode) Manned() bool {
	return m == Independent || m == Attendant || m == Vip || m == OccupantEvacuation
}

// Out reports a lift that takes no calls since something is amiss.
func (m Mode) Out() bool { return m == OutOfService || m == EmergencyPower }

// Side names a door of the car. Controllers number them; people say front and rear.
type Side uint8

const (
	SideUnknown Side = iota
	Front
	Rear
	Left
	Right
)

// Sides is one more than the highest [Side], the length of arrays indexed by it.
const Sides = int(Right) + 1

// Tri is a yes or no that may be unknown.
type Tri uint8

const (
	TriUnknown Tri = iota
	No
	Yes
)

// Source tells who vouches for a value.
type Source uint8

const (
	SourceUnknown Source = iota
	Controller           // read from the controller
	Robot                // seen by the robot itself
	Implied              // follows from another value by the profile
)

// Quality tells how far a value may be trusted.
type Quality uint8

const (
	QualityUnknown Quality = iota // never read
	Good
	Stale  // read, but too long ago
	Failed // the last attempt to read it failed
)

// LinkState is the state of the connection to a controller.
type LinkState uint8

const (
	LinkUnknown LinkState = iota // nothing was ever heard
	Online
	Offline
)

var (
	doorNames      = []string{"unknown", "closed", "opening", "open", "closing"}
	motionNames    = []string{"unknown", "stopped", "up", "down"}
	directionNames = []string{"unknown", "up", "down"}
	modeNames      = []string{"unknown", "normal", "independent", "inspection", "fire", "seismic", "emergency_stop", "out_of_service", "homing", "parking", "attendant", "firefighter", "emergency_power", "cabinet_recall", "vip", "occupant_evacuation"}
	sideNames      = []string{"unknown", "front", "rear", "left", "right"}
	triNames       = []string{"unknown", "no", "yes"}
	sourceNames    = []string{"unknown", "controller", "robot", "implied"}
	qualityNames   = []string{"unknown", "good", "stale", "failed"}
	linkNames      = []string{"unknown", "online", "offline"}
)

func (d Door) String() string      { return name(doorNames, uint8(d)) }
func (m Motion) String() string    { return name(motionNames, uint8(m)) }
func (d Direction) String() string { return name(directionNames, uint8(d)) }
func (m Mode) String() string      { return name(modeNames, uint8(m)) }
func (s Side) String() string      { return name(sideNames, uint8(s)) }
func (t Tri) String() string       { return name(triNames, uint8(t)) }
func (s Source) String() string    { return name(sourceNames, uint8(s)) }
func (q Quality) String() string   { return name(qualityNames, uint8(q)) }
func (l LinkState) String() string { return name(linkNames, uint8(l)) }

// ParseDoor, ParseMotion, ParseDirection, ParseMode, ParseSide and ParseTri read
// the words that String writes. The second result is false for any other word.
func ParseDoor(s string) (Door, bool)           { return parse[Door](doorNames, s) }
func ParseMotion(s string) (Motion, bool)       { return parse[Motion](motionNames, s) }
func ParseDirection(s string) (Direction, bool) { return parse[Direction](directionNames, s) }
func ParseMode(s string) (Mode, bool)           { return parse[Mode](modeNames, s) }
func ParseSide(s string) (Side, bool)           { return parse[Side](sideNames, s) }
func ParseTri(s string) (Tri, bool)             { return parse[Tri](triNames, s) }

// DoorNames, MotionNames, ModeNames and SideNames list the words in order of
// their values, for schemas and for help.
func DoorNames() []string   { return append([]string(nil), doorNames...) }
func MotionNames() []string { return append([]string(nil), motionNames...) }
func ModeNames() []string   { return append([]string(nil), modeNames...) }
func SideNames() []string   { return append([]string(nil), sideNames...) }

func name(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("invalid(%d)", i)
}

func parse[T ~uint8](names []string, s string) (T, bool) {
	for i, n := range names {
		if n == s {
			return T(i), true
		}
	}
	return 0, false
}
