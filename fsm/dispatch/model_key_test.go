package dispatch

import (
	"encoding/binary"
	"hash/maphash"
	"unsafe"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

var modelHash = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// key tells states apart by all that can matter for what comes: the rides and leases of
// the site, the car, the robots, and what is under way, with every instant relative to now.
// Two states that are one may still have two keys, since texts are told apart by their place.
func (w *world) key() [2]uint64 {
	var h [2]maphash.Hash
	for i := range h {
		h[i].SetSeed(modelHash[i])
	}
	put := func(b []byte) {
		_, _ = h[0].Write(b)
		_, _ = h[1].Write(b)
	}
	num := func(n int64) { put(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	ago := func(at elevator.Instant) {
		if at != 0 {
			at -= w.now + 1
		}
		num(int64(at))
	}
	for _, list := range [2][]*entry{w.site.rides, w.site.ended} {
		for _, e := range list {
			put(w.rideKey(&e.ride))
			ago(e.yielded)
			ago(e.book.Changed)
		}
		num(-1)
	}
	for _, c := range w.site.cars {
		if c.owner != nil {
			put([]byte(c.owner.ride.ID))
		}
		num(int64(len(c.alarms)))
		put(w.snapKey(c.seen.Car))
	}
	num(int64(b2i(w.kept.orders.stop))<<1 | int64(b2i(w.kept.orders.closed)))
	num(int64(w.kept.orders.left))
	for _, k := range w.kept.rides {
		if k != nil {
			put(w.rideKey(k))
		}
	}
	put(w.snapKey(w.car))
	num(int64(w.restarts)<<1 | int64(b2i(w.line)))
	for i := range w.bots {
		b := &w.bots[i]
		put([]byte(b.where))
		num(int64(b.floor)<<1 | int64(b2i(b.in)))
		if b.held.Start > w.now {
			num(int64(b.held.N))
			ago(b.held.Start)
		}
	}
	for _, c := range w.pend {
		num(int64(c.Verb)<<8 | int64(c.Floor))
		num(int64(c.ID.N))
		ago(c.Until)
	}
	return [2]uint64{h[0].Sum64(), h[1].Sum64()}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rideKey is a ride as bytes, but for its words for people.
func (w *world) rideKey(r *fsm.Ride) []byte {
	k := fsm.Rebase(*r, -int64(w.now)-1)
	k.Why, k.Call.Command.Reason = "", ""
	for i := range k.Earlier {
		k.Earlier[i].Command.Reason = ""
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&k)), unsafe.Offsetof(k.Car))
}

// snapKey is a reading as bytes, by its age.
func (w *world) snapKey(s elevator.Snapshot) []byte {
	back := func(at *elevator.Instant) {
		if *at != 0 {
			*at -= w.now + 1
		}
	}
	back(&s.LinkSince)
	for _, at := range []*elevator.Instant{
		&s.Floor.At, &s.Motion.At, &s.Mode.At, &s.Position.At, &s.Overload.At, &s.Nudging.At, &s.Obstruction.At, &s.EmergencyStop.At,
		&s.UpCalls.At, &s.DownCalls.At, &s.CarCalls.At,
	} {
		back(at)
	}
	for i := range s.Doors {
		back(&s.Doors[i].At)
		if back(&s.Holds[i]); s.Holds[i] < 0 {
			s.Holds[i] = 0
		}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s)), unsafe.Sizeof(s))
}
