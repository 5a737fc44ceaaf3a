package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hoistway/agent/journal"
)

// record shows or keeps the flight record of a ride.
func (q *asking) record(ctx context.Context, c *client, ride, file string) error {
	raw, err := c.get(ctx, at("rides", ride, "record"))
	r, err := read[journal.Record](raw, err)
	switch {
	case err != nil:
		return err
	case file != "":
		return q.keepRecord(r, raw, file)
	case q.json:
		return q.printJSON(raw)
	}
	if err := recordHead(r).print(q.app.out); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(q.app.out); err != nil {
		return output(err)
	}
	return timeTable(r).print(q.app.out)
}

// keepRecord writes the answer as it came.
func (q *asking) keepRecord(r journal.Record, raw []byte, file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err == nil {
		_, err = f.Write(append(raw, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &failure{exit: exitFinding, code: codeRecording, text: err.Error(), err: err}
	}
	if q.json {
		return q.app.printValue(struct {
			File  string `json:"file"`
			Bytes int    `json:"bytes"`
		}{file, len(raw) + 1})
	}
	_, err = fmt.Fprintf(q.app.out, "%s: ride %s, %s\n", file, r.Ride.ID, span(int64(r.SpanMs)))
	return output(err)
}

func recordHead(r journal.Record) *table {
	t := &table{}
	t.row("ride", r.Ride.ID)
	t.row("robot", r.Ride.Robot)
	t.row("lift", r.Ride.Lift)
	t.row("from", sided(r.Ride.From, r.Ride.FromDoor))
	t.row("to", sided(r.Ride.To, r.Ride.ToDoor))
	t.row("state", statePhase(r.State, r.Phase))
	if r.LastFault != "" {
		t.row("last fault", r.LastFault)
	}
	t.row("began", r.StartedAt)
	t.row("lasted", span(int64(r.SpanMs)))
	t.row("profile", r.Profile.Name+" "+r.Profile.Hash)
	for i, d := range r.Damage {
		t.row(onFirst(i, "damaged"), d)
	}
	return t
}

// happening is one line of the time table.
type happening struct {
	ms   float64
	lane string
	text string
}

// timeTable lays the lanes into one list; frames stay in the file.
func timeTable(r journal.Record) *table {
	all := laneRows(r.Lanes)
	slices.SortStableFunc(all, func(a, b happening) int { return cmp.Compare(a.ms, b.ms) })
	t := &table{}
	t.row("AT S", "LANE", "WHAT")
	for _, h := range all {
		t.row(fmt.Sprintf("%.3f", h.ms/1000), h.lane, h.text)
	}
	return t
}

func laneRows(l journal.Lanes) (all []happening) {
	add := func(m journal.TimeMark, lane string, words ...string) {
		words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
		all = append(all, happening{m.TMs, lane, strings.Join(words, " ")})
	}
	for _, n := range l.Notes {
		add(n.TimeMark, n.Kind, n.Text)
	}
	for _, o := range l.Orders {
		add(o.TimeMark, "order", o.What, o.Detail, "by "+o.Who+":", o.Result, o.Code)
	}
	for _, s := range l.Signals {
		add(s.TimeMark, "robot", s.Kind, "in "+first(s.Where, "-"), s.Floor, s.Permit)
	}
	for _, s := range l.State {
		add(s.TimeMark, "state", statePhase(s.State, s.Phase), s.Fault, s.Why)
	}
	for _, s := range l.Robot {
		add(s.TimeMark, "where", s.Where)
	}
	for _, p := range l.Permit {
		add(p.TimeMark, "permit", p.Status, p.Kind, sided(p.Floor, p.Side), missingWords(p.Missing))
	}
	for _, c := range l.Commands {
		add(c.TimeMark, "command", fmt.Sprint(c.N), c.Verb, c.Notice, c.Floor, onlyWith("to ", c.To), c.Side, c.Direction, "("+c.Reason+"):", c.Result, c.Code, c.Detail, took(c.TookMs))
	}
	for _, s := range l.Lift {
		add(s.TimeMark, "lift", s.Link, s.Mode)
	}
	for _, s := range l.Floor {
		add(s.TimeMark, "floor", first(s.Floor, "-"))
	}
	for _, s := range l.Motion {
		add(s.TimeMark, "motion", s.Motion)
	}
	for _, s := range l.Door {
		add(s.TimeMark, "door", s.Side, s.Door)
	}
	for _, s := range l.Alarms {
		add(s.TimeMark, "alarm", s.Code, s.Detail)
	}
	return all
}

func missingWords(missing []journal.MissingPart) string {
	var parts []string
	for _, m := range missing {
		parts = append(parts, m.Part+": "+first(m.Seen, "nothing")+", not "+m.Want)
	}
	return onlyWith("- ", strings.Join(parts, "; "))
}

func onlyWith(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func took(ms *float64) string {
	if ms == nil {
		return ""
	}
	return fmt.Sprintf("after %.0f ms", *ms)
}
