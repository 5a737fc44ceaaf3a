// Package cli is the command line of hoistway: the daemon's front door and the
// technician's tool. One subcommand is one file with one newXCommand.
//
// Every command keeps the same manners. What was asked for goes to stdout, plain
// and aligned, or as JSON with --json. What went wrong goes to stderr as one line
// with a stable code that `hoistway help CODE` explains offline. The exit status
// is 0 when all is fine, 1 for a finding or a failure, 2 for wrong usage, 3 when
// what is needed cannot be reached. Whatever is not known prints as "-".
//
// Apart from run, which is the daemon, the commands are clients of the local API
// and know nothing that a robot or the page could not know.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
)

// app is what the commands need of the world around them. Tests make their own.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
	load     loader
	run      runner
	world    commission.World // the machine's ports and lines
	exit     func(int)        // ends the process at once; only for a second signal
}

// Main runs one command and returns its exit status. It does not end the process,
// with one exception: during run, a second SIGINT or SIGTERM does.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{
		in: stdin, out: stdout, err: stderr,
		env: os.Getenv, load: loadConfig, run: runDaemon, exit: os.Exit,
	}
	return a.main(args)
}

func (a *app) main(args []string) int {
	root := newRootCommand(a)
	root.SetArgs(append([]string{}, args...)) // never nil: cobra would take os.Args
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.report(root.ExecuteContext(context.Background()))
}

// report prints an error as one line and gives the exit status.
func (a *app) report(err error) int {
	if err == nil {
		return exitFine
	}
	if errors.Is(err, errFindings) {
		return exitFinding
	}
	var f *failure
	if !errors.As(err, &f) { // cobra's own words: always about usage
		f = usage(codeFlag, err.Error())
	}
	_, _ = io.WriteString(a.err, "hoistway: "+oneLine(f.Error())+"\n")
	return f.exit
}

// oneLine folds what comes from elsewhere into one line without control characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, isControl), " ")
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "hoistway",
		Short: "Robots ride lifts: the gateway and the tool to look after it",
		Long: `hoistway is the gateway between robots and the lifts of a building, and the tool
to look after it. Every error has a code: hoistway help E-1203 explains one.`,
		Example: `  hoistway check -c hoistway.yaml
  hoistway run -c hoistway.yaml
  hoistway status
  hoistway help E-5004`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(codeFlag, err.Error()+" (see "+cmd.CommandPath()+" --help)")
	})
	root.AddCommand(
		newRunCommand(a), newCheckCommand(a),
		newStatusCommand(a), newLiftsCommand(a), newRidesCommand(a), newRideCommand(a), newStopCommand(a), newAreasCommand(a),
		newShadowCommand(a), newWebhooksCommand(a), newFaultsCommand(a), newAuditCommand(a), newVersionCommand(a),
		newPortsCommand(a), newProbeCommand(a), newTryCommand(a), newWatchCommand(a), newReadCommand(a), newWriteCommand(a),
		newRecordCommand(a), newReplayCommand(a), newProfileCommand(a),
		newDoctorCommand(a), newReportCommand(a), newBundleCommand(a),
	)
	root.SetHelpCommand(newHelpCommand(a))
	return root
}
