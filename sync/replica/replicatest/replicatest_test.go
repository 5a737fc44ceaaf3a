package replicatest_test

import (
	"testing"

	"hoistway/sync/replica"
	"hoistway/sync/replica/replicatest"
)

// The fakes can stand where the real ones do.
var (
	_ replica.Store  = (*replicatest.Memory)(nil)
	_ replica.Uplink = (*replicatest.Line)(nil)
)

// ST-6: the memory store keeps the contract that it stands in for.
func TestMemory(t *testing.T) {
	disk := &replicatest.Disk{}
	replicatest.Store(t, func(_ *testing.T, dir string) (replicatest.Subject, func()) {
		return disk.Open(dir), func() {}
	})
}
