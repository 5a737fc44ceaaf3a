package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
	"hoistway/agent/config"
	"hoistway/drivers/modbus"
)

func newProbeCommand(a *app) *cobra.Command {
	p := probing{}
	cmd := &cobra.Command{
		Use:   "probe LINK",
		Short: "Find out how a line is set and who answers on it",
		Long: `Find out how a line is set and who answers on it. It listens first, at each
setting: where another master is heard nothing is sent at all. Then it asks one
read, setting by setting and unit by unit, and stops at the first answer, of which
it then reads what more there is to know: identification, the most registers of
one read, what stands around an address, which profiles could fit. Nothing is
written. Only Modbus lines can be searched: a board with frames of its own or a
service is tried by its profile (hoistway try LINK PROFILE).

It wants the line for itself and refuses one that the running agent holds. Of
--settings, quick is 12 settings and all is 60.`,
		Example: `  hoistway probe "modbus+rtu:///dev/serial/by-id/usb-FTDI-if00-port0?baud=9600"
  hoistway probe "modbus+rtu:///dev/ttyUSB0" --settings all --units 1-247 \
     --resume probe.json
  hoistway probe "modbus+tcp://10.0.0.5:502" --units 1-8,255 \
     --profile bench/modbus-lift
  hoistway probe "modbus+tcp://10.0.0.5:502?unit=1" --at holding:12 --expect 3`,
		Args: wants("LINK"),
	}
	p.benching = a.benches(cmd, false)
	f := cmd.Flags()
	f.StringVar(&p.profile, "profile", "", "`profile` that narrows what is asked")
	f.StringVar(&p.units, "units", "", "`units` to try (default: the link's, then 1-8)")
	f.StringVar(&p.settings, "settings", "quick", "line `settings` to try: link, quick or all")
	f.DurationVar(&p.listen, "listen", time.Second, "how long to listen at each setting before anything is sent")
	f.DurationVar(&p.wait, "wait", 300*time.Millisecond, "how long to wait for each answer")
	f.StringVar(&p.resume, "resume", "", "`file` in which the search is kept, to go on later")
	f.StringVar(&p.at, "at", "", "`register` at which a value is expected, as holding:12")
	f.IntVar(&p.expect, "expect", -1, "the `value` that is expected there")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := a.untilInterrupt(cmd.Context(), 0)
		defer stop()
		return p.run(ctx, args[0])
	}
	return cmd
}

// probing is one run of probe.
type probing struct {
	*benching
	units, settings, resume, at string
	listen, wait                time.Duration
	expect                      int
	conf                        *config.Config
}

// probed is what it found, as it is printed.
type probed struct {
	commission.Found
	Learned *commission.Learned `json:"learned,omitempty"`
}

func (p *probing) run(ctx context.Context, arg string) error {
	u, err := modbusLink(arg)
	if err != nil {
		return err
	}
	if err := p.alone(ctx, u); err != nil {
		return err
	}
	s, expect, err := p.search(u)
	if err != nil {
		return err
	}
	if err := p.announce(s); err != nil {
		return err
	}
	found, err := p.world.Scan(ctx, s)
	if err != nil {
		return lineFault(err)
	}
	out := probed{Found: found}
	if found.Link != "" && ctx.Err() == nil {
		at, _ := url.Parse(found.Link)
		l, err := p.world.Learn(ctx, at, s.Profile, library(p.conf), expect, max(p.wait, 300*time.Millisecond))
		if err != nil && ctx.Err() == nil {
			return lineFault(err)
		}
		out.Learned = &l
	}
	if found.Done && p.resume != "" {
		_ = os.Remove(p.resume) // the search is over; an old file is only in the way
	}
	return p.tell(out)
}

