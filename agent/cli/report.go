package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
	"hoistway/agent/config"
)

func newReportCommand(a *app) *cobra.Command {
	r := reporting{app: a}
	cmd := &cobra.Command{
		Use:   "report [LIFT]",
		Short: "Write the commissioning record of a lift, signed",
		Long: `Write the commissioning record of a lift: the profile and its hash, each point
seen changing, each command that was carried out and whether a person saw it
happen, how a door hold ends by itself, and what is not proven. It is made from
recordings and from the log of profile test --command. It is signed with a key
that is made at first use. The exit status is 1 while anything is not proven; the
record is written all the same.`,
		Example: `  hoistway report L1 --recording l1.jsonl --commands done.jsonl --by "M. Weber" \
     -o l1-handover
  hoistway report --recording l1.jsonl -o l1-handover
  hoistway report verify l1-handover.json`,
		Args: wants("[LIFT]"),
	}
	f := cmd.Flags()
	configFlag(cmd, &r.config)
	jsonFlag(cmd, &r.json)
	f.StringArrayVar(&r.recordings, "recording", nil, "a `file` of hoistway record; may be repeated (required)")
	f.StringVar(&r.commands, "commands", "", "the `file` of hoistway profile test --log")
	f.StringVar(&r.by, "by", "", "`name` of who answers for it (default: who is logged in)")
	f.StringVarP(&r.out, "output", "o", "", "`name` of the record, without ending: NAME.json and NAME.md (required)")
	f.StringVar(&r.profile, "profile", "", "`profile` (default: the lift's, else the recording's)")
	f.StringVar(&r.key, "key-file", "", "`file` of the signing key (default: in your own state folder; made when it is not there)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if r.out == "" || len(r.recordings) == 0 {
			return usagef(codeFlag, "--recording FILE and -o NAME are required")
		}
		r.asked = cmd.Flags().Changed("config")
		return r.make(args)
	}
	cmd.AddCommand(newReportVerifyCommand(a))
	return cmd
}

// reporting is one record being made.
type reporting struct {
	app                       *app
	config, commands, by, out string
	profile, key              string
	recordings                []string
	json, asked               bool
	lift                      *config.Lift
	conf                      *config.Config
}

func (r *reporting) make(args []string) error {
	if err := r.find(args); err != nil {
		return err
	}
	h, t, err := r.begin()
	if err != nil {
		return err
	}
	for _, file := range r.recordings {
		rec, _, err := loadRecording([]string{file, t.Name}, "")
		if err == nil {
			err = h.Prove(rec, t)
		}
		if err != nil {
			return lineFault(err)
		}
		h.Sources = append(h.Sources, filepath.Base(file))
	}
	if err := r.carriedOut(&h); err != nil {
		return err
	}
	h.Close(t)
	return r.write(h)
}

// find looks the lift up, where one is named.
func (r *reporting) find(args []string) error {
	if len(args) == 0 {
		return nil
	}
	c, faults, err := r.app.readConfig(r.config)
	switch {
	case err != nil:
		return err
	case len(faults) > 0:
		return faulty(r.config, faults)
	}
	r.conf, r.lift = c, liftOf(c, args[0])
	if r.lift == nil {
		return usagef("E-2005", "the configuration %s has no lift %q", r.config, args[0])
	}
	return nil
}

