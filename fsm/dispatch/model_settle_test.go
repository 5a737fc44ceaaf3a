package dispatch

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// settleFor is longer than a ride's expiry and the longest way of a recovery.
const settleFor = 90 * time.Minute

// settle lets everything go well from now on: the line works, the car serves its calls,
// robots do as they are told, people end what they ordered and come when they are called. 12: each ride ends.
func (w *world) settle() {
	w.line, w.car.Mode.Value = true, elevator.Normal
	w.order(goesOn)
	w.order(opens)
	end := w.now.Add(settleFor)
	var opened, called elevator.Instant
	for w.err == "" && w.now < end {
		if w.over(0) && w.over(1) {
			return
		}
		w.reset = ""
		w.pass(200 * time.Millisecond)
		for w.site.NextWake().Reached(w.now) {
			w.in(Tick{})
			if w.site.NextWake().Reached(w.now) {
				w.break_("12: a tick leaves a wake that is due")
				return
			}
		}
		for len(w.pend) > 0 {
			if w.pend[0].Until > w.now {
				w.answer(answersDone)
			} else {
				w.answer(answersNotSent)
			}
		}
		w.serve(&opened)
		w.read()
		w.walk()
		w.person(&called)
	}
	if w.err == "" {
		w.break_("12: after %v still %s", settleFor, w.words())
	}
}

// serve moves the car as its calls want it.
func (w *world) serve(opened *elevator.Instant) {
	f := w.car.Floor.Value
	switch {
	case !w.stands():
		w.travels()
	case w.door() == elevator.DoorOpen:
		w.dark(f)
		if !w.held() && !w.inDoorway() && w.now.Sub(*opened) > 3*time.Second {
			w.setDoor(elevator.DoorClosed)
		}
	case w.door() == elevator.DoorClosing:
		w.setDoor(elevator.DoorClosed)
	case w.calls().Has(f):
		w.setDoor(elevator.DoorOpen)
		*opened = w.now
	case w.calls() != 0:
		w.travels()
	}
}

// walk lets the robots do what they are told.
func (w *world) walk() {
	for i := range w.bots {
		switch b := &w.bots[i]; {
		case w.over(i):
		case b.where == fsm.AtDoorway:
			w.robot(i, arrives)
		case w.mayStart(i):
			w.robot(i, starts)
		default:
			r := w.ride(i)
			if r.State == fsm.Fault || r.State == fsm.FaultLocked || (r.Where != fsm.Outside && r.Where != fsm.Inside) || w.now.Sub(r.Self.At) > 2*time.Second {
				w.robot(i, heartbeats)
			}
		}
		if w.err != "" {
			return
		}
	}
}

// person comes a minute after a ride has come to want one. An alarm of the area that the
// lift no longer shows is over at once.
func (w *world) person(called *elevator.Instant) {
	if w.car.Mode.Value == elevator.Normal && w.alarmed() {
		w.in(ClearArea{Area: w.site.Cars()[0].Area, By: "x"})
	}
	if _, ok := w.resettable(); !ok {
		*called = 0
		return
	}
	if *called == 0 {
		*called = w.now
	}
	if w.now.Sub(*called) > time.Minute {
		*called = 0
		w.resets()
	}
}

func (w *world) alarmed() bool { return w.site.Cars()[0].AreaAlarm != nil }
