package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"hoistway/simulator/scenarios"
	"hoistway/simulator/soak"
)

func newSoak() *cobra.Command {
	o := soak.Options{}
	var asJSON bool
	c := &cobra.Command{
		Use:   "soak",
		Short: "years of rides and faults in virtual time, judged at every instant",
		Long: "Plays years of rides on the agent's own laws in virtual time: robots ride all day, faults of every\n" +
			"kind begin and end, people reset what only people may. What must hold at every instant is checked\n" +
			"after every event. A run of full length also has to reach every fault and every change of state.\n\n" +
			"The same options give the same hash. A broken law is brought down to the shortest story that still\n" +
			"breaks it, printed as a scenario.\n\n" +
			"It runs on one core. A week is a matter of seconds, a year one of minutes; how long it took, and how\n" +
			"long a year would take here, stands at the end of the report. Progress is told week by week.",
		Example: "  hoistway-sim soak --years 0.02   # a week\n" +
			"  hoistway-sim soak --years 1 --seed 7\n" +
			"  hoistway-sim soak --years 1 --faults 0 --cloud=false   # clean traffic: speed",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(soakMemory))
			defer debug.SetGCPercent(debug.SetGCPercent(soakGarbage))
			began := time.Now()
			o.Elapsed = func() time.Duration { return time.Since(began) }
			o.Progress = soakProgress(c.ErrOrStderr())
			o.Stop = func() bool { return c.Context().Err() != nil }
			r, err := soak.Run(o)
			if errors.Is(err, scenarios.ErrStopped) {
				return status{exitFinding, err}
			}
			if err != nil {
				return err
			}
			return tellSoak(c.OutOrStdout(), &r, asJSON)
		},
	}
	f := c.Flags()
	f.Float64Var(&o.Years, "years", 1, "how many, of 365 days")
	f.Uint64Var(&o.Seed, "seed", 1, "of everything random")
	f.IntVar(&o.Cars, "cars", 4, "lifts")
	f.IntVar(&o.RidesPerDay, "rides-per-day", 200, "rides a day of all robots together")
	f.Float64Var(&o.Faults, "faults", 12, "faults that begin in a day on average; 0 is clean traffic")
	f.BoolVar(&o.Cloud, "cloud", true, "join a cloud, and its faults")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	seedOf(c, &o.Seed)
	limit(c, "years", &o.Years, 0.001, 1000)
	limit(c, "cars", &o.Cars, 1, 16)
	limit(c, "rides-per-day", &o.RidesPerDay, 1, 5000)
	limit(c, "faults", &o.Faults, 0, 200)
	return c
}

// A soak keeps a few megabytes alive and throws away gigabytes: it is swept seldom, and
// often only where that would take memory that a small machine does not have.
const (
	soakGarbage = 1600 // percent of what lives
	soakMemory  = 512 << 20
)

func tellSoak(out io.Writer, r *soak.Report, asJSON bool) error {
	if asJSON {
		if err := writeJSON(out, r); err != nil {
			return err
		}
	} else {
		fmt.Fprint(out, r.Text())
	}
	switch {
	case len(r.Breaches) > 0:
		return status{exitFinding, errors.New("E-8103: a law was broken: " + r.Breaches[0].String())}
	case r.Failed():
		return status{exitFinding, fmt.Errorf("E-8104: %d things were not reached", len(r.Missing))}
	}
	return nil
}

// soakProgress is a line in five seconds.
func soakProgress(out io.Writer) func(soak.Progress) {
	last := time.Now()
	return func(p soak.Progress) {
		if time.Since(last) < 5*time.Second {
			return
		}
		last = time.Now()
		fmt.Fprintf(out, "· week %d, %.2f years, %d rides, %d faults, %d breaches, hash %016x\n", p.Week, p.Years, p.Rides, p.Faults, p.Breaches, p.Hash)
	}
}
