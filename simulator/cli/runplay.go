package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"hoistway/simulator/laws"
	"hoistway/simulator/picture"
	"hoistway/simulator/real"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/virtual"
)

func runScenarios(c *cobra.Command, f runFlags, args []string) error {
	all, err := stories(f, args)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), err)
		return status{exitUsage, errors.New("E-8101: nothing is played")}
	}
	var ln net.Listener
	if f.page { // taken before an hour is played
		if ln, err = pageOn(f.listen); err != nil {
			return err
		}
		defer ln.Close()
	}
	if f.page && f.record == "" {
		dir, clean, err := tempStore("")
		if err != nil {
			return status{exitFinding, err}
		}
		defer clean()
		f.record = dir + string(os.PathSeparator)
	}
	r := &runner{c: c, f: f, many: len(all) > 1}
	for _, s := range all {
		if c.Context().Err() != nil {
			break
		}
		r.tell(r.play(c.Context(), s))
	}
	if err := r.finish(); err != nil {
		return err
	}
	if f.page {
		if err := servePage(c.Context(), ln, r.recordings, c.OutOrStdout()); err != nil {
			return err
		}
	}
	return r.judge(len(all))
}

// runner plays one story after the other and keeps the results.
type runner struct {
	c          *cobra.Command
	f          runFlags
	many       bool
	results    []scenarios.CaseResult
	recordings []recorded
}

// recorded is one recording on the disk.
type recorded struct{ name, file string }

func (r *runner) play(ctx context.Context, s story) scenarios.CaseResult {
	out := scenarios.CaseResult{
		Name: s.name, Title: s.script.Title, File: s.script.File, Seed: s.script.Seed, Again: r.again(s),
	}
	began := time.Now()
	var err error
	switch {
	case r.f.real && s.script.OnlyVirtual != "":
		out.Skipped = s.script.OnlyVirtual
	case r.f.real:
		out.Verdict, out.Transcript, err = r.playReal(ctx, s)
	default:
		out.Verdict, out.Transcript, err = r.playVirtual(ctx, s)
	}
	if err != nil {
		out.Error = err.Error()
	}
	out.Time = time.Since(began)
	return out
}

// again is the one line that shows the same run again.
func (r *runner) again(s story) string {
	line := fmt.Sprintf("hoistway-sim run %s --seed %d --transcript", shellWord(s.given), s.script.Seed)
	if r.f.real {
		line += " --real"
	}
	return line
}

