package modbus

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
)

// question is one raw request of a technician: a read of count items, or a write
// of values. Addresses count from 0, as they stand on the wire.
type question struct {
	table profiles.Table
	addr  uint16
	count uint16
	write []uint16 // nil: a read
	multi bool     // function 15 or 16 even for one value
}

// parseQuestion reads holding:12, holding:12x4, coil:3=1, holding:7=300,
// holding:7=1,2 and holding:7=300 multi. Addresses are decimal (input:0x4 is four
// from 0); values may be hexadecimal with 0x. Its error wraps ErrConfig.
func parseQuestion(s string) (question, error) {
	q, why := readQuestion(strings.TrimSpace(s))
	if why != "" {
		return q, fmt.Errorf("%w: question %q: %s (write holding:12x4, coil:3=1 or holding:7=1,2)", drivers.ErrConfig, s, why)
	}
	return q, nil
}

func readQuestion(s string) (q question, why string) {
	s, q.multi = strings.CutSuffix(s, " multi")
	name, rest, ok := strings.Cut(s, ":")
	if q.table = tableNamed(name); q.table == profiles.TableUnknown || !ok {
		return q, "the table is coil, discrete, holding or input"
	}
	place, values, writes := strings.Cut(rest, "=")
	if writes {
		return q.writing(place, values)
	}
	place, many, counted := strings.Cut(place, "x")
	addr, err := number16(place)
	if err != nil {
		return q, "the address is a number from 0 to 65535"
	}
	q.addr, q.count = addr, 1
	if counted {
		if q.count, err = number16(many); err != nil {
			return q, "the count behind x is no number"
		}
	}
	return q, q.bounds()
}

func (q question) writing(place, values string) (question, string) {
	addr, err := number16(place)
	if err != nil {
		return q, "the address is a number from 0 to 65535"
	}
	if q.table == profiles.DiscreteInputs || q.table == profiles.InputRegisters {
		return q, fmt.Sprintf("%s can only be read", q.table)
	}
	q.addr = addr
	for v := range strings.SplitSeq(values, ",") {
		n, err := value16(v)
		if err != nil {
			return q, fmt.Sprintf("%q is no value of 16 bits", v)
		}
		q.write = append(q.write, n)
	}
	q.count = uint16(len(q.write))
	if err := checkWrite(q.asWrite()); err != nil {
		return q, err.Error()
	}
	return q, ""
}

func (q question) bounds() string {
	most := maxReadWords
	if isBits(q.table) {
		most = maxReadBits
	}
	switch {
	case q.multi:
		return "multi is for writes"
	case q.count == 0 || int(q.count) > most:
		return fmt.Sprintf("1 to %d items may be read at once", most)
	case int(q.addr)+int(q.count) > 1<<16:
		return "it runs past the last address"
	}
	return ""
}

func (q question) asWrite() profiles.Write {
	return profiles.Write{Table: q.table, Addr: q.addr, Values: q.write, Multi: q.multi}
}

// pdu is function and data of the question.
func (q question) pdu() []byte {
	b := make([]byte, 5, 6+2*len(q.write))
	binary.BigEndian.PutUint16(b[1:], q.addr)
	if q.write == nil {
		b[0] = map[profiles.Table]byte{profiles.Coils: 1, profiles.DiscreteInputs: 2, profiles.HoldingRegisters: 3, profiles.InputRegisters: 4}[q.table]
		binary.BigEndian.PutUint16(b[3:], q.count)
		return b
	}
	if len(q.write) == 1 && !q.multi {
		v := q.write[0]
		b[0] = 6
		if q.table == profiles.Coils {
			b[0], v = 5, v*0xFF00
		}
		binary.BigEndian.PutUint16(b[3:], v)
		return b
	}
	binary.BigEndian.PutUint16(b[3:], q.count)
	data := packWords(q.write)
	b[0] = 16
	if q.table == profiles.Coils {
		b[0], data = 15, packBits(q.write)
	}
	return append(append(b, byte(len(data))), data...)
}

func (q question) String() string {
	if q.write == nil {
		return fmt.Sprintf("%s:%dx%d", q.table, q.addr, q.count)
	}
	var values []string
	for _, v := range q.write {
		values = append(values, strconv.Itoa(int(v)))
	}
	s := fmt.Sprintf("%s:%d=%s", q.table, q.addr, strings.Join(values, ","))
	if q.multi {
		s += " multi"
	}
	return s
}

// Question words a read of a plan the way Peek takes it.
func Question(b profiles.Block) string {
	return question{table: b.Table, addr: b.Addr, count: b.Count}.String()
}

// WriteQuestion words a write of a command the way Poke takes it.
func WriteQuestion(w profiles.Write) string {
	return question{table: w.Table, addr: w.Addr, count: uint16(len(w.Values)), write: w.Values, multi: w.Multi}.String()
}

// ReadQuestion takes a question to read apart, for those who show what came beside
// what was asked. Its error wraps ErrConfig.
func ReadQuestion(s string) (profiles.Block, error) {
	q, err := parseQuestion(s)
	if err == nil && q.write != nil {
		err = fmt.Errorf("%w: question %q writes", drivers.ErrConfig, s)
	}
	return profiles.Block{Table: q.table, Addr: q.addr, Count: q.count}, err
}

func tableNamed(s string) profiles.Table {
	for t := profiles.Coils; t <= profiles.InputRegisters; t++ {
		if t.String() == s {
			return t
		}
	}
	return profiles.TableUnknown
}

func number16(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	return uint16(n), err
}

// value16 takes negative numbers as well, in two's complement.
func value16(s string) (uint16, error) {
	n, err := strconv.ParseInt(s, 0, 32)
	if err == nil && (n < -32768 || n > 65535) {
		err = strconv.ErrRange
	}
	return uint16(n), err
}
