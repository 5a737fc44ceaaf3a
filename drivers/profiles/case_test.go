package profiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// A case is a file of steps: a line that says what happens, for a read the words
// as they came, then ---- and what must follow. Lines with # are for people.
// testdata/README.md explains the words.

// play runs the steps of a case against p and returns what differs.
func play(p *Profile, text string) []string {
	c := caseRun{p: p}
	var diffs []string
	for _, s := range steps(text) {
		got := c.step(s)
		if got != s.want {
			diffs = append(diffs, fmt.Sprintf("%s\n--- got\n%s--- want\n%s", s.line, got, s.want))
		}
	}
	return diffs
}

type caseStep struct{ line, words, want string }

func steps(text string) []caseStep {
	var out []caseStep
	for block := range strings.SplitSeq(text, "\n\n") {
		var s caseStep
		part := &s.line
		for line := range strings.Lines(block + "\n") {
			switch {
			case strings.HasPrefix(line, "#"), line == "\n":
			case line == "----\n":
				part = &s.want
			case s.line == "":
				s.line = strings.TrimSpace(line)
				part = &s.words
			default:
				*part += line
			}
		}
		if s.line != "" {
			out = append(out, s)
		}
	}
	return out
}

type caseRun struct {
	p      *Profile
	floors elevator.Table
	snap   elevator.Snapshot
	given  Given   // what messages of a service are said with
	frames *Frames // with the parameters of the case
}

func (c *caseRun) step(s caseStep) string {
	f := strings.Fields(s.line)
	switch f[0] {
	case "floors":
		c.floors = table(f[1:])
		return ""
	case "read":
		return c.read(f, s.words)
	case "fail":
		b, ok := c.block(f)
		if !ok {
			return "not in the plan\n"
		}
		c.p.Fail(b, &c.snap)
		return picture(c.snap, c.floors)
	case "plan":
		return planText(c.p)
	case "traits":
		return traitsText(c.p.Traits())
	case "code":
		return c.code(f[1])
	case "do":
		if c.p.Frames() != nil {
			return c.doFrames(f[1:])
		}
		return c.do(f[1:])
	case "ready", "proven":
		return c.state(f)
	case "refused":
		return c.refused(f[1:])
	case "bench": // what a draft would say, if it might
		said := *c.p
		said.Maturity, c.p = "bench", &said
		return ""
	}
	if c.p.topics != nil || c.p.nodes != nil {
		return c.talked(f, s)
	}
	if c.p.http != nil || c.p.socket != nil {
		if out, ok := c.service(f, s); ok {
			return out
		}
	}
	return c.frameStep(f, s.words)
}

func planText(p *Profile) string {
	var b strings.Builder
	for _, x := range p.ReadPlan() {
		fmt.Fprintf(&b, "%s %d x%d %s\n", x.Table, x.Addr, x.Count, x.Every)
	}
	return b.String()
}

func traitsText(t Traits) string {
	s := t.Style + " " + t.Confirm
	for _, f := range []struct {
		has  bool
		word string
	}{
		{t.HasHold, "hold"},
		{t.HasLapse, "lapse"},
		{t.HasCancel, "cancel"},
		{t.Toggles, "toggles"},
		{t.Claims, "claims"},
		{t.Notifies, "notifies"},
	} {
		if f.has {
			s += " " + f.word
		}
	}
	return fmt.Sprintf("%s accept=%s claim=%s poll=%s dies=%s\n", s, t.AcceptWithin, t.ClaimWithin, t.FastPoll, t.DiesAfter)
}

func (c *caseRun) block(f []string) (Block, bool) {
	for _, b := range c.p.ReadPlan() {
		if b.Table.String() == f[1] && strconv.Itoa(int(b.Addr)) == f[2] {
			return b, true
		}
	}
	return Block{}, false
}

func (c *caseRun) read(f []string, text string) string {
	b, ok := c.block(f)
	if !ok {
		return "not in the plan\n"
	}
	var words []uint16
	for _, w := range strings.Fields(text) {
		n, err := strconv.ParseUint(w, 0, 16)
		if err != nil {
			return err.Error() + "\n"
		}
		words = append(words, uint16(n))
	}
	out := ""
	if err := c.p.Decode(b, words, c.floors, instant(f[4]), &c.snap); err != nil {
		out = "error\n"
	}
	return out + picture(c.snap, c.floors)
}

