package cli

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"hoistway/simulator/cloud"
)

func newCloud() *cobra.Command {
	o := cloud.Options{}
	c := &cobra.Command{
		Use:   "cloud",
		Short: "the stand-in cloud alone",
		Long: "Answers shadow requests over MQTT: with a broker of its own on loopback, or as a client of any\n" +
			"broker. Prints a line for each version of each document. Documents live in memory.",
		Example: "  hoistway-sim cloud --listen 127.0.0.1:1883\n" +
			"  hoistway-sim cloud --broker mqtt://127.0.0.1:1883",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
			if err := cloud.Run(c.Context(), o, cloud.Printing{Out: c.OutOrStdout()}); err != nil {
				if isOfPort(err) {
					err = mended(fmt.Errorf("E-3004: %w", err), o.Listen, "--listen 127.0.0.1:0")
				}
				return status{exitReach, err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&o.Broker, "broker", "", "be a client of this broker (mqtt://host:port) instead of having one")
	c.Flags().StringVar(&o.Listen, "listen", "", "loopback address of the broker of its own; a free port when empty")
	return c
}
