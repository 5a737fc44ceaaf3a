package localapi

import (
	"context"
	"sync/atomic"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

const (
	stepEvery = 100 * time.Millisecond
	stepMm    = 250 // at 2.5 m/s
	storeyMm  = 3500
)

// stage plays a lift and a ride on the views, in real time: no machine, only
// what a page gets to see of one.
type stage struct {
	h      *house
	ctx    context.Context
	frozen atomic.Bool // the car is told to stand, whatever the ride says
	mm     int32
	ride   string
	front  *pageFront
}

func newStage(ctx context.Context, h *house) *stage {
	s := &stage{h: h, ctx: ctx}
	s.h.loop.answer = s.answer
	s.each(func(v *core.View) {
		v.Rides = nil
		v.Lifts[0].Owner, v.Lifts[0].Robot = "", ""
	})
	return s
}

// answer takes the wish of the page into the view.
func (s *stage) answer(o core.Order) (core.Answer, error) {
	c, isCreate := o.(core.CreateRide)
	if !isCreate {
		return core.Answer{Status: core.Accepted}, nil
	}
	s.ride = c.Request.ID
	s.each(func(v *core.View) {
		t := v.Lifts[0].Floors
		r := rideView(c.Request.ID, c.Request.Robot, t, s.h.clock())
		r.Marks = nil
		r.Ride.Where, r.Ride.Permit, r.Ride.State, r.Ride.Phase = fsm.Outside, fsm.Permit{}, fsm.Idle, fsm.Queued
		r.Ride.From, r.Ride.To = t.ByLabel(c.From), t.ByLabel(c.To)
		v.Rides = append(v.Rides, r)
		v.Lifts[0].Owner, v.Lifts[0].Robot = c.Request.ID, c.Request.Robot
	})
	return core.Answer{Status: core.Created, Ride: c.Request.ID}, nil
}

// each makes and publishes a view in which everything was heard just now.
func (s *stage) each(edit func(*core.View)) {
	now := s.h.clock()
	s.h.put(func(v *core.View) {
		for i := range v.Lifts {
			car := &v.Lifts[i].Car
			mm := car.Position.Value
			if i == 0 {
				mm = s.mm
			}
			moved := carAt(elevator.Floor(mm/storeyMm+1), mm, now)
			moved.Doors, moved.Motion.Value, moved.CarCalls = car.Doors, car.Motion.Value, seen(car.CarCalls.Value, now)
			moved.UpCalls = seen(car.UpCalls.Value, now)
			for side := range moved.Doors {
				moved.Doors[side].At = now
			}
			v.Lifts[i].Car = moved
		}
		edit(v)
	})
}

// wait keeps telling the view while time passes.
func (s *stage) wait(d time.Duration) {
	for range d / stepEvery {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(stepEvery):
		}
		s.each(func(*core.View) {})
	}
}

func (s *stage) door(d elevator.Door) {
	s.each(func(v *core.View) {
		for i := range v.Lifts[0].Floors {
			for _, side := range v.Lifts[0].Floors[i].Doors {
				v.Lifts[0].Car.Doors[side] = seen(elevator.DoorClosed, s.h.clock())
			}
		}
		v.Lifts[0].Car.Doors[elevator.Front].Value = d
	})
}

// state moves the ride on.
func (s *stage) state(to fsm.State, phase fsm.Phase, where fsm.Where, why string) {
	s.each(func(v *core.View) {
		for i := range v.Rides {
			r := &v.Rides[i]
			if r.Ride.ID != s.ride {
				continue
			}
			r.Marks = append(r.Marks[:len(r.Marks):len(r.Marks)], core.Mark{
				Wall: time.Now().UnixMilli(), From: r.Ride.State, To: to, Phase: phase, Why: why,
			})
			r.Ride.State, r.Ride.Phase, r.Ride.Where = to, phase, where
			r.Ride.Permit = fsm.Permit{}
			if phase == fsm.Boarding || to == fsm.Exiting {
				r.Ride.Permit = fsm.Permit{N: 1, Kind: fsm.Enter, Floor: r.Ride.From, Side: elevator.Front, Start: s.h.clock().Add(time.Minute), Through: s.h.clock().Add(time.Minute)}
				if to == fsm.Exiting {
					r.Ride.Permit.Kind, r.Ride.Permit.Floor = fsm.LeaveAtTarget, r.Ride.To
				}
			}
		}
	})
}

