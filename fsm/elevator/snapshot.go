package elevator

import "time"

// Seen is a value with its provenance. The zero Seen was never seen.
type Seen[T comparable] struct {
	At     Instant // when it was read from the controller
	Value  T       // behind At, which keeps a snapshot a quarter smaller: it is copied at each reading
	Source Source
	Failed bool // the latest attempt to read it failed; Value and At are of the one before
}

// Fresh reports whether the value was read at most limit before now and the
// last attempt to read it did not fail.
func (s Seen[T]) Fresh(now Instant, limit time.Duration) bool {
	return s.At != 0 && !s.Failed && now.Sub(s.At) <= limit
}

// Quality judges the value at now by its age limit.
func (s Seen[T]) Quality(now Instant, limit time.Duration) Quality {
	switch {
	case s.At == 0 && !s.Failed:
		return QualityUnknown
	case s.Failed:
		return Failed
	case now.Sub(s.At) > limit:
		return Stale
	}
	return Good
}

// Snapshot is a car as it was seen. It is comparable; the zero Snapshot knows
// nothing. Parts are read at different times, so each carries its own.
type Snapshot struct {
	Link      LinkState
	LinkSince Instant

	Floor    Seen[Floor] // the landing at which the car stands or which it passes; 0 between landings that the controller does not name
	Motion   Seen[Motion]
	Doors    [Sides]Seen[Door] // by Side; index 0 is not used
	Mode     Seen[Mode]
	Position Seen[int32] // mm above the lowest landing, where the controller tells

	Overload      Seen[Tri]
	Nudging       Seen[Tri]
	Obstruction   Seen[Tri]
	EmergencyStop Seen[Tri]
	MayEnter      Seen[Tri]   // the controller lets a robot in now
	MayLeave      Seen[Tri]   // the controller lets a robot out now
	Claimed       Seen[Tri]   // the car is in the robots' hand
	Load          Seen[int32] // kg

	UpCalls   Seen[FloorSet] // landing calls registered upwards
	DownCalls Seen[FloorSet] // landing calls registered downwards
	CarCalls  Seen[FloorSet]

	// Holds says, by Side, when a door hold that the device itself keeps will end,
	// as the link reckons it from what the device acknowledged or shows. Zero: no
	// such hold.
	Holds [Sides]Instant

	Vendor Seen[int32] // the controller's own error code as it came; 0 is none
}

// Door returns the door of side s, never seen for an unknown side.
func (s *Snapshot) Door(side Side) Seen[Door] {
	if side == SideUnknown || int(side) >= Sides {
		return Seen[Door]{}
	}
	return s.Doors[side]
}

// AnyDoorOpen reports whether a door is seen in any state but closed or unknown.
func (s *Snapshot) AnyDoorOpen() bool {
	for _, d := range s.Doors[1:] {
		switch d.Value {
		case DoorOpening, DoorOpen, DoorClosing:
			return true
		}
	}
	return false
}

// AllDoorsClosed reports that a door is seen closed and none is seen otherwise.
func (s *Snapshot) AllDoorsClosed() bool {
	closed := false
	for _, d := range s.Doors[1:] {
		closed = closed || d.Value == DoorClosed
	}
	return closed && !s.AnyDoorOpen()
}

// Lamp tells which calls of the kind of c the controller shows as registered; ok is
// false for a command that no lamp stands for.
func (s *Snapshot) Lamp(c *Command) (lamp Seen[FloorSet], ok bool) {
	switch {
	case c.Verb == CarCall:
		return s.CarCalls, true
	case c.Verb != LandingCall && c.Verb != Journey:
	case c.Direction == Up:
		return s.UpCalls, true
	case c.Direction == Down:
		return s.DownCalls, true
	}
	return Seen[FloorSet]{}, false
}