// modbusLink reads a link of the only protocol whose lines can be searched.
func modbusLink(arg string) (*url.URL, error) {
	if !isLink(arg) {
		if err := almostLink(arg); err != nil {
			return nil, err
		}
		return nil, usagef(codeLink, "%q is no Modbus link, as modbus+rtu:///dev/ttyUSB0 or modbus+tcp://10.0.0.5:502", arg)
	}
	u, err := linkOf(arg)
	if err == nil && !commission.IsModbus(u) {
		err = usagef(codeLink, "probe searches Modbus lines; a board or service of %s:// is tried by its profile: hoistway try LINK PROFILE", u.Scheme)
	}
	return u, err
}

// alone refuses a line that somebody else speaks on.
func (p *probing) alone(ctx context.Context, u *url.URL) error {
	var err error
	if p.conf, err = p.loaded(); err != nil {
		return err
	}
	if lift, _ := p.holder(ctx, p.conf, u); lift != "" {
		return heldByAgent(u, lift)
	}
	return p.free(u)
}

func (p *probing) search(u *url.URL) (commission.Search, *commission.Expect, error) {
	s := commission.Search{Link: u, Listen: p.listen, Wait: p.wait}
	var err error
	if s.Units, err = unitsOf(first(p.units, unitIn(u)+",1-8")); err != nil {
		return s, nil, err
	}
	if p.profile != "" {
		t, err := withProfile(library(p.conf), commission.Target{Link: u}, p.profile)
		if err != nil {
			return s, nil, err
		}
		s.Profile = t.Profile
	}
	own, err := commission.ModeOf(u)
	if err != nil {
		return s, nil, usage(codeLink, err.Error())
	}
	switch p.settings {
	case "link":
		s.Settings = commission.Settings(own, false)[:1]
	case "quick", "all":
		s.Settings = commission.Settings(own, p.settings == "all")
	default:
		return s, nil, usagef(codeFlag, "--settings must be link, quick or all, not %q", p.settings)
	}
	if u.Scheme != "modbus+rtu" {
		s.Settings = nil
	}
	s.From = p.before(s)
	s.Progress = func(now commission.Progress) { p.keep(s, now) }
	expect, err := p.expected()
	return s, expect, err
}

func (p *probing) expected() (*commission.Expect, error) {
	if p.at == "" && p.expect < 0 {
		return nil, nil
	}
	b, err := modbus.ReadQuestion(p.at)
	if err != nil || b.Count != 1 || p.expect < 0 || p.expect > 0xFFFF {
		return nil, usagef(codeFlag, "--at takes one register and --expect its value: --at holding:12 --expect 3")
	}
	return &commission.Expect{At: b, Value: uint16(p.expect)}, nil
}

// unitsOf reads 1-8,20,255, in this order and each once.
func unitsOf(s string) ([]byte, error) {
	var out []byte
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, ranged := strings.Cut(part, "-")
		if !ranged {
			hi = lo
		}
		a, err1 := strconv.ParseUint(lo, 10, 8)
		b, err2 := strconv.ParseUint(hi, 10, 8)
		if err1 != nil || err2 != nil || a > b {
			return nil, usagef(codeFlag, "--units %q: write 1-8, or 1,2,255", s)
		}
		for u := a; u <= b; u++ {
			if !slices.Contains(out, byte(u)) {
				out = append(out, byte(u))
			}
		}
	}
	return out, nil
}

func (p *probing) announce(s commission.Search) error {
	_, err := fmt.Fprintf(p.app.err, "probe: %s, at most %s\n",
		count(max(1, len(s.Settings))*len(s.Units)-s.From, "question"), s.Estimate().Round(time.Second))
	return output(err)
}

// kept is a search that was broken off.
type kept struct {
	Search string `json:"search"` // what it was for; another search does not go on from it
	Tries  int    `json:"tries"`
}

func (p *probing) name(s commission.Search) string {
	return fmt.Sprintf("%s %v %s %s", s.Link.Redacted(), s.Units, p.settings, p.profile)
}

func (p *probing) before(s commission.Search) int {
	raw, err := os.ReadFile(p.resume)
	var k kept
	if p.resume == "" || err != nil || json.Unmarshal(raw, &k) != nil || k.Search != p.name(s) {
		return 0
	}
	return k.Tries
}

