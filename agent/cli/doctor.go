package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
	"hoistway/agent/config"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

func newDoctorCommand(a *app) *cobra.Command {
	d := doctoring{}
	cmd := &cobra.Command{
		Use:   "doctor [LIFT|LINK]...",
		Short: "Find out what is wrong, and what to do about it",
		Long: `Find out what is wrong: the configuration, the clock, the disk, and each lift's
line: rights, who holds it, echo, another master, a time-out that is too short, a
wrong unit or parity, writing that is not licensed. A line that the running agent
holds is judged by the frames that the agent has kept; any other is listened to
and then asked a few reads. That is for Modbus: a board with frames of its own or
a service is read once by its profile, and what was not looked at is said. Nothing
is written to a controller. The exit status is 1 when there is anything to do; a
hint alone does not count.`,
		Example: `  hoistway doctor
  hoistway doctor L1 --token-file token
  hoistway doctor "modbus+rtu:///dev/ttyUSB0?baud=9600&unit=3" \
     --profile ./board.yaml
  hoistway doctor "serial+tcp://10.0.0.5:4001" --profile mitsubishi/fx-lift-mc1e
  hoistway doctor --recording l1.jsonl --json`,
		Args: cobra.ArbitraryArgs,
	}
	d.benching = a.benches(cmd, false)
	cmd.Flags().StringVar(&d.profile, "profile", "", "`profile` of the controller behind a link, by which it is read")
	cmd.Flags().StringVar(&d.floors, "floors", "", "`file` with the floor table of a link, which tells the doors that are there")
	cmd.Flags().StringArrayVar(&d.recordings, "recording", nil, "judge this recording's `file` too; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.ContainsFunc(args, blank) {
			return usagef(codeArgs, "an argument is empty")
		}
		r, err := d.examine(cmd.Context(), args)
		if err != nil {
			return err
		}
		return d.tell(r)
	}
	return cmd
}

type doctoring struct {
	*benching
	recordings []string
	unread     bool // there is a configuration, and it has faults
}

// diagnosis is what doctor found, and what it looked at: no finding about a thing
// says something only when it was looked at.
type diagnosis struct {
	Looked   []string             `json:"looked_at"`
	Unseen   []string             `json:"not_looked_at"`
	Findings []commission.Finding `json:"findings"`
}

func (r *diagnosis) add(what string, fs []commission.Finding) {
	r.Looked = append(r.Looked, what)
	r.Findings = append(r.Findings, fs...)
}

// not tells what an aim was not asked, and why.
func (r *diagnosis) not(of string, what ...string) {
	for _, w := range what {
		r.Unseen = append(r.Unseen, of+": "+w)
	}
}

func (d *doctoring) examine(ctx context.Context, args []string) (diagnosis, error) {
	r := diagnosis{Looked: []string{}, Unseen: []string{}, Findings: []commission.Finding{}}
	conf := d.configuration(&r)
	d.unread = conf == nil && len(r.Looked) > 0
	dir := ""
	if conf != nil {
		dir = conf.Store.Dir
	}
	r.add("clock and disk", d.world.Machine(dir))
	for _, file := range d.recordings {
		if err := d.recording(&r, file); err != nil {
			return r, err
		}
	}
	if len(args) == 0 && conf != nil && len(d.recordings) == 0 {
		for _, l := range conf.Lifts {
			args = append(args, l.ID)
		}
	}
	for _, arg := range args {
		if err := d.line(ctx, &r, conf, arg); err != nil {
			return r, err
		}
	}
	return r, nil
}

// configuration tells every fault of the file, and lists what it can never permit.
func (d *doctoring) configuration(r *diagnosis) *config.Config {
	if _, err := os.Stat(d.config); err != nil && !d.asked.Flags().Changed("config") {
		return nil
	}
	c, faults, err := d.app.readConfig(d.config)
	var fs []commission.Finding
	if err != nil {
		fs = append(fs, commission.Finding{Code: codeUnreadable, What: err.Error(), Where: d.config, Do: "hoistway help " + codeUnreadable})
	}
	for _, f := range faults {
		fs = append(fs, commission.Finding{Code: codeConfig, What: f.Msg, Where: fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Col), Do: first(f.Hint, "mend the file and run hoistway check")})
	}
	if c != nil {
		for _, n := range never(c) {
			fs = append(fs, commission.Finding{Code: codeConfig, What: n, Where: d.config, Do: "mend the file, if that is not meant", Hint: true})
		}
	}
	r.add("configuration "+d.config, fs)
	return c
}

func (d *doctoring) recording(r *diagnosis, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return &failure{exit: exitUsage, code: codeRecording, text: err.Error(), err: err}
	}
	defer f.Close()
	rec, err := commission.ReadRecording(f)
	if err != nil {
		return &failure{exit: exitFinding, code: codeRecording, text: file + ": " + err.Error(), err: err}
	}
	u, err := url.Parse(rec.Link)
	if err != nil {
		return &failure{exit: exitFinding, code: codeRecording, text: file + ": the link is none"}
	}
	if !commission.IsModbus(u) {
		r.not("recording "+file, fmt.Sprintf("its %s of %s: only those of Modbus can be judged", count(len(rec.Frames), "frame"), u.Scheme))
		return nil
	}
	r.add("recording "+file, commission.JudgeFrames(u, rec.Frames))
	return nil
}

