package laws

import "hoistway/fsm/elevator"

// What a tuple of the hash tells of.
const (
	mixMoved uint64 = 1 + iota
	mixLeft
	mixWrote
	mixAnswered
	mixRobot
)

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Hash is FNV-1a of 64 bits over all that happened: tuples of five words of eight bytes
// for each change of state, command, outcome, and step of a robot. Two runs with one hash
// went the same way.
func (w *Watch) Hash() uint64 { return w.hash }

// Events counts the tuples of the hash.
func (w *Watch) Events() uint64 { return w.events }

func (w *Watch) mix(at elevator.Instant, what, who, a, b uint64) {
	h := w.hash
	for _, v := range [...]uint64{uint64(at), what, who, a, b} {
		left := 8
		for ; v != 0; left-- {
			h = (h ^ v&0xff) * fnvPrime
			v >>= 8
		}
		h *= zeros[left] // most words are small
	}
	w.hash = h
	w.events++
}

// zeros are what n bytes of zero multiply the hash by.
var zeros = func() (z [9]uint64) {
	z[0] = 1
	for i := range 8 {
		z[i+1] = z[i] * fnvPrime
	}
	return
}()

// number turns an id into a word of a tuple.
func number(id string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * fnvPrime
	}
	return h
}
