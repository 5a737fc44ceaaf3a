package cli

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hoistway/agent/audit"
	"hoistway/agent/commission"
	"hoistway/agent/localapi"
)

func newReadCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "read LIFT|LINK QUESTION",
		Short: "Ask a controller one raw question",
		Long: `Ask a controller one raw question, in the words of its protocol. For Modbus that
is TABLE:ADDRESS or TABLE:ADDRESSxCOUNT, counted from 0 as on the wire; tables are
coil, discrete, holding and input. For boards and services it is a message of the
profile with its values, and the profile must be named; a message that it does not
know is answered with those that there are. While the agent runs, the question
goes through it.`,
		Example: `  hoistway read L1 input:0x4 --token-file token
  hoistway read "modbus+tcp://10.0.0.5:502?unit=1" holding:12
  hoistway read L1 input:0x14 --profile bench/modbus-lift --json
  hoistway read "serial+tcp://10.0.0.5:4001" inquire --profile ./board.yaml`,
		Args: wants("LIFT|LINK", "QUESTION"),
	}
	b := a.benches(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to, err := b.toward(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		got, err := b.peek(cmd.Context(), to, args[1])
		if err != nil {
			return err
		}
		if b.json {
			return a.printValue(got)
		}
		return a.printRegisters(commission.Registers(args[1], got.Words, nil, to.target.Profile), got.Text)
	}
	return cmd
}

// peek asks once, by whichever way leads there.
func (b *benching) peek(ctx context.Context, to aim, question string) (localapi.BenchPeek, error) {
	if to.agent != nil {
		return read[localapi.BenchPeek](to.agent.get(ctx, to.path("peek", url.Values{"q": {question}})))
	}
	to.target = to.target.Bare()
	s, err := b.world.Open(ctx, to.target, nil)
	if err != nil {
		return localapi.BenchPeek{}, lineFault(err)
	}
	defer s.Close()
	prober, err := s.Questions()
	if err != nil {
		return localapi.BenchPeek{}, lineFault(err)
	}
	p, err := prober.Peek(ctx, question)
	if err != nil {
		return localapi.BenchPeek{}, lineFault(err)
	}
	return localapi.BenchPeek{Lift: to.lift, Question: question, Words: p.Words, Text: p.Text, AgeMs: s.Now().Sub(p.At).Milliseconds()}, nil
}

// printRegisters shows words in every reading that they may have.
func (a *app) printRegisters(rows []commission.Register, text string) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.out, oneLine(text))
		return output(err)
	}
	t := &table{}
	t.row("ADDRESS", "HEX", "DECIMAL", "SIGNED", "BITS", "ABCD", "CDAB", "BADC", "DCBA", "FLOAT", "")
	for _, r := range rows {
		mark := r.Label
		if r.Changed {
			mark = strings.TrimSpace(mark + " <- " + fmt.Sprint(r.Before))
		}
		t.row(r.Address, r.Hex, fmt.Sprint(r.Word), fmt.Sprint(r.Signed), r.Bits, r.ABCD, r.CDAB, r.BADC, r.DCBA, r.Float, mark)
	}
	for _, row := range t.rows {
		if row[len(row)-1] == "-" {
			row[len(row)-1] = ""
		}
	}
	return t.print(a.out)
}

func newWriteCommand(a *app) *cobra.Command {
	var (
		sure, force bool
		audit, by   string
	)
	cmd := &cobra.Command{
		Use:   "write LIFT|LINK QUESTION",
		Short: "Write one raw value to a controller, after showing its bytes",
		Long: `Write one raw value to a controller, in the words of hoistway read; a board or
service wants its profile named for that. The exact bytes are shown first and a
person is asked; in a script --i-understand takes the place of the answer. It is
sent once and never repeated, and the audit has it before its first byte leaves.
While the agent runs it goes through it, and is refused while a ride holds the
lift unless --force.

This can move a car or a door. Stand where you see it.`,
		Example: `  hoistway write L1 holding:2=3 --token-file token
  hoistway write "modbus+tcp://10.0.0.5:502?unit=1" coil:3=1
  hoistway write L1 holding:2=3 --i-understand`,
		Args: wants("LIFT|LINK", "QUESTION"),
	}
	b := a.benches(cmd, true)
	f := cmd.Flags()
	f.BoolVar(&sure, "i-understand", false, "do not ask: you know what this moves")
	f.BoolVar(&force, "force", false, "write although a ride holds the lift")
	f.StringVar(&audit, "audit", "", "`file` of the audit, where no agent keeps it (default: in the store's folder, else in your own state folder)")
	f.StringVar(&by, "by", "", "`name` for the audit, where no agent knows it (default: who is logged in)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to, err := b.toward(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		w := writing{b, to, args[1], sure, force, first(by, whoami()), audit}
		return w.carryOut(cmd.Context())
	}
	return cmd
}

