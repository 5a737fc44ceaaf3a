package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// SM-1: a number or a time that cannot be is wrong usage, told with the flag and what it
// takes, before anything is started.
func TestFlagsHaveLimits(t *testing.T) {
	for _, c := range []struct {
		line  string // the command, with what else it needs
		flag  string
		wrong string
		takes string
	}{
		{"demo", "--rides", "-1 1001 x 1.5", "0 to 1000"},
		{"demo", "--people", "-3 1001 NaN +Inf", "0 to 1000"},
		{"demo --rides 1", "--patience", "-1s 0s 25h 5", "1s to 24h"},
		{"soak", "--years", "-1 0 1001 NaN", "0.001 to 1000"},
		{"soak", "--cars", "-1 0 17", "1 to 16"},
		{"soak", "--rides-per-day", "-1 0 5001", "1 to 5000"},
		{"soak", "--faults", "-1 201 NaN", "0 to 200"},
		{"fleet --broker mqtt://127.0.0.1:1", "--gateways", "-5 0 100001", "1 to 100000"},
		{"fleet --broker mqtt://127.0.0.1:1", "--for", "-1s 721h", "0s to 720h"},
		{"fleet --broker mqtt://127.0.0.1:1", "--rides-per-day", "-1 100001 NaN", "0 to 100000"},
		{"fleet --broker mqtt://127.0.0.1:1", "--storms", "-1 101", "0 to 100"},
		{"fleet --broker mqtt://127.0.0.1:1", "--drops", "-1 3601 NaN", "0 to 3600"},
		{"fleet --broker mqtt://127.0.0.1:1", "--online", "-1 101 NaN", "0 to 100"},
		{"fleet --broker mqtt://127.0.0.1:1", "--drift", "-1s 25h", "0s to 24h"},
		{"fleet --broker mqtt://127.0.0.1:1", "--spread", "-1s 2h", "0s to 1h"},
		{"fleet --broker mqtt://127.0.0.1:1", "--settings", "-1 100001", "0 to 100000"},
		{"fault L1 silent --at http://127.0.0.1:1", "--for", "-1s 0s 745h", "1ms to 744h"},
		{"fault L1 silent --at http://127.0.0.1:1", "--times", "-1 0 1000001", "1 to 1000000"},
		{"fault L1 silent --at http://127.0.0.1:1", "--from", "-1 0 1000001", "1 to 1000000"},
		{"fault L1 silent --at http://127.0.0.1:1", "--chance", "-1 0 101", "1 to 100"},
		{"soak", "--seed", "-1 x 1.5", "0 to 18446744073709551615"},
		{"run plain-ride", "--seed", "-1 x 1.5", "0 to 18446744073709551615"},
		{"fleet --broker mqtt://127.0.0.1:1", "--seed", "-1 x 1.5", "0 to 18446744073709551615"},
		{"fault L1 silent --at http://127.0.0.1:1", "--seed", "-1 x 1.5", "0 to 18446744073709551615"},
	} {
		for _, v := range strings.Fields(c.wrong) {
			var told strings.Builder
			args := append(strings.Fields(c.line), c.flag+"="+v)
			got := Main(args, nil, io.Discard, &told)
			if got != exitUsage || !strings.Contains(told.String(), c.flag) || !strings.Contains(told.String(), "it takes "+c.takes+" (see ") {
				t.Errorf("%q ended with %d: %s", args, got, told.String())
			}
		}
	}
}

// A flag that is a number or a time and has no limits is one that was forgotten.
func TestEveryFlagHasLimits(t *testing.T) {
	var all []*cobra.Command
	all = append(all, newRoot())
	seen := 0
	for len(all) > 0 {
		c := all[0]
		all = append(all[1:], c.Commands()...)
		var open []string
		for _, name := range flagNames(c) {
			f := c.Flags().Lookup(name)
			if _, ok := f.Value.(limited); ok {
				seen++
			} else if slices.Contains([]string{"int", "uint64", "float64", "duration"}, f.Value.Type()) {
				open = append(open, name)
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: no limits for %v", c.CommandPath(), open)
		}
	}
	if seen < 20 {
		t.Errorf("only %d flags with limits were seen", seen)
	}
}

func flagNames(c *cobra.Command) []string {
	var names []string
	for _, line := range strings.Split(c.Flags().FlagUsages(), "\n") {
		if _, rest, ok := strings.Cut(line, "--"); ok {
			names = append(names, strings.Fields(rest)[0])
		}
	}
	return names
}

// What limits allow is taken: a flag within them reaches its command.
func TestWithinLimits(t *testing.T) {
	root := newRoot()
	for name, want := range map[string]string{"years": "0.02", "cars": "16", "faults": "0"} {
		soak, _, err := root.Find([]string{"soak"})
		if err != nil {
			t.Fatal(err)
		}
		if err := soak.Flags().Set(name, want); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint(soak.Flags().Lookup(name).Value); got != want {
			t.Errorf("--%s is %s, want %s", name, got, want)
		}
	}
}
