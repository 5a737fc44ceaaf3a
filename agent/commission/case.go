package commission

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"hoistway/fsm/elevator"
)

// maxCaseSteps bounds a case: it is read by people.
const maxCaseSteps = 40

// WriteCase makes a test case of a replayed recording: DIR/case.txt. It holds the
// words as they came, for each answer that changed something. What must follow is
// not written but proposed in comments: what a person saw at the lift is the
// proof, not what the profile made of it, so that the case stays red until
// somebody has gone through it. An existing case is not touched.
func WriteCase(dir string, t Target, rec Recording, p Played) (steps int, err error) {
	text, steps := caseText(t, rec, p)
	if steps == 0 {
		return 0, errors.New("no answer of the recording is one of the profile's reads: nothing to make a case of")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, fmt.Errorf("write the case: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "case.txt"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, fmt.Errorf("write the case: %w", err)
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return 0, fmt.Errorf("write the case: %w", err)
	}
	return steps, nil
}

func caseText(t Target, rec Recording, p Played) (string, int) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Recorded on %s from a lift by profile %s.\n", rec.Started.UTC().Format(time.DateOnly), t.Profile.ID)
	b.WriteString("# Go through each step: put below ---- what you saw at the lift, from the proposals in the comments.\n")
	b.WriteString(floorsLine(t.Floors))
	n, last := 0, ""
	for _, s := range p.Steps {
		block, ok := blockOf(t.Profile, s.Block)
		now := shownRows(s.Rows)
		if !ok || s.Words == nil || now == last || n == maxCaseSteps {
			continue
		}
		last = now
		n++
		fmt.Fprintf(&b, "\nread %s %d at %s\n%s\n----\n", block.Table, block.Addr, at(s.At), words(s.Words))
		for _, r := range s.Rows {
			value := strings.ReplaceAll(orUnknown(r.Value), "#", "")
			fmt.Fprintf(&b, "# %s %s @%s?\n", strings.ReplaceAll(r.Point, ".", " "), value, at(s.At-elevator.Instant(age(r))))
		}
	}
	return b.String(), n
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func age(r Row) time.Duration {
	if r.AgeMs == nil {
		return 0
	}
	return time.Duration(*r.AgeMs) * time.Millisecond
}

// shownRows is what two steps are compared by: the values without their ages.
func shownRows(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s=%s %t;", r.Point, r.Value, r.Quality == elevator.Failed.String())
	}
	return b.String()
}

// floorsLine is the floor table in a case's words, where every label is a word.
func floorsLine(t elevator.Table) string {
	plain := regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	line := "floors"
	for _, l := range t {
		label := strings.TrimPrefix(l.Label, "#")
		if !plain.MatchString(label) {
			continue
		}
		var doors []string
		for _, d := range l.Doors {
			doors = append(doors, d.String())
		}
		line += fmt.Sprintf(" %s=%d/%s", label, l.Wire, strings.Join(doors, ","))
	}
	return "\n" + line + "\n"
}

func words(ws []uint16) string {
	var out []string
	for _, w := range ws {
		out = append(out, fmt.Sprint(w))
	}
	return strings.Join(out, " ")
}

// at writes an instant of a case: whole milliseconds.
func at(i elevator.Instant) string { return time.Duration(i).Round(time.Millisecond).String() }
