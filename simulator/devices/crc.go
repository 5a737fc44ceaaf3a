package devices

import "encoding/binary"

// sound checks the length and the checksum.
func sound(frame []byte) bool {
	n := len(frame)
	return n >= 4 && crc16(frame[:n-2]) == binary.LittleEndian.Uint16(frame[n-2:])
}

// seal appends the checksum, low byte first.
func seal(frame []byte) []byte { return binary.LittleEndian.AppendUint16(frame, crc16(frame)) }

// crc16 is the checksum of Modbus RTU: polynomial 0x8005 mirrored, all ones at
// the start.
func crc16(b []byte) uint16 {
	crc := uint16(0xffff)
	for _, x := range b {
		crc ^= uint16(x)
		for range 8 {
			odd := crc & 1
			crc >>= 1
			if odd != 0 {
				crc ^= 0xa001
			}
		}
	}
	return crc
}
