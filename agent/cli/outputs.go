package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newOutputsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "outputs LIFT",
		Short:                 "Show what is asked of a lift, by which ride, and what is still owed",
		Long: `Show what the agent has asked of a lift and what of that still stands: calls, door
holds and claims, each with its ride; the holds that the device keeps by itself;
what a ride that is over has still to take back; and what the driver has still
to take back on the wire, as the release of a pulse while the line is down.`,
		Example: `  hoistway lifts outputs L1
  hoistway lifts outputs L1 --json`,
		Args: wants("LIFT"),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.get(cmd.Context(), at("lifts", args[0], "outputs"))
		return answer(q, raw, err, outputTable)
	}
	return cmd
}

func outputTable(o localapi.Outputs) *table {
	t := &table{}
	if len(o.Asked)+len(o.Held)+len(o.Owed)+len(o.Line) == 0 {
		t.row("nothing is asked of " + o.Lift)
		return lineUnknown(t, o)
	}
	t.row("WHAT", "WHERE", "STATE", "RIDE", "ROBOT", "NO", "SINCE", "ENDS")
	for _, x := range o.Asked {
		where := sided(x.Floor, x.Side)
		if x.To != "" {
			where += " to " + x.To
		}
		t.row(x.What, where, x.State, x.Ride, x.Robot, strconv.FormatUint(uint64(x.N), 10), ago(x.AgeMs), ends(x.EndsMs))
	}
	for _, x := range o.Held {
		t.row("hold", x.Side, "kept by the device", "", "", "", "", ends(&x.EndsMs))
	}
	for _, x := range o.Owed {
		t.row(x.What, "", "owed: "+x.Why, x.Ride, "", "", "", "")
	}
	for _, x := range o.Line {
		state := "owed on the wire"
		if x.Refused > 0 {
			state = fmt.Sprintf("owed on the wire, refused %d times", x.Refused)
		}
		t.row(x.What, "", state, x.Ride, "", strconv.FormatUint(uint64(x.N), 10), ago(x.AgeMs), "when it is taken")
	}
	return lineUnknown(t, o)
}

// lineUnknown says so where nobody knows what the driver owes: that is not nothing.
func lineUnknown(t *table, o localapi.Outputs) *table {
	if o.LineWhy != "" {
		t.row("what is owed on the wire is not known: " + o.LineWhy)
	}
	return t
}

func ends(ms *int64) string {
	if ms == nil {
		return "when taken back"
	}
	return "in " + span(*ms)
}