// begin takes what is known without any proof.
func (r *reporting) begin() (commission.Handover, commission.Target, error) {
	ref := r.profile
	if ref == "" && r.lift != nil {
		ref, _ = r.conf.ProfileSource(r.lift.ID)
	}
	args := []string{r.recordings[0]}
	if ref != "" {
		args = append(args, ref)
	}
	rec, t, err := loadRecording(args, "")
	if err != nil {
		return commission.Handover{}, t, err
	}
	why := ""
	if r.lift != nil {
		t.Floors, why = r.lift.Table(), r.lift.AcceptNoEnd
	}
	h := commission.NewHandover(t, why)
	h.Lift, h.Link, h.By, h.Made, h.Version = rec.Lift, rec.Link, first(r.by, whoami()), now(), whatBuild(debug.ReadBuildInfo()).Version
	if r.lift != nil {
		h.Lift, h.Device, h.Campus, h.Building = r.lift.ID, r.conf.Device.Serial, r.conf.Device.Site.Campus, r.conf.Device.Site.Building
		if u, err := url.Parse(r.lift.Link); err == nil {
			h.Link = u.Redacted()
		}
	}
	return h, t, nil
}

func (r *reporting) carriedOut(h *commission.Handover) error {
	if r.commands == "" {
		return nil
	}
	f, err := os.Open(r.commands)
	if err != nil {
		return &failure{exit: exitUsage, code: codeRecording, text: err.Error(), err: err}
	}
	defer f.Close()
	done, err := commission.ReadRehearsals(f)
	if err != nil {
		return &failure{exit: exitFinding, code: codeRecording, text: r.commands + ": " + err.Error(), err: err}
	}
	h.Commands = append(h.Commands, done...)
	h.Sources = append(h.Sources, filepath.Base(r.commands))
	return nil
}

func (r *reporting) write(h commission.Handover) error {
	path := r.key
	if path == "" {
		path = filepath.Join(r.app.stateDir(), "commissioning.key")
	}
	key, err := commission.Key(path)
	if err != nil {
		return &failure{exit: exitFinding, code: codeSignature, text: err.Error(), err: err}
	}
	signed, err := commission.Sign(h, key)
	if err != nil {
		return &failure{exit: exitFinding, code: codeSignature, text: err.Error(), err: err}
	}
	raw, err := json.MarshalIndent(signed, "", "  ")
	if err == nil {
		err = errors.Join(os.WriteFile(r.out+".json", append(raw, '\n'), 0o644), os.WriteFile(r.out+".md", []byte(h.Markdown(signed.Signature)), 0o644))
	}
	if err != nil {
		return &failure{exit: exitFinding, code: codeRecording, text: err.Error(), err: err}
	}
	if err := r.told(h, signed.Signature); err != nil {
		return err
	}
	if len(h.Open) > 0 {
		return errFindings
	}
	return nil
}

func (r *reporting) told(h commission.Handover, s commission.Signature) error {
	if r.json {
		return r.app.printValue(h)
	}
	t := &table{}
	t.row("record", r.out+".json, "+r.out+".md")
	t.row("key", s.PublicKey)
	for i, o := range h.Open {
		t.row(onFirst(i, "not proven"), o)
	}
	return t.print(r.app.out)
}

func newReportVerifyCommand(a *app) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Prove that a record is as it was signed",
		Long: `Prove that a record is as it was signed. Whose key it is the file cannot tell:
compare the key that is printed with the one that you were given, or give it by
--key.`,
		Example: `  hoistway report verify l1-handover.json
  hoistway report verify l1-handover.json \
     --key 3b6a27bcceb6a42d…`,
		Args: wants("FILE"),
	}
	cmd.Flags().StringVar(&key, "key", "", "the public `key` that it must be signed by")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		raw, err := os.ReadFile(args[0])
		if err != nil {
			return &failure{exit: exitUsage, code: codeRecording, text: err.Error(), err: err}
		}
		h, s, err := commission.Verify(raw, key)
		if err != nil {
			return &failure{exit: exitFinding, code: codeSignature, text: args[0] + ": " + err.Error(), err: err}
		}
		t := &table{}
		t.row("record", fmt.Sprintf("lift %s, %s, by %s", h.Lift, h.Made.Format("2006-01-02 15:04"), h.By))
		t.row("key", s.PublicKey)
		t.row("not proven", fmt.Sprint(len(h.Open)))
		return t.print(a.out)
	}
	return cmd
}
