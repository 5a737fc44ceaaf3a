package daemon

import (
	"log/slog"
	"sync/atomic"
	"testing"

	"hoistway/sync/replica/replicatest"
)

// ST-3: the number of a connection only grows, over restarts too; a full disk keeps nobody
// offline, and what follows it is above what was used meanwhile.
func TestSessionsOnAFullDisk(t *testing.T) {
	var full atomic.Bool
	disk := fullDisk{&replicatest.Memory{}, &full}
	start := func() *agent {
		return &agent{d: Deps{Log: slog.New(slog.DiscardHandler)}, parts: parts{store: disk}}
	}
	a := start()
	if first, second, third := a.nextSession(), a.nextSession(), start().nextSession(); first != 1 || second != 2 || third != 3 {
		t.Errorf("sessions %d, %d, %d", first, second, third)
	}
	full.Store(true)
	b := start()
	first := b.nextSession()
	if again := b.nextSession(); first <= 3 || again <= first {
		t.Errorf("with a full disk %d, then %d", first, again)
	}
	if restarted := start().nextSession(); restarted < first {
		t.Errorf("%d after %d", restarted, first)
	}
	full.Store(false)
	if n := b.nextSession(); n <= first+1 || start().nextSession() != n+1 {
		t.Errorf("with room again %d", n)
	}
}