// refused asks about a call pressed at an instant, with a code that was read before.
func (c *caseRun) refused(f []string) string {
	x := Press{At: instant(f[0])}
	f = f[1:]
	if code, when, ok := strings.Cut(strings.TrimPrefix(f[0], "code="), "@"); ok {
		n, _ := strconv.Atoi(code)
		x.Code = elevator.Seen[int32]{Value: int32(n), At: instant(when), Source: elevator.Controller}
		f = f[1:]
	}
	var err error
	if x.Call, err = readCommand(f, c.floors); err != nil {
		return err.Error() + "\n"
	}
	r, ok := c.p.Refused(x, &c.snap)
	if !ok {
		return "no\n"
	}
	return "code " + r.Code + ", " + advice(r.Advice, r.Text)
}

func (c *caseRun) code(word string) string {
	n, _ := strconv.Atoi(word)
	return advice(c.p.Advice(n))
}

func advice(a elevator.Advice, text string) string {
	switch a {
	case elevator.AdviceRetry:
		return "retry: " + text + "\n"
	case elevator.AdviceWait:
		return "wait: " + text + "\n"
	case elevator.AdviceConfig:
		return "config: " + text + "\n"
	}
	return "none\n"
}

func (c *caseRun) do(f []string) string {
	cmd, err := readCommand(f, c.floors)
	if err != nil {
		return err.Error() + "\n"
	}
	a, err := c.p.Encode(cmd, c.floors, instant("100s"))
	switch {
	case errors.Is(err, ErrExpired):
		return "expired\n"
	case errors.Is(err, ErrDraft):
		return "draft\n"
	case errors.Is(err, ErrNotCapable):
		return "not capable\n"
	case errors.Is(err, ErrNoFloor):
		return "no landing\n"
	case err != nil:
		return err.Error() + "\n"
	}
	return actionText(a, cmd)
}

// state asks whether a command may be given now, or is proven by what was read since.
func (c *caseRun) state(f []string) string {
	cmd, err := readCommand(f[2:], c.floors)
	if err != nil {
		return err.Error() + "\n"
	}
	ok := c.p.Proven(cmd, &c.snap, c.floors, instant(f[1]))
	if f[0] == "ready" {
		ok = c.p.Ready(cmd, &c.snap, c.floors, instant(f[1])) == nil
	}
	return map[bool]string{true: "yes\n", false: "no\n"}[ok]
}

func actionText(a Action, cmd elevator.Command) string {
	var b strings.Builder
	for _, w := range a.Writes {
		fmt.Fprintf(&b, "%s %d =", w.Table, w.Addr)
		for _, v := range w.Values {
			fmt.Fprintf(&b, " %d", v)
		}
		if w.Raw {
			b.WriteString(" raw")
		}
		if w.Mask != 0 {
			fmt.Fprintf(&b, " mask 0x%04X", w.Mask)
		}
		if w.Changed {
			b.WriteString(" if changed")
		}
		if w.Multi {
			b.WriteString(" multi")
		}
		if w.Pause > 0 {
			fmt.Fprintf(&b, " pause %s", w.Pause)
		}
		if w.Level.Every > 0 {
			fmt.Fprintf(&b, " each %s for %s", w.Level.Every, w.Level.For)
		} else if w.Level.Key != 0 {
			b.WriteString(" ends the level")
		}
		if w.Cleared.Within > 0 {
			fmt.Fprintf(&b, " until %d within %s", w.Cleared.To, w.Cleared.Within)
		}
		if w.Owed {
			b.WriteString(" owed")
		}
		if w.MayClose {
			b.WriteString(", may close")
		}
		b.WriteString("\n")
	}
	if a.HoldUntil != 0 {
		fmt.Fprintf(&b, "held until %s\n", at(a.HoldUntil))
	}
	if a.MayClose {
		b.WriteString("may close\n")
	}
	if a.Judged {
		b.WriteString("then read\n")
	}
	if a.Confirmed > 0 {
		fmt.Fprintf(&b, "seen within %s\n", a.Confirmed)
	}
	if left := a.Until.Sub(instant("100s")); left > 0 && a.Until < cmd.Until {
		fmt.Fprintf(&b, "within %s\n", left)
	}
	return b.String()
}

