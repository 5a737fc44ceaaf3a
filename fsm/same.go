package fsm

import "unsafe"

// Same reports two rides that are equal but for what is known of their car. It is several
// times as fast as a comparison where they are, as after most steps: what is the same byte
// by byte needs no look at each field. Others are compared as the language does, since
// equal texts may lie in different places.
func Same(a, b *Ride) bool {
	if *raw(a) == *raw(b) {
		return true
	}
	if a.PhaseAt != b.PhaseAt || a.Deadline != b.Deadline || a.NextN != b.NextN { // what changes most
		return false
	}
	x := *a
	x.Car = b.Car
	return x == *b
}

// raw is the ride but for its car, which is its last field, as bytes to be read at once.
func raw(r *Ride) *[unsafe.Offsetof(Ride{}.Car)]byte {
	return (*[unsafe.Offsetof(Ride{}.Car)]byte)(unsafe.Pointer(r))
}
