package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/face"
	"hoistway/simulator/cloud/ops"
)

// cloudFlags are what the command line says of a cloud.
type cloudFlags struct {
	o         cloud.Options
	api       string
	operators string
	zone      time.Duration
	faults    []string
	asJSON    bool
}

func newCloud() *cobra.Command {
	f := &cloudFlags{}
	var k check
	c := &cobra.Command{
		Use:   "cloud",
		Short: "the stand-in cloud alone",
		Long: "Answers shadow requests over MQTT: with a broker of its own on loopback, or as a client of any\n" +
			"broker. Prints a line for each version of each document and for each notice to its operators.\n" +
			"With --dir documents, commands, batches and histories outlive the process; without, they live in memory.\n" +
			"With --api an operator's programs have a door (HTTP on loopback); it is opened by the key that is\n" +
			"printed behind #token=, or by those of --operators: a JSON list of {\"name\", \"token_sha256\", \"viewer\"}.\n" +
			"--fault NAME[,serial=…][,topic=…][,times=…][,delay=…][,code=…] begins with a trouble: delay, duplicate,\n" +
			"reorder, lose (a message to a thing), refuse, throttle, wrong-version (a request of one).\n\n" +
			"With --check it is no cloud but a judge: it plays a device and its operator against somebody's service\n" +
			"and says case by case what that one does otherwise. With --as-device it is the service, and judges the\n" +
			"device that connects. Exit status 1 when something is otherwise.",
		Example: "  hoistway-sim cloud --listen 127.0.0.1:1883\n" +
			"  hoistway-sim cloud --broker mqtt://127.0.0.1:1883 --dir cloud --api 127.0.0.1:8733\n" +
			"  hoistway-sim cloud --api 127.0.0.1:8733 --operators operators.json --json\n" +
			"  hoistway-sim cloud --fault lose,topic=update/delta,times=3 --fault delay,serial=GW-1,delay=2s\n" +
			"  hoistway-sim cloud --check mqtts://broker.example\n" +
			"  hoistway-sim cloud --as-device mqtt://127.0.0.1:1883 --serial GW-8842 --json",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if k.wanted() {
				k.asJSON = f.asJSON
				return k.run(c)
			}
			if f.api != "" && !loopback(f.api) {
				return fmt.Errorf("--api takes a loopback address and a port such as 127.0.0.1:8733, not %q", f.api)
			}
			if f.operators != "" && f.api == "" {
				return errors.New("--operators needs --api, the address of their door")
			}
			return f.run(c)
		},
	}
	c.Flags().StringVar(&f.o.Broker, "broker", "", "be a client of this broker (mqtt://host:port) instead of having one")
	c.Flags().StringVar(&f.o.Listen, "listen", "", "loopback address of the broker of its own; a free port when empty")
	c.Flags().StringVar(&f.o.Dir, "dir", "", "folder of the store; in memory when empty")
	c.Flags().StringVar(&f.api, "api", "", "loopback address of the operators' door; none when empty")
	c.Flags().StringVar(&f.operators, "operators", "", "file of those who may operate; a key is made when empty")
	c.Flags().DurationVar(&f.zone, "zone", 0, "east of UTC, of the inspection at 03:00")
	c.Flags().StringArrayVar(&f.faults, "fault", nil, "begin with this trouble; may be given more than once")
	c.Flags().BoolVar(&f.o.Rules.Guarded, "guarded", false, "refuse desired that comes over a device's topics; operators have --api")
	c.Flags().BoolVar(&f.o.Rules.Announced, "announce", false, "tell each change, the difference only, on hoistway/changes/SERIAL")
	c.Flags().BoolVar(&f.o.Rules.Planned, "plan", false, "answer a ride's fault with desired.recovery")
	c.Flags().BoolVar(&f.asJSON, "json", false, "one JSON object a line; of --check and --as-device the verdicts as one")
	limit(c, "zone", &f.zone, -14*time.Hour, 14*time.Hour)
	k.flags(c)
	return c
}

func (f *cloudFlags) run(c *cobra.Command) error {
	f.o.Log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	f.o.Zone = int64(f.zone / time.Second)
	troubles, err := parseFaults(f.faults)
	if err != nil {
		return err
	}
	p := cloud.Printing{Out: c.OutOrStdout(), JSON: f.asJSON, Begin: troubles}
	if f.api != "" {
		door, err := f.door()
		if err != nil {
			return err
		}
		p.Also, p.Beside = door.address(), door.serve
	}
	err = cloud.Run(c.Context(), f.o, p)
	switch {
	case isOfPort(err):
		err = mended(fmt.Errorf("E-3004: %w", err), f.o.Listen, "--listen 127.0.0.1:0")
	case errors.Is(err, cloud.ErrStore):
		err = fmt.Errorf("E-8108: %w", err)
	}
	if err != nil {
		return status{exitReach, err}
	}
	return nil
}

func parseFaults(texts []string) (out []cloud.Fault, err error) {
	for _, text := range texts {
		fault, err := cloud.ParseFault(text)
		if err != nil {
			return nil, err
		}
		out = append(out, fault)
	}
	return out, nil
}

// door is where operators come in.
type door struct {
	ln   net.Listener
	who  []ops.Operator
	key  string // made for this run; "" when the file says who
	logs *slog.Logger
}

func (f *cloudFlags) door() (d door, err error) {
	d.logs = f.o.Log
	if d.who, d.key, err = operatorsOf(f.operators); err != nil {
		return d, err
	}
	d.ln, err = listenOn("operators' door", f.api, "--api 127.0.0.1:0")
	return d, err
}

func (d door) address() string {
	url := "http://" + d.ln.Addr().String() + "/"
	if d.key != "" {
		url += "#token=" + d.key
	}
	return url
}

func (d door) serve(ctx context.Context, c *cloud.Cloud) {
	f, err := face.New(c, d.who, d.logs)
	if err == nil {
		err = f.Serve(ctx, d.ln)
	}
	if err != nil {
		d.logs.Error("the operators' door ended", "error", err)
	}
}

// operatorsOf reads who may operate, or makes a key for one.
func operatorsOf(file string) (who []ops.Operator, key string, err error) {
	if file == "" {
		key = rand.Text()
		sum := sha256.Sum256([]byte(key))
		return []ops.Operator{{Name: "operator", SHA256: hex.EncodeToString(sum[:])}}, key, nil
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &who)
	}
	if err == nil {
		_, err = ops.NewSessions(who)
	}
	if err == nil && len(who) == 0 {
		err = errors.New("it names nobody")
	}
	if err != nil {
		return nil, "", status{exitFinding, fmt.Errorf("E-8109: %s: %w", file, err)}
	}
	return who, "", nil
}
