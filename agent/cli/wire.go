package cli

import (
	"context"

	"hoistway/agent/config"
	"hoistway/agent/daemon"
	"hoistway/drivers/profiles/strict"
)

// loader reads and checks a configuration; the configuration is whole only when
// there are no faults.
type loader func(path string) (*config.Config, []strict.Fault)

// runner runs the agent until ctx ends.
type runner func(ctx context.Context, c *config.Config, d daemon.Deps) error

func loadConfig(path string) (*config.Config, []strict.Fault) { return config.Load(path) }

func runDaemon(ctx context.Context, c *config.Config, d daemon.Deps) error {
	return daemon.Run(ctx, c, d)
}