// shellWord is a word as a shell takes it whole.
func shellWord(s string) string {
	harmless := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("./_-+=:@%,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !harmless(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// playVirtual plays in virtual time. A month of a site takes a while, so it is left
// when ctx ends.
func (r *runner) playVirtual(ctx context.Context, s story) (scenarios.Verdict, string, error) {
	setup, err := virtual.ForScript(s.script)
	if err != nil {
		return scenarios.Verdict{}, "", err
	}
	site, err := virtual.New(setup)
	if err != nil {
		return scenarios.Verdict{}, "", err
	}
	head := site.Header(s.script.Title)
	head.Again = r.again(s)
	film, err := r.film(s, head)
	if err != nil {
		return scenarios.Verdict{}, "", err
	}
	player := scenarios.NewPlayer(s.script)
	var lines []scenarios.Line
	v, err := scenarios.Play(player, site, func(now scenarios.Instant) {
		fresh := merge(ofSite(site.Log()), player.Log())
		lines = append(lines, fresh...)
		film.take(now, fresh, site.Frame)
		if ctx.Err() != nil {
			player.Stop()
		}
	})
	v = withBreaches(v, s.script.File, site.Breaches())
	return v, scenarios.Transcript(s.script.Title, lines), errors.Join(err, film.end(site.Frame))
}

// playReal plays on sockets, with a folder of its own.
func (r *runner) playReal(ctx context.Context, s story) (v scenarios.Verdict, text string, err error) {
	dir, clean, err := tempStore("")
	if err != nil {
		return v, "", err
	}
	defer clean()
	var agentLog bytes.Buffer
	o := real.Setup(s.script)
	o.Dir, o.Version = dir, buildVersion()
	o.Log = slog.New(slog.NewTextHandler(&agentLog, &slog.HandlerOptions{Level: slog.LevelInfo}))
	site, err := real.Start(ctx, o)
	if err != nil && ctx.Err() != nil {
		err = scenarios.ErrStopped
	}
	if err != nil {
		return v, "", err
	}
	head := site.Header(s.script.Title)
	head.Again = r.again(s)
	film, err := r.film(s, head)
	if err != nil {
		return v, "", errors.Join(err, site.Close())
	}
	var lines []scenarios.Line
	progress := realProgress(r.c.ErrOrStderr(), s.name)
	v, err = site.Play(ctx, s.script, func(now scenarios.Instant, fresh []scenarios.Line) {
		lines = append(lines, fresh...)
		film.take(now, fresh, site.Frame)
		progress(time.Duration(now), lines)
	})
	err = errors.Join(err, film.end(site.Frame), site.Close())
	text = scenarios.Transcript(s.script.Title, lines)
	if !v.Passed {
		text += "# the agent's log\n" + agentLog.String()
	}
	return v, text, err
}

// realProgress is a line in five seconds: how far it is, and what was said last.
func realProgress(out io.Writer, name string) func(time.Duration, []scenarios.Line) {
	var last time.Duration
	return func(now time.Duration, lines []scenarios.Line) {
		if now-last < 5*time.Second || len(lines) == 0 {
			return
		}
		last = now
		said := lines[len(lines)-1]
		fmt.Fprintf(out, "· %6.1f s  %s  %s %s\n", now.Seconds(), name, said.Who, said.What)
	}
}

// ofSite makes the site's lines those of a transcript.
func ofSite(lines []virtual.Line) []scenarios.Line {
	var out []scenarios.Line
	for _, l := range lines {
		out = append(out, scenarios.Line{At: l.At, Who: l.Who, What: l.Text, Bad: l.Bad})
	}
	return out
}

// withBreaches fails a run in which a law was broken, whatever its script demands.
func withBreaches(v scenarios.Verdict, file string, all []laws.Breach) scenarios.Verdict {
	for _, b := range all {
		v.Passed = false
		v.Failures = append(v.Failures, scenarios.Failure{
			File: file, Line: 1, Col: 1, At: time.Duration(b.At), Statement: "law " + string(b.Law), Seen: b.Text,
		})
	}
	return v
}

// merge puts two lots of lines in order of time; at one instant the site's first.
func merge(site, player []scenarios.Line) []scenarios.Line {
	all := append(slices.Clone(site), player...)
	slices.SortStableFunc(all, func(a, b scenarios.Line) int { return int(a.At - b.At) })
	return all
}

// film keeps the frames of a run in a file; the zero film keeps nothing.
type film struct {
	to   *os.File
	rec  *picture.Recorder
	last int64
	said []picture.Event // since the last frame
	err  error
}

// frameEvery is how far two frames of a film lie apart at least, in ms.
const frameEvery = 100

func (r *runner) film(s story, head picture.Header) (*film, error) {
	if r.f.record == "" {
		return &film{}, nil
	}
	file := r.f.record
	if r.many || os.IsPathSeparator(file[len(file)-1]) {
		if err := os.MkdirAll(file, 0o750); err != nil {
			return nil, fmt.Errorf("folder for recordings: %w", err)
		}
		file = filepath.Join(file, s.name+".jsonl")
	}
	to, err := os.Create(file)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	rec, err := picture.NewRecorder(to, head)
	if err != nil {
		return nil, errors.Join(err, to.Close())
	}
	r.recordings = append(r.recordings, recorded{s.name, file})
	return &film{to: to, rec: rec, last: -frameEvery}, nil
}

// take keeps a frame unless one was kept just before and nothing was said since.
func (f *film) take(now scenarios.Instant, said []scenarios.Line, frame func() picture.Frame) {
	if f.rec == nil || f.err != nil {
		return
	}
	for _, l := range said {
		f.said = append(f.said, picture.Event{AtMS: int64(l.At) / int64(time.Millisecond), Who: l.Who, Text: l.What, Bad: l.Bad})
	}
	if ms := int64(now) / int64(time.Millisecond); ms-f.last >= frameEvery || len(said) > 0 {
		f.keep(frame())
	}
}

func (f *film) keep(frame picture.Frame) {
	if frame.AtMS <= f.last {
		return
	}
	f.last = frame.AtMS
	frame.Events, f.said = append(frame.Events, f.said...), nil
	f.err = f.rec.Frame(frame)
}

func (f *film) end(frame func() picture.Frame) error {
	if f.rec == nil {
		return nil
	}
	if f.err == nil {
		f.keep(frame())
	}
	return errors.Join(f.err, f.to.Close())
}
