package dispatch

import (
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// modelPlan is a custom of controllers, and the rides on whose moments the search begins.
type modelPlan struct {
	name    string
	plan    fsm.Plan
	retries int
	scripts []string
	reaches []string
}

func modelPlans() []modelPlan {
	panel, claims := plan(), plan()
	panel.RecallFloor, claims.RecallFloor = 1, 1
	claims.Claims, claims.Notifies = true, true
	const (
		comes   = "car-moves car-moves door-opens read "
		aboard  = "R1:starts R1:arrives "
		rides   = "done read door-closes door-closes car-moves car-moves door-opens read "
		goesOut = "R1:starts R1:arrives read "
	)
	all := []string{"MOVING", "EXITING", "DONE", "FAULT", "crossing", "settled", "fire", "restart", "stopped", "maintained", "aimed anew"}
	return []modelPlan{
		{"panel", panel, 3, []string{
			"done read " + comes + aboard + rides + goesOut + "door-closes door-closes read",
			"done read " + comes + aboard + "done cancel read door-closes read",
			"done read " + comes + "R1:slips fire read",
			"done read " + comes + aboard + "done read line-breaks wake wake line-heals read",
		}, all},
		{"claims", claims, 3, []string{
			"done done read " + comes + aboard + "done " + rides + goesOut + "done done door-closes door-closes read",
			"done refused read wake read",
		}, all},
		{"locks", panel, 0, []string{
			"refused read",
			"done read " + comes + "R1:slips R1:slips-in wake wake wake wake wake read",
		}, []string{"FAULT_LOCKED", "FAULT", "DONE", "settled", "fire", "restart"}},
	}
}

func (p modelPlan) moments(t *testing.T) []*world {
	var all []*world
	for _, s := range p.scripts {
		all = append(all, moments(t, newWorld(p), s)...)
	}
	return all
}

// mutation is a guard that is broken on purpose, and the law by which that must be found.
type mutation struct {
	name, want string
	plan       int
	hook       hook
}

// spoils changes the site after each step, or what goes in and comes out of it.
type spoils struct {
	in   func(*world, Input) Input
	ride func(*world, *fsm.Ride)
	out  func(*world, Output) Output
}

func (s spoils) before(w *world, in Input) Input {
	if s.in != nil {
		return s.in(w, in)
	}
	return in
}

func (s spoils) after(w *world, out []Output) []Output {
	if s.ride != nil {
		for _, e := range w.site.rides {
			s.ride(w, &e.ride)
		}
	}
	if s.out != nil {
		for i := range out {
			out[i] = s.out(w, out[i])
		}
	}
	return out
}

func seenAs(change func(*elevator.Snapshot)) func(*world, Input) Input {
	return func(_ *world, in Input) Input {
		if s, ok := in.(*Seen); ok {
			c := *s
			change(&c.Car)
			return &c
		}
		return in
	}
}

func deaf[T Input]() spoils {
	return spoils{in: func(_ *world, in Input) Input {
		if _, is := in.(T); is {
			return Tick{}
		}
		return in
	}}
}

func command(change func(*world, *elevator.Command)) func(*world, Output) Output {
	return func(w *world, o Output) Output {
		if d, ok := o.(Do); ok {
			change(w, &d.Command)
			return d
		}
		return o
	}
}

func mutations() []mutation {
	return []mutation{
		{name: "a closing door counts as open", want: "6: EXITING", hook: spoils{in: seenAs(func(s *elevator.Snapshot) {
			if s.Doors[front].Value == elevator.DoorClosing {
				s.Doors[front].Value = elevator.DoorOpen
			}
		})}},
		{name: "a permit leaves the robot known outside", want: "7: R1 is taken to be outside", hook: spoils{ride: func(_ *world, r *fsm.Ride) {
			if r.Where == fsm.Unknown {
				r.Where = fsm.Outside
			}
		}}},
		{name: "a fire is not looked at", want: "5:", hook: spoils{in: seenAs(func(s *elevator.Snapshot) {
			s.Mode.Value = elevator.Normal
		})}},
		{name: "a hold has no end", want: "3:", hook: spoils{out: command(func(w *world, c *elevator.Command) {
			if c.Verb == elevator.Hold {
				c.Until = w.now.Add(time.Hour)
			}
		})}},
		{name: "a restart counts from where the store is", want: "8:", hook: spoils{in: func(_ *world, in Input) Input {
			if r, ok := in.(Resume); ok {
				for i := range r.Rides {
					r.Rides[i].NextN -= 1001
				}
			}
			return in
		}}},
		{name: "a lock is left by itself", want: "4:", plan: 2, hook: spoils{in: func(w *world, in Input) Input {
			if _, seen := in.(*Seen); seen && w.ride(0) != nil && w.ride(0).State == fsm.FaultLocked {
				return Reset{Ride: modelRides[0], RobotIs: fsm.RobotOutside}
			}
			return in
		}}},
		{name: "a change of state is not told", want: "10:", hook: spoils{out: func(_ *world, o Output) Output {
			if m, ok := o.(Moved); ok && m.To == fsm.Fault {
				return Note{}
			}
			return o
		}}},
		{name: "two rides hold the car", want: "2:", hook: spoils{ride: func(_ *world, r *fsm.Ride) {
			r.Granted = true
		}}},
		{name: "a stop is not heard", want: "13: landing_call in a stop", hook: deaf[Stop]()},
		{name: "maintenance is not heard", want: "13: r2 is given the car", hook: deaf[Maintain]()},
		{name: "a permit in a stop", want: "13: R1 is let in", hook: spoils{ride: func(w *world, r *fsm.Ride) {
			if w.kept.orders.stop && r.Permit.N == 0 && r.PermitWas == fsm.Enter && w.open(2) {
				r.Permit = fsm.Permit{N: r.PermitN + 1, Kind: fsm.Enter, Floor: 2, Epoch: r.Epoch, Start: w.now + 1}
			}
		}}},
		{name: "another destination is not heard", want: "14:", hook: deaf[Retarget]()},
		{name: "the new call counts as taken unseen", want: "14: the call to 1 is taken back", hook: spoils{ride: func(_ *world, r *fsm.Ride) {
			if r.Former.Command.ID.N != 0 {
				r.Call.Taken = true
			}
		}}},
		{name: "a lapse in a doorway", want: "0:", hook: spoils{out: command(func(_ *world, c *elevator.Command) {
			if c.Verb == elevator.Hold {
				c.Verb, c.MayClose = elevator.Lapse, true
			}
		})}},
	}
}
