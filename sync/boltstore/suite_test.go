package boltstore_test

import (
	"path/filepath"
	"testing"

	"hoistway/sync/boltstore"
	"hoistway/sync/replica/replicatest"
)

// ST-1: this store keeps what every store must.
func TestSuite(t *testing.T) {
	replicatest.Store(t, func(t *testing.T, dir string) (replicatest.Subject, func()) {
		s, _, err := boltstore.Open(filepath.Join(dir, "state.db"), boltstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s, func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
