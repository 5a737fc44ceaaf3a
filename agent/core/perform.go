package core

import (
	"fmt"
	"strings"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/sync/shadow"
)

// The commands of the cloud that a gateway carries out, with their limits in seconds.
const (
	cmdSnapshot   = "snapshot"
	cmdResetFault = "reset-fault"
	cmdRunUpdate  = "run-update"
)

// Commands is the table of them, for the session's configuration. One that is not here is
// refused by the session.
func Commands() []shadow.Command {
	return []shadow.Command{
		{Name: cmdSnapshot, Limit: 60},
		{Name: cmdResetFault, Limit: 30, Signed: true},
		{Name: cmdRunUpdate, Limit: 3600},
	}
}

// Act is what the cloud had done here, for the audit.
type Act struct {
	By, What, ID, Ride string
	Outcome, Detail    string // done, refused, failed
}

func (Act) effect() {}

// perform carries out what the session has handed out in this pass.
func (p *pass) perform() {
	for len(p.performs) > 0 {
		o := p.performs[0]
		p.performs = p.performs[1:]
		ride, _ := o.Args["ride"].(string)
		done := p.performed(o)
		done.ID = o.ID
		p.after(Act{
			By: strings.TrimSpace("cloud " + o.By), What: o.Name, ID: o.ID, Ride: ride,
			Outcome: string(done.Status), Detail: done.Reason,
		})
		p.toSession(done)
	}
}

func (p *pass) performed(o shadow.Perform) shadow.Performed {
	switch {
	case o.Again:
		return shadow.Performed{Status: shadow.OrderFailed, Reason: "the agent ended before it was done"}
	case o.Name == cmdSnapshot:
		return shadow.Performed{Status: shadow.OrderDone, Result: p.snapshot()}
	case o.Name == cmdResetFault:
		return p.resetFault(o)
	case o.Name == cmdRunUpdate:
		return declined("this gateway has no updater")
	}
	return declined("not a command of this device")
}

func declined(format string, args ...any) shadow.Performed {
	return shadow.Performed{Status: shadow.OrderRefused, Reason: fmt.Sprintf(format, args...)}
}

// resetFault is a person's reset, given from afar: {ride, robot_is, fault_no}. It is for the
// fault that the person saw, not for one that came since.
func (p *pass) resetFault(o shadow.Perform) shadow.Performed {
	id, _ := o.Args["ride"].(string)
	word, _ := o.Args["robot_is"].(string)
	is := fsm.Whereabouts(word)
	if is != fsm.RobotOutside && is != fsm.RobotRemoved && is != fsm.RobotInside {
		return declined("robot_is must be outside, removed or inside")
	}
	ride := p.site.Ride(id)
	if ride == nil {
		return declined("no such ride")
	}
	if no, ok := whole(o.Args["fault_no"]); !ok || no != int64(ride.FaultNo) {
		return declined("fault_no must be that of the fault that stands, which is %d", ride.FaultNo)
	}
	if lock := p.lockOf(ride.Lift); lock != "" {
		return declined("%s", lock)
	}
	if r := p.ask(dispatch.Reset{Ride: id, RobotIs: is, By: by(shadow.Apply{By: o.By})}); r.Status != dispatch.Accepted {
		return declined("%s", strings.TrimSpace(r.Code+" "+r.Detail))
	}
	return shadow.Performed{Status: shadow.OrderDone}
}

// maxSnapshot leaves room for what a response has around its result.
const maxSnapshot = 7 << 10

// snapshot is what stands, as far as 7 KB hold it: what is left off is counted.
func (p *pass) snapshot() shadow.Tree {
	v := p.View(p.t)
	lifts, rides, versions := []any{}, []any{}, shadow.Tree{}
	for _, l := range v.Lifts {
		lifts = append(lifts, shadow.Tree{
			"id": l.ID, "floor": orNull(l.Floors.Label(l.Car.Floor.Value)), "link": l.Car.Link.String(), "mode": l.Car.Mode.Value.String(),
			"owner": orNull(l.Owner), "occupied": l.Occupied, "accepting": l.Accepting, "queue": number(int64(len(l.Queue))),
		})
	}
	for _, r := range v.Rides {
		rides = append(rides, shadow.Tree{
			"id": r.Ride.ID, "robot": r.Ride.Robot, "lift": r.Ride.Lift, "state": string(r.Ride.State), "phase": string(r.Ride.Phase),
			"where": string(r.Ride.Where), "fault_no": number(int64(r.Ride.FaultNo)), "code": orNull(string(r.Ride.Code)),
		})
	}
	for _, d := range v.Shadow.Shadows {
		versions[d.Name] = number(d.Version)
	}
	t := shadow.Tree{"lifts": lifts, "rides": rides, "shadows": versions, "store_fault": orNull(shorten(v.StoreFault))}
	trim(t, "rides")
	trim(t, "lifts")
	return t
}

// trim takes entries from the end of a list until all fits.
func trim(t shadow.Tree, list string) {
	all, _ := t[list].([]any)
	for n := len(all); n > 0 && len(shadow.Encode(t)) > maxSnapshot; {
		n--
		t[list], t[list+"_left_off"] = all[:n], number(int64(len(all)-n))
	}
}
