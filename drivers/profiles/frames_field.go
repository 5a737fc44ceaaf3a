package profiles

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// field is one run of bytes of a message.
type field struct {
	name     string
	as       string
	width    int  // bytes; 0 = up to until, or all that is left
	until    byte // what ends it, and is no part of it; 0 = none
	is       Raw  // must be, or is sent
	not      Raw  // must not be
	def      Raw  // is sent where nothing is given
	raw      []byte
	parts    []bitPart
	perFloor int // bits a landing
}

// bitPart is some bits of a number with a name of their own.
type bitPart struct {
	name     string
	from, to int // both inclusive
}

// fit says how bytes go with what was expected.
type fit uint8

const (
	fits fit = iota
	short
	misfit
)

func (x field) fixed() bool { return x.is.Kind != RawNone || x.raw != nil && x.name == "" }

// widths of the numbers that have one.
var widths = map[string]int{
	"u8": 1, "i8": 1, "letter": 1, "u16be": 2, "u16le": 2, "i16be": 2, "i16le": 2, "u32be": 4, "u32le": 4, "i32be": 4, "i32le": 4,
}

// size is how many bytes the field has, and 0 where that depends on what it says.
func (x field) size() int {
	if n := widths[x.as]; n > 0 {
		return n
	}
	if x.raw != nil {
		return len(x.raw)
	}
	if x.as == "text" && x.is.Kind != RawNone && x.width == 0 && x.until == 0 {
		return len(x.is.Word())
	}
	return x.width
}

// take reads the field from the front of in: its value and how many bytes it had.
func (x field) take(in []byte) (v Raw, n int, f fit) {
	own, n, f := x.run(in)
	if f != fits {
		return v, 0, f
	}
	if x.raw != nil {
		if x.name == "" && !bytes.Equal(own, x.raw) {
			return v, 0, misfit
		}
		return v, n, fits
	}
	v, ok := x.value(own)
	if !ok || x.is.Kind != RawNone && !same(v, x.is) || x.not.Kind != RawNone && same(v, x.not) {
		return v, 0, misfit
	}
	return v, n, fits
}

// run finds the bytes of the field.
func (x field) run(in []byte) (own []byte, n int, f fit) {
	if n = x.size(); n > 0 {
		if len(in) < n {
			if x.raw != nil && x.name == "" && !bytes.HasPrefix(x.raw, in) {
				return nil, 0, misfit
			}
			return nil, 0, short
		}
		return in[:n], n, fits
	}
	if x.until == 0 {
		return in, len(in), fits
	}
	i := bytes.IndexByte(in, x.until)
	switch {
	case i < 0 && len(in) > mostText:
		return nil, 0, misfit
	case i < 0:
		return nil, 0, short
	}
	return in[:i], i + 1, fits
}

// mostText bounds a field that only a separator ends.
const mostText = 1024

func same(a, b Raw) bool {
	if n, ok := a.Whole(); ok {
		m, also := b.Whole()
		return also && n == m
	}
	return a.Word() == b.Word() && a.Kind != RawNone
}

// value reads the bytes of the field.
func (x field) value(b []byte) (Raw, bool) {
	switch x.as {
	case "bytes":
		return RawOfText(fmt.Sprintf("% X", b)), true
	case "text":
		return RawOfText(strings.TrimRight(string(b), "\x00")), printable(b)
	case "letter":
		return RawOfInt(int64(b[0]) - 'A'), b[0] >= 'A' && b[0] <= 'Z'
	case "below":
		return below(b)
	case "bitmap":
		return x.landings(b), true
	case "dec":
		return digits(b, 10)
	case "hex":
		return digits(b, 16)
	case "bcd":
		return bcd(b)
	}
	return RawOfInt(integer(x.as, b)), true
}

func printable(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 && (c < ' ' || c > '~') })
}

// integer reads a number of a width in an order.
func integer(as string, b []byte) int64 {
	var order binary.ByteOrder = binary.BigEndian
	if strings.HasSuffix(as, "le") {
		order = binary.LittleEndian
	}
	signed := as[0] == 'i'
	switch len(b) {
	case 1:
		if signed {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		if signed {
			return int64(int16(order.Uint16(b)))
		}
		return int64(order.Uint16(b))
	}
	if signed {
		return int64(int32(order.Uint32(b)))
	}
	return int64(order.Uint32(b))
}

// digits reads a number in ASCII. Decimal ones may have a minus.
func digits(b []byte, base int) (Raw, bool) {
	s := string(b)
	if strings.ContainsAny(s, "+_ ") || base == 16 && strings.Contains(s, "-") || len(s) > 18 {
		return Raw{}, false
	}
	n, err := strconv.ParseInt(s, base, 64)
	return RawOfInt(n), err == nil
}

// bcd reads two digits a byte.
func bcd(b []byte) (Raw, bool) {
	var n int64
	for _, c := range b {
		if c>>4 > 9 || c&15 > 9 {
			return Raw{}, false
		}
		n = n*100 + int64(c>>4)*10 + int64(c&15)
	}
	return RawOfInt(n), true
}

// below reads a landing of which the first digit is A below ground: A02 is -2.
func below(b []byte) (Raw, bool) {
	under := len(b) > 1 && b[0] == 'A'
	if under {
		b = b[1:]
	}
	v, ok := digits(b, 10)
	if v.Int < 0 {
		return Raw{}, false
	}
	if under {
		v.Int = -v.Int
	}
	return v, ok
}

// landings lists the numbers of the landings whose lowest bit is set.
func (x field) landings(b []byte) Raw {
	v := Raw{Kind: RawList}
	for f := range len(b) * 8 / x.perFloor {
		if bit := f * x.perFloor; b[bit/8]>>(bit%8)&1 != 0 {
			v.List = append(v.List, RawOfInt(int64(f+1)))
		}
	}
	return v
}
