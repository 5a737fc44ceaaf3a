package profiles

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hoistway/fsm/elevator"
)

// frame plays the steps of frames; testdata/README.md explains them.
func (c *caseRun) frame(f []string, words string) string {
	if c.frames == nil {
		c.frames = c.p.Frames()
	}
	switch f[0] {
	case "do":
		p := *c.p
		p.Maturity = "bench" // the frames of a draft are proven, though it is never used for calls
		return c.command(&p, f[1:], c.sendText)
	case "with":
		return c.with(f[1:])
	case "sources":
		return sourcesText(c.p)
	case "say":
		return c.say(f[1:])
	case "hear":
		return c.hear(f, words)
	case "lose":
		c.p.Lose(f[1], &c.snap)
		return picture(c.snap, c.floors)
	case "unasked":
		return c.unasked(f, words)
	case "cut":
		return c.cut(words)
	case "means":
		return advice(c.p.Meaning(f[1]))
	}
	return noStep
}

func (c *caseRun) with(f []string) string {
	set := map[string]int{}
	for _, kv := range f {
		k, v, _ := strings.Cut(kv, "=")
		set[k], _ = strconv.Atoi(v)
	}
	g, err := c.frames.With(set)
	if err != nil {
		return err.Error() + "\n"
	}
	c.frames = g
	return ""
}

func sourcesText(p *Profile) string {
	var b strings.Builder
	for _, s := range p.Sources() {
		how := "answered"
		switch {
		case p.Frames().Pushed(s.Name):
			how = "pushed"
		case p.Harmless(s.Name):
			how = s.Every.String()
		}
		fmt.Fprintf(&b, "%s %s: %s\n", s.Name, how, strings.Join(s.Points, " "))
	}
	return b.String()
}

// args reads name=value, and name=[1 2 3] written with commas: name=1,2,3.
func caseArgs(f []string) (args map[string]Raw, seq int) {
	args = map[string]Raw{}
	for _, kv := range f {
		k, v, _ := strings.Cut(kv, "=")
		if k == "seq" {
			seq, _ = strconv.Atoi(v)
			continue
		}
		if !strings.Contains(v, ",") {
			args[k] = Literal(v)
			continue
		}
		list := Raw{Kind: RawList}
		for e := range strings.SplitSeq(v, ",") {
			list.List = append(list.List, Literal(e))
		}
		args[k] = list
	}
	return args, seq
}

func (c *caseRun) say(f []string) string {
	args, seq := caseArgs(f[1:])
	b, err := c.frames.Encode(f[0], args, seq)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return fmt.Sprintf("% X\n", b)
}

// hear is "hear MESSAGE at 5s [name=value]" with the bytes that came to it.
func (c *caseRun) hear(f []string, words string) string {
	args, seq := caseArgs(f[4:])
	q, err := c.frames.Ask(f[1], args, seq)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	in, out := caseBytes(words), ""
	for len(in) > 0 {
		h := q.Hear(in)
		switch h.Verdict {
		case CutMore:
			return out + "more\n"
		case CutSpoilt:
			return out + "spoilt: " + h.Note + "\n"
		case CutSkip:
			out += fmt.Sprintf("skip %d: %s\n", h.N, h.Note)
			in = in[h.N:]
			continue
		}
		a, err := q.Read(in[:h.N])
		if err != nil {
			return out + "error\n"
		}
		if rest := len(in) - h.N; rest > 0 {
			out += fmt.Sprintf("left %d\n", rest)
		}
		return out + c.answer(a, instant(f[3]))
	}
	return out + "more\n"
}

func (c *caseRun) answer(a Answer, at elevator.Instant) string {
	out := ""
	if a.Refused {
		out = "refused " + a.Message + " code " + a.Code
		if a.Busy {
			out += " busy"
		}
		out += "\n"
	}
	if v := a.Values(); v != "" {
		out += v + "\n"
	}
	if a.Tells == "" || !slices.ContainsFunc(c.p.Sources(), func(s Source) bool { return s.Name == a.Tells }) {
		return out
	}
	c.p.Lay(a.Tells, a.Tells != a.Message, a.Get, c.floors, at, &c.snap)
	return out + picture(c.snap, c.floors)
}

func (c *caseRun) unasked(f []string, words string) string {
	u, ok := c.frames.Unasked(caseBytes(words))
	if !ok {
		return "not ours\n"
	}
	out := u.Message + "\n"
	if u.Reply != nil {
		out += fmt.Sprintf("reply % X\n", u.Reply)
	}
	return out + c.answer(u.Answer, instant(f[2]))
}

func (c *caseRun) cut(words string) string {
	in, out := caseBytes(words), ""
	for len(in) > 0 {
		h := c.frames.Cut(in)
		switch h.Verdict {
		case CutMore:
			return out + fmt.Sprintf("more after %d\n", len(in))
		case CutTake:
			out += fmt.Sprintf("frame % X\n", in[:h.N])
		case CutSkip:
			out += fmt.Sprintf("skip %d: %s\n", h.N, h.Note)
		case CutSpoilt:
			return out + "spoilt: " + h.Note + "\n"
		}
		in = in[h.N:]
	}
	return out
}

// caseBytes reads hex bytes, and text in quotes.
func caseBytes(words string) (out []byte) {
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if s, ok := strings.CutPrefix(line, `"`); ok {
			out = append(out, strings.TrimSuffix(s, `"`)...)
			continue
		}
		b, err := hex.DecodeString(strings.ReplaceAll(line, " ", ""))
		if err != nil {
			panic(err) // the case itself is wrong
		}
		out = append(out, b...)
	}
	return out
}

// sendText is a message as question number 1.
func (c *caseRun) sendText(s Send) string {
	q, err := c.frames.Ask(s.Message, s.Args, 1)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	b := fmt.Sprintf("% X", q.Bytes)
	if s.Pause > 0 {
		b += fmt.Sprintf(" pause %s", s.Pause)
	}
	if s.Owed {
		b += " owed"
	}
	if u := c.frames.Until(s.Message); u != nil {
		b += fmt.Sprintf(" until %s.%s is %s within %s", u.Read, u.Of, u.Is, u.Within)
	}
	return b + "\n"
}

type namedSource struct {
	name string
	src  []byte
}

// globbed reads the invented profiles.
func globbed(t testing.TB) (out []namedSource) {
	t.Helper()
	files, err := filepath.Glob("testdata/features/*/profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, namedSource{f, src})
	}
	return out
}
