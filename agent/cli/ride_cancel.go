package cli

import (
	"net/http"

	"github.com/spf13/cobra"
)

func newRideCancelCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cancel RIDE",
		Short: "End a ride as soon as that is safe",
		Long: `End a ride as soon as that is safe. Before the robot has boarded that is at once;
with the robot in the car the ride goes on until it can get out. The answer says
what happens next.`,
		Example: `  hoistway ride cancel r-7f3a --token-file token`,
		Args:    wants("RIDE"),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.call(cmd.Context(), http.MethodDelete, at("rides", args[0]), nil)
		if err != nil {
			return err
		}
		return q.printRide(raw)
	}
	return cmd
}
