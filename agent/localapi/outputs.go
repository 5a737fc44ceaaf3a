package localapi

import (
	"context"
	"errors"
	"time"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Outputs is the answer of GET /v1/lifts/{lift}/outputs: what this gateway has asked of a
// lift and what of that still stands, by ride.
type Outputs struct {
	Lift  string   `json:"lift"`
	At    string   `json:"at"`
	Asked []Output `json:"asked"`
	// Held is what the device itself keeps, as it acknowledged or shows it.
	Held []Held `json:"held"`
	// Lamps are the registered calls as the controller shows them, whoever pressed.
	Lamps Calls `json:"lamps"`
	// Owed is what rides have still to take back of the lift.
	Owed []Owed `json:"owed"`
	// Line is what the driver has still to take back on the wire, oldest first. It is null
	// where nobody knows, and LineWhy then says why.
	Line    []LineDebt `json:"line"`
	LineWhy string     `json:"line_why,omitempty"`
}

// Output is one thing asked for that stands, or may stand.
type Output struct {
	Ride   string `json:"ride_id"`
	Robot  string `json:"robot"`
	N      uint32 `json:"n"` // of the command within the ride
	What   string `json:"what" enum:"landing_call,car_call,journey,hold,claim"`
	Floor  string `json:"floor,omitempty"`
	To     string `json:"to,omitempty"`
	Side   string `json:"side,omitempty"`
	State  string `json:"state" enum:"sent,taken,unsure,let_go"` // let_go: the ride wants it no more, and it may still be registered
	AgeMs  *int64 `json:"age_ms"`                                // since it was asked; null: not known
	EndsMs *int64 `json:"ends_ms"`                               // a hold ends by itself then; null: it stands until it is taken back
}

// Held is a door that the device keeps open by itself.
type Held struct {
	Side   string `json:"side"`
	EndsMs int64  `json:"ends_ms"`
}

// Owed is one thing that a ride has still to give back.
type Owed struct {
	Ride string `json:"ride_id"`
	What string `json:"what" enum:"cancel_call,lapse,give_back"`
	Why  string `json:"why"`
}

// LineDebt is one write that a command has left to be made: the release of a pulse, say. A
// line that was lost makes it first when it is back.
type LineDebt struct {
	Ride    string `json:"ride_id,omitempty"` // none: by hand
	N       uint32 `json:"n"`
	What    string `json:"what"`    // the command that began it
	AgeMs   *int64 `json:"age_ms"`  // since that was asked for
	Refused int    `json:"refused"` // so often the device has said no
}

// lineWithin is how long the driver may take to say what it owes.
const lineWithin = time.Second

func (s *Server) outputs(ctx context.Context, _ caller, in *liftPath) (*out[Outputs], *Problem) {
	v, now := s.view(), s.o.Now()
	l := findLift(v, in.Lift)
	if l == nil {
		return nil, refuse(asNoLift, "this gateway has no lift %q", in.Lift)
	}
	answer := Outputs{
		Lift: l.ID, At: s.wall(), Asked: []Output{}, Held: heldBy(&l.Car, now), Owed: []Owed{},
		Lamps: callsOf(glance{now: now, floors: l.Floors}, &l.Car),
	}
	for i := range v.Rides {
		if r := &v.Rides[i]; r.Ride.Lift == l.ID {
			answer.Asked = append(answer.Asked, askedBy(r, now)...)
			answer.Owed = append(answer.Owed, owedBy(&r.Ride, now)...)
		}
	}
	answer.Line, answer.LineWhy = s.lineOwes(ctx, l.ID, now)
	return ok(answer), nil
}

func (s *Server) lineOwes(ctx context.Context, lift string, now elevator.Instant) ([]LineDebt, string) {
	b, p := s.bench(lift)
	if p != nil {
		return nil, "the driver does not tell it"
	}
	ctx, cancel := context.WithTimeout(ctx, lineWithin)
	defer cancel()
	debts, err := b.Owes(ctx)
	switch {
	case errors.Is(err, drivers.ErrNotCapable):
		return nil, "the driver does not tell it"
	case err != nil:
		return nil, "the line is too busy to tell it"
	}
	out := []LineDebt{}
	for _, d := range debts {
		out = append(out, LineDebt{Ride: d.Command.Ride, N: d.Command.N, What: d.Verb.String(), AgeMs: age(d.Asked, now), Refused: d.Refused})
	}
	return out, ""
}

func heldBy(car *elevator.Snapshot, now elevator.Instant) []Held {
	out := []Held{}
	for side, until := range car.Holds {
		if until > now {
			out = append(out, Held{Side: elevator.Side(side).String(), EndsMs: until.Until(now).Milliseconds()})
		}
	}
	return out
}

// askedBy lists a ride's calls, its hold and its claim.
func askedBy(v *core.RideView, now elevator.Instant) []Output {
	r := &v.Ride
	out := []Output{}
	add := func(w fsm.Wish, state string) {
		if w.Command.ID.N == 0 {
			return
		}
		o := Output{
			Ride: r.ID, Robot: r.Robot, N: w.Command.ID.N, What: w.Command.Verb.String(), State: state,
			Floor: v.Floors.Label(w.Command.Floor), To: v.Floors.Label(w.Command.To), AgeMs: age(w.Sent, now),
		}
		if w.Command.Side != elevator.SideUnknown {
			o.Side = w.Command.Side.String()
		}
		out = append(out, o)
	}
	add(r.Call, wishState(r.Call))
	if r.State != fsm.Done || r.Granted {
		add(r.Earlier[0], "let_go")
		add(r.Earlier[1], "let_go")
	}
	if d := r.Door; d.N != 0 && d.Until > now {
		out = append(out, Output{
			Ride: r.ID, Robot: r.Robot, N: d.N, What: elevator.Hold.String(), Floor: v.Floors.Label(d.Floor), Side: d.Side.String(),
			State: "sent", AgeMs: age(d.Since, now), EndsMs: left(d.Until, now),
		})
	}
	if r.Claimed || r.ClaimN != 0 {
		state := "sent"
		if r.Claimed {
			state = "taken"
		}
		out = append(out, Output{Ride: r.ID, Robot: r.Robot, N: r.ClaimN, What: elevator.Claim.String(), State: state})
	}
	return out
}

func wishState(w fsm.Wish) string {
	switch {
	case w.Taken:
		return "taken"
	case w.Unsure:
		return "unsure"
	}
	return "sent"
}

// owedBy lists what a ride that wants nothing more has still to give back.
func owedBy(r *fsm.Ride, now elevator.Instant) []Owed {
	out := []Owed{}
	if !over(r) {
		return out
	}
	why := "the ride is " + string(r.State)
	if r.Call.Command.ID.N != 0 {
		out = append(out, Owed{r.ID, elevator.CancelCall.String(), why})
	}
	if r.Door.N != 0 && r.Door.Until > now && r.Granted {
		out = append(out, Owed{r.ID, elevator.Lapse.String(), why})
	}
	if r.Plan.Claims && (r.Claimed || r.ClaimN != 0) {
		out = append(out, Owed{r.ID, elevator.GiveBack.String(), why})
	}
	return out
}

// over reports a ride that wants nothing of the lift any more: it has ended, or its robot
// stands outside a ride that only a person sets free.
func over(r *fsm.Ride) bool {
	return r.State == fsm.Done || r.State == fsm.FaultLocked && r.Where == fsm.Outside
}
