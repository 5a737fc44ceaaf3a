package laws

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

const doorStates = int(elevator.DoorClosing) + 1

// lift is what a watch keeps of one lift: as it is shown, and as it really is.
type lift struct {
	id    string
	level bool   // its calls are kept up by calling again
	round uint64 // in which its lease was found

	shown     elevator.Snapshot
	modeSince elevator.Instant                         // what is seen of the mode has been so since
	served    [elevator.MaxFloors + 1]elevator.Instant // last seen standing there with a door open or opening

	known  bool
	floor  elevator.Floor
	motion elevator.Motion
	doors  [elevator.Sides]elevator.Door
	// When a door was last in a state, and the car last at a floor, before the present
	// one; and when a door last stood fully open at a landing, and which.
	doorWas  [elevator.Sides][doorStates]elevator.Instant
	floorWas [elevator.MaxFloors + 1]elevator.Instant
	openAt   [elevator.Sides]elevator.Floor
	openWas  [elevator.Sides]elevator.Instant

	lying  int              // causes
	honest elevator.Instant // lied until then

	been  [32]fsm.State // states of its rides, a ring
	beenN int
}

// Car shows a car as it really is: whenever that changes, or oftener.
func (w *Watch) Car(s *building.CarState, now elevator.Instant) {
	l := w.lift(s.ID)
	if l == nil {
		return
	}
	if l.known && l.floor != s.Floor {
		l.floorWas[l.floor] = now
	}
	for side := range l.doors {
		d := s.Doors[side].State
		if l.known && l.doors[side] != d {
			l.doorWas[side][l.doors[side]] = now
		}
		if l.standsOpen(side) {
			l.openAt[side], l.openWas[side] = l.floor, now
		}
		l.doors[side] = d
	}
	l.known, l.floor, l.motion = true, s.Floor, s.Motion
}

func (l *lift) standsOpen(side int) bool {
	return l.known && l.motion == elevator.Stopped && l.doors[side] == elevator.DoorOpen
}

// openSince reports that the door really stands open at f, or did at t or later.
func (l *lift) openSince(f elevator.Floor, side elevator.Side, t elevator.Instant) bool {
	return l.standsOpen(int(side)) && l.floor == f || l.openAt[side] == f && l.openWas[side] >= t
}

func (l *lift) honestSince(t elevator.Instant) bool {
	return l.lying == 0 && (l.honest == 0 || l.honest < t)
}

func (l *lift) servedSince(f elevator.Floor, t elevator.Instant) bool { return l.served[f] > t }

// seen takes in a reading, and compares it with the one before and with the truth.
func (w *Watch) seen(l *lift, s *elevator.Snapshot, now elevator.Instant) {
	w.times(l, s, w.inside(now))
	if l.known && l.honestSince(now-elevator.Instant(silence)) && s.Link == elevator.Online {
		w.truth(l, s, now)
	}
	if l.shown.Mode.Value != s.Mode.Value || l.shown.EmergencyStop.Value != s.EmergencyStop.Value {
		l.modeSince = now
	}
	if f := s.Floor.Value; s.Motion.Value == elevator.Stopped && f != 0 && f <= elevator.MaxFloors {
		for _, d := range s.Doors[1:] {
			if d.Value == elevator.DoorOpen || d.Value == elevator.DoorOpening {
				l.served[f] = now
			}
		}
	}
	l.shown = *s
}

// times judges the ages of a reading's parts.
func (w *Watch) times(l *lift, s *elevator.Snapshot, now elevator.Instant) {
	w.time(l, "floor", s.Floor.At, l.shown.Floor.At, now)
	w.time(l, "motion", s.Motion.At, l.shown.Motion.At, now)
	w.time(l, "mode", s.Mode.At, l.shown.Mode.At, now)
	for side := range s.Doors {
		w.time(l, "door", s.Doors[side].At, l.shown.Doors[side].At, now)
	}
}

func (w *Watch) time(l *lift, part string, at, was, now elevator.Instant) {
	if at > now || at != 0 && at < was {
		w.breach(w.outside(now), NoOlder, l.id, "", "the %s is of %v before now, and the one before it of %v", part, now.Sub(at), now.Sub(was))
	}
}

// truth wants each newly read value to have been so at about that time.
func (w *Watch) truth(l *lift, s *elevator.Snapshot, now elevator.Instant) {
	if f := s.Floor; f.At > l.shown.Floor.At && f.Value != 0 && f.Value <= elevator.MaxFloors &&
		f.Value != l.floor && l.floorWas[f.Value] < w.outside(f.At)-elevator.Instant(readSlack) {
		w.breach(now, SeenHeld, l.id, "", "the floor is shown as %s, and the car is at %s", f.Value, l.floor)
	}
	for side := 1; side < elevator.Sides; side++ {
		d := s.Doors[side]
		if d.At <= l.shown.Doors[side].At || d.Value == elevator.DoorUnknown || int(d.Value) >= doorStates {
			continue
		}
		if d.Value != l.doors[side] && l.doorWas[side][d.Value] < w.outside(d.At)-elevator.Instant(readSlack) {
			w.breach(now, SeenHeld, l.id, "", "the %s door is shown %s and is %s", elevator.Side(side), d.Value, l.doors[side])
		}
	}
}

// Reported shows the state that the cloud was told of a lift.
func (w *Watch) Reported(lift, state string, now elevator.Instant) {
	l := w.lift(lift)
	if l == nil || state == string(fsm.Idle) {
		return
	}
	for _, s := range l.been {
		if string(s) == state {
			return
		}
	}
	w.breach(now, ReportHeld, lift, "", "is reported as %s and was not", state)
}

func (l *lift) was(s fsm.State) {
	l.been[l.beenN%len(l.been)] = s
	l.beenN++
}
