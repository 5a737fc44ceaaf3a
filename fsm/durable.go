package fsm

import "hoistway/fsm/elevator"

// Durable is the ride without what changes at each reading and is found again, or
// assumed for the worst, after a restart. Two rides with the same durable part need
// no write to flash between them. It is for comparing, not for storing: what is
// stored is the whole ride.
func Durable(r *Ride) Ride {
	d := *r
	d.Forget()
	return d
}

// Forget makes of a copy of a ride its durable part, in its place. It is never for a
// ride that goes on.
func (r *Ride) Forget() {
	r.Car = elevator.Snapshot{}
	r.Permit, r.PermitN, r.PermitOut = Permit{}, 0, 0
	r.Self, r.Boot, r.Boots, r.Seq, r.Battery = RobotView{}, "", [3]string{}, 0, 0
	r.Deadline, r.Stepped, r.NextN, r.CloseAt = 0, 0, 0, 0
	r.Door.N, r.Door.Until, r.Door.Renew, r.Door.Used = 0, 0, 0, 0
	r.Clash = Clash{Kind: r.Clash.Kind}
	r.Call.Answered = false // every outcome counts as in after a restart
	if !r.Call.Taken {      // and as unknown
		r.Call.Sent, r.Call.Unsure = 0, false
	}
	for i := range r.Earlier {
		r.Earlier[i].Sent, r.Earlier[i].Answered, r.Earlier[i].Unsure = 0, false, false
	}
	r.ShutAt = 0
}
