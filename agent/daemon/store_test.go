package daemon

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"hoistway/sync/shadow"
)

// fullDisk is a store that can write nothing while it is full.
type fullDisk struct {
	Store
	full *atomic.Bool
}

func (d fullDisk) Commit(records []shadow.Record) error {
	if d.full.Load() {
		return errors.New("no space left on device")
	}
	return d.Store.Commit(records)
}

// ST-3: with a full disk a new ride is refused, and taken once there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var full atomic.Bool
	r.deps.Store = func(file Store) Store { return fullDisk{file, &full} }
	r.start()
	r.online()
	full.Store(true)
	if code, body := r.post("/v1/rides", callFromG); code != http.StatusServiceUnavailable {
		t.Errorf("a new ride: %d %s", code, body)
	}
	full.Store(false)
	tries := 0
	r.until("a ride taken", func() bool { // each under an id of its own: a refused one is used up
		tries++
		code, _ := r.post("/v1/rides", strings.Replace(callFromG, "r1", fmt.Sprintf("n%d", tries), 1))
		return code == http.StatusCreated
	}, func() any { return tries })
}
