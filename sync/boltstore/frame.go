package boltstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A stored value is framed as version (1 byte), length of the payload (4, big
// endian), CRC-32C (4, big endian), payload. The checksum covers bucket and key
// too: the right bytes in the wrong place are as bad as wrong bytes.
const (
	frameVersion = 1
	frameHeader  = 9
)

func frame(bucket, key string, value []byte) []byte {
	out := make([]byte, frameHeader, frameHeader+len(value))
	out[0] = frameVersion
	binary.BigEndian.PutUint32(out[1:], uint32(len(value)))
	binary.BigEndian.PutUint32(out[5:], checksum(bucket, key, value))
	return append(out, value...)
}

// unframe returns the payload, which aliases framed.
func unframe(bucket, key string, framed []byte) ([]byte, error) {
	if len(framed) < frameHeader || framed[0] != frameVersion {
		return nil, damaged("%s/%s: no frame", bucket, key)
	}
	value := framed[frameHeader:]
	if binary.BigEndian.Uint32(framed[1:]) != uint32(len(value)) {
		return nil, damaged("%s/%s: wrong length", bucket, key)
	}
	if binary.BigEndian.Uint32(framed[5:]) != checksum(bucket, key, value) {
		return nil, damaged("%s/%s: wrong checksum", bucket, key)
	}
	return value, nil
}

func checksum(bucket, key string, value []byte) uint32 {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	_, _ = h.Write([]byte(bucket)) // a hash never fails
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(key))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write(value)
	return h.Sum32()
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}
