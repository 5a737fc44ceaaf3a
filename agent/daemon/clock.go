package daemon

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

// clock counts from the start of the process and knows where that lies within
// the boot of the machine.
type clock struct {
	start time.Time
	boot  core.Boot
}

func newClock() clock {
	start := time.Now()
	return clock{start: start, boot: core.Boot{ID: bootID(), Zero: sinceBoot(), Wall0: start.UnixMilli()}}
}

// now never returns zero, which means never.
func (c clock) now() elevator.Instant { return elevator.Instant(time.Since(c.start)) + 1 }

func (c clock) core() core.Time {
	wall := time.Now()
	_, zone := wall.Zone()
	return core.Time{Now: c.now(), Wall: wall.UnixMilli(), Zone: zone}
}

// bootID is "" where the system does not tell; stored deadlines then go by wall time.
func bootID() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

func sinceBoot() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return 0
	}
	return ts.Nano()
}
