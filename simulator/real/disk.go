package real

import (
	"encoding/json"
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

// Load gives what is stored. The agent counts the time between two of its lives by the
// boot clock of the machine, and in a time of its own that clock stands still: no time
// would have passed. Records that name no boot are dated by the wall clock, which a
// bubble has.
func (d *disk) Load(bucket string) ([]shadow.Record, error) {
	records, err := d.Store.Load(bucket)
	if err != nil || !d.site.o.Net.OwnTime {
		return records, err
	}
	for i := range records {
		records[i].Value = bootless(records[i].Value)
	}
	return records, nil
}

func bootless(raw []byte) []byte {
	var record map[string]json.RawMessage
	if json.Unmarshal(raw, &record) != nil || record["Boot"] == nil {
		return raw
	}
	record["Boot"] = json.RawMessage(`{}`)
	out, err := json.Marshal(record)
	if err != nil {
		return raw
	}
	return out
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
