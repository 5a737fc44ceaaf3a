package profiles

import (
	"fmt"
	"strconv"
	"strings"
)

// put writes the field with a value.
func (x field) put(out []byte, v Raw) ([]byte, error) {
	if x.raw != nil {
		return append(out, x.raw...), nil
	}
	b, err := x.said(v)
	if err != nil {
		return nil, err
	}
	out = append(out, b...)
	if x.until != 0 {
		out = append(out, x.until)
	}
	return out, nil
}

func (x field) said(v Raw) ([]byte, error) {
	wrong := fmt.Errorf("%w: %s takes no %s", ErrArgument, x.label(), shown(v))
	if x.as == "text" {
		s := v.Word()
		if !printable([]byte(s)) || x.until != 0 && strings.IndexByte(s, x.until) >= 0 || x.width > 0 && len(s) > x.width {
			return nil, wrong
		}
		for len(s) < x.width {
			s += "\x00"
		}
		return []byte(s), nil
	}
	if x.as == "bitmap" {
		return x.bits(v, wrong)
	}
	n, ok := v.Whole()
	if !ok {
		return nil, wrong
	}
	b := x.figures(n)
	if back, good := x.value(b); len(b) == 0 || x.width > 0 && len(b) != x.width || !good || back.Int != n {
		return nil, wrong
	}
	return b, nil
}

func (x field) label() string {
	if x.name == "" {
		return "a field " + x.as
	}
	return x.name
}

func shown(v Raw) string {
	if v.Kind == RawNone {
		return "nothing"
	}
	return strconv.Quote(v.Word())
}

// figures writes a whole number; what does not fit comes out as another one.
func (x field) figures(n int64) []byte {
	switch x.as {
	case "letter":
		return []byte{byte('A' + n)}
	case "dec":
		return []byte(fmt.Sprintf("%0*d", x.width, n))
	case "hex":
		return []byte(fmt.Sprintf("%0*X", x.width, n))
	case "below":
		if n < 0 {
			return []byte(fmt.Sprintf("A%0*d", x.width-1, -n))
		}
		return []byte(fmt.Sprintf("%0*d", x.width, n))
	case "bcd":
		out := make([]byte, x.width)
		for i := range out {
			out[len(out)-1-i] = byte(n%10 | n/10%10<<4)
			n /= 100
		}
		return out
	case "bytes":
		return nil
	}
	return binaryOf(x.as, n)
}

func binaryOf(as string, n int64) []byte {
	out := make([]byte, widths[as])
	for i := range out {
		at := len(out) - 1 - i
		if strings.HasSuffix(as, "le") {
			at = i
		}
		out[at] = byte(n >> (8 * i))
	}
	return out
}

// bits writes a landing, or several, as a map of bits.
func (x field) bits(v Raw, wrong error) ([]byte, error) {
	all := v.List
	if v.Kind != RawList {
		all = []Raw{v}
	}
	out := make([]byte, x.width)
	for _, e := range all {
		n, ok := e.Whole()
		if !ok || n < 1 || n > int64(x.width*8/x.perFloor) {
			return nil, wrong
		}
		bit := int(n-1) * x.perFloor
		out[bit/8] |= 1 << (bit % 8)
	}
	return out, nil
}
