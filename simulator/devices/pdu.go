package devices

import "encoding/binary"

// Function codes of this device.
const (
	readHoldings  = 3
	readInputs    = 4
	writeOne      = 6
	writeSeveral  = 16
	exceptionFlag = 0x80
)

// Most registers in one request, by the protocol.
const (
	maxRead  = 125
	maxWrite = 123
)

// answer serves one request, both without address and checksum. The request
// holds one byte at least.
func (u *Unit) answer(req []byte) []byte {
	fn, body := req[0], req[1:]
	m := u.Manners()
	if m.lacks(fn) {
		return exception(fn, illegalFunction)
	}
	if u.face != nil {
		return u.speak(req)
	}
	switch fn {
	case readHoldings:
		return reply(fn, body, make([]uint16, u.holdings()), m.most())
	case readInputs:
		return reply(fn, body, u.inputs(), m.most())
	case writeOne:
		return u.writeOne(req)
	case writeSeveral:
		return u.writeSeveral(req)
	}
	return exception(fn, illegalFunction)
}

func exception(fn, code uint8) []byte { return []byte{fn | exceptionFlag, code} }

// reply reads a part of the registers, so many at most.
func reply(fn uint8, body []byte, regs []uint16, most int) []byte {
	if len(body) != 4 {
		return exception(fn, illegalValue)
	}
	addr, n := int(binary.BigEndian.Uint16(body)), int(binary.BigEndian.Uint16(body[2:]))
	switch {
	case n < 1 || n > most:
		return exception(fn, illegalValue)
	case addr+n > len(regs):
		return exception(fn, illegalAddress)
	}
	out := []byte{fn, byte(2 * n)}
	for _, r := range regs[addr : addr+n] {
		out = binary.BigEndian.AppendUint16(out, r)
	}
	return out
}

func (u *Unit) writeOne(req []byte) []byte {
	if len(req) != 5 {
		return exception(writeOne, illegalValue)
	}
	addr := binary.BigEndian.Uint16(req[1:])
	if int(addr) >= u.holdings() {
		return exception(writeOne, illegalAddress)
	}
	if code := u.write(addr, binary.BigEndian.Uint16(req[3:])); code != noException {
		return exception(writeOne, code)
	}
	return req
}

// writeSeveral writes in order of the addresses and stops at the first that is
// refused; those before it stay written.
func (u *Unit) writeSeveral(req []byte) []byte {
	if len(req) < 6 {
		return exception(writeSeveral, illegalValue)
	}
	addr, n := int(binary.BigEndian.Uint16(req[1:])), int(binary.BigEndian.Uint16(req[3:]))
	values := req[6:]
	switch {
	case n < 1 || n > maxWrite || int(req[5]) != 2*n || len(values) != 2*n:
		return exception(writeSeveral, illegalValue)
	case addr+n > u.holdings():
		return exception(writeSeveral, illegalAddress)
	}
	for i := range n {
		if code := u.write(uint16(addr+i), binary.BigEndian.Uint16(values[2*i:])); code != noException {
			return exception(writeSeveral, code)
		}
	}
	return req[:5]
}

// asked names a request for the counters.
func asked(req []byte) Request {
	r := Request{Function: req[0]}
	if len(req) >= 3 {
		r.Addr = binary.BigEndian.Uint16(req[1:])
	}
	return r
}
