package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newRideToCommand(a *app) *cobra.Command {
	var change localapi.Change
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "to RIDE FLOOR",
		Short:                 "Give a ride another destination",
		Long: `Give a ride another destination, by its floor label. Before the robot boards that
is free. With the robot in the car it wants --aboard: the new call is placed before
the old one is taken back. From when the robot is let out there is no other way.`,
		Example: `  hoistway ride to r-7f3a 2 --token-file token
  hoistway ride to r-7f3a G --door rear
  hoistway ride to r-7f3a 2 --aboard`,
		Args: wants("RIDE", "FLOOR"),
	}
	cmd.Flags().StringVar(&change.ToDoor, "door", "", "`side` on which the robot leaves (default the landing's first)")
	cmd.Flags().BoolVar(&change.Aboard, "aboard", false, "also when the robot is in the car")
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		change.To = args[1]
		raw, err := c.call(cmd.Context(), http.MethodPatch, at("rides", args[0]), change)
		if err != nil {
			return err
		}
		return q.printRide(raw)
	}
	return cmd
}
