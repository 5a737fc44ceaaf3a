package real

import (
	"fmt"
	"syscall"
	"time"

	"hoistway/agent/daemon"
	"hoistway/simulator/faults"
	"hoistway/sync/shadow"
)

// disk is what one life of the agent has its store on.
type disk struct {
	daemon.Store
	site *Site
	of   *machine
}

// Commit writes a batch, if the disk does. What a dead process was still about to
// write is not written.
func (d *disk) Commit(records []shadow.Record) error {
	takes, full := d.site.trouble()
	if takes > 0 && !d.of.lasts(takes) {
		return fmt.Errorf("write to the store: %w", errDead)
	}
	if full {
		return fmt.Errorf("write to the store: %w", syscall.ENOSPC)
	}
	return d.Store.Commit(records)
}

// trouble is how long a write takes now, and whether it fails.
func (s *Site) trouble() (takes time.Duration, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slow, on := s.timed.player.On(faults.GatewayTarget, "store-slow", s.now()); on {
		takes = slow.Duration()
	}
	_, full = s.timed.player.On(faults.GatewayTarget, "disk-full", s.now())
	return takes, full
}
