package profiles

import (
	"math"
	"strconv"
	"strings"
)

// RawKind is the kind of a value as a wire gave it.
type RawKind uint8

const (
	RawNone RawKind = iota // the message does not say
	RawNull                // it says that there is no value
	RawInt
	RawFloat
	RawText
	RawBool // Int is 0 or 1
	RawList
)

// Raw is one value of a message, before a profile says what it means. The zero Raw
// is what a message does not say.
type Raw struct {
	Kind  RawKind
	Int   int64
	Float float64
	Text  string
	List  []Raw
}

// RawOfInt, RawOfFloat, RawOfText and RawOfBool make values of one kind.
func RawOfInt(n int64) Raw     { return Raw{Kind: RawInt, Int: n} }
func RawOfFloat(f float64) Raw { return Raw{Kind: RawFloat, Float: f} }
func RawOfText(s string) Raw   { return Raw{Kind: RawText, Text: s} }
func RawOfBool(b bool) Raw {
	if b {
		return Raw{Kind: RawBool, Int: 1}
	}
	return Raw{Kind: RawBool}
}

// Word is the value as an enumeration of a profile writes it: 3, open, true; "" for
// what has no such form.
func (r Raw) Word() string {
	switch r.Kind {
	case RawInt:
		return strconv.FormatInt(r.Int, 10)
	case RawFloat:
		return strconv.FormatFloat(r.Float, 'f', -1, 64)
	case RawText:
		return r.Text
	case RawBool:
		return strconv.FormatBool(r.Int != 0)
	}
	return ""
}

// Whole is the value as a whole number. A text counts when it is written as one, since
// many services send numbers so; a part of a unit is no whole number.
func (r Raw) Whole() (n int64, ok bool) {
	switch r.Kind {
	case RawInt:
		return r.Int, true
	case RawFloat:
		n = int64(r.Float)
		return n, float64(n) == r.Float && math.Abs(r.Float) < 1<<53
	case RawText:
		n, err := strconv.ParseInt(strings.TrimSpace(r.Text), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// Number is the value as a number that may have parts.
func (r Raw) Number() (f float64, ok bool) {
	switch r.Kind {
	case RawFloat:
		return r.Float, !math.IsNaN(r.Float) && !math.IsInf(r.Float, 0)
	case RawText:
		f, err := strconv.ParseFloat(strings.TrimSpace(r.Text), 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	n, ok := r.Whole()
	return float64(n), ok
}
