package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"hoistway/simulator/cloud"
	"hoistway/simulator/fleet"
	"hoistway/simulator/scenarios"
)

func newFleet() *cobra.Command {
	o := fleet.Options{}
	var withCloud, asJSON bool
	c := &cobra.Command{
		Use:   "fleet",
		Short: "many gateways against a real broker",
		Long: "Runs gateways as light clients: the shipped sync session over the shipped MQTT client, with a store\n" +
			"in memory and rides that are only told. Connections drop, gateways lose power, wall clocks are off,\n" +
			"and at a storm all connections are cut at once. At the end the figures are printed, and what every\n" +
			"gateway reported is compared with what the cloud holds.\n\n" +
			"The broker is yours, on this or another machine; behind it somebody must answer as the cloud:\n" +
			"hoistway-sim cloud --broker URL in another process, or --cloud in this one. For a first look\n" +
			"hoistway-sim cloud --listen ADDRESS is both: a broker, and the cloud behind it.",
		Example: "  hoistway-sim cloud --listen 127.0.0.1:1883 > cloud.log &\n" +
			"  hoistway-sim fleet --gateways 200 --broker mqtt://127.0.0.1:1883 --for 30s\n" +
			"  hoistway-sim fleet --gateways 10000 --broker mqtt://127.0.0.1:1884 --cloud --for 2m --storms 1 --json",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
			o.Log = log
			o.Progress = fleetProgress(c.ErrOrStderr())
			if o.Settings == 0 && c.Flags().Changed("settings") {
				o.Settings = -1
			}
			return runFleet(c.Context(), o, withCloud, asJSON, c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.IntVar(&o.Gateways, "gateways", 100, "how many")
	f.StringVar(&o.Broker, "broker", "", "mqtt://host:port of the broker; required")
	f.BoolVar(&withCloud, "cloud", false, "answer as the stand-in cloud too, from this process")
	f.DurationVar(&o.For, "for", time.Minute, "how long they live after they have come; 0: until stopped")
	f.Float64Var(&o.RidesPerDay, "rides-per-day", 20, "rides of each gateway")
	f.IntVar(&o.Storms, "storms", 0, "how often all connections are cut at once")
	f.Float64Var(&o.DropsPerHour, "drops", 1, "connections cut an hour, of each gateway")
	f.Float64Var(&o.OnlinePercent, "online", 97, "per cent of the gateways that have power")
	f.DurationVar(&o.Drift, "drift", 3*time.Minute, "wall clocks are off by up to this much")
	f.DurationVar(&o.Spread, "spread", 30*time.Second, "window over which gateways spread their first attempt to connect")
	f.IntVar(&o.Settings, "settings", 0, "settings that the operator wishes meanwhile; left out, one for each fifth gateway")
	f.Uint64Var(&o.Seed, "seed", 1, "of everything random")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	seedOf(c, &o.Seed)
	limit(c, "gateways", &o.Gateways, 1, 100_000)
	limit(c, "for", &o.For, 0, 30*24*time.Hour)
	limit(c, "rides-per-day", &o.RidesPerDay, 0, 100_000)
	limit(c, "storms", &o.Storms, 0, 100)
	limit(c, "drops", &o.DropsPerHour, 0, 3600)
	limit(c, "online", &o.OnlinePercent, 0, 100)
	limit(c, "drift", &o.Drift, 0, 24*time.Hour)
	limit(c, "spread", &o.Spread, 0, time.Hour)
	limit(c, "settings", &o.Settings, 0, 100_000)
	return c
}

func runFleet(ctx context.Context, o fleet.Options, withCloud, asJSON bool, out io.Writer) error {
	if o.Broker == "" {
		return errors.New("fleet needs --broker mqtt://host:port; hoistway-sim cloud --listen 127.0.0.1:1883 starts one on this machine, with the cloud behind it")
	}
	o, err := asGiven(o)
	if err != nil {
		return err
	}
	if withCloud {
		c, err := cloud.Start(ctx, cloud.Options{Broker: o.Broker, Log: o.Log})
		if err != nil {
			return cannotLive(ctx, err)
		}
		defer func() {
			if err := c.Close(); err != nil {
				o.Log.Warn("the stand-in cloud did not end as it should", "error", err)
			}
		}()
	}
	report, err := fleet.Run(ctx, o)
	if err != nil {
		return cannotLive(ctx, err)
	}
	if !asJSON {
		fmt.Fprint(out, report.Text())
	} else if err := writeJSON(out, report); err != nil {
		return err
	}
	if report.Incomplete {
		return status{exitFinding, scenarios.ErrStopped}
	}
	if !report.OK() {
		return status{exitFinding, errors.New("E-8105: the fleet and the cloud do not agree")}
	}
	return nil
}

func cannotLive(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return status{exitFinding, scenarios.ErrStopped}
	}
	return status{exitReach, fmt.Errorf("E-8107: %w", err)}
}

// asGiven takes the figures as a command line means them: a 0 is none, where the
// options of a fleet take it for what was left out.
func asGiven(o fleet.Options) (fleet.Options, error) {
	for _, v := range []*float64{&o.RidesPerDay, &o.DropsPerHour, &o.OnlinePercent} {
		if *v == 0 {
			*v = -1
		}
	}
	if o.Spread == 0 {
		o.Spread = -1
	}
	return o, o.Check()
}

// fleetProgress is a line in five seconds.
func fleetProgress(out io.Writer) func(fleet.Progress) {
	var last time.Duration
	return func(p fleet.Progress) {
		if p.At-last < 5*time.Second && last != 0 {
			return
		}
		last = p.At
		fmt.Fprintf(out, "· %6.1f s  %-8s  %d of %d online, %d registered, %d rides, %d sent, %d received, %d drops\n",
			p.At.Seconds(), p.Part, p.Online, p.Gateways, p.Registered, p.Rides, p.Sent, p.Received, p.Drops)
	}
}
