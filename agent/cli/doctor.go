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
	"hoistway/drivers/profiles"
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
and then asked a few reads. Nothing is written to a controller. The exit status is
1 when there is anything to do; a hint alone does not count.`,
		Example: `  hoistway doctor
  hoistway doctor L1 --token-file token
  hoistway doctor "modbus+rtu:///dev/ttyUSB0?baud=9600&unit=3" \
     --profile ./board.yaml
  hoistway doctor --recording l1.jsonl --json`,
		Args: cobra.ArbitraryArgs,
	}
	d.benching = a.benches(cmd, false)
	cmd.Flags().StringVar(&d.profile, "profile", "", "`profile` whose first read is asked of a link")
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
}

// diagnosis is what doctor found, and what it looked at: no finding about a thing
// says something only when it was looked at.
type diagnosis struct {
	Looked   []string             `json:"looked_at"`
	Findings []commission.Finding `json:"findings"`
}

func (r *diagnosis) add(what string, fs []commission.Finding) {
	r.Looked = append(r.Looked, what)
	r.Findings = append(r.Findings, fs...)
}

func (d *doctoring) examine(ctx context.Context, args []string) (diagnosis, error) {
	r := diagnosis{Looked: []string{}, Findings: []commission.Finding{}}
	conf := d.configuration(&r)
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
	r.add("recording "+file, commission.JudgeFrames(u, rec.Frames))
	return nil
}

func (d *doctoring) line(ctx context.Context, r *diagnosis, conf *config.Config, arg string) error {
	if conf == nil && len(r.Findings) > 0 && !strings.Contains(arg, "://") {
		r.add("no line of "+arg+": the configuration that would name it has faults", nil)
		return nil
	}
	u, lift, p, err := d.patient(conf, arg)
	if err != nil {
		return err
	}
	held, same := d.holder(ctx, conf, u)
	if held == "" {
		r.add("the line of "+arg, d.world.Examine(ctx, u, p))
		return nil
	}
	if lift == "" && !same {
		lift = held
	}
	return d.byAgent(ctx, r, conf, first(lift, held), u)
}

// patient finds a lift's link, or takes a link as it is.
func (d *doctoring) patient(conf *config.Config, arg string) (*url.URL, string, *profiles.Profile, error) {
	if strings.Contains(arg, "://") {
		u, err := url.Parse(arg)
		if err != nil {
			return nil, "", nil, usagef(codeLink, "%q is no link", arg)
		}
		t := commission.Target{Link: u}
		if d.profile != "" {
			t, err = withProfile(library(conf), t, d.profile)
		}
		return u, "", t.Profile, err
	}
	if conf == nil {
		return nil, "", nil, usagef(codeLink, "no configuration tells the link of lift %q: name one with -c", arg)
	}
	l := liftOf(conf, arg)
	if l == nil {
		return nil, "", nil, usagef("E-2005", "the configuration %s has no lift %q", d.config, arg)
	}
	name, src := conf.ProfileSource(arg)
	t, err := commission.Target{Link: l.URL()}.WithProfile(name, src)
	if err != nil {
		return nil, "", nil, &failure{exit: exitFinding, code: codeConfig, text: err.Error(), err: err}
	}
	return l.URL(), arg, t.Profile, nil
}

// byAgent judges a line by what the running agent has kept of it.
func (d *doctoring) byAgent(ctx context.Context, r *diagnosis, conf *config.Config, lift string, u *url.URL) error {
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
	if len(r.Findings) == 0 {
		_, err := fmt.Fprintln(a.out, "nothing found")
		return output(err)
	}
	return a.printFindings(r.Findings)
}
