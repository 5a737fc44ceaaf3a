package escort

import (
	"fmt"
	"strings"
	"time"

	"hoistway/agent/robot"
	"hoistway/sync/shadow"
)

const (
	bucket = "robot"
	key    = "robot:rides:self:kept"
)

func (e *Escort) load() ([]byte, error) {
	rows, err := e.o.Store.Load(bucket)
	if err != nil {
		return nil, fmt.Errorf("E-4004: read what was kept of the robot's rides: %w", err)
	}
	for _, r := range rows {
		if r.Key == key {
			return r.Value, nil
		}
	}
	return nil, nil
}

// save writes what must outlive this run. It may be called from any goroutine, without
// the lock.
func (e *Escort) save() error {
	e.saving.Lock()
	defer e.saving.Unlock()
	e.mu.Lock()
	raw, err := robot.Keep(e.mirror, e.out, e.o.Boot, e.o.Now())
	print := e.fingerprint()
	e.mu.Unlock()
	if err == nil {
		err = e.o.Store.Commit([]shadow.Record{{Bucket: bucket, Key: key, Value: raw}})
	}
	if err != nil {
		e.complain("the robot's rides can not be stored", err)
		return fmt.Errorf("store the robot's rides: %w", err)
	}
	e.mu.Lock()
	e.kept = print
	e.mu.Unlock()
	return nil
}

// fingerprint is what is worth a write when it changes. Ends of passes count in steps,
// since each answer moves them by milliseconds. The lock is held.
func (e *Escort) fingerprint() string {
	var b strings.Builder
	for _, r := range e.mirror.Live() {
		t := &r.Told
		fmt.Fprintln(&b, t.ID, t.State, t.Phase, r.Where(), t.Lift, t.Pass.Floor, t.Pass.Side, time.Duration(t.Pass.NotAfter).Round(10*time.Second))
	}
	fmt.Fprintln(&b, e.out.Weighty())
	return b.String()
}