// travel drives the car to a floor.
func (s *stage) travel(to elevator.Floor) {
	target := int32(to-1) * storeyMm
	for s.mm != target && s.ctx.Err() == nil {
		motion, step := elevator.MovingUp, int32(stepMm)
		if target < s.mm {
			motion, step = elevator.MovingDown, -stepMm
		}
		if !s.frozen.Load() {
			s.mm += step
		} else {
			target = s.mm
		}
		s.each(func(v *core.View) { v.Lifts[0].Car.Motion.Value = motion })
		s.wait(stepEvery)
	}
	s.each(func(v *core.View) { v.Lifts[0].Car.Motion.Value = elevator.Stopped })
}

// play is one whole ride, once somebody has asked for it.
func (s *stage) play(from, to elevator.Floor) {
	s.state(fsm.Requesting, fsm.Calling, fsm.Outside, "the lease is granted")
	s.wait(300 * time.Millisecond)
	s.state(fsm.Waiting, fsm.Called, fsm.Outside, "the lamp is lit")
	s.travel(from)
	s.open()
	s.state(fsm.Waiting, fsm.Boarding, fsm.Unknown, "the door is open at G")
	s.wait(500 * time.Millisecond)
	s.state(fsm.Waiting, fsm.Boarding, fsm.Crossing, "entering")
	s.wait(500 * time.Millisecond)
	s.state(fsm.Moving, fsm.Registering, fsm.Inside, "entered")
	s.door(elevator.DoorClosing)
	s.wait(700 * time.Millisecond)
	s.door(elevator.DoorClosed)
	s.state(fsm.Moving, fsm.Riding, fsm.Inside, "the call to 3 is taken")
	s.travel(to)
	s.open()
	s.state(fsm.Exiting, fsm.Leaving, fsm.Inside, "the door is open at 3")
	s.wait(500 * time.Millisecond)
	s.state(fsm.Done, fsm.Arrived, fsm.Outside, "left")
	s.each(func(v *core.View) { v.Lifts[0].Owner, v.Lifts[0].Robot = "", "" })
	s.wait(200 * time.Millisecond)
}

func (s *stage) open() {
	s.door(elevator.DoorOpening)
	s.wait(700 * time.Millisecond)
	s.door(elevator.DoorOpen)
}

// trouble adds a ride in a fault and one that waits, for pictures.
func (s *stage) trouble() {
	s.each(func(v *core.View) {
		t := v.Lifts[1].Floors
		faulty := rideView("ride-7", "R2", t, s.h.clock())
		faulty.Ride.Lift, faulty.Ride.State, faulty.Ride.Phase, faulty.Ride.Where = "L2", fsm.Fault, fsm.Recovering, fsm.Outside
		faulty.Ride.Code, faulty.Ride.FaultNo, faulty.Ride.RetryN, faulty.Ride.Permit = fsm.WaitTimeout, 1, 1, fsm.Permit{}
		faulty.Ride.FaultAt, faulty.Place = s.h.clock(), 1
		wall := time.Now().Add(-95 * time.Second)
		faulty.Marks = []core.Mark{
			{Wall: wall.UnixMilli(), From: fsm.Idle, To: fsm.Requesting, Phase: fsm.Calling},
			{Wall: wall.Add(300 * time.Millisecond).UnixMilli(), From: fsm.Requesting, To: fsm.Waiting, Phase: fsm.Called},
			{Wall: wall.Add(90 * time.Second).UnixMilli(), From: fsm.Waiting, To: fsm.Fault, Phase: fsm.Recovering, Why: "no car in 1m30s"},
		}
		v.Rides = append(v.Rides, faulty)
		v.Lifts[1].Queue = []string{"ride-7"}
		v.Shadow.Shadows[0].Reported = shadow.Tree{"state": "WAITING", "elevator_id": "L1", "fault_code": nil, "wait_timeout": 90}
		v.Shadow.Shadows[0].Desired = shadow.Tree{"wait_timeout": 90}
	})
}
