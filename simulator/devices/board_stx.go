package devices

import (
	"bytes"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// The robot board: 02, the body with 02, 03 and 04 written as two bytes, the sum of
// what stands between as two decimal digits, 03. Asked: controller, robot, lift,
// command. Answered: controller, lift, robot, command.
const (
	stxController = 1
	noFloor       = 0xF7
	heldFor       = 15 * time.Second
	ownedFor      = 600 * time.Second
	arrivalTold   = 5
	arrivalEvery  = 500 * time.Millisecond
)

type stx struct {
	b     *Board
	state map[*boardLift]*stxState
}

// stxState is what the board remembers of a lift.
type stxState struct {
	owner  byte
	since  elevator.Instant // of the owner's last message
	going  int              // the landing checked in, by number; 0 for none
	told   int              // arrivals that were told of it
	tellAt elevator.Instant
}

func newSTX(b *Board) *stx {
	s := &stx{b: b, state: map[*boardLift]*stxState{}}
	for _, l := range b.lifts {
		s.state[l] = &stxState{}
	}
	return s
}

func stxFrame(body ...byte) []byte {
	out, sum := []byte{2}, 0
	put := func(c byte) { out, sum = append(out, c), sum+int(c) }
	for _, c := range body {
		switch c {
		case 2:
			put(4)
			put(6)
		case 3:
			put(4)
			put(7)
		case 4:
			put(4)
			put(4)
		default:
			put(c)
		}
	}
	return append(out, byte('0'+sum/10%10), byte('0'+sum%10), 3)
}

// stxBody takes a frame apart; nil for a wrong one.
func stxBody(frame []byte) []byte {
	if len(frame) < 5 {
		return nil
	}
	inner, sum := frame[1:len(frame)-3], 0
	var out []byte
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if sum += int(c); c == 4 && i+1 < len(inner) {
			i++
			sum += int(inner[i])
			c = map[byte]byte{4: 4, 6: 2, 7: 3}[inner[i]]
		}
		out = append(out, c)
	}
	if frame[len(frame)-3] != byte('0'+sum/10%10) || frame[len(frame)-2] != byte('0'+sum%10) {
		return nil
	}
	return out
}

func (s *stx) hear(in []byte) (rest []byte, out [][]byte) {
	for {
		begin := bytes.IndexByte(in, 2)
		if begin < 0 {
			return nil, out
		}
		in = in[begin:]
		end := bytes.IndexByte(in, 3)
		if end < 0 {
			return in, out
		}
		if again := bytes.LastIndexByte(in[:end], 2); again > 0 {
			in, end = in[again:], end-again
		}
		if body := stxBody(in[:end+1]); len(body) >= 4 {
			if f := s.answer(body); f != nil {
				out = append(out, f)
			}
		}
		in = in[end+1:]
	}
}

// answer carries a message out. Another controller's or lift's gets silence.
func (s *stx) answer(m []byte) []byte {
	l := s.meant(m[2])
	if l == nil || m[0] != stxController || s.b.world.Shown(l.car).Dark {
		return nil
	}
	st, robot, now := s.state[l], m[1], s.b.world.Now()
	if st.owner != 0 && now.Sub(st.since) > ownedFor {
		*st = stxState{}
	}
	if st.owner == robot {
		st.since = now
	}
	if s.b.habits.Refuses || (m[3] == 50) == (st.owner != 0) || st.owner != 0 && st.owner != robot {
		return s.busy(l, robot)
	}
	return s.obey(l, st, m, func(command byte, data ...byte) []byte {
		return stxFrame(append([]byte{stxController, l.unit, robot, command}, data...)...)
	})
}

func (s *stx) meant(unit byte) *boardLift {
	for _, l := range s.b.lifts {
		if l.unit == unit {
			return l
		}
	}
	return nil
}

