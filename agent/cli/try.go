package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
)

func newTryCommand(a *app) *cobra.Command {
	var span time.Duration
	cmd := &cobra.Command{
		Use:   "try LINK [PROFILE]",
		Short: "Read a controller by a profile, with nothing stored",
		Long: `Read a controller by a profile: live values, what is read, how long a cycle takes
and how busy the line is. Nothing is stored and nothing is written to the
controller. A lift of the running agent is shown as the agent reads it. Without a
floor table the controller's own numbers stand for the floors. The exit status is
1 when a point of the profile brings no value.`,
		Example: `  hoistway try "modbus+tcp://10.0.0.5:502?unit=1" bench/modbus-lift
  hoistway try "modbus+tcp://10.0.0.5:502?unit=1" ./board.yaml --floors floors.yaml
  hoistway try L1 -c hoistway.yaml`,
		Args: wants("LINK", "[PROFILE]"),
	}
	b := a.benches(cmd, true)
	cmd.Flags().DurationVar(&span, "for", 3*time.Second, "how long to look at the line")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 2 {
			b.profile = args[1]
		}
		to, err := b.toward(cmd.Context(), args[0])
		switch {
		case err != nil:
			return err
		case to.agent != nil && b.profile != "":
			return &failure{exit: exitFinding, code: "E-6021", text: fmt.Sprintf("the running agent reads lift %s by its own profile; another cannot be tried beside it", to.lift)}
		case to.agent != nil:
			t, err := b.triedByAgent(cmd.Context(), to)
			if err != nil {
				return err
			}
			return b.tried(t)
		case to.target.Profile == nil:
			return usagef(codeProfile, "name a profile: hoistway try LINK PROFILE")
		}
		s, err := b.world.Open(cmd.Context(), to.target, nil)
		if err != nil {
			return lineFault(err)
		}
		defer s.Close()
		return b.tried(s.Try(cmd.Context(), span))
	}
	return cmd
}

func (b *benching) tried(t commission.Trial) error {
	var err error
	if b.json {
		err = b.app.printValue(t)
	} else {
		err = b.app.printTrial(t)
	}
	switch {
	case err != nil:
		return err
	case t.State != "online" && t.Err != nil:
		return lineFault(t.Err)
	case t.State != "online":
		return &failure{exit: exitReach, code: "E-6002", text: first(t.Why, "the controller does not answer")}
	case len(t.Missing) > 0:
		return &failure{exit: exitFinding, code: "E-6023", text: "no value for " + strings.Join(t.Missing, ", ")}
	}
	return nil
}

func (a *app) printTrial(t commission.Trial) error {
	head := &table{}
	head.row("link", t.Link)
	head.row("profile", strings.TrimSpace(t.Profile+" "+t.Hash[:min(12, len(t.Hash))]))
	head.row("state", t.State)
	cycle := count(t.Reads, "read")
	if t.CycleMs > 0 {
		cycle += fmt.Sprintf(" in %d ms", t.CycleMs)
	}
	head.row("a cycle", cycle)
	head.row("slowest answer", fmt.Sprintf("%.1f ms", t.SlowestMs))
	head.row("line busy", fmt.Sprintf("%.0f %%", 100*t.Occupancy))
	if t.Dropped > 0 {
		head.row("no answers", count(t.Dropped, "piece"))
	}
	values := &table{}
	values.row("POINT", "VALUE", "AGE", "QUALITY")
	for _, r := range t.Values {
		values.row(r.Point, r.Value, ago(r.AgeMs), r.Quality)
	}
	for _, m := range t.Missing {
		if !hasRow(t.Values, m) {
			values.row(m, "", "", "never read")
		}
	}
	return a.printAll(head, values, planTable(t.Plan))
}

func hasRow(rows []commission.Row, point string) bool {
	for _, r := range rows {
		if r.Point == point {
			return true
		}
	}
	return false
}

func planTable(plan []commission.Read) *table {
	t := &table{}
	t.row("QUESTION", "EVERY", "ON THE WIRE", "FEEDS", "NOTE")
	for _, p := range plan {
		wire := ""
		if p.WireUs > 0 {
			wire = fmt.Sprintf("%.1f ms", float64(p.WireUs)/1000)
		}
		t.row(p.Question, fmt.Sprintf("%d ms", p.EveryMs), wire, strings.Join(p.Points, " "), p.Note)
	}
	return t
}

// printAll prints tables with an empty line between.
func (a *app) printAll(tables ...*table) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := fmt.Fprintln(a.out); err != nil {
				return output(err)
			}
		}
		if err := t.print(a.out); err != nil {
			return err
		}
	}
	return nil
}
