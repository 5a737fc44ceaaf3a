package cli

import (
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newMaintenanceCommand(a *app) *cobra.Command {
	var (
		want  localapi.NewMaintenance
		lasts time.Duration
		end   bool
	)
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "maintenance LIFT",
		Short:                 "Take a lift out of use, or give it back",
		Long: `Take a lift out of use: no ride gets it any more, rides that wait keep their place,
and the one that runs goes on to its end. With neither --for nor --until that lasts
until --end, over a restart too. A second call replaces the first.`,
		Example: `  hoistway lifts maintenance L1 --for 4h --why "new ropes" --token-file token
  hoistway lifts maintenance L1 --until 2026-03-04T06:00:00+01:00
  hoistway lifts maintenance L1 --end`,
		Args: wants("LIFT"),
	}
	f := cmd.Flags()
	f.DurationVar(&lasts, "for", 0, "how `long`, as 4h or 30m (default until it is ended)")
	f.StringVar(&want.Until, "until", "", "until which `time`, as 2026-03-04T06:00:00Z")
	f.StringVar(&want.Why, "why", "", "the `reason`, for the audit and for whoever looks")
	f.BoolVar(&end, "end", false, "give the lift back to use")
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := completeMaintenance(cmd, &want, lasts, end); err != nil {
			return err
		}
		c, err := q.client()
		if err != nil {
			return err
		}
		path := at("lifts", args[0], "maintenance")
		if end {
			raw, err := c.call(cmd.Context(), http.MethodDelete, path, nil)
			return answer(q, raw, err, liftDetail)
		}
		raw, err := c.call(cmd.Context(), http.MethodPost, path, want)
		return answer(q, raw, err, liftDetail)
	}
	return cmd
}

func completeMaintenance(cmd *cobra.Command, want *localapi.NewMaintenance, lasts time.Duration, end bool) error {
	given := cmd.Flags().Changed("for")
	switch {
	case end && (given || want.Until != "" || want.Why != ""):
		return usage(codeFlag, "--end excludes --for, --until and --why")
	case given && want.Until != "":
		return usage(codeFlag, "--for and --until exclude each other")
	case given && lasts < time.Second:
		return usagef(codeFlag, "--for must be at least 1s, not %s", lasts)
	}
	if given {
		s := int(lasts.Round(time.Second).Seconds())
		want.ForS = &s
	}
	return nil
}
