package fsm

import "hoistway/fsm/elevator"

// Rebase moves every instant of the ride by d, for a ride that comes from a
// process with another clock. A deadline that has passed stays passed.
func Rebase(r Ride, d int64) Ride {
	for _, at := range []*elevator.Instant{
		&r.Since, &r.PhaseAt, &r.Deadline, &r.Expires, &r.LeaseAt, &r.Watch, &r.Stepped, &r.CloseAt,
		&r.ShutAt, &r.Call.Command.Until, &r.Call.Sent, &r.Call.Confirmed, &r.Call.DarkAt,
		&r.Permit.Start, &r.Permit.Through, &r.PermitOut, &r.AboardAt, &r.BackAt,
		&r.FaultAt, &r.RetryAt, &r.InsideAt, &r.ExitAt, &r.Clash.At, &r.Clash.Read, &r.Clash.Agree, &r.Self.At,
		&r.UnseenAt, &r.Former.Command.Until, &r.Former.Sent, &r.Former.Confirmed, &r.Former.DarkAt, &r.Beat, &r.NoteEnd, &r.ClaimAt,
	} {
		shift(at, d)
	}
	r.Door.shift(d)
	for i := range r.Earlier {
		w := &r.Earlier[i]
		shift(&w.Command.Until, d)
		shift(&w.Sent, d)
		shift(&w.Confirmed, d)
		shift(&w.DarkAt, d)
	}
	for i := range r.Past {
		r.Past[i].shift(d)
	}
	r.Car = elevator.Snapshot{} // a reading of another process is no reading
	return r
}

func (h *DoorHold) shift(d int64) {
	shift(&h.Since, d)
	shift(&h.Until, d)
	shift(&h.Renew, d)
}

// shift moves an instant that was set. It must not become zero, which is never.
func shift(at *elevator.Instant, d int64) {
	if *at == 0 {
		return
	}
	if *at += elevator.Instant(d); *at == 0 {
		*at = -1
	}
}
