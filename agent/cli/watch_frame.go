package cli

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/agent/localapi"
)

// look of a whole line; a terminal gives it a colour.
type manner uint8

const (
	usual manner = iota
	head
	alarm
	faint
)

type screenLine struct {
	text   string
	manner manner
}

// frame is one screen of so many columns and height lines. What does not fit is counted.
func (w *watching) frame(columns, height int, now time.Time) []screenLine {
	lines := []screenLine{{w.title(columns, now), head}}
	if w.lost != nil {
		lines = append(lines, screenLine{w.lostWords(now) + "; what follows is old", alarm})
	}
	old := time.Duration(0)
	if w.lost != nil {
		old = now.Sub(w.last.at)
	}
	body := w.last.aged(old).sections(old > 0)
	room := height - len(lines) - 1 // the last line is for the keys
	lines = append(lines, fit(body, room)...)
	lines = lines[:min(len(lines), height-1)] // a screen of a few lines has not even the least
	for len(lines) < height-1 {
		lines = append(lines, screenLine{})
	}
	lines = append(lines, screenLine{"q ends · a ? marks what is not of now · hoistway help CODE explains a fault", faint})
	for i := range lines {
		lines[i].text = clip(lines[i].text, columns)
	}
	return lines
}

func (w *watching) title(columns int, now time.Time) string {
	left := "hoistway  " + w.c.base.Host
	for _, part := range []string{readyWords(w.last.ready), "cloud " + cloudSummary(w.last.shadow)} {
		left += "  ·  " + part
	}
	clock := now.Format("15:04:05")
	if pad := columns - width(left) - len(clock); pad >= 2 {
		return left + strings.Repeat(" ", pad) + clock
	}
	return clip(left, max(columns-len(clock)-2, 0)) + "  " + clock
}

func readyWords(r localapi.Ready) string {
	if r.Ready && len(r.Reasons) == 0 {
		return "ready"
	}
	if r.Ready {
		return "ready, but " + strings.Join(r.Reasons, "; ")
	}
	return "not ready: " + strings.Join(r.Reasons, "; ")
}

// section is one table of the screen; its first two lines are its heads.
type section struct {
	lines []screenLine
	least int // lines that it keeps when there is little room
}

// sections are drawn from top to bottom: the lifts, what is wrong, the rides.
func (s sight) sections(old bool) []section {
	found := standing(s.lifts, s.rides)
	return []section{
		tabled(liftLines(s.lifts, old), usual, 3),
		tabled(faultLines(found), alarm, 3),
		tabled(rideLines(s.rides, old), usual, 3),
	}
}

// body is all of it without limit, for where there is no screen.
func (s sight) body(old time.Duration) (lines []screenLine) {
	for i, sec := range s.aged(old).sections(old > 0) {
		if i > 0 {
			lines = append(lines, screenLine{})
		}
		lines = append(lines, sec.lines...)
	}
	return lines
}

func tabled(t *table, rows manner, least int) section {
	var b bytes.Buffer
	_ = t.print(&b) // a buffer takes everything
	sec := section{least: least}
	for text := range strings.Lines(b.String()) {
		m := rows
		if len(sec.lines) == 0 {
			m = head
			if len(t.rows) == 1 {
				m = faint // "no faults": there is no table
			}
		}
		sec.lines = append(sec.lines, screenLine{strings.TrimRight(text, "\n"), m})
	}
	return sec
}

// fit gives each section its least, and then what is left from the top down; an
// empty line stands between two.
func fit(sections []section, room int) (lines []screenLine) {
	room -= len(sections) - 1
	given := make([]int, len(sections))
	for i, s := range sections {
		given[i] = min(len(s.lines), s.least)
		room -= given[i]
	}
	for i, s := range sections {
		more := min(len(s.lines)-given[i], max(room, 0))
		given[i] += more
		room -= more
	}
	for i, s := range sections {
		if i > 0 {
			lines = append(lines, screenLine{})
		}
		if given[i] < len(s.lines) && given[i] > 0 {
			lines = append(lines, s.lines[:given[i]-1]...)
			lines = append(lines, screenLine{"… " + strconv.Itoa(len(s.lines)-given[i]+1) + " more", faint})
			continue
		}
		lines = append(lines, s.lines[:given[i]]...)
	}
	return lines
}

