package modbus

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"hoistway/drivers/fieldbus"
)

// Sizes of frames.
const (
	headerSize = 7   // MBAP with the unit
	maxPDU     = 253 // function and data
	rtuExtra   = 3   // unit and checksum around a PDU
)

// want is what a fitting answer looks like, by the question's own bytes.
type want struct {
	unit byte
	any  bool // another unit's number is let pass, over TCP
	fn   byte
	size int    // of the answer's PDU
	data int    // bytes of data that a read must bring; 0 = a write
	echo []byte // what the answer to a write must repeat
}

// wanted reads a question. pdu is function and data.
func wanted(unit byte, pdu []byte) (want, error) {
	if len(pdu) < 5 {
		return want{}, fmt.Errorf("question of %d bytes", len(pdu))
	}
	w := want{unit: unit, fn: pdu[0]}
	n := int(binary.BigEndian.Uint16(pdu[3:]))
	switch w.fn {
	case 1, 2:
		w.data = (n + 7) / 8
	case 3, 4:
		w.data = 2 * n
	case 5, 6, 15, 16:
		w.echo = append([]byte(nil), pdu[1:5]...)
	default:
		return want{}, fmt.Errorf("function %d is not spoken here", w.fn)
	}
	w.size = 5
	if w.echo == nil {
		w.size = 2 + w.data
	}
	return w, nil
}

// misfit says why a whole PDU is no answer to the question, "" when it is one.
func (w want) misfit(pdu []byte) string {
	switch {
	case len(pdu) == 2 && pdu[0] == w.fn|0x80:
		return ""
	case len(pdu) == 0 || pdu[0] != w.fn:
		return "answer with another function"
	case len(pdu) != w.size:
		return fmt.Sprintf("answer of %d bytes, %d were due", len(pdu), w.size)
	case w.echo == nil && int(pdu[1]) != w.data:
		return fmt.Sprintf("byte count %d, %d was due", pdu[1], w.data)
	case w.echo != nil && !bytes.Equal(pdu[1:5], w.echo):
		return "acknowledges another write"
	}
	return ""
}

// hearTCP judges a stream of MBAP frames for the answer to question number tid.
func hearTCP(w want, tid uint16) fieldbus.Hear {
	return func(in []byte) fieldbus.Heard {
		if len(in) < headerSize {
			return fieldbus.Heard{}
		}
		size := int(binary.BigEndian.Uint16(in[4:]))
		if binary.BigEndian.Uint16(in[2:]) != 0 || size < 2 || size > maxPDU+1 {
			return fieldbus.Heard{Verdict: fieldbus.Spoilt, Note: "not Modbus TCP"}
		}
		n := 6 + size
		if len(in) < n {
			return fieldbus.Heard{}
		}
		return judgeTCP(w, tid, in[:n])
	}
}

// judgeTCP judges one whole frame. One with our number that does not fit is a
// wrong answer, and no better one will come.
func judgeTCP(w want, tid uint16, f []byte) fieldbus.Heard {
	if binary.BigEndian.Uint16(f) != tid {
		return fieldbus.Heard{Verdict: fieldbus.Skip, N: len(f), Note: "answer to another question"}
	}
	if f[6] != w.unit && !w.any {
		return fieldbus.Heard{Verdict: fieldbus.Skip, N: len(f), Note: "answer of another unit"}
	}
	if why := w.misfit(f[headerSize:]); why != "" {
		return fieldbus.Heard{Verdict: fieldbus.Spoilt, Note: why}
	}
	return fieldbus.Heard{Verdict: fieldbus.Take, N: len(f)}
}

// hearRTU judges what comes on a line of RTU frames. ask is the question itself:
// an adapter that echoes would make each write acknowledge itself.
func hearRTU(w want, ask []byte) fieldbus.Hear {
	return func(in []byte) fieldbus.Heard {
		if w.echo == nil && len(ask) > 0 && bytes.HasPrefix(in, ask) {
			return fieldbus.Heard{Verdict: fieldbus.Spoilt, Note: "our own question came back: turn off the adapter's echo, or say echo=on in the link"}
		}
		if n := wholeRTU(in); n > 0 && (in[0] != w.unit || w.misfit(in[1:n-2]) != "") {
			return fieldbus.Heard{Verdict: fieldbus.Skip, N: n, Note: foreign(w, in[:n])}
		}
		for i := range in {
			n := w.frameAt(in[i:])
			switch {
			case n > 0 && i == 0:
				return fieldbus.Heard{Verdict: fieldbus.Take, N: n}
			case n > 0:
				return fieldbus.Heard{Verdict: fieldbus.Skip, N: i, Note: "no frame"}
			}
		}
		return fieldbus.Heard{}
	}
}

// afterEcho judges a line whose adapter gives back each byte that it sends. First
// exactly the question has to come, then the answer, of which the question is no part.
func afterEcho(ask []byte, w want) fieldbus.Hear {
	echoed := false
	hear := hearRTU(w, nil)
	return func(in []byte) fieldbus.Heard {
		switch n := min(len(in), len(ask)); {
		case echoed:
			return hear(in)
		case !bytes.Equal(in[:n], ask[:n]):
			return fieldbus.Heard{Verdict: fieldbus.Spoilt, Note: "not what was sent came back: another master sends too, or the adapter does not echo (echo=on)"}
		case n < len(ask):
			return fieldbus.Heard{}
		}
		echoed = true
		return fieldbus.Heard{Verdict: fieldbus.Skip, N: len(ask), Note: "echo"}
	}
}

func foreign(w want, f []byte) string {
	if f[0] != w.unit {
		return "answer of another unit"
	}
	return w.misfit(f[1 : len(f)-2])
}

// frameAt is the length of a fitting answer that stands whole at the start of b,
// 0 when none does. The checksum is proven before anything in it is believed.
func (w want) frameAt(b []byte) int {
	if len(b) < 5 || b[0] != w.unit {
		return 0
	}
	n := w.size + rtuExtra
	if b[1] == w.fn|0x80 {
		n = 5
	}
	if len(b) < n || !sumFits(b[:n]) || w.misfit(b[1:n-2]) != "" {
		return 0
	}
	return n
}

// wholeRTU is the length of any answer that stands whole, with a right checksum,
// at the start of b, whoever it is from; 0 for none.
func wholeRTU(b []byte) int {
	if len(b) < 5 {
		return 0
	}
	n := 0
	switch fn := b[1]; {
	case fn >= 0x80:
		n = 5
	case fn >= 1 && fn <= 4:
		n = int(b[2]) + 2 + rtuExtra
	case fn == 5 || fn == 6 || fn == 15 || fn == 16:
		n = 8
	}
	if n == 0 || len(b) < n || !sumFits(b[:n]) {
		return 0
	}
	return n
}

// sumFits proves the checksum at the end of a frame, low byte first.
func sumFits(f []byte) bool {
	body := f[:len(f)-2]
	return binary.LittleEndian.Uint16(f[len(f)-2:]) == checksum(body)
}

// checksum is CRC-16 as Modbus has it: polynomial 0xA001 reflected, start 0xFFFF.
func checksum(b []byte) uint16 {
	c := uint16(0xFFFF)
	for _, x := range b {
		c ^= uint16(x)
		for range 8 {
			if c&1 != 0 {
				c = c>>1 ^ 0xA001
			} else {
				c >>= 1
			}
		}
	}
	return c
}
