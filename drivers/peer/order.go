package peer

import (
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/peer/wire"
	"hoistway/fsm/elevator"
)

// order writes a request for a ride. It refuses only what cannot be written down; what
// is possible is the other side's to judge.
func (l *link) order(s drivers.RideSpec) (wire.NewRide, error) {
	from, to := l.floors.Label(s.From), l.floors.Label(s.To)
	switch {
	case s.ID == "" || s.Robot == "":
		return wire.NewRide{}, fmt.Errorf("%w: it needs an id and a robot", drivers.ErrConfig)
	case from == "" || to == "":
		return wire.NewRide{}, fmt.Errorf("%w: from %s to %s: this lift's table has no such floor", drivers.ErrConfig, s.From, s.To)
	}
	ready := s.Ready
	n := wire.NewRide{
		ID: s.ID, Task: s.Task, Robot: s.Robot, Lift: s.Lift, Group: s.Group, From: from, To: to,
		FromDoor: door(s.FromSide), ToDoor: door(s.ToSide), Priority: s.Priority, Ready: &ready,
		EtaS: seconds(s.Eta), CrossingS: seconds(s.Crossing),
	}
	if n.Lift == "" && n.Group == "" {
		n.Lift = l.to.lift
	}
	return n, nil
}

func door(s elevator.Side) string {
	if s == elevator.SideUnknown {
		return ""
	}
	return s.String()
}

// seconds rounds up: a robot that needs 3.2 s is not one that needs 3.
func seconds(d time.Duration) *int {
	if d <= 0 {
		return nil
	}
	n := int((d + time.Second - 1) / time.Second)
	return &n
}

// signal writes a signal with its age as of now.
func (l *link) signal(s drivers.RideSignal) (wire.Signal, error) {
	now := l.env.Now()
	if s.At == 0 || s.At > now {
		return wire.Signal{}, fmt.Errorf("%w: its time is not told, or to come", drivers.ErrConfig)
	}
	out := wire.Signal{
		Kind: s.Kind, Boot: s.Boot, Seq: s.Seq, AgeMs: int64((now.Sub(s.At) + time.Millisecond - 1) / time.Millisecond),
		Where: s.Where, FloorSure: s.FloorSure, Motion: motion(s.Motion), OdoM: s.OdoM, Permit: s.Permit, Battery: s.Battery,
	}
	var err error
	out.Floor, err = l.label(s.Floor)
	if d := s.Door; d != nil && err == nil {
		var at string
		if at, err = l.label(d.Floor); err == nil && (at == "" || d.Side == elevator.SideUnknown) {
			err = errors.New("a door that is seen has a floor and a side")
		}
		out.SeesDoor = &wire.SeesDoor{Floor: at, Side: door(d.Side), Open: d.Open}
	}
	if err != nil {
		return wire.Signal{}, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	return out, nil
}

// label is "" for the unknown floor; another one must be in the table.
func (l *link) label(f elevator.Floor) (string, error) {
	s := l.floors.Label(f)
	if f != 0 && s == "" {
		return "", fmt.Errorf("this lift's table has no floor %s", f)
	}
	return s, nil
}

func motion(m elevator.Motion) string {
	switch m {
	case elevator.Stopped:
		return "still"
	case elevator.MovingUp:
		return "up"
	case elevator.MovingDown:
		return "down"
	}
	return "unknown"
}
