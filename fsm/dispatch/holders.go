package dispatch

import (
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// A landing call belongs to the group and the landing: however many rides wish for it, its
// button is pressed once, and taken back when the last of them wants it no more. A ride
// that finds it pressed is answered with what the press itself is answered.

// press is a command that went out, with the commands of others that its answer answers too.
type press struct {
	id        elevator.CommandID
	followers []elevator.CommandID
}

// send carries a ride's command out, unless another ride's stands for it.
func (st *step) send(e *entry, ef fsm.Send) {
	cmd := ef.Command
	switch cmd.Verb {
	case elevator.LandingCall:
		if x := st.sharer(e, &cmd); x != nil {
			st.join(cmd.ID, x)
			return
		}
	case elevator.CancelCall:
		if !cmd.Car && st.sharer(e, &cmd) != nil {
			st.later = append(st.later, elevator.Outcome{ID: cmd.ID, Result: elevator.Done, At: st.now, Detail: "another robot of the group waits for this call"})
			return
		}
	}
	st.put(Do{Lift: e.ride.Lift, Command: cmd, Urgent: ef.Urgent || st.urgent})
}

// sharer is another ride of the group whose live landing call is the same button.
func (st *step) sharer(e *entry, cmd *elevator.Command) *entry {
	mine := st.car(e.ride.Lift)
	if mine == nil || mine.Group == "" {
		return nil
	}
	for _, x := range st.rides {
		c := st.car(x.ride.Lift)
		if x == e || c == nil || c.Group != mine.Group || finished(&x.ride) {
			continue
		}
		if w := &x.ride.Call.Command; w.ID.N != 0 && w.Verb == elevator.LandingCall && w.Direction == cmd.Direction &&
			w.Side == cmd.Side && c.Floors.Label(w.Floor) == mine.Floors.Label(cmd.Floor) {
			return x
		}
	}
	return nil
}

// join answers a press by that of another ride: at once where that was answered, else with it.
func (st *step) join(id elevator.CommandID, x *entry) {
	w := &x.ride.Call
	if w.Answered {
		out := elevator.Outcome{ID: id, Result: elevator.Done, At: st.now, Detail: "pressed for another robot of the group"}
		if w.Unsure {
			out.Result = elevator.ResultUnknown
		}
		st.later = append(st.later, out)
		return
	}
	first := w.Command.ID
	for i := range st.shared {
		if p := &st.shared[i]; p.id == first || slices.Contains(p.followers, first) {
			p.followers = append(slices.Clone(p.followers), id)
			return
		}
	}
	st.shared = append(st.shared, press{id: first, followers: []elevator.CommandID{id}})
}

// answered brings an outcome to its ride, and to those that share the press.
func (st *step) answered(o elevator.Outcome) {
	st.toRide(o.ID.Ride, fsm.Answered{Outcome: o})
	i := slices.IndexFunc(st.shared, func(p press) bool { return p.id == o.ID })
	if i < 0 {
		return
	}
	for _, id := range st.shared[i].followers {
		out := o
		out.ID = id
		st.later = append(st.later, out)
	}
	st.shared = slices.Delete(slices.Clone(st.shared), i, i+1)
}

// settle gives the answers that this step gives itself. Each may ask for more; a ride asks
// for a bounded number of presses.
func (st *step) settle() {
	for range 64 {
		if len(st.later) == 0 {
			return
		}
		o := st.later[0]
		st.later = st.later[1:]
		st.answered(o)
	}
}
