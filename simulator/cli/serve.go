package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"hoistway/simulator/devices"
	"hoistway/simulator/faults"
	"hoistway/simulator/page"
)

func newServe() *cobra.Command {
	var sample bool
	var at string
	c := &cobra.Command{
		Use:   "serve FILE",
		Short: "a building on real sockets and pseudo terminals",
		Long: "Plays the lifts of a building file and answers for each on the wire that the file names.\n" +
			"Each lift's address is printed, and that of a live picture on which faults can be begun by hand; then\n" +
			"a line for each thing that somebody writes to a lift. Runs until stopped.",
		Example: "  hoistway-sim serve --sample > building.yaml\n" +
			"  hoistway-sim serve building.yaml\n" +
			"  mbpoll -m tcp -p 1502 -a 1 -0 -r 0 -c 14 -t 3 -1 127.0.0.1",
		Args: func(_ *cobra.Command, args []string) error {
			if !sample && len(args) != 1 {
				return errors.New("serve takes one building file; --sample prints one to start from")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if sample {
				_, err := io.WriteString(c.OutOrStdout(), sampleBuilding)
				return err
			}
			if !loopback(at) {
				return fmt.Errorf("--page takes a loopback address and a port such as 127.0.0.1:0, not %q", at)
			}
			return serve(c.Context(), args[0], at, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().BoolVar(&sample, "sample", false, "print a building file with every key, and end")
	c.Flags().StringVar(&at, "page", "127.0.0.1:0", "address of the live picture")
	return c
}

// journaled is one lift on one wire.
type journaled interface{ Writes() []devices.Write }

func serve(ctx context.Context, file, at string, out, errOut io.Writer) (err error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return status{exitFinding, fmt.Errorf("E-1001: %w", err)}
	}
	plan, wrong := readBuilding(file, src)
	if len(wrong) > 0 {
		for _, f := range wrong {
			fmt.Fprintln(errOut, f)
		}
		return status{exitFinding, fmt.Errorf("E-1002: %s is not served", file)}
	}
	world := devices.NewRealWorld(plan.b)
	wires := raise(world, plan.lifts, devices.ServePTY, out, errOut)
	defer func() {
		for _, c := range wires.closers {
			err = errors.Join(err, c.Close())
		}
	}()
	if len(wires.lifts) == 0 && len(wires.boards) == 0 {
		return status{exitReach, errors.New("E-3004: no lift could be served")}
	}
	site := &siteFaults{world: world, units: wires.units}
	scene := newBuildingPicture(world, plan.conf, wires)
	log := slog.New(slog.NewTextHandler(errOut, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var drawing sync.WaitGroup
	if l, err := newLive(at, page.Options{Header: scene.header(file), Site: site, Log: log}); err != nil {
		fmt.Fprintf(errOut, "%v\n    the building is served without its picture\n", err)
	} else {
		fmt.Fprintf(out, "page %s\n", l.url)
		drawing.Go(func() { l.run(ctx, scene.frame, log) })
	}
	fmt.Fprintln(out, "serving; stop with Ctrl-C")
	watch(ctx, wires, site, scene, out)
	drawing.Wait()
	return nil
}

// watch prints what is written to the lifts and what goes wrong with them until ctx
// ends, the last of it included.
func watch(ctx context.Context, wires *raised, site *siteFaults, scene *buildingPicture, out io.Writer) {
	for on := true; on; {
		on = sleep(ctx, 100*time.Millisecond)
		for _, w := range wires.lifts {
			w.tell(out, scene)
		}
		for _, w := range wires.boards {
			w.tell(out, scene)
		}
		for _, e := range site.Events() {
			fmt.Fprintf(out, "%s %s\n", clockOf(time.Duration(e.At)), e)
			scene.say(time.Duration(e.At), "fault", e.String(), e.What != faults.Ended)
		}
	}
}

// namedWire is a lift on a wire, and what was told of it.
type namedWire struct {
	lift string
	kind string // of the wire, as people call it
	wire journaled
	last devices.Write // the last that was printed
}

func (w *namedWire) tell(out io.Writer, scene *buildingPicture) {
	all := w.wire.Writes()
	for _, x := range all[w.printed(all):] {
		fmt.Fprintf(out, "%s %s %s\n", clockOf(time.Duration(x.At)), w.lift, x)
		scene.say(time.Duration(x.At), w.lift, x.String(), x.Exception != 0)
		w.last = x
	}
}

// printed counts the writes that were printed before. The journal drops its oldest
// ones, so that their number alone tells nothing.
func (w *namedWire) printed(all []devices.Write) int {
	for n := len(all); n > 0; n-- {
		if all[n-1] == w.last {
			return n
		}
	}
	return 0
}
