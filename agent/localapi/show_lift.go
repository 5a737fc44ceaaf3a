package localapi

import (
	"math/bits"
	"slices"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const (
	freshFor   = 3 * time.Second // a value older than this is shown as stale
	offlineFor = 5 * time.Second // a lift silent for longer is shown as offline
)

// showLift draws one lift as it is at now.
func (s *Server) showLift(v *core.View, l *core.LiftView, now elevator.Instant) Lift {
	car := &l.Car
	at := glance{now: now, floors: l.Floors}
	heard := lastHeard(car)
	state, phase := reportedFor(v, l)
	push := s.showPush(l.ID)
	return Lift{
		ID: l.ID, At: s.wall(), Group: l.Group,
		Link: linkAt(car, heard, now, push.silenceOf()), LinkAgeMs: age(car.LinkSince, now), HeardMs: age(heard, now),
		Floors:   s.landings(l),
		Floor:    show(at, car.Floor, at.label),
		Doors:    at.doors(car),
		Motion:   show(at, car.Motion, word[elevator.Motion]),
		Mode:     show(at, car.Mode, word[elevator.Mode]),
		Position: show(at, car.Position, number),
		Load:     show(at, car.Load, number),
		Overload: show(at, car.Overload, yesNo), Nudging: show(at, car.Nudging, yesNo),
		Obstacle: show(at, car.Obstruction, yesNo), Stop: show(at, car.EmergencyStop, yesNo),
		Calls:  callsOf(at, car),
		Vendor: show(at, car.Vendor, number),
		Owner:  ownerOf(l), Occupied: l.Occupied, Queue: append([]string{}, l.Queue...), Waiting: queueOf(v, l),
		Accepting: l.Accepting, Why: string(l.Why), Alarms: alarmsOf(l, push),
		State: string(state), Phase: string(phase), Push: push,
		Area: l.Area, Car: l.CarID, Deck: l.Deck,
		Maintenance: s.showMaintenance(l.Maintenance, now), Stopped: s.showStopped(l.Stopped, now), AreaAlarm: s.showAlarm(l.AreaAlarm, now),
		Breach: l.Breach,
	}
}

func callsOf(at glance, car *elevator.Snapshot) Calls {
	return Calls{Up: show(at, car.UpCalls, at.labels), Down: show(at, car.DownCalls, at.labels), Car: show(at, car.CarCalls, at.labels)}
}

// glance is what the drawing of a value needs to know.
type glance struct {
	now    elevator.Instant
	floors elevator.Table
}

// show draws one value. What was never read has no value, whatever its zero means.
func show[T comparable](at glance, seen elevator.Seen[T], draw func(T) any) Value {
	v := Value{Quality: seen.Quality(at.now, freshFor).String()}
	if seen.At != 0 {
		v.Value = draw(seen.Value)
		v.AgeMs = age(seen.At, at.now)
	}
	return v
}

func word[T interface{ String() string }](v T) any { return v.String() }

func number(n int32) any { return n }

func yesNo(t elevator.Tri) any {
	switch t {
	case elevator.Yes:
		return true
	case elevator.No:
		return false
	}
	return nil
}

func (g glance) label(f elevator.Floor) any {
	if label := g.floors.Label(f); label != "" {
		return label
	}
	return nil
}

func (g glance) labels(set elevator.FloorSet) any {
	out := []string{}
	for rest := uint64(set); rest != 0; rest &= rest - 1 {
		if label := g.floors.Label(elevator.Floor(bits.TrailingZeros64(rest) + 1)); label != "" {
			out = append(out, label)
		}
	}
	return out
}

// doors draws each side that opens anywhere.
func (g glance) doors(car *elevator.Snapshot) map[string]Value {
	out := make(map[string]Value)
	for _, landing := range g.floors {
		for _, side := range landing.Doors {
			v := show(g, car.Door(side), word[elevator.Door])
			if v.Value == nil {
				v.Value = elevator.DoorUnknown.String()
			}
			out[side.String()] = v
		}
	}
	return out
}

func (s *Server) landings(l *core.LiftView) []Landing {
	known := s.heights.of(l.ID)
	out := make([]Landing, len(l.Floors))
	for i, landing := range l.Floors {
		out[i] = Landing{Label: landing.Label, Doors: make([]string, len(landing.Doors))}
		for j, side := range landing.Doors {
			out[i].Doors[j] = side.String()
		}
		if mm, learned := known[elevator.Floor(i+1)]; learned {
			out[i].HeightMm = &mm
		}
	}
	return out
}

func ownerOf(l *core.LiftView) *Owner {
	if l.Owner == "" {
		return nil
	}
	return &Owner{Ride: l.Owner, Robot: l.Robot}
}

// wall is the time for people.
func (s *Server) wall() string { return s.o.Wall().UTC().Format(stamp) }

func queueOf(v *core.View, l *core.LiftView) []Waiting {
	out := make([]Waiting, 0, len(l.Queue))
	for i, id := range l.Queue {
		w := Waiting{Ride: id, Place: i + 1}
		if r := findRide(v, id); r != nil {
			w.Robot, w.Place, w.Why = r.Ride.Robot, r.Place, r.PlaceWhy
		}
		out = append(out, w)
	}
	return out
}

func alarmsOf(l *core.LiftView, push *Push) []Alarm {
	out := make([]Alarm, 0, len(l.Alarms))
	for _, a := range l.Alarms {
		if a.On {
			out = append(out, Alarm{Code: a.Code, Detail: a.Detail})
		}
	}
	if push != nil {
		out = append(out, push.Alarms...)
	}
	return out
}

// reportedFor is the state shown for a lift: of the ride that holds it, else of
// a ride of this lift that stands in a fault, else idle.
func reportedFor(v *core.View, l *core.LiftView) (fsm.State, fsm.Phase) {
	if i := slices.IndexFunc(v.Rides, func(r core.RideView) bool { return l.Owner != "" && r.Ride.ID == l.Owner }); i >= 0 {
		return v.Rides[i].Ride.State, v.Rides[i].Ride.Phase
	}
	for i := range v.Rides {
		r := &v.Rides[i].Ride
		if r.Lift == l.ID && (r.State == fsm.Fault || r.State == fsm.FaultLocked) {
			return r.State, r.Phase
		}
	}
	return fsm.Idle, fsm.Free
}

// lastHeard is when anything of the car was last read, which may be before this process
// began; zero is never.
func lastHeard(car *elevator.Snapshot) (last elevator.Instant) {
	parts := []elevator.Instant{
		car.Floor.At, car.Motion.At, car.Mode.At, car.Position.At, car.Overload.At, car.Nudging.At,
		car.Obstruction.At, car.EmergencyStop.At, car.MayEnter.At, car.MayLeave.At, car.Claimed.At, car.Load.At, car.UpCalls.At, car.DownCalls.At, car.CarCalls.At, car.Vendor.At,
	}
	for _, d := range car.Doors {
		parts = append(parts, d.At)
	}
	for _, at := range parts {
		if at != 0 && (last == 0 || at > last) {
			last = at
		}
	}
	return last
}

// linkAt shows a silent lift as offline, whatever its link believes.
func linkAt(car *elevator.Snapshot, heard, now elevator.Instant, silence time.Duration) string {
	if car.Link == elevator.Online && heard != 0 && now.Sub(heard) > silence {
		return elevator.Offline.String()
	}
	return car.Link.String()
}

// age is how long ago at was, null when it never was.
func age(at, now elevator.Instant) *int64 {
	if at == 0 {
		return nil
	}
	ms := max(now.Sub(at), 0).Milliseconds()
	return &ms
}

// left is the time to a deadline, null when there is none.
func left(deadline, now elevator.Instant) *int64 {
	if deadline == 0 {
		return nil
	}
	ms := deadline.Until(now).Milliseconds()
	return &ms
}
