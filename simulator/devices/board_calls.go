package devices

import (
	"encoding/binary"
	"strconv"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// trip is a journey of which the car is called to its begin first.
type trip struct {
	l        *boardLift
	from, to elevator.Floor
}

// call begins a journey. A begin of 0 is in the car.
func (b *Board) call(l *boardLift, from, to int) (t trip, err error) {
	t = trip{l, l.table.ByWire(from), l.table.ByWire(to)}
	if t.to == 0 || from != 0 && t.from == 0 || from == to {
		return t, building.ErrNoLanding
	}
	dir := elevator.Up
	if t.to < t.from {
		dir = elevator.Down
	}
	err = b.act(func(x *building.Building) error {
		if from == 0 {
			return x.CarCall(l.car, t.to)
		}
		return x.LandingCall(l.car, t.from, dir)
	})
	return t, err
}

// board presses in the car once it stands open at the begin; it reports that.
func (b *Board) board(t trip) bool {
	car := b.world.Shown(t.l.car)
	if car.Floor != t.from || car.Motion != elevator.Stopped || !opened(car) {
		return false
	}
	return b.act(func(x *building.Building) error { return x.CarCall(t.l.car, t.to) }) == nil
}

func opened(car building.CarState) bool {
	for _, d := range car.Doors {
		if d.State == elevator.DoorOpen {
			return true
		}
	}
	return false
}

func (b *Board) ride(trips []trip) (left []trip) {
	for _, t := range trips {
		if !b.board(t) {
			left = append(left, t)
		}
	}
	return left
}

// gateway is the security gateway: 17 30, length, who to whom, then a command. A
// datagram is a frame. The lifts are its cars 1, 2 and so on.
type gateway struct {
	b      *Board
	trips  []trip
	to     [2]byte // who spoke last
	beatAt elevator.Instant
}

const heartbeatEvery = elevator.Instant(10_000_000_000)

func (g *gateway) frame(body ...byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	head := binary.BigEndian.AppendUint16([]byte{0x17, 0x30}, uint16(len(body)))
	return append(append(head, g.to[0], g.to[1], 1, 1, 0, 0, 0, 0), body...)
}

func (g *gateway) hear(in []byte) (rest []byte, out [][]byte) {
	if len(in) < 14 || in[0] != 0x17 || in[1] != 0x30 || int(binary.BigEndian.Uint16(in[2:]))+12 != len(in) || in[4] != 1 && in[4] != 0xFF {
		return nil, nil
	}
	g.to = [2]byte{in[6], in[7]}
	m := in[12:]
	if m[0] != 1 || m[1] != 18 || len(m) < 20 {
		return nil, nil
	}
	from, to, seq := int(binary.BigEndian.Uint16(m[8:])), int(binary.BigEndian.Uint16(m[10:])), m[17]
	status, car := byte(0xFF), byte(0xFF)
	l := g.b.lifts[0]
	t, err := g.b.call(l, from, to)
	if g.b.done(l, err, "call from %s to %s", l.label(from), l.label(to)) {
		status, car = 0, 1
		g.trips = append(g.trips, t)
	}
	return nil, [][]byte{g.frame(0x81, 6, m[2], m[3], status, car, seq, 0)}
}

func (g *gateway) beat(now elevator.Instant) [][]byte {
	g.trips = g.b.ride(g.trips)
	if g.to == [2]byte{} || !g.beatAt.Reached(now) && g.beatAt != 0 {
		return nil
	}
	g.beatAt = now + heartbeatEvery
	return [][]byte{g.frame(0xF1, 6, 0, 0, 0, 0, 0, 0)}
}

// accessPort is the access control port: length, 41 00 00, a command, digits. A reader
// hangs at the landing of its number.
type accessPort struct {
	b     *Board
	l     *boardLift
	trips []trip
}

func (a *accessPort) hear(in []byte) (rest []byte, out [][]byte) {
	for len(in) > 0 {
		n := 4 + int(in[0])
		if len(in) < n {
			return in, out
		}
		m := in[4:n]
		if in[1] == 'A' && len(m) >= 11 && m[0] == 0x10 {
			out = append(out, a.answer(m))
		}
		in = in[n:]
	}
	return nil, out
}

func (a *accessPort) answer(m []byte) []byte {
	from, e1 := strconv.Atoi(string(m[1:5]))
	to, e2 := strconv.Atoi(string(m[5:8]))
	car := "255"
	if e1 == nil && e2 == nil {
		t, err := a.b.call(a.l, from, to)
		if a.b.done(a.l, err, "call from %s to %s", a.l.label(from), a.l.label(to)) {
			a.trips = append(a.trips, t)
			car = "001"
		}
	}
	return append([]byte{8, 'A', 0, 0, 0x90, m[10]}, append([]byte(car), '0', 0, 0)...)
}

func (a *accessPort) beat(elevator.Instant) [][]byte {
	a.trips = a.b.ride(a.trips)
	return nil
}
