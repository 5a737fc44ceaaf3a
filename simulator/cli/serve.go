package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

func newServe() *cobra.Command {
	var sample bool
	c := &cobra.Command{
		Use:   "serve FILE",
		Short: "a building on real sockets and pseudo terminals",
		Long: "Plays the lifts of a building file and answers for each on the wire that the file names.\n" +
			"Each lift's address is printed; then a line for each thing that somebody writes to a lift.\n" +
			"Runs until stopped.",
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
			return serve(c.Context(), args[0], c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().BoolVar(&sample, "sample", false, "print a building file with every key, and end")
	return c
}

// wire is one lift that answers.
type wire interface {
	Writes() []devices.Write
	Close() error
}

func serve(ctx context.Context, file string, out, errOut io.Writer) (err error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return status{exitFinding, fmt.Errorf("E-1001: %w", err)}
	}
	lifts, faults := readBuilding(file, src)
	if len(faults) > 0 {
		for _, f := range faults {
			fmt.Fprintln(errOut, f)
		}
		return status{exitFinding, fmt.Errorf("E-1002: %d faults in %s", len(faults), file)}
	}
	var conf building.Config
	for _, l := range lifts {
		conf.Cars = append(conf.Cars, l.car)
	}
	b, err := building.New(conf)
	if err != nil {
		return status{exitFinding, fmt.Errorf("E-1002: %s: %w", file, err)}
	}
	world := devices.NewRealWorld(b)
	wires, err := raise(world, lifts, out)
	defer func() {
		for _, w := range wires {
			err = errors.Join(err, w.wire.Close())
		}
	}()
	if err != nil {
		return status{exitReach, err}
	}
	fmt.Fprintln(out, "serving; stop with Ctrl-C")
	watchWrites(ctx, wires, out)
	return nil
}

type namedWire struct {
	lift string
	wire wire
	last devices.Write // the last that was printed
}

func raise(world *devices.World, lifts []served, out io.Writer) ([]*namedWire, error) {
	var wires []*namedWire
	for _, l := range lifts {
		w, at, err := raiseOne(world, l)
		if err != nil {
			return wires, fmt.Errorf("E-3004: lift %s on %s: %w", l.car.ID, l.at, err)
		}
		wires = append(wires, &namedWire{lift: l.car.ID, wire: w})
		fmt.Fprintf(out, "%s %s\n", l.car.ID, at)
	}
	return wires, nil
}

func raiseOne(world *devices.World, l served) (wire, string, error) {
	if l.at.Scheme == "modbus+rtu" {
		r, err := devices.ServeRTU(world, l.car.ID, l.unit)
		if err != nil {
			return nil, "", err
		}
		return r, fmt.Sprintf("modbus+rtu://%s?unit=%d", r.Path(), l.unit), nil
	}
	t, err := devices.ServeTCP(world, l.car.ID, l.at.Host, l.unit)
	if err != nil {
		return nil, "", err
	}
	return t, fmt.Sprintf("modbus+tcp://%s?unit=%d", t.Addr(), l.unit), nil
}

// watchWrites prints what is written to the lifts until ctx ends, the last of it
// included.
func watchWrites(ctx context.Context, wires []*namedWire, out io.Writer) {
	for on := true; on; {
		on = sleep(ctx, 100*time.Millisecond)
		for _, w := range wires {
			w.tell(out)
		}
	}
}

func (w *namedWire) tell(out io.Writer) {
	all := w.wire.Writes()
	for _, x := range all[w.printed(all):] {
		took := ""
		if x.Exception != 0 {
			took = fmt.Sprintf(" refused with exception %d", x.Exception)
		}
		fmt.Fprintf(out, "%s %s %s = %d%s\n", clockOf(time.Duration(x.At)), w.lift, commandName(x.Addr), x.Value, took)
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

// commandName is what a write to a holding register of the bench lift asks.
func commandName(addr uint16) string {
	names := []string{"landing call up", "landing call down", "car call", "hold front", "hold rear", "cancel landing calls", "cancel car call"}
	if int(addr) < len(names) {
		return names[addr]
	}
	return fmt.Sprintf("register %d", addr)
}
