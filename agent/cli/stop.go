package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newStopCommand(a *app) *cobra.Command {
	var (
		want localapi.NewStop
		end  bool
	)
	cmd := &cobra.Command{
		Use:   "stop [LIFT]",
		Short: "Stop the agent at one lift or at all of them, or let it go on",
		Long: `Stop the agent at one lift, or at all of them: no robot is let in, nothing new is
asked of the lift, rides that have not boarded end; a robot in a car rides on to
where it leaves. The lift itself is not stopped: that is its own stop switch. It
lasts until --end, over a restart too.`,
		Example: `  hoistway stop --why "water in the pit" --token-file token
  hoistway stop L1
  hoistway stop --end`,
		Args: wants("[LIFT]"),
	}
	cmd.Flags().StringVar(&want.Why, "why", "", "the `reason`, for the audit and for whoever looks")
	cmd.Flags().BoolVar(&end, "end", false, "end the stop")
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		want.On = !end
		if len(args) == 1 {
			want.Lift = args[0]
		}
		raw, err := c.call(cmd.Context(), http.MethodPost, at("stop"), want)
		return answer(q, raw, err, liftTable)
	}
	return cmd
}
