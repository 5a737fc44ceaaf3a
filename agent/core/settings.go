package core

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"hoistway/fsm"
)

// Settings are what the cloud may change at run time: the file's values, and over them what
// was accepted. They hold for the leases to come.
type Settings struct {
	fsm.Params
	Windows []Window // of maintenance
	Batch   string   // that has set them last, "" for none
}

// setting is a row of the table of settings, fields of the classic shadow.
type setting struct {
	path  string
	takes string // for people
	// read judges a value as it came; the error says nothing but that it does not fit.
	read func(v any, into *Settings) bool
	// show is the file's value, as JSON has it; nil is none.
	show func(*Settings) any
}

func settingTable() []setting {
	return []setting{
		word("batch", func(s *Settings) *string { return &s.Batch }),
		seconds("expiry", 60, 86400, func(s *Settings) *time.Duration { return &s.Expiry }),
		seconds("hold_limit", 5, 600, func(s *Settings) *time.Duration { return &s.HoldLimit }),
		seconds("hold_renew", 1, 120, func(s *Settings) *time.Duration { return &s.HoldRenew }),
		windows(),
		count("retries", 0, 10, func(s *Settings) *int { return &s.Retries }),
		seconds("standby", 10, 86400, func(s *Settings) *time.Duration { return &s.Standby }),
		seconds("wait_timeout", 5, 3600, func(s *Settings) *time.Duration { return &s.WaitTimeout }),
	}
}

// seconds is a length of time, in whole seconds as the bounds of the file have it.
func seconds(path string, lo, hi int64, at func(*Settings) *time.Duration) setting {
	return setting{
		path: path, takes: fmt.Sprintf("a whole number from %d to %d s", lo, hi),
		read: func(v any, into *Settings) bool {
			n, ok := whole(v)
			*at(into) = time.Duration(n) * time.Second
			return ok && lo <= n && n <= hi
		},
		show: func(s *Settings) any { return number(int64(*at(s) / time.Second)) },
	}
}

func count(path string, lo, hi int64, at func(*Settings) *int) setting {
	return setting{
		path: path, takes: fmt.Sprintf("a whole number from %d to %d", lo, hi),
		read: func(v any, into *Settings) bool {
			n, ok := whole(v)
			*at(into) = int(n)
			return ok && lo <= n && n <= hi
		},
		show: func(s *Settings) any { return number(int64(*at(s))) },
	}
}

func word(path string, at func(*Settings) *string) setting {
	return setting{
		path: path, takes: "1 to 64 printable characters",
		read: func(v any, into *Settings) bool {
			text, _ := v.(string)
			*at(into) = text
			unfit := func(r rune) bool { return !unicode.IsPrint(r) }
			return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, unfit)
		},
		show: func(s *Settings) any { return orNull(*at(s)) },
	}
}

func findSetting(path string) (setting, bool) {
	for _, s := range settingTable() {
		if s.path == path {
			return s, true
		}
	}
	return setting{}, false
}

// misfit is what settings that are each in their bounds have against each other: the two
// paths, and why.
type misfit struct{ paths, why string }

// misfit tells what is wrong with the settings together. longest is the longest hold of
// any lift's device, 0 = not known.
func (s *Settings) misfit(longest time.Duration) *misfit {
	switch {
	case s.HoldRenew >= s.HoldLimit:
		return &misfit{"hold_renew hold_limit", fmt.Sprintf("hold_renew (%s) must be less than hold_limit (%s)", s.HoldRenew, s.HoldLimit)}
	case s.Expiry <= s.WaitTimeout:
		return &misfit{"expiry wait_timeout", fmt.Sprintf("expiry (%s) must be more than wait_timeout (%s)", s.Expiry, s.WaitTimeout)}
	case longest > 0 && longest < s.HoldRenew+time.Second:
		return &misfit{"hold_renew", fmt.Sprintf("a door hold of this device lasts %s at most, hold_renew is %s", longest, s.HoldRenew)}
	}
	return nil
}

func (m *misfit) names(path string) bool {
	for _, p := range strings.Fields(m.paths) {
		if p == path {
			return true
		}
	}
	return false
}

// whole reads a JSON number that has no fraction.
func whole(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	if err != nil || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

func number(n int64) json.Number { return json.Number(fmt.Sprint(n)) }
