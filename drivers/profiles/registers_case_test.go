package profiles

import (
	"fmt"
	"strconv"
	"strings"

	"hoistway/fsm/elevator"
)

// registers plays the steps of a map of registers; testdata/README.md explains them.
func (c *caseRun) registers(f []string, words string) string {
	switch f[0] {
	case "read":
		return c.read(f, words)
	case "fail":
		b, ok := c.block(f)
		if !ok {
			return "not in the plan\n"
		}
		c.p.Fail(b, &c.snap)
		return picture(c.snap, c.floors)
	case "plan":
		return planText(c.p)
	case "code":
		return c.code(f[1])
	case "do":
		return c.do(f[1:])
	case "ready", "proven":
		return c.state(f)
	case "refused":
		return c.refused(f[1:])
	}
	return noStep
}

func planText(p *Profile) string {
	var b strings.Builder
	for _, x := range p.ReadPlan() {
		fmt.Fprintf(&b, "%s %d x%d %s\n", x.Table, x.Addr, x.Count, x.Every)
	}
	return b.String()
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

func (c *caseRun) do(f []string) string {
	cmd, err := readCommand(f, c.floors)
	if err != nil {
		return err.Error() + "\n"
	}
	a, err := c.p.Encode(cmd, c.floors, instant("100s"))
	if err != nil {
		return whyNot(err)
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
		b.WriteString(writeText(w))
	}
	for _, end := range []struct {
		holds bool
		text  string
	}{
		{a.HoldUntil != 0, "held until " + at(a.HoldUntil)},
		{a.MayClose, "may close"},
		{a.Judged, "then read"},
		{a.Confirmed > 0, fmt.Sprintf("seen within %s", a.Confirmed)},
	} {
		if end.holds {
			b.WriteString(end.text + "\n")
		}
	}
	if left := a.Until.Sub(instant("100s")); left > 0 && a.Until < cmd.Until {
		fmt.Fprintf(&b, "within %s\n", left)
	}
	return b.String()
}

func writeText(w Write) string {
	b := fmt.Sprintf("%s %d =", w.Table, w.Addr)
	for _, v := range w.Values {
		b += fmt.Sprintf(" %d", v)
	}
	for _, more := range []struct {
		holds bool
		text  string
	}{
		{w.Raw, " raw"},
		{w.Mask != 0, fmt.Sprintf(" mask 0x%04X", w.Mask)},
		{w.Changed, " if changed"},
		{w.Multi, " multi"},
		{w.Pause > 0, fmt.Sprintf(" pause %s", w.Pause)},
		{w.Level.Every > 0, fmt.Sprintf(" each %s for %s", w.Level.Every, w.Level.For)},
		{w.Level.Every == 0 && w.Level.Key != 0, " ends the level"},
		{w.Cleared.Within > 0, fmt.Sprintf(" until %d within %s", w.Cleared.To, w.Cleared.Within)},
		{w.Owed, " owed"},
		{w.MayClose, ", may close"},
	} {
		if more.holds {
			b += more.text
		}
	}
	return b + "\n"
}
