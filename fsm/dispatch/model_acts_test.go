package dispatch

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// action is one thing that can happen. Those of a robot come twice, once for each.
type action int

const (
	reading action = iota // nothing changed
	doorOpens
	doorCloses
	carMoves // sets off, or comes to the other landing
	fireBegins
	fireEnds
	lineBreaks
	lineHeals
	wakes // the time of the next alarm comes
	answersDone
	answersLost // done, and the answer is lost
	answersNotSent
	answersRefused
	cancels
	resets
	aimsAnew // R1's ride gets another destination
	halts    // a person stops all lifts
	goesOn   // and ends the stop
	closes   // maintenance begins
	opens    // and ends
	dies     // and starts again: all that was to be stored is
	diesTorn // before the last commit, and before what waits for it
	stops    // in an orderly way
	perRobot // from here on: those of R1, then those of R2
)

const (
	starts  action = perRobot + iota // to cross, and says so
	slips                            // starts, and its word is lost
	arrives                          // is through, and says so
	slipsIn                          // is through, and its word is lost
	heartbeats
	turnsBack // from the doorway
	eachRobot
)

const robotActs = int(eachRobot - perRobot)

var actWords = []string{
	"read", "door-opens", "door-closes", "car-moves", "fire", "fire-over", "line-breaks", "line-heals", "wake",
	"done", "lost", "not-sent", "refused", "cancel", "reset", "aims-anew", "halts", "goes-on", "closes", "opens", "dies", "dies-torn", "stops",
	"starts", "slips", "arrives", "slips-in", "heartbeat", "turns-back",
}

// of parts an action of a robot into which robot, and what.
func (a action) of() (bot int, what action) {
	if a < perRobot {
		return 0, a
	}
	return int(a-perRobot) / robotActs, perRobot + (a-perRobot)%action(robotActs)
}

func by(bot int, what action) action { return what + action(bot*robotActs) }

func (a action) String() string {
	bot, what := a.of()
	if a < perRobot {
		return actWords[what]
	}
	return modelRobots[bot] + ":" + actWords[what]
}

func actionOf(word string) (action, bool) {
	for a := range perRobot + action(2*robotActs) {
		if a.String() == word {
			return a, true
		}
	}
	return 0, false
}

// acts lists what can happen now.
func (w *world) acts() []action {
	out := make([]action, 0, 20)
	add := func(a action, can bool) {
		if can {
			out = append(out, a)
		}
	}
	fire := w.car.Mode.Value == elevator.Fire
	add(reading, w.line)
	add(doorOpens, w.stands() && w.door() != elevator.DoorOpen)
	add(doorCloses, w.stands() && w.door() != elevator.DoorClosed && !w.held() && !w.inDoorway())
	add(carMoves, w.door() == elevator.DoorClosed)
	add(fireBegins, !fire)
	add(fireEnds, fire)
	add(lineBreaks, w.line)
	add(lineHeals, !w.line)
	wake := w.site.NextWake()
	add(wakes, wake != 0)
	for a := answersDone; a <= answersRefused; a++ {
		add(a, len(w.pend) > 0 && (a == answersNotSent || w.line && w.pend[0].Until > w.now))
	}
	add(cancels, !w.over(0) && !w.ride(0).CancelAsked)
	_, ok := w.resettable()
	add(resets, ok)
	w.orderActs(add)
	add(dies, w.restarts < 2)
	add(diesTorn, w.restarts < 2 && w.torn)
	add(stops, w.restarts < 2)
	for i := range w.bots {
		w.botActs(i, add)
	}
	return out
}

func (w *world) botActs(i int, add func(action, bool)) {
	b := &w.bots[i]
	may := w.mayStart(i)
	add(by(i, starts), may)
	add(by(i, slips), may)
	door := b.where == fsm.AtDoorway
	add(by(i, arrives), door)
	add(by(i, slipsIn), door)
	add(by(i, turnsBack), door)
	add(by(i, heartbeats), !w.over(i))
}

// mayStart: a robot goes by its permit and by its own eyes.
func (w *world) mayStart(i int) bool {
	b := &w.bots[i]
	if b.held.N == 0 || w.now >= b.held.Start || !w.open(b.held.Floor) {
		return false
	}
	if b.held.Kind == fsm.Enter {
		return b.where == fsm.AtLanding && b.floor == b.held.Floor
	}
	return b.where == fsm.InCar
}

// resettable is the first ride that waits for a person, who needs longer to come than a
// robot may take to start by a permit that it still has.
func (w *world) resettable() (int, bool) {
	for i := range modelRides {
		if r := w.ride(i); r != nil && (r.State == fsm.FaultLocked || r.State == fsm.Fault && r.Latched) &&
			w.bots[i].where != fsm.AtDoorway && w.now >= w.bots[i].held.Start {
			return i, true
		}
	}
	return 0, false
}

// do lets one thing happen, and time pass with it.
func (w *world) do(a action) {
	w.reset = ""
	if a != diesTorn {
		w.torn = false // whatever else happens, the commit was quicker
	}
	bot, what := a.of()
	if what >= perRobot {
		w.robot(bot, what)
		return
	}
	switch {
	case a <= lineHeals:
		w.pass(200 * time.Millisecond)
		w.carDoes(a)
		w.read()
	case a == wakes:
		w.now = max(w.now+1, w.site.NextWake())
		w.in(Tick{})
	case a <= answersRefused:
		w.pass(20 * time.Millisecond)
		w.answer(a)
	case a == cancels:
		w.in(Cancel{Ride: modelRides[0], By: "x"})
	case a == resets:
		w.resets()
	case a <= opens:
		w.order(a)
	default:
		w.restart(a)
	}
}