func liftLines(lifts []localapi.Lift, old bool) *table {
	t := &table{}
	t.row("LIFT", "LINK", "FLOOR", "MOTION", "MODE", "HELD BY", "QUEUE", "SEEN", "DOORS")
	for _, l := range lifts {
		link, holder := known(l.Link), ""
		if old && link != "" {
			link = "?" + link
		}
		if l.Owner != nil {
			holder = l.Owner.Robot
		}
		t.row(short(l.ID, 10), link, marked(l.Floor), marked(l.Motion), marked(l.Mode), short(holder, 10),
			place(len(l.Queue)), strings.TrimSuffix(ago(oldest(l)), " ago"), doorMarks(l.Doors))
	}
	return t
}

// doorMarks names a side by its letter where a car has several doors.
func doorMarks(all map[string]localapi.Value) string {
	var parts []string
	for _, side := range slices.Sorted(maps.Keys(all)) {
		s := marked(all[side])
		if len(all) > 1 {
			s = strings.ToUpper(side[:1]) + ":" + s
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

// marked is a value with a ? before it when it is not of now: before, since the end of
// a line may not fit.
func marked(v localapi.Value) string {
	switch s := shown(localapi.Value{Value: v.Value, Quality: "good"}); {
	case v.Quality == "unknown", s == "-":
		return "-"
	case v.Quality == "good":
		return s
	default:
		return "?" + s
	}
}

func faultLines(found []finding) *table {
	t := &table{}
	if len(found) == 0 {
		t.row("no faults")
		return t
	}
	t.row("FAULTS", "LIFT", "RIDE", "ROBOT", "SINCE", "WHAT")
	for _, f := range found {
		t.row(first(f.Help, f.Fault), short(f.Lift, 10), short(f.Ride, 12), short(f.Robot, 10), strings.TrimSuffix(ago(f.AgeMs), " ago"), f.What)
	}
	return t
}

// rideLines puts the running rides first, as the agent does, and no more than the last
// few that ended.
func rideLines(rides []localapi.Ride, old bool) *table {
	const endedShown = 5
	t, ended := &table{}, 0
	if len(rides) == 0 {
		t.row("no rides")
		return t
	}
	t.row("RIDE", "ROBOT", "LIFT", "WAY", "PLACE", "STATE", "ROBOT IS", "TOLD")
	for _, r := range rides {
		told := strings.ReplaceAll(r.Do.Action, "_", " ")
		if r.Do.Why != "" {
			told += ": " + r.Do.Why
		}
		if r.State == "DONE" {
			if ended++; ended > endedShown {
				continue
			}
			told = ""
		}
		phase := strings.TrimSpace(r.State + " " + r.Phase)
		if old && r.State != "DONE" {
			phase = "?" + phase
		}
		t.row(short(r.ID, 12), short(r.Robot, 8), short(r.Lift, 6), r.From+"→"+r.To, place(r.Place), phase, known(r.Where), told)
	}
	return t
}

// aged is the same sight some time later: everything in it is older, and nothing of
// it is of now any more.
func (s sight) aged(by time.Duration) sight {
	if by <= 0 {
		return s
	}
	lifts := make([]localapi.Lift, len(s.lifts))
	for i, l := range s.lifts {
		for _, v := range []*localapi.Value{&l.Floor, &l.Motion, &l.Mode} {
			*v = agedValue(*v, by)
		}
		doors := make(map[string]localapi.Value, len(l.Doors))
		for side, v := range l.Doors {
			doors[side] = agedValue(v, by)
		}
		l.Doors, l.LinkAgeMs, l.HeardMs = doors, agedMs(l.LinkAgeMs, by), agedMs(l.HeardMs, by)
		lifts[i] = l
	}
	rides := slices.Clone(s.rides)
	for i := range rides {
		if f := rides[i].Fault; f != nil {
			older := *f
			older.AgeMs += by.Milliseconds()
			rides[i].Fault = &older
		}
	}
	s.lifts, s.rides = lifts, rides
	return s
}

func agedValue(v localapi.Value, by time.Duration) localapi.Value {
	v.AgeMs = agedMs(v.AgeMs, by)
	if v.Quality == "good" {
		v.Quality = "stale"
	}
	return v
}

func agedMs(ms *int64, by time.Duration) *int64 {
	if ms == nil {
		return nil
	}
	older := *ms + by.Milliseconds()
	return &older
}

// short cuts a name to at most n columns.
func short(s string, n int) string {
	if width(s) <= n {
		return s
	}
	return clip(s, n-1) + "…"
}

// clip cuts a line to at most n columns.
func clip(s string, n int) string {
	used := 0
	for i, r := range s {
		used += width(string(r))
		if used > n {
			return s[:i]
		}
	}
	return s
}