// keep notes how far the search is, and tells a person who looks on.
func (p *probing) keep(s commission.Search, now commission.Progress) {
	if p.resume != "" {
		if raw, err := json.Marshal(kept{p.name(s), now.Try}); err == nil {
			_ = os.WriteFile(p.resume, raw, 0o640) // without it the search only begins anew
		}
	}
	if isTerminal(p.app.err) {
		_, _ = fmt.Fprintf(p.app.err, "\r%d of %d: %s unit %d, %s left    ", now.Try, now.Of, now.Setting, now.Unit, now.Left)
		if now.Try == now.Of {
			_, _ = fmt.Fprintln(p.app.err)
		}
	}
}

func (p *probing) tell(out probed) error {
	var err error
	if p.json {
		err = p.app.printValue(out)
	} else {
		err = p.app.printProbed(out)
	}
	switch {
	case err != nil:
		return err
	case out.Link == "" && !out.Done:
		return &failure{exit: exitFinding, code: "E-6022", text: fmt.Sprintf("stopped after %d of %s", out.Tries, count(out.Of, "question"))}
	case out.Link == "" && out.Setting == "":
		code := "E-6022"
		if len(out.Notes) > 0 {
			code = out.Notes[0].Code
		}
		return &failure{exit: exitReach, code: code, text: "no unit was found"}
	}
	return nil
}

func (a *app) printProbed(out probed) error {
	t := &table{}
	for _, h := range out.Heard {
		if h.Bytes > 0 {
			t.row("heard at "+h.Setting, fmt.Sprintf("%s: %s, %s", h.Verdict, count(h.Bytes, "byte"), count(h.Frames, "frame")))
		}
	}
	if n := len(out.Heard); n > 0 && len(t.rows) == 0 {
		t.row("heard", fmt.Sprintf("silence at %s", count(n, "setting")))
	}
	if out.Link != "" {
		t.row("found", fmt.Sprintf("unit %d (%s)", out.Unit, out.Answer))
		if out.Setting != "" {
			t.row("setting", out.Setting)
		}
		t.row("link", out.Link)
	} else if out.Setting != "" {
		t.row("setting", out.Setting+" (heard; nothing was sent)")
	}
	if l := out.Learned; l != nil {
		a.rowsLearned(t, l)
		out.Notes = append(out.Notes, l.Notes...)
	}
	t.row("tries", fmt.Sprintf("%d of %d in %s", out.Tries, out.Of, out.Took.Round(100*time.Millisecond)))
	if err := t.print(a.out); err != nil {
		return err
	}
	return a.printFindings(out.Notes)
}

func (a *app) rowsLearned(t *table, l *commission.Learned) {
	t.row("identity", first(strings.Join(l.Identity, ", "), "does not tell"))
	if l.Cap > 0 {
		t.row("most of one read", fmt.Sprintf("%d (%s)", l.Cap, l.CapNote))
	} else {
		t.row("most of one read", l.CapNote)
	}
	for _, n := range l.Near {
		mark := ""
		if n.Expected {
			mark = "  <- expected"
		}
		t.row(n.Question, n.Value+mark)
	}
	if l.Base != "" {
		t.row("counting", l.Base)
	}
	for i, f := range l.Fits {
		by := "its reads are answered"
		if f.Matched {
			by = "it matches"
		}
		t.row(onFirst(i, "could be"), fmt.Sprintf("%s: %s, %d of %d points known (try it)", f.Profile, by, f.Known, f.Points))
	}
	if len(l.Fits) == 0 {
		t.row("could be", "no profile of the catalog")
	}
}

// printFindings prints what was found wrong, with what to do.
func (a *app) printFindings(fs []commission.Finding) error {
	for _, f := range fs {
		if f.Hint {
			f.What += " (a hint)"
		}
		if _, err := fmt.Fprintf(a.out, "\n%s %s\n  where: %s\n  do:    %s\n", f.Code, oneLine(f.What), oneLine(f.Where), oneLine(f.Do)); err != nil {
			return output(err)
		}
	}
	return nil
}