func (w *world) pass(d time.Duration) { w.now = w.now.Add(d) }

func (w *world) carDoes(a action) {
	switch a {
	case doorOpens:
		w.setDoor(elevator.DoorOpen)
		w.dark(w.car.Floor.Value)
	case doorCloses:
		if w.door() == elevator.DoorOpen {
			w.setDoor(elevator.DoorClosing)
		} else {
			w.setDoor(elevator.DoorClosed)
		}
	case carMoves:
		w.travels()
	case fireBegins:
		w.car.Mode.Value = elevator.Fire
		w.car.UpCalls.Value, w.car.DownCalls.Value, w.car.CarCalls.Value, w.car.Holds = 0, 0, 0, [elevator.Sides]elevator.Instant{}
	case fireEnds:
		w.car.Mode.Value = elevator.Normal
	case lineBreaks, lineHeals:
		w.line = a == lineHeals
	}
}

func (w *world) travels() {
	if w.stands() {
		w.car.Motion.Value = w.heading()
		return
	}
	for range 2 { // a flight takes longer than what may close a door is alive
		w.pass(1400 * time.Millisecond)
		w.read()
	}
	if w.car.Motion.Value == elevator.MovingUp {
		w.car.Floor.Value++
	} else {
		w.car.Floor.Value--
	}
	w.car.Motion.Value = elevator.Stopped
}

// heading is where the car goes from here: down, but from the lowest landing or to a call above.
func (w *world) heading() elevator.Motion {
	if f := w.car.Floor.Value; f == 1 || f < modelTop && w.calls().Has(modelTop) {
		return elevator.MovingUp
	}
	return elevator.MovingDown
}

func (w *world) answer(a action) {
	c := w.pend[0]
	w.pend, w.fresh = w.pend[1:], 0
	if a == answersDone || a == answersLost {
		w.obey(c)
	}
	o := elevator.Outcome{ID: c.ID, At: w.now, Result: map[action]elevator.Result{
		answersDone: elevator.Done, answersLost: elevator.ResultUnknown, answersNotSent: elevator.NotSent, answersRefused: elevator.Refused,
	}[a]}
	w.in(Answered{Outcome: o})
}

// resets is a person's word, which is true.
func (w *world) resets() {
	i, _ := w.resettable()
	is := fsm.RobotOutside
	if w.bots[i].where == fsm.InCar {
		is = fsm.RobotInside
	}
	w.reset = modelRides[i]
	w.in(Reset{Ride: modelRides[i], RobotIs: is, By: "x"})
}

// restart ends the process and begins another on what is stored.
func (w *world) restart(a action) {
	if a == stops {
		w.in(Stopping{})
	}
	kept := w.kept
	if a == diesTorn {
		kept = w.keptWas                      // and nobody was told of more
		w.pend = w.pend[:len(w.pend)-w.fresh] // they waited for the commit, as permits do
		for i := range w.bots {
			w.bots[i].held = w.bots[i].was
		}
	}
	for _, c := range w.pend { // what is on the wire arrives
		if w.line {
			w.obey(c)
		}
	}
	w.pend, w.restarts = nil, w.restarts+1
	w.site = New(w.conf)
	w.shown = elevator.Snapshot{}
	var rides []fsm.Ride
	for i, r := range kept.rides {
		if r == nil {
			continue // it was never answered that there is one
		}
		back := *r
		back.Car = elevator.Snapshot{}
		rides, w.state[i], w.leased[i] = append(rides, back), back.State, back.Granted
	}
	w.kept = kept
	w.pass(300 * time.Millisecond)
	w.in(Resume{Rides: rides, Standing: kept.standing})
}

func (w *world) robot(i int, what action) {
	b := &w.bots[i]
	kind := fsm.Heartbeat
	switch what {
	case starts, slips:
		w.pass(100 * time.Millisecond)
		w.judgeStart(i)
		kind = fsm.LeavingNow
		if b.in = b.where == fsm.AtLanding; b.in {
			kind = fsm.Entering
		}
		b.where, b.floor = fsm.AtDoorway, w.car.Floor.Value
	case arrives, slipsIn, turnsBack:
		w.pass(time.Second)
		kind = w.through(b, what == turnsBack)
	default:
		w.pass(50 * time.Millisecond)
	}
	if what != slips && what != slipsIn {
		w.say(i, kind)
	}
}

// through takes a robot out of the doorway, on or back.
func (w *world) through(b *bot, back bool) fsm.SignalKind {
	in := b.in != back
	b.where = fsm.AtLanding
	if in {
		b.where = fsm.InCar
	}
	b.held = fsm.Permit{}
	switch {
	case in && !back:
		return fsm.Entered
	case in:
		return fsm.GaveUpLeaving
	case back:
		return fsm.GaveUpEntering
	}
	return fsm.Left
}

// say tells the site where the robot is, truly.
func (w *world) say(i int, kind fsm.SignalKind) {
	b := &w.bots[i]
	b.seq++
	s := fsm.Signal{Kind: kind, Boot: "b", Seq: b.seq, Battery: -1, View: fsm.RobotView{Where: b.where}}
	if kind == fsm.Heartbeat {
		w.in(Heartbeat{Robot: modelRobots[i], Signal: s})
		return
	}
	w.in(Signal{Ride: modelRides[i], Signal: s})
}
