package profiles

import (
	"fmt"
	"strings"
	"testing"
)

// The protocol's own ceiling: 125 registers are one read, 126 are two, and what would lie
// beyond the last address is no profile.
// DR-3, row 15
func TestPlanKeepsTheProtocolsCeiling(t *testing.T) {
	for _, c := range []struct {
		table       string
		last, reads int
	}{
		{"holding", 124, 1}, {"holding", 125, 2}, {"input", 124, 1}, {"input", 125, 2},
	} {
		p := parsed(t, "ceiling", spread(c.table, c.last))
		if got := len(p.ReadPlan()); got != c.reads {
			t.Errorf("%s 0 and %d: %+v, want %d reads", c.table, c.last, p.ReadPlan(), c.reads)
		}
		checkPlan(t, p)
	}
	wide := strings.Replace(string(spread("holding", 65535)), "65535,", "65535, type: u32,", 1)
	if _, faults := Parse("beyond", []byte(wide)); !strings.Contains(fmt.Sprint(faults), "points.load") {
		t.Errorf("a value of two registers at the last address: %v", faults)
	}
}

// spread is a profile of three points: at 0, at 62 and at last.
func spread(table string, last int) []byte {
	return fmt.Appendf(nil, `id: test/ceiling
title: Three points far apart
maturity: bench
protocol: modbus
ride: {style: car-only, confirm: none}
poll: {fast: 100ms}
limits: {holes: 120, max_read: 125}
points:
  floor: {table: %s, address: 0}
  position: {table: %s, address: 62}
  load: {table: %s, address: %d, poll: fast}
`, table, table, table, last)
}
