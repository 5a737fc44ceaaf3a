package cli

import (
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newRideResetCommand(a *app) *cobra.Command {
	var reset localapi.Reset
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "reset RIDE --robot-is outside|removed|inside",
		Short:                 "Say as a person where the robot is, and release a locked ride",
		Long: `Say as a person where the robot is, and release a ride that is locked or latched.
Go and look first: the agent believes you. "outside" and "removed" end the ride,
"inside" starts getting the robot out again.`,
		Example: `  hoistway ride reset r-7f3a --robot-is outside --token-file token
  hoistway ride reset r-7f3a --robot-is inside --seen-by "M. Weber"`,
		Args: wants("RIDE"),
	}
	cmd.Flags().StringVar(&reset.RobotIs, "robot-is", "", "`where` you have seen the robot: outside, removed or inside (required)")
	cmd.Flags().StringVar(&reset.SeenBy, "seen-by", "", "`name` of who has seen it (default: the token's owner)")
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains([]string{"outside", "removed", "inside"}, reset.RobotIs) {
			return usagef(codeFlag, "--robot-is must be outside, removed or inside, not %q", reset.RobotIs)
		}
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.call(cmd.Context(), http.MethodPost, at("rides", args[0], "reset"), reset)
		if err != nil {
			return err
		}
		return q.printRide(raw)
	}
	return cmd
}
