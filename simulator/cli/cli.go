// Package cli is the command line of hoistway-sim. The demo in it joins the
// pretend building, its wires, robots and cloud with the real agent, which it
// runs by the agent's own door.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses of both programs.
const (
	exitFine    = 0
	exitFinding = 1
	exitUsage   = 2
	exitReach   = 3
)

// status is an error that chooses the exit status.
type status struct {
	code int
	err  error
}

func (s status) Error() string { return s.err.Error() }
func (s status) Unwrap() error { return s.err }

// Main runs one command and returns the exit status. It ends nothing but itself.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitFine
	}
	if s, ok := errors.AsType[status](err); ok {
		fmt.Fprintf(stderr, "hoistway-sim: %v\n", s.err)
		return s.code
	}
	fmt.Fprintf(stderr, "hoistway-sim: E-1003: %v (see %s --help)\n", err, ran.CommandPath())
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "hoistway-sim",
		Short: "a building in a box, for QA and for demos",
		Long: "hoistway-sim plays lifts that move as lifts do, answers real protocols on real sockets and serial\n" +
			"lines, and brings robots and a cloud along.\n\n" +
			"Exit status: 0 fine, 1 a finding, 2 wrong usage or a scenario with a slip of the pen, 3 something\n" +
			"cannot be reached. hoistway-sim help E-8102 explains a code.",
		Example: "  hoistway-sim demo\n" +
			"  hoistway-sim demo --rides 2\n" +
			"  hoistway-sim run --library\n" +
			"  hoistway-sim serve building.yaml",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newDemo(), newServe(), newRun(), newSoak(), newReplay(), newFault(), newFleet(), newCloud(), newVersion())
	root.SetHelpCommand(newHelp())
	return root
}
