package localapi

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const stamp = "2006-01-02T15:04:05.000Z07:00"

// showRide draws one ride as it is at now.
func (s *Server) showRide(v *core.RideView, now elevator.Instant) Ride {
	r := &v.Ride
	return Ride{
		ID: r.ID, At: s.wall(), Task: r.Task, Robot: r.Robot, Lift: r.Lift,
		From: v.Floors.Label(r.From), To: v.Floors.Label(r.To),
		FromDoor: r.FromSide.String(), ToDoor: r.ToSide.String(),
		State: string(r.State), Phase: string(r.Phase), Place: v.Place, PlaceWhy: s.waitsFor(v), Where: string(r.Where),
		EtaMs: etaOf(v.Eta), CarWhy: v.CarWhy, Priority: r.Priority, CrossingS: seconds(r.Crossing),
		Permit: showPermit(v, now), Withheld: s.showWithheld(v, now), LeavePass: s.showPass(v, now),
		Do: s.showAdvice(v, now), DeadlineMs: left(r.Deadline, now),
		Retries: r.RetryN, Fault: s.showFault(r, now), Marks: showMarks(v.Marks),
	}
}

// etaOf is null for none.
func etaOf(d time.Duration) *int64 {
	if d <= 0 {
		return nil
	}
	ms := d.Milliseconds()
	return &ms
}

// waitsFor says what a ride in the queue waits for.
func (s *Server) waitsFor(v *core.RideView) string {
	if s.rules.queued != nil {
		return s.rules.queued(&v.Ride)
	}
	return v.PlaceWhy
}

func seconds(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	s := d.Seconds()
	return &s
}

// showPermit gives times from receipt. A permit that nobody may start on any
// more is none, but for a robot that is on its way through.
func showPermit(v *core.RideView, now elevator.Instant) *Permit {
	p, end := v.Ride.Permit, v.Ride.Permit.Start
	if v.Ride.Where == fsm.Crossing {
		end = p.Through
	}
	if p.N == 0 || end.Reached(now) {
		return nil
	}
	return &Permit{
		ID: p.ID(v.Ride.ID), Epoch: p.Epoch, Kind: string(p.Kind),
		Floor: v.Floors.Label(p.Floor), Side: p.Side.String(),
		StartWithinMs:   p.Start.Until(now).Milliseconds(),
		ThroughWithinMs: p.Through.Until(now).Milliseconds(),
	}
}

func (s *Server) showWithheld(v *core.RideView, now elevator.Instant) []Unmet {
	out := []Unmet{}
	for _, u := range s.rules.withheld(&v.Ride, now) {
		out = append(out, Unmet{
			Part: u.Part, Want: fsm.InWords(u.Want, v.Floors), Seen: fsm.InWords(u.Seen, v.Floors), Source: u.Source.String(),
		})
	}
	return out
}

func (s *Server) showPass(v *core.RideView, now elevator.Instant) *LeavePass {
	p, given := s.rules.pass(&v.Ride, now)
	if !given {
		return nil
	}
	return &LeavePass{Floor: v.Floors.Label(p.Floor), Side: p.Side.String(), NotAfterMs: p.NotAfter.Until(now).Milliseconds()}
}

func (s *Server) showAdvice(v *core.RideView, now elevator.Instant) Do {
	a := s.rules.advise(&v.Ride, now)
	return Do{Action: string(a.Do), Why: fsm.InWords(a.Why, v.Floors), UntilMs: left(a.Until, now)}
}

func (s *Server) showFault(r *fsm.Ride, now elevator.Instant) *Fault {
	if r.Code == fsm.NoFault {
		return nil
	}
	f := &Fault{Code: string(r.Code), No: r.FaultNo, Latched: r.Latched}
	if ms := age(r.FaultAt, now); ms != nil {
		f.AgeMs = *ms
	}
	if s.o.Help != nil {
		f.Help, f.Todo = s.o.Help(f.Code)
	}
	return f
}

func showMarks(marks []core.Mark) []Transition {
	out := make([]Transition, len(marks))
	for i, m := range marks {
		out[i] = Transition{
			At: time.UnixMilli(m.Wall).UTC().Format(stamp), From: string(m.From), To: string(m.To), Phase: string(m.Phase), Why: m.Why,
		}
	}
	return out
}

// rules is what the ride machine says of a ride beside its state.
type rules struct {
	withheld func(*fsm.Ride, elevator.Instant) []fsm.Unmet
	advise   func(*fsm.Ride, elevator.Instant) fsm.Advice
	pass     func(*fsm.Ride, elevator.Instant) (fsm.LeavePass, bool)
	queued   func(*fsm.Ride) string // nil: by the others of the view
}

func machine() rules {
	return rules{withheld: fsm.Withheld, advise: fsm.Advise, pass: fsm.Pass}
}
