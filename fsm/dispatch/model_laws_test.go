package dispatch

import (
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// judgeCommand holds a command against what may be asked. 1: nothing that moves a car but
// a button. 3, 9: it has an end, and life in it. 5: not in a fire that was seen. 8: its
// number was never used.
func (w *world) judgeCommand(o Do) {
	c := o.Command
	i := slices.Index(modelRides[:], c.ID.Ride)
	switch {
	case c.Verb == elevator.VerbUnknown || c.Verb > elevator.GiveBack:
		w.break_("1: a command that there is not: %s", c.Verb)
	case i < 0:
		w.break_("2: a command of no ride: %s", c.ID)
	case c.Until <= w.now:
		w.break_("9: %s has no life in it", c.Verb)
	case c.Until > w.now.Add(30*time.Second):
		w.break_("3: %s for %v", c.Verb, c.Until.Sub(w.now))
	case w.shown.Mode.Value == elevator.Fire:
		w.break_("5: %s in a fire", c.Verb)
	case c.ID.N <= w.sent[i]:
		w.break_("8: the id %s is given again, %d was the last", c.ID, w.sent[i])
	}
	w.judgeWish(c)
	if i >= 0 {
		w.sent[i] = max(w.sent[i], c.ID.N)
	}
	if c.MayClose {
		w.judgeClosing(c, "leaves")
	}
}

// judgeClosing: no door is closed by us on a robot that is in it.
func (w *world) judgeClosing(c elevator.Command, how string) {
	for i, b := range w.bots {
		if b.where == fsm.AtDoorway {
			w.break_("0: %s %s while %s is in the doorway", c.Verb, how, modelRobots[i])
		}
	}
}

// judgeArrival judges a command when it reaches the controller.
func (w *world) judgeArrival(c elevator.Command) {
	if c.MayClose {
		w.judgeClosing(c, "arrives")
	}
}

// judgeStart judges a robot that sets off. 2: only the ride that has the car.
func (w *world) judgeStart(i int) {
	r, b := w.ride(i), &w.bots[i]
	if b.held.Kind == fsm.Enter {
		if r == nil || !r.Granted {
			w.break_("2: %s goes in and its ride has no lease", modelRobots[i])
		}
		if o := &w.bots[1-i]; o.where == fsm.InCar || o.where == fsm.AtDoorway {
			w.break_("2: %s goes in while %s is at %s", modelRobots[i], modelRobots[1-i], o.where)
		}
	}
}

// judge holds what one step made of the rides against the laws.
func (w *world) judge(out []Output) {
	if len(out) > 60 {
		w.break_("11: %d outputs", len(out))
	}
	for _, o := range out {
		if m, ok := o.(Moved); ok {
			w.judgeMove(m)
		}
		if f, ok := o.(Freed); ok {
			if r := w.site.Ride(f.Ride); r != nil && r.Where != fsm.Outside {
				w.break_("2: the lease is freed with the robot %s", r.Where)
			}
		}
	}
	owners, running := 0, 0
	w.site.EachRide(func(r *fsm.Ride) {
		i := slices.Index(modelRides[:], r.ID)
		if r.Granted {
			owners++
		}
		if r.State != w.state[i] {
			w.break_("10: %s is %s and was told to be %s", r.ID, r.State, w.state[i])
			w.state[i] = r.State
		}
		if r.State != fsm.Done {
			running++
		} else if b := &w.bots[i]; b.where == fsm.InCar || b.where == fsm.AtDoorway {
			w.break_("7: %s is over and %s is at %s", r.ID, modelRobots[i], b.where)
		}
		w.judgeLease(i, r)
		w.judgeRide(i, r)
	})
	if owners > 1 {
		w.break_("2: %d rides hold the car", owners)
	}
	if running > 2 {
		w.break_("11: %d rides", running)
	}
}

// judgeMove: 4: a fault is left as the contract says. 6: EXITING only where the door is
// seen open. 10: what is told of a ride is what it was.
func (w *world) judgeMove(m Moved) {
	i := slices.Index(modelRides[:], m.Ride)
	r := w.ride(i)
	if m.From != w.state[i] {
		w.break_("10: %s goes from %s and was %s", m.Ride, m.From, w.state[i])
	}
	w.state[i] = m.To
	switch {
	case m.From == fsm.FaultLocked && w.reset != m.Ride:
		w.break_("4: FAULT_LOCKED is left for %s with no reset", m.To)
	case m.From == fsm.Fault && m.To == fsm.Requesting && w.bots[i].where != fsm.AtLanding:
		w.break_("4: tries again with the robot at %s", w.bots[i].where)
	case m.To == fsm.Exiting:
		s := &w.shown
		if s.Link != elevator.Online || s.Floor.Value != r.WayFloor || s.Motion.Value != elevator.Stopped ||
			s.Doors[front].Value != elevator.DoorOpen || w.now.Sub(s.Doors[front].At) > time.Second {
			w.break_("6: EXITING at %d, seen at %d with the door %s", r.WayFloor, s.Floor.Value, s.Doors[front].Value)
		}
	}
}

// judgeRide: 7: a permit only on what is seen, and seen freshly; and where the robot is
// never becomes known but by its word or a person's.
func (w *world) judgeRide(i int, r *fsm.Ride) {
	b := &w.bots[i]
	switch {
	case r.Where == fsm.Outside && b.where != fsm.AtLanding:
		w.break_("7: %s is taken to be outside and is at %s", r.Robot, b.where)
	case r.Where == fsm.Inside && b.where == fsm.AtLanding && w.reset == "":
		w.break_("7: %s is taken to be inside and is at the landing", r.Robot)
	}
	p, s := &r.Permit, &w.shown
	if p.N == 0 || p.N == b.held.N && p.Start == b.held.Start {
		return // none, or judged before
	}
	switch {
	case !r.Granted || p.Epoch != r.Epoch:
		w.break_("2: a permit with no lease")
	case s.Link != elevator.Online || s.Doors[front].Value != elevator.DoorOpen || s.Motion.Value != elevator.Stopped || s.Floor.Value != p.Floor:
		w.break_("7: a permit to %s at %d, seen at %d %s with the door %s", p.Kind, p.Floor, s.Floor.Value, s.Motion.Value, s.Doors[front].Value)
	case w.now.Sub(s.Doors[front].At) > 5*time.Second:
		w.break_("7: a permit on a door seen %v ago", w.now.Sub(s.Doors[front].At))
	case p.Start > w.now.Add(2*time.Second):
		w.break_("7: a permit to start within %v", p.Start.Sub(w.now))
	case p.Kind == fsm.Enter && p.Floor != r.From, p.Kind == fsm.LeaveAtTarget && p.Floor != r.To:
		w.break_("6: a permit to %s at %d", p.Kind, p.Floor)
	case s.Mode.Value == elevator.Fire && (p.Kind != fsm.Evacuate || p.Floor != r.Plan.RecallFloor):
		w.break_("5: a permit to %s in a fire", p.Kind)
	}
}