func (d *doctoring) line(ctx context.Context, r *diagnosis, conf *config.Config, arg string) error {
	if d.unread && !isLink(arg) {
		r.not(arg, "its line: the configuration that would name it has faults")
		return nil
	}
	t, lift, err := d.patient(conf, arg)
	if err != nil {
		return err
	}
	u := t.Link
	held, same := d.holder(ctx, conf, u)
	switch {
	case held == "" && commission.IsModbus(u):
		r.add("the line of "+arg, d.world.Examine(ctx, u, t.Profile))
		return nil
	case held == "":
		r.visited(arg, t, d.world.Visit(ctx, t))
		return nil
	}
	if lift == "" && !same {
		lift = held
	}
	return d.byAgent(ctx, r, conf, first(lift, held), u)
}

// visited adds what one look at a controller brought.
func (r *diagnosis) visited(arg string, t commission.Target, v commission.Visited) {
	if v.Err != nil {
		var f *failure
		errors.As(lineFault(v.Err), &f)
		do := "hoistway help " + f.code
		if f.code == codeLink {
			do = "mend the link or its profile"
		}
		v.Found = append(v.Found, commission.Finding{Code: f.code, What: f.text, Where: commission.LineOf(t.Link), Do: do})
	}
	r.add(strings.TrimSuffix("the link of "+named(arg, t.Link)+": "+v.Told, ": "), v.Found)
	r.not(named(arg, t.Link), v.Unseen...)
}

// named is a lift's id, or a link without its password and its parameters.
func named(arg string, u *url.URL) string {
	if !isLink(arg) {
		return arg
	}
	short := *u
	short.RawQuery = ""
	return short.Redacted()
}

// patient finds a lift's link, or takes a link as it is.
func (d *doctoring) patient(conf *config.Config, arg string) (t commission.Target, lift string, err error) {
	if isLink(arg) {
		if t.Link, err = linkOf(arg); err != nil || d.profile == "" {
			return t, "", err
		}
		if d.floors != "" {
			if t.Floors, err = commission.LoadFloors(d.floors); err != nil {
				return t, "", &failure{exit: exitUsage, code: codeProfile, text: err.Error(), err: err}
			}
		}
		t, err = withProfile(library(conf), t, d.profile)
		return t, "", err
	}
	if err := almostLink(arg); err != nil {
		return t, "", err
	}
	if conf == nil {
		return t, "", usagef(codeLink, "no configuration tells the link of lift %q: name one with -c", arg)
	}
	l := liftOf(conf, arg)
	if l == nil {
		return t, "", usagef("E-2005", "the configuration %s has no lift %q", d.config, arg)
	}
	name, src := conf.ProfileSource(arg)
	t, err = commission.Target{Link: l.URL(), Floors: l.Table()}.WithProfile(name, src)
	if err != nil {
		return t, "", &failure{exit: exitFinding, code: codeConfig, text: err.Error(), err: err}
	}
	return t, arg, nil
}

// byAgent judges a line by what the running agent has kept of it.
func (d *doctoring) byAgent(ctx context.Context, r *diagnosis, conf *config.Config, lift string, u *url.URL) error {
	if !commission.IsModbus(u) {
		r.not(lift, "its line, which the running agent holds: the frames of "+u.Scheme+" cannot be judged; hoistway lifts "+lift+" shows what the agent reads")
		return nil
	}
	c, err := d.agentOf(conf)
	if err != nil {
		return err
	}
	to, after := aim{lift: lift, agent: c}, uint64(0)
	var frames []drivers.Frame
	for {
		got, err := d.frames(ctx, to, after, 0)
		var f *failure
		if errors.As(err, &f) && (f.code == "E-2003" || f.code == "E-2004") {
			r.add("the line of "+lift+" (held by the agent)", []commission.Finding{{
				Code: f.code, What: "the agent's frames are for technicians", Where: lift, Do: "give --token-file or $" + envToken, Hint: true,
			}})
			return nil
		}
		if err != nil {
			return err
		}
		for _, x := range got.Frames {
			if data, err := hex.DecodeString(x.Hex); err == nil {
				frames = append(frames, drivers.Frame{Line: got.Line, Out: x.Out, At: elevator.Instant(x.At.UnixNano()), Data: data, Note: x.Note})
			}
		}
		if after = got.Next; len(got.Frames) == 0 {
			break
		}
	}
	r.add(fmt.Sprintf("the last %s of %s (the agent holds its line)", count(len(frames), "frame"), lift), commission.JudgeFrames(u, frames))
	return nil
}

func (d *doctoring) tell(r diagnosis) error {
	var err error
	if d.json {
		err = d.app.printValue(r)
	} else {
		err = d.app.printDiagnosis(r)
	}
	if err != nil {
		return err
	}
	n := 0
	for _, f := range r.Findings {
		if !f.Hint {
			n++
		}
	}
	if n > 0 {
		return errFindings
	}
	return nil
}

func (a *app) printDiagnosis(r diagnosis) error {
	for _, l := range r.Looked {
		if _, err := fmt.Fprintf(a.out, "looked at %s\n", oneLine(l)); err != nil {
			return output(err)
		}
	}
	for _, l := range r.Unseen {
		if _, err := fmt.Fprintf(a.out, "not looked at: %s\n", oneLine(l)); err != nil {
			return output(err)
		}
	}
	if len(r.Findings) == 0 {
		_, err := fmt.Fprintln(a.out, "nothing found")
		return output(err)
	}
	return a.printFindings(r.Findings)
}
