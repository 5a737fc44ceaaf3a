package virtual

import (
	"strconv"

	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// calls reports a command of which an acknowledgement is no proof: the bench
// controller acknowledges a call that it refuses.
func calls(v elevator.Verb) bool { return v == elevator.LandingCall || v == elevator.CarCall }

// refusal is what the bench profile makes of a code that answers the last call.
func refusal(code int32) (a elevator.Advice, why string) {
	switch code {
	case building.CodeLocked:
		return elevator.AdviceConfig, "call refused, the landing is locked"
	case building.CodeBusy:
		return elevator.AdviceWait, "busy"
	}
	return elevator.AdviceNone, ""
}

// lookNow asks for the reading that a call waits for.
func (k *link) lookNow() {
	if k.looks {
		k.looks = false
		k.step(schedule.Refresh{Owner: owner})
	}
}

// look ends the calls that wait for a reading. One that failed, or that came after
// the call's life, leaves the acknowledgement as it is.
func (k *link) look(read bool) {
	for i := 0; i < len(k.jobs); {
		j := k.jobs[i]
		if j.acked == 0 {
			i++
			continue
		}
		k.over(i)
		o := elevator.Outcome{Result: elevator.Done, At: j.acked}
		if read && !j.by.Reached(k.l.s.at()) {
			k.refused(j.cmd, &o)
		}
		k.ends(j.cmd, o)
	}
}

// refused makes a refusal of a call whose lamp is dark beside a code that answers it.
func (k *link) refused(c elevator.Command, o *elevator.Outcome) {
	s := &k.snap.Car
	lamp, _ := s.Lamp(&c)
	if a, why := refusal(s.Vendor.Value); why != "" && !lamp.Value.Has(c.Floor) {
		o.Result, o.Code, o.Advice, o.Detail = elevator.Refused, strconv.Itoa(int(s.Vendor.Value)), a, why
	}
}

// unproven reports a command that has not been answered.
func (k *link) unproven() bool {
	for i := range k.jobs {
		if k.jobs[i].acked == 0 {
			return true
		}
	}
	return false
}
