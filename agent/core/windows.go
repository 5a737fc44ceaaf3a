package core

import (
	"time"

	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Window is a time of the week in which no lift takes rides.
type Window struct {
	Days     [7]bool // by time.Weekday: those on which it begins
	From, To int     // minutes of the day; a To that is not after From is on the next day
}

const (
	maxWindows = 32
	day        = 24 * 60
	// knownSince is 2020: a clock that is before it was never set.
	knownSince = 1_577_836_800_000
)

// windows are a setting of their own kind. What is in force is shown by what it does.
func windows() setting {
	return setting{
		path:  "maintenance_windows",
		takes: `a list of at most 32 {"days": ["mon", …], "from": "02:00", "to": "04:30"}; without days it is each day`,
		read:  readWindows,
		show:  func(*Settings) any { return nil },
	}
}

var dayNames = [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func readWindows(v any, into *Settings) bool {
	list, ok := v.([]any)
	if !ok || len(list) > maxWindows {
		return false
	}
	into.Windows = make([]Window, len(list))
	for i, e := range list {
		t, isTree := e.(shadow.Tree)
		if !isTree || !into.Windows[i].read(t) {
			return false
		}
	}
	return true
}

func (w *Window) read(t shadow.Tree) bool {
	var ok1, ok2 bool
	w.From, ok1 = readMinute(t["from"])
	w.To, ok2 = readMinute(t["to"])
	for k := range t {
		if k != "days" && k != "from" && k != "to" {
			return false
		}
	}
	return ok1 && ok2 && w.From != w.To && w.From < day && w.readDays(t["days"])
}

func (w *Window) readDays(v any) bool {
	if v == nil {
		w.Days = [7]bool{true, true, true, true, true, true, true}
		return true
	}
	list, ok := v.([]any)
	for _, e := range list {
		known := false
		for i, name := range dayNames {
			if e == name {
				w.Days[i], known = true, true
			}
		}
		ok = ok && known
	}
	return ok && len(list) > 0
}

// readMinute reads 00:00 to 24:00.
func readMinute(v any) (int, bool) {
	s, _ := v.(string)
	if s == "24:00" {
		return day, true
	}
	t, err := time.Parse("15:04", s)
	return t.Hour()*60 + t.Minute(), err == nil && len(s) == 5
}

// left is how many minutes of the window are still to come at a minute of a day; 0 outside.
func (w Window) left(d time.Weekday, minute int) int {
	end := w.To
	if end <= w.From {
		end += day
	}
	for ago, began := range []time.Weekday{d, (d + 6) % 7} {
		if at := minute + ago*day; w.Days[began] && w.From <= at && at < end {
			return end - at
		}
	}
	return 0
}

// windowEnd is when the maintenance window ends that all lifts are in, never for none.
func (s *Settings) windowEnd(t Time) elevator.Instant {
	if t.Wall < knownSince {
		return 0
	}
	at := time.UnixMilli(t.Wall).UTC().Add(time.Duration(t.Zone) * time.Second)
	most := 0
	for _, w := range s.Windows {
		most = max(most, w.left(at.Weekday(), at.Hour()*60+at.Minute()))
	}
	if most == 0 {
		return 0
	}
	return t.Now.Add(time.Duration(most)*time.Minute - sinceMinute(at))
}

func sinceMinute(at time.Time) time.Duration { return at.Sub(at.Truncate(time.Minute)) }

// keepWindows looks at the windows, and does so again with the next minute.
func (p *pass) keepWindows() {
	end := p.settings.windowEnd(p.t)
	p.windowAt = 0
	if len(p.settings.Windows) > 0 {
		p.windowAt = p.t.Now.Add(time.Minute - sinceMinute(time.UnixMilli(p.t.Wall)))
	}
	in := end != 0
	if in != p.inWindow {
		p.line("info", map[bool]string{true: "a maintenance window begins", false: "the maintenance window is over"}[in], "", "")
		p.inWindow, p.res.Changed = in, true
		for _, id := range p.site.Lifts() {
			p.touch(id)
		}
		p.toSite(dispatch.Window{Until: end})
	} else if in {
		p.toSite(dispatch.Window{Until: end}) // the clock may have been set
	}
}
