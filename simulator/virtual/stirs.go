package virtual

import (
	"time"

	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// stirs tells the changes of a car after which a ride may go on. That somebody stands
// in the doorway, and which floors the car passes, shows at the next reading.
func (l *lift) stirs(a, b *building.CarState) bool {
	calls := a.Up != b.Up || a.Down != b.Down || a.Car != b.Car
	if calls || a.Mode != b.Mode || a.Dark != b.Dark || a.Overload != b.Overload || a.Nudging != b.Nudging ||
		a.Stop != b.Stop || a.Error != b.Error || b.Motion != a.Motion && b.Motion == elevator.Stopped {
		return true
	}
	starts := a.Motion != b.Motion
	front := a.Doors[elevator.Front].State != b.Doors[elevator.Front].State
	rear := a.Doors[elevator.Rear].State != b.Doors[elevator.Rear].State
	return starts && l.minds(elevator.SideUnknown, elevator.DoorUnknown) ||
		front && l.minds(elevator.Front, b.Doors[elevator.Front].State) || rear && l.minds(elevator.Rear, b.Doors[elevator.Rear].State)
}

// owner is the ride that has the lift, nil for none.
func (l *lift) owner() *fsm.Ride {
	if !l.s.agent.up {
		return nil
	}
	l.s.agent.sort()
	return l.has
}

// sort finds out which ride has which lift, and which lifts are wanted. That changes only
// with a step that stores something; a ride stays in its place until then.
func (a *agent) sort() {
	if !a.unsorted {
		return
	}
	a.unsorted = false
	for _, l := range a.s.lifts {
		l.has, l.free = nil, true
	}
	a.core.EachRide(func(x *fsm.Ride) {
		wants := x.State != fsm.Done && x.Phase != fsm.Standby
		if !x.Granted && !wants {
			return
		}
		l := a.s.lift(x.Lift)
		if l == nil {
			return
		}
		l.free = false
		if x.Granted {
			l.has = x
		}
	})
}

// minds reports that it is something to the ride that has the lift, or to any where none
// has it, that the door is in that state now; with no side, that the car leaves.
func (l *lift) minds(side elevator.Side, door elevator.Door) bool {
	x := l.owner()
	return x == nil || minds(x, side, door)
}

// minds is that of one ride. One whose robot is on its way wants the door to open, and one
// that is over wants it shut; who may cross looks at every change of his door.
func minds(x *fsm.Ride, side elevator.Side, door elevator.Door) bool {
	opens := door == elevator.DoorOpening || door == elevator.DoorOpen
	switch {
	case rides(x):
		return opens
	case x.State == fsm.Done && x.Aboard:
		return side == elevator.SideUnknown || door == elevator.DoorClosed && (side == x.WaySide || x.Way == "")
	case x.Phase == fsm.Boarding:
		return side == elevator.SideUnknown || side == x.FromSide
	case x.State == fsm.Exiting:
		return side == elevator.SideUnknown || side == x.WaySide
	}
	return true
}

// rides reports a robot that stands in a car which brings it to where it wants to go.
func rides(x *fsm.Ride) bool {
	return x.State == fsm.Moving && x.Phase == fsm.Riding && x.Where == fsm.Inside
}

// passed notes a change that nobody minds. A ride that is told something may turn, and
// mind it then.
func (l *lift) passed() {
	if x := l.owner(); x != nil && rides(x) {
		l.link.unread = true
	}
}

// readUp has the loop see such changes before it is told something by a robot or a person:
// it then knows no less than one that reads all the time.
func (s *Site) readUp() {
	if !s.set.Lean || s.agent.frozen {
		return
	}
	for _, l := range s.lifts {
		if k := &l.link; k.unread && k.joined && k.busy == 0 {
			k.unread = false
			k.step(schedule.Refresh{Owner: owner})
		}
	}
	s.agent.pump()
}

// leanCalm is under the silence that is a fault, five seconds.
const leanCalm = 4500 * time.Millisecond

// renewal is how old a reading may get.
func (l *lift) renewal() time.Duration {
	if x := l.owner(); x != nil && calm(x) {
		return leanCalm
	}
	return leanPoll
}

// calm reports a ride that begins nothing by what is seen, and only needs a lift that is not
// silent: its robot rides, or is on its way through the door, or out, or waits for the car
// to come.
func calm(x *fsm.Ride) bool {
	crosses := x.Where == fsm.Crossing && (x.Phase == fsm.Boarding || x.State == fsm.Exiting)
	comes := x.Phase == fsm.Called && x.Call.Taken && x.Car.Floor.Value != x.From
	return rides(x) || crosses || comes || x.State == fsm.Done
}
