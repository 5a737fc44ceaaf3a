package virtual

import (
	"fmt"
	"time"

	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

// job is a command on its way through the line.
type job struct {
	key   schedule.Key
	cmd   elevator.Command // its instants are the process's
	write write
	holds elevator.Instant // when the device will end the hold
	by    elevator.Instant // of the site: it is taken back then if no byte has left
	no    uint8            // exception of the device
	doors bool
	acked elevator.Instant // a call that the device acknowledged then: a reading shows whether it was taken
}

// worker carries out commands one after the other: doors and calls apart, so that
// a hold never waits behind a slow call.
type worker struct {
	tasks []task
	busy  bool
}

type task struct {
	cmd  elevator.Command
	left time.Duration
}

const backlog = 16

// give hands a command over; false when too many wait.
func (k *link) give(c elevator.Command, now elevator.Instant) bool {
	w := k.worker(c.Verb == elevator.Hold || c.Verb == elevator.Lapse)
	if len(w.tasks) >= backlog {
		return false
	}
	left := commandLimit
	if c.Until != 0 {
		left = min(left, c.Until.Until(now))
	}
	w.tasks = append(w.tasks, task{c, left})
	k.l.s.wanted(k.l.id) // what comes of it is to be read
	k.rouse()
	return true
}

func (k *link) worker(doors bool) *worker {
	if doors {
		return &k.doors
	}
	return &k.calls
}

// work lets the workers begin what waits; true when one did.
func (k *link) work() bool {
	if len(k.doors.tasks)+len(k.calls.tasks) == 0 {
		return false
	}
	began := false
	for _, doors := range [...]bool{true, false} {
		w := k.worker(doors)
		if w.busy || len(w.tasks) == 0 {
			continue
		}
		t := w.tasks[0]
		w.tasks = append(w.tasks[:0], w.tasks[1:]...)
		k.submit(t, doors)
		began = true
	}
	return began
}

// submit puts a command into bytes and into the line's queue.
func (k *link) submit(t task, doors bool) {
	s := k.l.s
	now := s.agent.now()
	w, holds, why := k.l.encode(t.cmd, now)
	switch {
	case t.left <= 0 || t.cmd.Until <= now:
		k.ends(t.cmd, elevator.Outcome{Result: elevator.NotSent, Detail: "its time is over"})
		return
	case why != "":
		k.ends(t.cmd, elevator.Outcome{Result: elevator.Refused, Advice: elevator.AdviceConfig, Detail: why})
		return
	}
	k.worker(doors).busy = true
	k.key++
	k.jobs = append(k.jobs, job{key: k.key, cmd: t.cmd, write: w, holds: holds, by: s.at() + elevator.Instant(t.left), doors: doors})
	k.submits.Command = schedule.Command{
		Key: k.key, Owner: owner, Class: class(t.cmd.Verb), Group: uint32(t.cmd.Side), Until: t.cmd.Until, Stages: k.l.stages[:],
	}
	k.step(&k.submits)
}

func class(v elevator.Verb) schedule.Class {
	switch v {
	case elevator.Lapse:
		return schedule.Stop
	case elevator.Hold:
		return schedule.Hold
	}
	return schedule.Call
}

func (k *link) job(key schedule.Key) *job {
	for i := range k.jobs {
		if k.jobs[i].key == key {
			return &k.jobs[i]
		}
	}
	return nil
}

// settle takes the end of a command from the scheduler.
func (k *link) settle(e schedule.Ended) {
	for i := range k.jobs {
		j := k.jobs[i]
		if j.key != e.Key || e.Owed {
			continue
		}
		if e.Result == elevator.Done && calls(j.cmd.Verb) {
			k.jobs[i].acked, k.looks = k.l.s.agent.now(), true
			return
		}
		k.over(i)
		if e.Result == elevator.Done {
			k.held(j)
		}
		k.ends(j.cmd, outcome(e, j.no))
		return
	}
}

// over takes the job at i off the line.
func (k *link) over(i int) {
	k.worker(k.jobs[i].doors).busy = false
	k.rouse()
	k.jobs = append(k.jobs[:i], k.jobs[i+1:]...)
}

// held keeps the end of a hold that the device has acknowledged.
func (k *link) held(j job) {
	if j.cmd.Verb == elevator.Hold || j.cmd.Verb == elevator.Lapse {
		k.snap.Car.Holds[j.cmd.Side] = j.holds
		if !k.l.s.set.Lean { // while lean the next reading brings it
			k.tells()
		}
	}
}

// ends tells the loop what became of a command.
func (k *link) ends(c elevator.Command, o elevator.Outcome) {
	s := k.l.s
	o.ID = c.ID
	if o.At == 0 {
		o.At = s.agent.now()
	}
	if !s.set.Lean {
		k.l.tellCommand(c, o)
	}
	s.agent.answered(o)
}

// outcome words an end as a Modbus link does.
func outcome(e schedule.Ended, no uint8) elevator.Outcome {
	o := elevator.Outcome{Result: e.Result, Detail: e.Why}
	if no != 0 {
		o.Code, o.Advice = fmt.Sprintf("0x%02X", no), advice(no)
		o.Detail = "exception " + o.Code
	}
	return o
}

func advice(no uint8) elevator.Advice {
	switch no {
	case 5, 6:
		return elevator.AdviceRetry
	case 1, 2, 3:
		return elevator.AdviceConfig
	case 4, 8, 10, 11:
		return elevator.AdviceWait
	}
	return elevator.AdviceNone
}
