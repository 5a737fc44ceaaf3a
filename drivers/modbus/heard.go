package modbus

import (
	"encoding/binary"
	"slices"
)

// Heard is one valid frame that was overheard on a line.
type Heard struct {
	Unit byte
	PDU  []byte // function and data
}

// Overheard cuts what was heard on a line of RTU frames into those with a right
// checksum, questions and answers alike, and counts the bytes between them. With
// the wrong baud rate or parity all bytes are between.
func Overheard(in []byte) (frames []Heard, stray int) { return split(in, true) }

func split(in []byte, rtu bool) (frames []Heard, stray int) {
	for len(in) > 0 {
		n := 0
		if rtu {
			n = spoken(in)
		} else {
			n = wholeTCP(in)
		}
		switch {
		case n == 0:
			stray++
			in = in[1:]
			continue
		case rtu:
			frames = append(frames, Heard{in[0], slices.Clone(in[1 : n-2])})
		default:
			frames = append(frames, Heard{in[6], slices.Clone(in[headerSize:n])})
		}
		in = in[n:]
	}
	return frames, stray
}

// wholeTCP is the length of a frame with a header that stands whole at the start
// of b; 0 for none.
func wholeTCP(b []byte) int {
	if len(b) < headerSize+1 || binary.BigEndian.Uint16(b[2:]) != 0 {
		return 0
	}
	size := int(binary.BigEndian.Uint16(b[4:]))
	if size < 2 || size > maxPDU+1 || len(b) < 6+size {
		return 0
	}
	return 6 + size
}

// spoken is the length of any frame, question or answer, of any function that
// stands at the start of b; 0 for none. A length that a function usually has is
// tried first: a short frame may stand in a longer one by chance, one in 65536.
func spoken(b []byte) int {
	if len(b) < 4 || b[0] > 247 {
		return 0
	}
	for _, n := range lengths(b) {
		if n >= 4 && n <= len(b) && n <= maxPDU+rtuExtra && sumFits(b[:n]) {
			return n
		}
	}
	return 0
}

func lengths(b []byte) []int {
	fn := b[1]
	switch {
	case fn >= 0x80:
		return []int{5}
	case fn >= 1 && fn <= 4:
		return []int{8, int(b[2]) + 5}
	case fn == 5 || fn == 6:
		return []int{8}
	case fn == 15 || fn == 16:
		if len(b) > 6 {
			return []int{8, int(b[6]) + 9}
		}
		return []int{8}
	}
	var all []int // a function that is not spoken here: whatever fits
	for n := 4; n <= min(len(b), maxPDU+rtuExtra); n++ {
		all = append(all, n)
	}
	return all
}
