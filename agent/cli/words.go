package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hoistway/agent/localapi"
)

// span says a length of time the way a person would.
func span(ms int64) string {
	switch s := ms / 1000; {
	case ms < 0:
		return "-"
	case s < 10:
		return fmt.Sprintf("%d.%d s", s, ms%1000/100)
	case s < 120:
		return fmt.Sprintf("%d s", s)
	case s < 2*3600:
		return fmt.Sprintf("%d min", s/60)
	case s < 2*24*3600:
		return fmt.Sprintf("%d h", s/3600)
	default:
		return fmt.Sprintf("%d days", s/(24*3600))
	}
}

// ago says an age; nil was never read.
func ago(ms *int64) string {
	if ms == nil || *ms < 0 {
		return "-"
	}
	return span(*ms) + " ago"
}

// left says how much of a limit is left; nil is no limit.
func left(ms *int64) string {
	if ms == nil {
		return "-"
	}
	return span(max(*ms, 0)) + " left"
}

// shown is a value of a lift. One that is not good says so, so that nobody takes
// an old reading for the present.
func shown(v localapi.Value) string {
	if v.Quality == "unknown" || v.Value == nil {
		return "-"
	}
	s := plain(v.Value)
	if s == "unknown" || s == "" {
		return "-"
	}
	switch v.Quality {
	case "good":
		return s
	case "":
		return s + " (of unknown quality)"
	}
	return s + " (" + v.Quality + ")"
}

// plain writes a JSON value without quotes.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return yes(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		return list(v)
	}
	return fmt.Sprint(v)
}

func list(vs []any) string {
	if len(vs) == 0 {
		return "none"
	}
	var parts []string
	for _, v := range vs {
		parts = append(parts, plain(v))
	}
	return strings.Join(parts, ", ")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// doors says the doors of a car; the side is named only where there are several.
func doors(all map[string]localapi.Value) string {
	var parts []string
	for _, side := range slices.Sorted(maps.Keys(all)) {
		s := shown(all[side])
		if len(all) > 1 {
			s = side + " " + s
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// oldest is the age of the least recent of the values that move: a row is only as
// fresh as its oldest part. It is nil when one was never read.
func oldest(l localapi.Lift) *int64 {
	values := []localapi.Value{l.Floor, l.Motion}
	for _, d := range l.Doors {
		values = append(values, d)
	}
	var most *int64
	for _, v := range values {
		if v.AgeMs == nil {
			return nil
		}
		if most == nil || *v.AgeMs > *most {
			most = v.AgeMs
		}
	}
	return most
}

// count says a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if n == 0 {
		return "no " + noun + "s"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func sided(floor, side string) string {
	if side == "" || side == "unknown" {
		return floor
	}
	return floor + " " + side
}
