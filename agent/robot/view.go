package robot

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Lift is one lift as the gateway before it tells of it.
type Lift struct {
	ID, Group string
	Floors    elevator.Table
	Car       elevator.Snapshot
}

// Page is what readers see at one instant: the view, and what is said of each ride
// beside it. It never changes.
type Page struct {
	View  *core.View
	rides map[string]Ride
	eyes  Eyes
}

// Page copies everything at now.
func (m *Mirror) Page(lifts []Lift, now elevator.Instant) *Page {
	p := &Page{View: &core.View{Seq: m.seq, At: now}, rides: map[string]Ride{}, eyes: m.eyes}
	for _, l := range lifts {
		p.View.Lifts = append(p.View.Lifts, m.lift(l, now))
	}
	for _, ended := range []bool{false, true} {
		for _, r := range m.rides {
			if r.ended() == ended {
				c := *r
				c.marks = slices.Clone(r.marks)
				p.rides[r.Told.ID] = c
				p.View.Rides = append(p.View.Rides, c.view(m.eyes, now))
			}
		}
	}
	return p
}

// lift says of a lift what its gateway tells, and of its rides the robot's own.
func (m *Mirror) lift(l Lift, now elevator.Instant) core.LiftView {
	v := core.LiftView{ID: l.ID, Group: l.Group, Floors: l.Floors, Car: l.Car}
	v.Accepting, v.Why = new(fsm.Plan).Accepting(&l.Car, now)
	for _, r := range m.Live() {
		if r.Told.Lift != l.ID {
			continue
		}
		if r.Told.Place > 0 {
			continue // the whole queue is the gateway's to tell
		}
		v.Owner, v.Robot, v.Occupied = r.Told.ID, r.Told.Robot, r.Where() != fsm.Outside
		if r.silent(now) {
			v.Alarms = append(v.Alarms, fsm.Alarm{Code: string(fsm.NetworkTimeout), On: true, Detail: r.LostWhy})
		}
	}
	return v
}

// view says a ride in the words of the ride machine, as far as it is known here.
func (r *Ride) view(e Eyes, now elevator.Instant) core.RideView {
	t := &r.Told
	state, phase, why := r.shown(now)
	code, since := r.fault(now)
	v := core.RideView{Floors: r.Floors, Place: t.Place, Ride: fsm.Ride{
		Request: fsm.Request{
			ID: t.ID, Task: t.Task, Robot: t.Robot, Lift: t.Lift, From: t.From, To: t.To, FromSide: t.FromSide, ToSide: t.ToSide,
			Priority: t.Priority, Crossing: t.Crossing,
		},
		State: state, Phase: phase, Where: r.Where(), Why: why, Deadline: r.Deadline(), Stepped: t.At,
		Code: code, FaultAt: since, FaultNo: t.Fault.No, Latched: t.Fault.Latched, RetryN: t.Retries, Battery: -1,
	}}
	if a := r.Advise(e, now); a.Why != "" {
		v.Ride.Why = a.Why // so that a change of what to do is a change of the ride
	}
	v.Ride.Permit = r.permit(now)
	for _, m := range r.marks {
		v.Marks = append(v.Marks, core.Mark{At: m.at, Wall: m.wall, From: m.from, To: m.to, Phase: m.phase, Why: m.why})
	}
	return v
}

// permit is the permit in the machine's words. One whose id is not of this ride is none.
func (r *Ride) permit(now elevator.Instant) fsm.Permit {
	p := r.Permit(now)
	number, ours := strings.CutPrefix(p.ID, r.Told.ID+"/")
	n, err := strconv.ParseUint(number, 10, 32)
	if !ours || err != nil || n == 0 {
		return fsm.Permit{}
	}
	return fsm.Permit{
		N: uint32(n), Epoch: p.Epoch, Kind: fsm.PermitKind(p.Kind), Floor: p.Floor, Side: p.Side, Start: p.StartBy, Through: p.ThroughBy,
	}
}

// Advise, Withheld and Pass say of a ride of the view what only its gateway or its
// mirror knows.
func (p *Page) Advise(of *fsm.Ride, now elevator.Instant) fsm.Advice {
	r, ok := p.rides[of.ID]
	if !ok {
		return fsm.Advice{Do: fsm.DoWait, Why: "no such ride is known here"}
	}
	return r.Advise(p.eyes, now)
}

// Withheld see [Page.Advise].
func (p *Page) Withheld(of *fsm.Ride, now elevator.Instant) []fsm.Unmet {
	r, ok := p.rides[of.ID]
	if !ok {
		return nil
	}
	return r.Withheld(now)
}

// Pass see [Page.Advise].
func (p *Page) Pass(of *fsm.Ride, now elevator.Instant) (fsm.LeavePass, bool) {
	r, ok := p.rides[of.ID]
	if !ok {
		return fsm.LeavePass{}, false
	}
	return r.Pass(now)
}

// Queued says why a ride waits in the queue, in the gateway's words.
func (p *Page) Queued(of *fsm.Ride) string {
	r := p.rides[of.ID]
	switch {
	case r.Told.Place == 0:
		return ""
	case r.Lost != 0:
		return "the gateway does not answer"
	}
	return cmp.Or(r.Told.PlaceWhy, r.Told.Why)
}
