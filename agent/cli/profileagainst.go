package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
	"hoistway/drivers/profiles"
)

func newProfileTestCommand(a *app) *cobra.Command {
	t := profileTest{}
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "test NAME --against LINK",
		Short:                 "Say point by point what a live controller and a profile agree on",
		Long: `Read every point of a profile from a live controller or simulator and say point by
point what agrees: a value came, and the profile has a word for it. It only reads.
A command of the profile is rehearsed with --command once somebody has seen its
bytes and agreed, or with --i-understand; a draft has none. Commands are said as
car_call floor=G, landing_call floor=G direction=up, hold floor=G side=front for=8s.`,
		Example: `  hoistway profile test bench/modbus-lift \
     --against "modbus+tcp://10.0.0.5:502?unit=1"
  hoistway profile test ./board.yaml --against L1 --json
  hoistway profile test ./board.yaml --against LINK \
     --command "car_call floor=#2" --log done.jsonl`,
		Args: wants("NAME"),
	}
	t.benching = a.benches(cmd, false)
	f := cmd.Flags()
	f.StringVar(&t.against, "against", "", "a `link`, or a lift of the configuration (required)")
	f.StringVar(&t.floors, "floors", "", "`file` with the floor table, floors: [{label: G, wire: 1, doors: [front]}] (default: the lift's, else the controller's own numbers, as #2)")
	f.StringArrayVar(&t.commands, "command", nil, "a `command` to carry out, in the words of the test cases; may be repeated")
	f.BoolVar(&t.sure, "i-understand", false, "do not ask: you know what the commands move")
	f.StringVar(&t.log, "log", "", "`file` to which each command is added with what became of it, for hoistway report")
	f.StringVar(&t.by, "by", "", "`name` for the record (default: who is logged in)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if t.against == "" {
			return usagef(codeFlag, "--against LINK is required")
		}
		t.profile = args[0]
		return t.run(cmd)
	}
	return cmd
}

// profileTest is one profile held against one controller.
type profileTest struct {
	*benching
	against, log, by string
	commands         []string
	sure             bool
}

func (t *profileTest) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	to, err := t.toward(ctx, t.against)
	switch {
	case err != nil:
		return err
	case to.agent != nil:
		return &failure{exit: exitFinding, code: "E-6021", text: fmt.Sprintf("the running agent holds lift %s; stop it first", to.lift)}
	}
	s, err := t.world.Open(ctx, to.target, nil)
	if err != nil {
		return lineFault(err)
	}
	defer s.Close()
	points, err := s.Agree(ctx)
	if err != nil {
		return lineFault(err)
	}
	rehearsed, cerr := t.rehearse(ctx, s)
	if err := t.print(s.Profile, points, rehearsed); err != nil {
		return err
	}
	if cerr != nil {
		return cerr
	}
	if err := disagreed(points); err != nil {
		return err
	}
	return undone(rehearsed)
}

// undone is of the first command of which it is not known that it was carried out.
func undone(done []commission.Rehearsal) error {
	for _, r := range done {
		code := map[string]string{"done": "", "refused": "E-6005", "unknown": "E-6011"}
		c, known := code[r.Outcome]
		switch {
		case known && c == "":
			continue
		case !known:
			c = "E-6002"
		}
		return &failure{exit: exitFinding, code: c, text: strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", r.Command, r.Outcome, r.Detail), ": ")}
	}
	return nil
}

func disagreed(points []commission.Agreement) error {
	var no []string
	for _, p := range points {
		if !p.Agrees {
			no = append(no, p.Point)
		}
	}
	if len(no) == 0 {
		return nil
	}
	return &failure{exit: exitFinding, code: "E-6023", text: strings.Join(no, ", ")}
}

func (t *profileTest) print(of *profiles.Profile, points []commission.Agreement, done []commission.Rehearsal) error {
	if t.json {
		return t.app.printValue(struct {
			Points   []commission.Agreement `json:"points"`
			Commands []commission.Rehearsal `json:"commands"`
		}{append([]commission.Agreement{}, points...), append([]commission.Rehearsal{}, done...)})
	}
	p := &table{}
	p.row("POINT", "AGREES", "RAW", "VALUE", "QUESTION", "WHY")
	for _, x := range points {
		p.row(x.Point, yes(x.Agrees), strings.Join(x.Raw, " "), x.Value, x.Question, x.Why)
	}
	if err := p.print(t.app.out); err != nil {
		return err
	}
	yes := 0
	for _, x := range points {
		if x.Agrees {
			yes++
		}
	}
	_, err := fmt.Fprintf(t.app.out, "\n%d of %s of %s (%s) agree\n", yes, count(len(points), "point"), of.ID, maturity(of))
	if err != nil || len(done) == 0 {
		return output(err)
	}
	c := &table{}
	c.row("COMMAND", "OUTCOME", "SEEN", "CODE", "FRAMES")
	for _, x := range done {
		c.row(x.Command, x.Outcome, x.Seen, x.Code, strings.Join(x.Frames, " / "))
	}
	if _, err := fmt.Fprintln(t.app.out); err != nil {
		return output(err)
	}
	return c.print(t.app.out)
}

// now is the time of a rehearsal.
func now() time.Time { return time.Now().UTC() }