// obey does what the owner asks, or what makes a robot the owner.
func (s *stx) obey(l *boardLift, st *stxState, m []byte, say func(command byte, data ...byte) []byte) []byte {
	switch robot := m[1]; m[3] {
	case 50:
		st.owner, st.since = robot, s.b.world.Now()
		s.b.done(l, nil, "robot %d takes the lift", robot)
		return say(51, s.floor(l), 0, s.status(l))
	case 52:
		*st = stxState{}
		s.b.done(l, nil, "robot %d gives the lift back", robot)
		s.hold(l, 0)
		if s.b.habits.RawRelease {
			return []byte{stxController, l.unit, robot, 53, 0, 0}
		}
		return say(53, 0, 0)
	case 30:
		return s.checkIn(l, st, m, say)
	case 32:
		return say(33, s.floor(l), s.going(st), s.status(l))
	case 34:
		s.b.done(l, nil, "hold the door")
		s.hold(l, heldFor)
		return say(35)
	case 36:
		s.b.done(l, nil, "let the door go")
		s.hold(l, 0)
		return say(37)
	case 40:
		st.going = 0
		s.b.done(l, nil, "the arrival is acknowledged")
	}
	return nil
}

// hold asks the car; one that cannot hold is told so by nobody here.
func (s *stx) hold(l *boardLift, d time.Duration) {
	_ = s.b.act(func(b *building.Building) error { return b.Hold(l.car, elevator.Front, int(d/time.Second)) })
}

func (s *stx) checkIn(l *boardLift, st *stxState, m []byte, say func(byte, ...byte) []byte) []byte {
	if len(m) < 6 {
		return nil
	}
	f := l.table.ByWire(int(m[4]))
	if f == 0 {
		return nil // a landing that does not exist is not answered
	}
	err := s.b.act(func(b *building.Building) error { return b.CarCall(l.car, f) })
	s.b.done(l, err, "check in at %s", l.label(int(m[4])))
	st.going, st.told, st.tellAt = int(m[4]), 0, 0
	return say(31, m[4], m[5])
}

func (s *stx) busy(l *boardLift, robot byte) []byte {
	return stxFrame(stxController, l.unit, robot, 55, s.floor(l), s.state[l].owner, s.status(l))
}

func (s *stx) going(st *stxState) byte {
	if st.going == 0 {
		return noFloor
	}
	return byte(st.going)
}

func (s *stx) floor(l *boardLift) byte {
	if wire, ok := l.table.Wire(s.b.world.Shown(l.car).Floor); ok {
		return byte(wire)
	}
	return noFloor
}

// status: bits 0 and 1 the run, 2 and 3 the lamp (1 dark, 2 lit), 4 and 5 the door (0
// closed, 1 open, 2 on its way), 6 and 7 the work (1 free, 2 a robot's).
func (s *stx) status(l *boardLift) byte {
	car, st := s.b.world.Shown(l.car), s.state[l]
	lamp, door, work := byte(1), byte(2), byte(1)
	if f := l.table.ByWire(st.going); f != 0 && car.Car.Has(f) {
		lamp = 2
	}
	switch car.Doors[elevator.Front].State {
	case elevator.DoorClosed:
		door = 0
	case elevator.DoorOpen:
		door = 1
	}
	if s.b.habits.DoorOpen {
		door = 1
	}
	if st.owner != 0 {
		work = 2
	}
	return byte(motionWord(car.Motion)) | lamp<<2 | door<<4 | work<<6
}

// beat tells arrivals until they are acknowledged.
func (s *stx) beat(now elevator.Instant) (out [][]byte) {
	for _, l := range s.b.lifts {
		st := s.state[l]
		if st.owner == 0 || st.going == 0 || st.told >= arrivalTold || !st.tellAt.Reached(now) && st.tellAt != 0 {
			continue
		}
		car := s.b.world.Shown(l.car)
		if l.table.ByWire(st.going) != car.Floor || car.Motion != elevator.Stopped || car.Doors[elevator.Front].State != elevator.DoorOpen {
			continue
		}
		st.told, st.tellAt = st.told+1, now.Add(arrivalEvery)
		out = append(out, stxFrame(stxController, l.unit, st.owner, 39, s.floor(l), s.status(l)))
		if st.told == arrivalTold {
			st.going = 0
		}
	}
	return out
}
