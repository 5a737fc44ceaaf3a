package modbus

import (
	"encoding/binary"
	"fmt"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
)

// Most items of one request, by the standard.
const (
	maxReadBits   = 2000
	maxReadWords  = 125
	maxWriteBits  = 1968
	maxWriteWords = 123
)

func isBits(t profiles.Table) bool { return t == profiles.Coils || t == profiles.DiscreteInputs }

// unpack turns an answer's data into words. Data of another length than was
// asked for is no answer, whatever it holds.
func unpack(b []byte, bits bool, count int) ([]uint16, error) {
	due := 2 * count
	if bits {
		due = (count + 7) / 8
	}
	if len(b) != due {
		return nil, fmt.Errorf("%w: %d bytes of data, %d were due", drivers.ErrProtocol, len(b), due)
	}
	words := make([]uint16, count)
	for i := range words {
		if bits {
			words[i] = uint16(b[i/8] >> (i % 8) & 1)
		} else {
			words[i] = binary.BigEndian.Uint16(b[2*i:])
		}
	}
	return words, nil
}

func packBits(v []uint16) []byte {
	b := make([]byte, (len(v)+7)/8)
	for i, x := range v {
		b[i/8] |= byte(x&1) << (i % 8)
	}
	return b
}

func packWords(v []uint16) []byte {
	var b []byte
	for _, x := range v {
		b = binary.BigEndian.AppendUint16(b, x)
	}
	return b
}

// probeShapes is how many probes in a row differ from each other.
const probeShapes = 8

// probeCount is the quantity of the i-th probe (from 1) beside a question for n:
// its answer has another length than that question's and the probes' before it,
// so that no late answer fits. Fewer items are asked where there are fewer.
func probeCount(t profiles.Table, n uint16, i int) uint16 {
	step := 1
	if isBits(t) {
		step = 8
	}
	back := (i-1)%probeShapes + 1
	if less := int(n) - back*step; less > 0 {
		return uint16(less)
	}
	below := (int(n) - 1) / step // as many shapes are smaller
	return n + uint16((back-below)*step)
}

func checkBlock(b profiles.Block) error {
	limit := uint16(maxReadWords)
	if isBits(b.Table) {
		limit = maxReadBits
	}
	switch {
	case b.Table == profiles.TableUnknown || b.Table > profiles.InputRegisters:
		return fmt.Errorf("read of table %d", b.Table)
	case b.Count == 0 || b.Count > limit:
		return fmt.Errorf("read of %d items, 1 to %d may be asked at once", b.Count, limit)
	case int(b.Addr)+int(b.Count) > 1<<16:
		return fmt.Errorf("read of %d items from %d runs past the end", b.Count, b.Addr)
	case b.Every <= 0:
		return fmt.Errorf("read of %d items from %d has no period", b.Count, b.Addr)
	}
	return nil
}

func checkWrite(w profiles.Write) error {
	limit := maxWriteWords
	if w.Table == profiles.Coils {
		limit = maxWriteBits
	}
	if w.Table != profiles.Coils && w.Table != profiles.HoldingRegisters {
		return fmt.Errorf("write to table %d", w.Table)
	}
	if (w.Mask != 0 || w.Changed) && len(w.Values) != 1 {
		return fmt.Errorf("write of %d items to %d that depends on what stands there", len(w.Values), w.Addr)
	}
	if w.Raw && (w.Table != profiles.Coils || w.Multi || len(w.Values) != 1) {
		return fmt.Errorf("write of a raw coil value to %s %d", w.Table, w.Addr)
	}
	if len(w.Values) == 0 || len(w.Values) > limit || int(w.Addr)+len(w.Values) > 1<<16 {
		return fmt.Errorf("write of %d items to %d", len(w.Values), w.Addr)
	}
	for _, v := range w.Values {
		if w.Table == profiles.Coils && v > 1 && !w.Raw {
			return fmt.Errorf("write of %d to coil %d", v, w.Addr)
		}
	}
	return nil
}
