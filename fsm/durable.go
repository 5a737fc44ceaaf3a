package fsm

import "hoistway/fsm/elevator"

// Durable is the ride without what changes at each reading and is found again, or
// assumed for the worst, after a restart. Two rides with the same durable part need
// no write to flash between them. It is for comparing, not for storing: what is
// stored is the whole ride.
func Durable(r *Ride) (d Ride) {
	d = *r
	d.passing(&Ride{})
	d.Car = elevator.Snapshot{}
	return d
}

// Outlasts reports that the durable part of r is still that of was, an earlier state of
// the same ride. All that is not durable it takes over into was.
func Outlasts(was, r *Ride) bool {
	was.passing(r)
	return Same(was, r)
}

// passing takes over from another ride what is not durable, but for the car.
func (r *Ride) passing(o *Ride) {
	r.Permit, r.PermitN, r.PermitOut = o.Permit, o.PermitN, o.PermitOut
	r.Self, r.Boot, r.Boots, r.Seq, r.Battery = o.Self, o.Boot, o.Boots, o.Seq, o.Battery
	r.Beat = o.Beat
	r.Deadline, r.Stepped, r.NextN, r.CloseAt, r.ShutAt = o.Deadline, o.Stepped, o.NextN, o.CloseAt, o.ShutAt
	r.Door.N, r.Door.Until, r.Door.Renew, r.Door.Used = o.Door.N, o.Door.Until, o.Door.Renew, o.Door.Used
	r.Clash.At, r.Clash.Read, r.Clash.N, r.Clash.Agree = o.Clash.At, o.Clash.Read, o.Clash.N, o.Clash.Agree
	r.Call.Answered = o.Call.Answered // every outcome counts as in after a restart
	r.Call.DarkAt = o.Call.DarkAt
	if !r.Call.Taken { // and as unknown
		r.Call.Sent, r.Call.Unsure = o.Call.Sent, o.Call.Unsure
	}
	if r.levels() { // renewed as a hold is
		r.Call.Command.ID, r.Call.Command.Until = o.Call.Command.ID, o.Call.Command.Until
	}
	for i := range r.Earlier {
		w, now := &r.Earlier[i], &o.Earlier[i]
		w.Sent, w.Answered, w.Unsure, w.DarkAt = now.Sent, now.Answered, now.Unsure, now.DarkAt
	}
}
