package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// demoFlags are the switches of the demo.
type demoFlags struct {
	rides    int
	broker   string
	listen   string
	page     string
	store    string
	idle     bool
	verbose  bool
	asJSON   bool
	patience time.Duration
	people   float64
}

func newDemo() *cobra.Command {
	f := demoFlags{}
	c := &cobra.Command{
		Use:   "demo",
		Short: "building, robots, cloud and the real agent in one process",
		Long: "Two lifts and five floors: one lift answers Modbus TCP on a socket, the other Modbus RTU on a\n" +
			"pseudo terminal. Two pretend robots ride by the permits they get over HTTP. The real agent polls\n" +
			"both controllers, runs the rides and keeps its shadow in step with a stand-in cloud over MQTT.\n\n" +
			"The agent's configuration is printed, then the address of the live picture, on which faults can be\n" +
			"begun by hand, and that of the agent's own page. Without --rides it runs until stopped.",
		Example: "  hoistway-sim demo\n" +
			"  hoistway-sim demo --rides 3\n" +
			"  hoistway-sim demo --rides 2 --broker mqtt://127.0.0.1:1883",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			level := slog.LevelWarn
			if f.verbose {
				level = slog.LevelInfo
			}
			log := slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			return runDemo(c.Context(), f, c.OutOrStdout(), c.ErrOrStderr(), log)
		},
	}
	c.Flags().IntVar(&f.rides, "rides", 0, "end after this many rides in all, with a verdict; 0 runs until stopped")
	c.Flags().BoolVar(&f.idle, "idle", false, "the robots ask for nothing: call their rides from the page")
	c.Flags().StringVar(&f.broker, "broker", "", "use this MQTT broker of this machine (mqtt://127.0.0.1:port) instead of the embedded one")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "address of the agent's local API and own page")
	c.Flags().Float64Var(&f.people, "people", 0, "people who come in five minutes, in and out through G; robots then wait longer")
	c.Flags().StringVar(&f.page, "page", "127.0.0.1:0", "address of the live picture")
	c.Flags().StringVar(&f.store, "store", "", "folder for the agent's store; a temporary one when empty")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "also show the agent's own log")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the verdict as JSON")
	c.Flags().DurationVar(&f.patience, "patience", 5*time.Minute, "with --rides: give up after this long")
	limit(c, "rides", &f.rides, 0, 1000)
	limit(c, "people", &f.people, 0, 1000)
	limit(c, "patience", &f.patience, time.Second, 24*time.Hour)
	return c
}

// check finds what is wrong with the flags before anything is started.
func (f demoFlags) check() error {
	broker, brokerErr := url.Parse(f.broker)
	switch {
	case f.idle && f.rides > 0:
		return errors.New("--idle and --rides do not go together: idle robots end no rides")
	case !loopback(f.listen):
		return fmt.Errorf("--listen takes a loopback address and a port such as 127.0.0.1:0, not %q", f.listen)
	case !loopback(f.page):
		return fmt.Errorf("--page takes a loopback address and a port such as 127.0.0.1:0, not %q", f.page)
	case f.broker != "" && (brokerErr != nil || broker.Scheme != "mqtt" || broker.Port() == "" || !loopback(broker.Host)):
		return fmt.Errorf("--broker takes a broker of this machine such as mqtt://127.0.0.1:1883, not %q", f.broker)
	}
	return nil
}

// loopback reports whether nobody but this machine can reach an address.
func loopback(address string) bool {
	host, port, err := net.SplitHostPort(address)
	_, number := strconv.ParseUint(port, 10, 16)
	ip := net.ParseIP(host)
	return err == nil && number == nil && ip != nil && ip.IsLoopback()
}

func tempStore(dir string) (string, func(), error) {
	if dir != "" {
		return dir, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "hoistway-demo-")
	if err != nil {
		return "", nil, fmt.Errorf("folder for the store: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
