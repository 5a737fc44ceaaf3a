package rmf

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// RB-2: whatever is said in whatever state, with clocks of any kind: nobody opens a door to a session without its permit,
// nobody rides on a message of a stranger, of a broker's memory or of long ago, END asks for no lift, one word is one
// effect, and no flood gives more than one change a second.
func TestWhateverIsSaid(t *testing.T) {
	sessions := []string{"fleet/r1", "fleet/r2", "R1", "R3", "stranger"}
	floors := []string{"B1", "G", "1", "2", "3", "M"}
	rapid.Check(t, func(t *rapid.T) {
		tr := New(Config{Robots: []string{"R1", "R2", "R3"}, Sessions: map[string]string{"fleet/r1": "R1", "fleet/r2": "R2"}})
		now := elevator.Instant(time.Hour)
		changed := map[string]elevator.Instant{}
		t.Repeat(map[string]func(*rapid.T){
			"say": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
				tm := core.Time{Now: now, Wall: wall0 + int64(now/1e6)}
				v := anyView(t, now)
				age := rapid.SampledFrom([]int64{0, 0, 0, 1, 9, 11, -11, 3600, 100_000}).Draw(t, "age")
				r := LiftRequest{
					LiftName: "L1", SessionID: rapid.SampledFrom(sessions).Draw(t, "session"), RequestTime: timeOf(tm.Wall - age*1000),
					RequestType:      RequestType(rapid.IntRange(0, 2).Draw(t, "type")),
					DestinationFloor: rapid.SampledFrom(floors).Draw(t, "floor"), DoorState: Door(2 * rapid.IntRange(0, 1).Draw(t, "door")),
				}
				from := Source{Kept: rapid.Bool().Draw(t, "kept"), Live: rapid.IntRange(0, 3).Draw(t, "live") == 0}
				got := tr.Hear(r, from, v, tm)
				holds(t, r, from, got, changed, now)
				if again := tr.Hear(r, from, v, tm); len(got.Orders) > 0 && r.RequestType != EndSession && len(again.Orders) > 0 {
					t.Fatalf("the same word twice: %v, then %v", got.Orders, again.Orders)
				}
			},
			"due": func(t *rapid.T) {
				v := anyView(t, now)
				for _, o := range tr.Due(v, core.Time{Now: now}) {
					if _, opens := o.(Open); opens {
						t.Fatal("opened by itself")
					}
				}
			},
			"": func(t *rapid.T) {
				v := anyView(t, now)
				for _, s := range tr.States(v, core.Time{Now: now, Wall: wall0}) {
					r := &v.Rides[0].Ride
					if s.DoorState == DoorOpen && s.SessionID != "" && (r.Permit.N == 0 || now >= r.Permit.Start && r.Where != fsm.Crossing) {
						t.Fatalf("OPEN to %s without a permit: %+v", s.SessionID, r)
					}
				}
				if n := len(tr.sessions); n > len(sessions) {
					t.Fatalf("%d sessions are remembered", n)
				}
			},
		})
	})
}

func holds(t *rapid.T, r LiftRequest, from Source, got Verdict, changed map[string]elevator.Instant, now elevator.Instant) {
	if len(got.Orders) == 0 {
		return
	}
	if r.SessionID == "stranger" || from.Kept || got.Refused != nil || r.DestinationFloor == "M" && r.RequestType != EndSession {
		t.Fatalf("%+v gave %v", r, got.Orders)
	}
	for _, o := range got.Orders {
		switch o := o.(type) {
		case Open:
			if r.RequestType == EndSession || r.DoorState != DoorOpen || o.Floor != r.DestinationFloor {
				t.Fatalf("%+v opened %+v", r, o)
			}
		case Redirect:
			if r.RequestType == EndSession {
				t.Fatalf("END turned the ride: %+v", o)
			}
		}
	}
	if r.RequestType == EndSession {
		return
	}
	if last, is := changed[r.SessionID]; is && now.Sub(last) < time.Second {
		t.Fatalf("two changes of %s within %s", r.SessionID, now.Sub(last))
	}
	changed[r.SessionID] = now
}

// anyView is one lift in any state with any ride of a session, or of none.
func anyView(t *rapid.T, now elevator.Instant) *core.View {
	age := func() elevator.Instant {
		return now.Add(-time.Duration(rapid.IntRange(0, 8000).Draw(t, "age")) * time.Millisecond)
	}
	l := core.LiftView{ID: "L1", Floors: table()}
	l.Car.Link = elevator.LinkState(rapid.IntRange(0, 2).Draw(t, "link"))
	l.Car.Floor = elevator.Seen[elevator.Floor]{Value: elevator.Floor(rapid.IntRange(0, 5).Draw(t, "at")), At: age()}
	l.Car.Motion = elevator.Seen[elevator.Motion]{Value: elevator.Motion(rapid.IntRange(0, 3).Draw(t, "motion")), At: age()}
	l.Car.Mode = elevator.Seen[elevator.Mode]{Value: elevator.Mode(rapid.IntRange(0, 7).Draw(t, "mode")), At: age()}
	for side := range l.Car.Doors {
		l.Car.Doors[side] = elevator.Seen[elevator.Door]{Value: elevator.Door(rapid.IntRange(0, 4).Draw(t, "door")), At: age()}
	}
	l.Accepting, l.Why = new(fsm.Plan).Accepting(&l.Car, now)
	states := []fsm.State{fsm.Idle, fsm.Requesting, fsm.Waiting, fsm.Moving, fsm.Exiting, fsm.Done, fsm.Fault, fsm.FaultLocked}
	r := fsm.Ride{State: rapid.SampledFrom(states).Draw(t, "state")}
	r.ID, r.Lift = "ride", "L1"
	of := rapid.SampledFrom([][2]string{{"R1", "rmf:fleet/r1"}, {"R2", "rmf:fleet/r2"}, {"R1", "rmf:R1"}, {"R3", ""}, {"R3", "rmf:fleet/r1"}}).Draw(t, "of")
	r.Robot, r.Task = of[0], of[1]
	r.Where = rapid.SampledFrom([]fsm.Where{fsm.Outside, fsm.Crossing, fsm.Inside, fsm.Unknown}).Draw(t, "where")
	r.From, r.To = elevator.Floor(rapid.IntRange(1, 5).Draw(t, "from")), elevator.Floor(rapid.IntRange(0, 5).Draw(t, "to"))
	r.FromSide, r.ToSide, r.Granted = elevator.Front, elevator.Front, rapid.Bool().Draw(t, "granted")
	r.Aboard, r.CancelAsked = rapid.Bool().Draw(t, "aboard"), rapid.Bool().Draw(t, "cancel")
	r.PermitWas = rapid.SampledFrom([]fsm.PermitKind{"", fsm.Enter, fsm.LeaveAtTarget}).Draw(t, "was")
	if rapid.Bool().Draw(t, "permit") {
		r.Permit = fsm.Permit{N: 3, Side: elevator.Front, Start: age().Add(2 * time.Second), Through: now.Add(6 * time.Second)}
	}
	if r.Granted && r.State != fsm.Done {
		l.Owner = r.ID
	}
	return &core.View{Lifts: []core.LiftView{l}, Rides: []core.RideView{{Ride: r, Floors: table()}}}
}
