package fsm

import (
	"strings"

	"hoistway/fsm/elevator"
)

// Report gives the fields of the ride's state. wall is epoch seconds at now.
func Report(r Ride, floors elevator.Table, now elevator.Instant, wall int64) Fields {
	f := Fields{State: r.State, Phase: r.Phase, Ride: r.about(floors)}
	here := known(floors.Label(r.Car.Floor.Value), r.Car.Floor.Fresh(now, silenceLimit))
	switch r.State {
	case Idle:
		f.CurrentFloor = here
	case Requesting:
		f.TargetFloor, f.ElevatorID = text(floors.Label(r.To)), text(r.Lift)
	case Waiting:
		waited := int64(now.Sub(r.Since).Seconds())
		f.WaitDuration, f.GateStatus = &waited, r.gate(r.FromSide, now)
	case Moving:
		f.Elevator, f.DoorStatus = here, r.gate(r.nearSide(), now)
	case Exiting:
		f.TargetFloor, f.CurrentFloor = text(floors.Label(r.WayFloor)), here
	case Done:
		ended := wall - int64(now.Sub(r.Since).Seconds())
		f.CompleteTime = &ended
	case Fault, FaultLocked:
		retry := r.RetryN
		f.FaultCode, f.RetryCount = text(string(r.Code)), &retry
	}
	return f
}

func (r *Ride) about(floors elevator.Table) *About {
	if r.ID == "" {
		return nil
	}
	a := &About{ID: r.ID, TaskID: text(r.Task), Robot: r.Robot, From: floors.Label(r.From), To: floors.Label(r.To), FaultNo: r.FaultNo}
	if r.Battery >= 0 {
		b := r.Battery
		a.Battery = &b
	}
	return a
}

// gate is the word for a door; what is not read freshly is unknown.
func (r *Ride) gate(side elevator.Side, now elevator.Instant) *string {
	d := r.Car.Door(side)
	if !r.online() || !d.Fresh(now, silenceLimit) {
		return text(elevator.DoorUnknown.String())
	}
	return text(d.Value.String())
}

// nearSide is the door that matters while the robot rides.
func (r *Ride) nearSide() elevator.Side {
	if r.LeftFrom {
		return r.ToSide
	}
	return r.FromSide
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func known(s string, ok bool) *string {
	if !ok {
		return nil
	}
	return text(s)
}

// InWords puts the labels of a floor table in place of the floor numbers (#3) that
// the texts of this package hold, since a ride knows no labels.
func InWords(s string, floors elevator.Table) string {
	if !strings.Contains(s, "#") {
		return s
	}
	for i := len(floors); i > 0; i-- { // #12 before #1
		s = strings.ReplaceAll(s, elevator.Floor(i).String(), floors[i-1].Label)
	}
	return s
}
