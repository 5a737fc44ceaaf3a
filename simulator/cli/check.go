package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hoistway/simulator/cloud/conformance"
)

// check is what the cloud command is asked to judge instead of being a cloud.
type check struct {
	service, device string // brokers
	asJSON          bool
	o               conformance.Options
}

func (k *check) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&k.service, "check", "", "judge the service behind this broker (mqtt://host:port), in the place of a device")
	f.StringVar(&k.device, "as-device", "", "judge the device that connects to this broker, in the place of its service")
	f.StringVar(&k.o.Serial, "serial", "", "of the device that is played (left out, a new one) or judged")
	f.StringVar(&k.o.Only, "case", "", "only the cases whose name begins so")
	f.DurationVar(&k.o.Limit, "limit", 0, "patience for each thing that is wanted; left out, 5s for a service, 90s for a device")
	limit(c, "limit", &k.o.Limit, 0, time.Hour)
	c.MarkFlagsMutuallyExclusive("check", "as-device", "broker")
	c.MarkFlagsMutuallyExclusive("check", "as-device", "listen")
}

func (k *check) wanted() bool { return k.service != "" || k.device != "" }

func (k *check) run(c *cobra.Command) error {
	if k.o.Mark = "-" + rand.Text()[:6]; k.o.Serial == "" && k.device == "" {
		k.o.Serial, k.o.Mark = "CHECK"+k.o.Mark, ""
	}
	r, err := k.judge(c)
	if errors.Is(err, conformance.ErrSerial) {
		return fmt.Errorf("--serial: %w", err)
	}
	if err != nil {
		return status{exitReach, fmt.Errorf("E-7001: %w", err)}
	}
	tell := r.Text
	if k.asJSON {
		tell = r.JSON
	}
	if err := tell(c.OutOrStdout()); err != nil {
		return err
	}
	switch {
	case len(r.Cases) == 0:
		return fmt.Errorf("--case %q begins the name of no case", k.o.Only)
	case r.Failed() > 0:
		return status{exitFinding, fmt.Errorf("E-8110: the %s does otherwise in %d of %d cases", r.Judged, r.Failed(), len(r.Cases))}
	}
	return nil
}

func (k *check) judge(c *cobra.Command) (r conformance.Report, err error) {
	broker, open, play := k.service, conformance.ToService, conformance.Service
	if k.device != "" {
		broker, open, play = k.device, conformance.ToDevice, conformance.Device
	}
	line, err := open(c.Context(), broker, k.o.Serial, nil)
	if err != nil {
		return r, err
	}
	defer line.Close()
	if k.device != "" {
		fmt.Fprintf(c.ErrOrStderr(), "waiting for %s at %s: start the device now\n", k.o.Serial, broker)
	}
	r, err = play(c.Context(), k.o, line)
	if errors.Is(err, context.Canceled) {
		err = errors.New("stopped before the last case")
	}
	return r, err
}
