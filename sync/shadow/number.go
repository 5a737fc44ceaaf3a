package shadow

import (
	"encoding/json"
	"strconv"
	"strings"
)

// number is a decimal in the one form that equal numbers share: digits without
// leading or trailing zeros, times ten to the exp. Zero is the empty number.
type number struct {
	negative bool
	digits   string
	exp      int64
}

// numberOf reads a json.Number or one of Go's own number types.
func numberOf(v any) (number, bool) {
	switch v := v.(type) {
	case json.Number:
		return parseNumber(string(v))
	case int:
		return parseNumber(strconv.Itoa(v))
	case int64:
		return parseNumber(strconv.FormatInt(v, 10))
	case uint64:
		return parseNumber(strconv.FormatUint(v, 10))
	case float64:
		return parseNumber(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return number{}, false
}

// parseNumber never expands an exponent: 1e999999999 costs eleven bytes, not a
// gigabyte.
func parseNumber(s string) (number, bool) {
	var n number
	s, n.negative = strings.CutPrefix(s, "-")
	mantissa, power, hasPower := cutExponent(s)
	if hasPower {
		e, err := strconv.ParseInt(power, 10, 32)
		if err != nil {
			return number{}, false
		}
		n.exp = e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	n.exp -= int64(len(fraction))
	n.digits = strings.TrimLeft(whole+fraction, "0")
	if strings.Trim(n.digits, "0123456789") != "" || whole+fraction == "" {
		return number{}, false
	}
	trimmed := strings.TrimRight(n.digits, "0")
	n.exp += int64(len(n.digits) - len(trimmed))
	n.digits = trimmed
	if n.digits == "" {
		return number{}, true // every spelling of zero, minus zero too
	}
	return n, true
}

func cutExponent(s string) (mantissa, power string, found bool) {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimPrefix(s[i+1:], "+"), true
}
