package profiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// step plays one: those that any profile has, and those of its protocol.
func (c *caseRun) step(s caseStep) string {
	f := strings.Fields(s.line)
	switch f[0] {
	case "floors":
		c.floors = table(f[1:])
		return ""
	case "traits":
		return traitsText(c.p.Traits())
	case "bench": // what a draft would say, if it might
		said := *c.p
		said.Maturity, c.p = "bench", &said
		return ""
	}
	switch c.p.Protocol {
	case "modbus":
		return c.registers(f, s.words)
	case "http", "socket":
		return c.service(f, strings.TrimSpace(s.words))
	case "frames":
		return c.frame(f, s.words)
	case "opcua", "pubsub":
		return c.talked(f, s)
	}
	return noStep
}

const noStep = "no such step\n"

// command plays a command of a protocol of messages; text words one message of it.
func (c *caseRun) command(p *Profile, f []string, text func(Send) string) string {
	cmd, err := readCommand(f, c.floors)
	if err != nil {
		return err.Error() + "\n"
	}
	a, err := p.Ask(cmd, c.floors, instant("100s"))
	if err != nil {
		return whyNot(err)
	}
	var b strings.Builder
	for _, s := range a.Sends {
		b.WriteString(text(s))
	}
	if a.HoldUntil != 0 {
		fmt.Fprintf(&b, "held until %s\n", at(a.HoldUntil))
	}
	if a.MayClose {
		b.WriteString("may close\n")
	}
	return b.String()
}

func whyNot(err error) string {
	for _, why := range []struct {
		is   error
		word string
	}{{ErrExpired, "expired"}, {ErrDraft, "draft"}, {ErrNotCapable, "not capable"}, {ErrNoFloor, "no landing"}} {
		if errors.Is(err, why.is) {
			return why.word + "\n"
		}
	}
	return err.Error() + "\n"
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
