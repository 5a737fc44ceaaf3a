package fsm

import "hoistway/fsm/elevator"

// Durable is the ride without what changes at each reading and is found again, or
// assumed for the worst, after a restart. Two rides with the same durable part need
// no write to flash between them. It is for comparing, not for storing: what is
// stored is the whole ride.
func Durable(r *Ride) (d Ride) {
	d = *r
	d.Car = elevator.Snapshot{}
	d.Permit, d.PermitN, d.PermitOut = Permit{}, 0, 0
	d.Self, d.Boot, d.Boots, d.Seq, d.Battery = RobotView{}, "", [3]string{}, 0, 0
	d.Deadline, d.Stepped, d.NextN, d.CloseAt = 0, 0, 0, 0
	d.Door.N, d.Door.Until, d.Door.Renew, d.Door.Used = 0, 0, 0, 0
	d.Clash = Clash{Kind: d.Clash.Kind}
	d.Call.Answered = false // every outcome counts as in after a restart
	if !d.Call.Taken {      // and as unknown
		d.Call.Sent, d.Call.Unsure = 0, false
	}
	for i := range d.Earlier {
		d.Earlier[i].Sent, d.Earlier[i].Answered, d.Earlier[i].Unsure = 0, false, false
	}
	d.ShutAt = 0
	return d
}