// readCommand reads a command as a case writes it.
func readCommand(f []string, floors elevator.Table) (c elevator.Command, err error) {
	c.Verb, _ = elevator.ParseVerb(f[0])
	for _, kv := range f[1:] {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "floor":
			c.Floor = floorOf(v, floors)
		case "to":
			c.To = floorOf(v, floors)
		case "direction":
			c.Direction, _ = elevator.ParseDirection(v)
		case "side":
			c.Side, _ = elevator.ParseSide(v)
		case "to_side":
			c.ToSide, _ = elevator.ParseSide(v)
		case "notice":
			for n := elevator.Entered; n <= elevator.GaveUpLeaving; n++ {
				if n.String() == v {
					c.Notice = n
				}
			}
		case "car":
			c.Car = v == "true"
		case "until":
			c.Until = instant(v)
		default:
			return c, fmt.Errorf("no such word %q", k)
		}
	}
	return c, nil
}

// floorOf takes a label; one that the table lacks is a floor beyond its end.
func floorOf(label string, floors elevator.Table) elevator.Floor {
	if f := floors.ByLabel(label); f != 0 {
		return f
	}
	return elevator.Floor(len(floors) + 1)
}

func instant(s string) elevator.Instant {
	d, err := time.ParseDuration(s)
	if err != nil {
		return -1
	}
	return elevator.Instant(d)
}

// table reads G=2/front,rear.
func table(fs []string) elevator.Table {
	var out elevator.Table
	for _, f := range fs {
		label, rest, _ := strings.Cut(f, "=")
		num, doors, _ := strings.Cut(rest, "/")
		l := elevator.Landing{Label: label}
		l.Wire, _ = strconv.Atoi(num)
		for d := range strings.SplitSeq(doors, ",") {
			s, _ := elevator.ParseSide(d)
			l.Doors = append(l.Doors, s)
		}
		out = append(out, l)
	}
	return out
}

// picture writes what a snapshot knows, part by part.
func picture(s elevator.Snapshot, floors elevator.Table) string {
	var b strings.Builder
	one(&b, "floor", s.Floor, func(f elevator.Floor) string {
		if f == 0 {
			return "unknown"
		}
		return floors.Label(f)
	})
	one(&b, "motion", s.Motion, elevator.Motion.String)
	for i := 1; i < elevator.Sides; i++ {
		one(&b, "door "+elevator.Side(i).String(), s.Doors[i], elevator.Door.String)
	}
	one(&b, "mode", s.Mode, elevator.Mode.String)
	num := func(n int32) string { return strconv.Itoa(int(n)) }
	one(&b, "position", s.Position, num)
	one(&b, "overload", s.Overload, elevator.Tri.String)
	one(&b, "nudging", s.Nudging, elevator.Tri.String)
	one(&b, "obstruction", s.Obstruction, elevator.Tri.String)
	one(&b, "emergency_stop", s.EmergencyStop, elevator.Tri.String)
	one(&b, "may_enter", s.MayEnter, elevator.Tri.String)
	one(&b, "may_leave", s.MayLeave, elevator.Tri.String)
	one(&b, "claimed", s.Claimed, elevator.Tri.String)
	one(&b, "load", s.Load, num)
	set := func(fs elevator.FloorSet) string { return labels(fs, floors) }
	one(&b, "up_calls", s.UpCalls, set)
	one(&b, "down_calls", s.DownCalls, set)
	one(&b, "car_calls", s.CarCalls, set)
	one(&b, "vendor", s.Vendor, num)
	for side, end := range s.Holds {
		if end != 0 {
			fmt.Fprintf(&b, "held %s until %s\n", elevator.Side(side), at(end))
		}
	}
	return b.String()
}

func one[T comparable](b *strings.Builder, name string, s elevator.Seen[T], text func(T) string) {
	if s == (elevator.Seen[T]{}) {
		return
	}
	fmt.Fprintf(b, "%s %s @%s", name, text(s.Value), at(s.At))
	if s.Source == elevator.Implied {
		b.WriteString(" implied")
	}
	if s.Failed {
		b.WriteString(" failed")
	}
	b.WriteString("\n")
}

func labels(fs elevator.FloorSet, floors elevator.Table) string {
	var out []string
	for i := range floors {
		if fs.Has(elevator.Floor(i + 1)) {
			out = append(out, floors[i].Label)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

// cases reads the cases of a profile by folder name.
func cases(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*", "case.txt"))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(filepath.Dir(f))] = string(text)
	}
	return out
}

func at(i elevator.Instant) string {
	return strconv.FormatFloat(time.Duration(i).Seconds(), 'f', -1, 64) + "s"
}
