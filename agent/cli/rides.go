package cli

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"hoistway/agent/journal"
	"hoistway/agent/localapi"
)

func newRidesCommand(a *app) *cobra.Command {
	var robot string
	var records bool
	cmd := &cobra.Command{
		Use:   "rides",
		Short: "List the rides, running ones first",
		Example: `  hoistway rides
  hoistway rides --robot R1
  hoistway rides --records --token-file token     # the flight records that are kept
  hoistway rides --json`,
		Args: wants(),
	}
	cmd.Flags().StringVar(&robot, "robot", "", "only the rides of this `robot`")
	cmd.Flags().BoolVar(&records, "records", false, "the flight records that are kept, also of rides long over; wants a technician's token")
	cmd.MarkFlagsMutuallyExclusive("records", "robot")
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		if records {
			raw, err := c.get(cmd.Context(), at("records"))
			return answer(q, raw, err, keptTable)
		}
		path := at("rides")
		if robot != "" {
			path += "?" + url.Values{"robot": {robot}}.Encode()
		}
		raw, err := c.get(cmd.Context(), path)
		return answer(q, raw, err, rideTable)
	}
	return cmd
}

func rideTable(rides []localapi.Ride) *table {
	t := &table{}
	t.row("RIDE", "ROBOT", "LIFT", "FROM", "TO", "STATE", "PHASE", "PLACE", "WHERE", "DO", "RETRIES", "FAULT")
	for _, r := range rides {
		t.row(r.ID, r.Robot, r.Lift, r.From, r.To, r.State, r.Phase, place(r.Place), known(r.Where),
			r.Do.Action, strconv.Itoa(r.Retries), faultCode(r.Fault))
	}
	return t
}

// keptTable lists records, the newest first; `hoistway ride RIDE --record` shows one.
func keptTable(kept []journal.Kept) *table {
	t := &table{}
	t.row("RIDE", "ROBOT", "FAULT", "RUNNING", "KB")
	for _, k := range kept {
		t.row(k.Ride, k.Robot, yes(k.Faulted), yes(k.Running), strconv.FormatInt((k.Bytes+999)/1000, 10))
	}
	return t
}

func place(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func faultCode(f *localapi.Fault) string {
	if f == nil {
		return ""
	}
	return f.Code
}
