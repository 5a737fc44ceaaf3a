package daemon

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hoistway/agent/localapi"
	"hoistway/simulator/robots"
	"hoistway/sync/boltstore"
)

// ST-3: the file is damaged under the running agent, in mid-ride. The ride goes on
// to its end in memory and a new one is refused; then the agent ends with the
// reason, and the next start sets the file aside and works again.
func TestStoreDamagedWhileRunning(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.robot(robots.Manner{})
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "WAITING")
	cut := func() {
		if err := os.Truncate(filepath.Join(r.dir, "state.db"), 5000); err != nil {
			t.Fatal(err)
		}
	}
	cut()
	r.reaches("r1", "MOVING")
	cut() // a commit that was under way at the first may have written the file whole again
	if code, body := r.post("/v1/rides", strings.Replace(callFromG, "r1", "r2", 1)); code != http.StatusServiceUnavailable {
		t.Errorf("a new ride: %d %s", code, body)
	}
	if err := r.wait(); !errors.Is(err, boltstore.ErrDamaged) || !strings.Contains(err.Error(), "E-4001") {
		t.Fatalf("ended with %v", err)
	}
	r.start()
	var ready localapi.Ready
	r.until("the file set aside", func() bool {
		return r.get("/readyz", &ready) == nil && strings.Contains(strings.Join(ready.Reasons, " "), "set aside")
	}, func() any { return ready })
}
