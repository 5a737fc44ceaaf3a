package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"hoistway/agent/daemon"
)

func newRunCommand(a *app) *cobra.Command {
	var (
		file string
		logs logging
	)
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the agent",
		Long: `Run the agent until SIGINT or SIGTERM. It then ends as soon as no robot stands in a
doorway, within 25 s; a second signal ends it at once. A configuration with faults
is not started: the faults are told in the words of hoistway check.

It logs to stderr, as text on a terminal and as JSON otherwise. Under systemd it
tells readiness and feeds the watchdog.`,
		Example: `  hoistway run
  hoistway run -c hoistway.yaml
  hoistway run -c hoistway.yaml --log-level debug`,
		Args: wants(),
	}
	configFlag(cmd, &file)
	logs.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		log, err := logs.logger(a.err)
		if err != nil {
			return err
		}
		return a.runAgent(cmd.Context(), file, log)
	}
	return cmd
}

func (a *app) runAgent(ctx context.Context, file string, log *slog.Logger) error {
	c, faults, err := a.readConfig(file)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		if err := printFaults(a.err, faults); err != nil {
			return err
		}
		return faulty(file, faults)
	}
	ctx, stop := a.untilSignal(ctx, log)
	defer stop()
	limit, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the service manager's watchdog is not usable", "error", err)
	}
	err = a.run(ctx, c, daemon.Deps{
		Log: log, Version: whatBuild(debug.ReadBuildInfo()).Version, Notify: notifier(log), WatchdogEvery: limit,
	})
	return ended(ctx, err)
}

// notifier tells the service manager. Without one it does nothing; a socket that
// does not take our words is told once.
func notifier(log *slog.Logger) func(string) {
	var once sync.Once
	return func(state string) {
		if _, err := sd.SdNotify(false, state); err != nil {
			once.Do(func() { log.Warn("the service manager cannot be told", "error", err) })
		}
	}
}

// ended turns the end of the agent into the end of the command. Being told to
// stop is no error.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	f := &failure{exit: exitFinding, code: codeStart, text: strings.ReplaceAll(err.Error(), "\n", "; "), err: err}
	code := regexp.MustCompile(`^(E-[0-9]{4}): `).FindStringSubmatch(f.text)
	switch {
	case code != nil:
		f.code, f.text = code[1], f.text[len(code[0]):]
	case errors.Is(err, fs.ErrPermission):
		f.code = codeRights
	}
	if strings.HasPrefix(f.code, "E-3") {
		f.exit = exitReach
	}
	return f
}
