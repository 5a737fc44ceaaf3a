package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A record on the disk is its length (four bytes, little endian), a sum over the
// length and the body (CRC-32C, four bytes), and the body. The sum covers the length,
// so that neither a stretch of zeroes nor a cut length passes for a record.
const (
	headLen   = 8
	maxRecord = 32 << 10 // bytes of a body
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errTooLong = errors.New("the record is too long")
	errTorn    = errors.New("the record is not whole")
)

// appendRecord puts a record behind buf.
func appendRecord(buf, body []byte) ([]byte, error) {
	if len(body) == 0 || len(body) > maxRecord {
		return buf, fmt.Errorf("%w: %d bytes", errTooLong, len(body))
	}
	var head [headLen]byte
	binary.LittleEndian.PutUint32(head[:4], uint32(len(body)))
	binary.LittleEndian.PutUint32(head[4:], sumOf(head[:4], body))
	return append(append(buf, head[:]...), body...), nil
}

// nextRecord gives the first body of data and what follows it. Anything that is not a
// whole and sound record is errTorn.
func nextRecord(data []byte) (body, rest []byte, err error) {
	if len(data) < headLen {
		return nil, data, errTorn
	}
	n := binary.LittleEndian.Uint32(data[:4])
	if n == 0 || n > maxRecord || uint64(n) > uint64(len(data)-headLen) {
		return nil, data, errTorn
	}
	body = data[headLen : headLen+int(n)]
	if binary.LittleEndian.Uint32(data[4:8]) != sumOf(data[:4], body) {
		return nil, data, errTorn
	}
	return body, data[headLen+int(n):], nil
}

func sumOf(length, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, body)
}

// sound is how many bytes of data are whole records; each body is shown to see.
func sound(data []byte, see func(body []byte)) int {
	rest := data
	for len(rest) > 0 {
		body, after, err := nextRecord(rest)
		if err != nil {
			break
		}
		see(body)
		rest = after
	}
	return len(data) - len(rest)
}
