package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/spf13/cobra"

	"hoistway/simulator/page"
	"hoistway/simulator/picture"
)

func newReplay() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "replay FILE…",
		Short: "see recordings again in a browser",
		Long: "Serves the page that replays recordings made by run --record: pause, 1×, 10×, 100×, step by step, and\n" +
			"two runs side by side. Prints its address and runs until stopped.",
		Example: "  hoistway-sim run plain-ride --record ride.jsonl\n" +
			"  hoistway-sim replay ride.jsonl\n" +
			"  hoistway-sim replay wrong.jsonl right.jsonl",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay takes recordings, made by run --record")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			var all []recorded
			for _, file := range args {
				if err := readable(file); err != nil {
					return status{exitFinding, err}
				}
				all = append(all, recorded{file, file})
			}
			ln, err := pageOn(listen)
			if err != nil {
				return err
			}
			return servePage(c.Context(), ln, all, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "loopback address of the page")
	return c
}

// readable finds a file that is no recording before anybody looks for it in a
// browser. It reads no further than the first frame, however long the recording is.
func readable(file string) error {
	if info, err := os.Stat(file); err != nil {
		return err
	} else if !info.Mode().IsRegular() { // opening a pipe may wait for ever
		return fmt.Errorf("%s: not a file, and the page reads a recording more than once", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	some := false
	_, err = picture.Each(f, func(picture.Frame) bool { some = true; return false })
	switch {
	case some:
		return nil // of one that was cut the page shows what there is, and says so
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Errorf("%s: there is nothing in it to show", file)
}

func notLoopback(listen string) error {
	return fmt.Errorf("--listen takes a loopback address and a port such as 127.0.0.1:0, not %q", listen)
}

// pageOn takes the address of a page of recordings.
func pageOn(listen string) (net.Listener, error) {
	if !loopback(listen) {
		return nil, notLoopback(listen)
	}
	return listenOn("page", listen, "--listen 127.0.0.1:0")
}

// servePage serves recordings until ctx ends, and closes ln.
func servePage(ctx context.Context, ln net.Listener, all []recorded, out io.Writer) error {
	o := page.Options{}
	for _, r := range all {
		o.Recordings = append(o.Recordings, page.Recording{Name: r.name, File: r.file})
	}
	fmt.Fprintf(out, "page   http://%s/\nserving %d recordings; stop with Ctrl-C\n", ln.Addr(), len(all))
	if err := page.New(o).Serve(ctx, ln); err != nil {
		return status{exitReach, err}
	}
	return nil
}