// writing is one write by hand.
type writing struct {
	*benching
	to       aim
	question string
	sure     bool
	force    bool
	by       string
	audit    string
}

func (w writing) carryOut(ctx context.Context) error {
	if w.to.agent != nil {
		return w.byAgent(ctx)
	}
	w.to.target = w.to.target.Bare()
	s, err := w.world.Open(ctx, w.to.target, nil)
	if err != nil {
		return lineFault(err)
	}
	defer s.Close()
	prober, err := s.Questions()
	if err != nil {
		return lineFault(err)
	}
	frames, err := prober.Preview(w.question)
	if err != nil {
		return lineFault(err)
	}
	if err := w.agreed(commission.Shown(w.to.target.Link, frames)); err != nil {
		return err
	}
	act := commission.Act{By: w.by, Lift: w.to.lift, Link: w.to.target.Link.Redacted(), Question: w.question}
	o, err := commission.Poke(ctx, prober, act, &audit.File{Path: w.auditFile()}, time.Now)
	if err != nil && o.ID.Ride == "" {
		return &failure{exit: exitFinding, code: codeAudit, text: "nothing was sent: " + err.Error(), err: err}
	}
	return w.told(localapi.BenchPoke{Lift: w.to.lift, Question: w.question, Outcome: o.Result.String(), Code: o.Code, Detail: o.Detail})
}

func (w writing) byAgent(ctx context.Context) error {
	pre, err := read[localapi.BenchPreview](w.to.agent.get(ctx, w.to.path("preview", url.Values{"q": {w.question}})))
	if err != nil {
		return err
	}
	if err := w.agreed(pre.Frames); err != nil {
		return err
	}
	body := localapi.NewPoke{Question: w.question, IUnderstand: true, Force: w.force}
	raw, err := w.to.agent.call(ctx, http.MethodPost, w.to.path("poke", nil), body)
	o, err := read[localapi.BenchPoke](raw, err)
	if err != nil {
		return err
	}
	return w.told(o)
}

// agreed shows the bytes and asks.
func (w writing) agreed(frames []string) error {
	where := first(w.to.lift, linkText(w.to.target))
	text := ""
	for _, f := range frames {
		text += "  " + f + "\n"
	}
	out := w.app.out
	if w.json {
		out = w.app.err
	}
	if _, err := fmt.Fprintf(out, "%s to %s sends\n%s", w.question, where, text); err != nil {
		return output(err)
	}
	return w.app.confirmed(w.sure, "Send it?")
}

func linkText(t commission.Target) string {
	if t.Link == nil {
		return ""
	}
	return t.Link.Redacted()
}

// confirmed asks a person on a terminal; anywhere else only the flag counts.
func (a *app) confirmed(sure bool, question string) error {
	if sure {
		return nil
	}
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return usagef(codeUnsure, "nobody can be asked here: say --i-understand")
	}
	yes, err := a.ask(question + " [y/N] ")
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(yes)) {
		return &failure{exit: exitFinding, code: codeUnsure, text: "not confirmed; nothing was sent"}
	}
	return nil
}

func (a *app) ask(question string) (string, error) {
	if _, err := fmt.Fprint(a.err, question); err != nil {
		return "", output(err)
	}
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	return strings.TrimSpace(line), nil
}

// told prints what became of a write; only done is fine.
func (w writing) told(o localapi.BenchPoke) error {
	var err error
	if w.json {
		err = w.app.printValue(o)
	} else {
		t := &table{}
		t.row("outcome", o.Outcome)
		if o.Code != "" {
			t.row("code", o.Code)
		}
		if o.Detail != "" {
			t.row("detail", o.Detail)
		}
		err = t.print(w.app.out)
	}
	switch {
	case err != nil:
		return err
	case o.Outcome == "done":
		return nil
	case o.Outcome == "unknown":
		return &failure{exit: exitFinding, code: "E-6011", text: "it left, and no answer proves it: look before you repeat it"}
	case o.Outcome == "refused":
		return &failure{exit: exitFinding, code: "E-6005", text: first(o.Detail, "refused")}
	}
	return &failure{exit: exitReach, code: "E-6002", text: first(o.Detail, "nothing was sent")}
}

// auditFile is where a write by hand is noted when no agent does it.
func (w writing) auditFile() string {
	if w.audit != "" {
		return w.audit
	}
	if w.to.conf != nil && w.to.lift != "" {
		return filepath.Join(w.to.conf.Store.Dir, audit.FileName)
	}
	return filepath.Join(w.app.stateDir(), audit.FileName)
}

// stateDir is where this user's own state lies.
func (a *app) stateDir() string {
	if state := a.env("XDG_STATE_HOME"); state != "" {
		return filepath.Join(state, "hoistway")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "."
	}
	return filepath.Join(home, ".local", "state", "hoistway")
}
