package cli

import (
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newRideCallCommand(a *app) *cobra.Command {
	var (
		ride    localapi.NewRide
		standby bool
		eta     time.Duration
	)
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "call --robot ROBOT [--lift LIFT] FROM TO",
		Short:                 "Ask for a ride for a robot",
		Long: `Ask for a ride for a robot, from one floor label to another. It wants the token of a
technician, or of the robot itself. With --id the call may be repeated: the
same id never makes a second ride.`,
		Example: `  hoistway ride call --robot R1 --lift L1 G 3 --token-file token
  hoistway ride call --robot R1 B1 2
  hoistway ride call --robot R1 --lift L1 --from-door rear G 1
  hoistway ride call --robot R1 --standby --eta 40s G 3`,
		Args: wants("FROM", "TO"),
	}
	rideFlags(cmd, &ride, &standby)
	cmd.Flags().DurationVar(&eta, "eta", 0, "how `long` until the robot is at the door, as 40s")
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ride.From, ride.To = args[0], args[1]
		if cmd.Flags().Changed("eta") {
			s := int(eta.Round(time.Second).Seconds())
			ride.EtaS = &s
		}
		if err := completeRide(&ride, standby); err != nil {
			return err
		}
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.call(cmd.Context(), http.MethodPost, at("rides"), ride)
		if err != nil {
			return err
		}
		return q.printRide(raw)
	}
	return cmd
}

func rideFlags(cmd *cobra.Command, ride *localapi.NewRide, standby *bool) {
	f := cmd.Flags()
	f.StringVar(&ride.Robot, "robot", "", "the `robot` that rides (required)")
	f.StringVar(&ride.Lift, "lift", "", "this `lift` only (default any, or any of --group)")
	f.StringVar(&ride.Group, "group", "", "any lift of this `group`")
	f.StringVar(&ride.FromDoor, "from-door", "", "`side` on which the robot enters")
	f.StringVar(&ride.ToDoor, "to-door", "", "`side` on which the robot leaves")
	f.StringVar(&ride.ID, "id", "", "`id` of the ride (default: the agent chooses)")
	f.StringVar(&ride.Task, "task", "", "`id` of the task behind the ride")
	f.IntVar(&ride.Priority, "priority", 0, "higher goes first")
	f.BoolVar(standby, "standby", false, "the robot is not at the door yet; it will say when")
}

func completeRide(r *localapi.NewRide, standby bool) error {
	switch {
	case r.Robot == "":
		return usage(codeFlag, "--robot is required: who rides?")
	case r.Lift != "" && r.Group != "":
		return usage(codeFlag, "--lift and --group exclude each other")
	case r.Lift == "" && r.Group == "":
		r.Lift = "any"
	}
	if standby {
		ready := false
		r.Ready = &ready
	}
	return nil
}
