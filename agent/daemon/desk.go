package daemon

import (
	"path/filepath"
	"time"

	"hoistway/agent/commission"
	"hoistway/drivers"
)

// openDesk makes the technician's desk, which keeps the last frames of each line.
// Its audit lies beside the store.
func (a *agent) openDesk() {
	audit := &commission.Audit{Path: filepath.Join(a.c.Store.Dir, commission.AuditName)}
	a.desk = commission.NewDesk(audit, a.clock.now, time.Now)
	for _, l := range a.c.Lifts {
		a.desk.Expect(l.URL())
	}
}

// trace gives each frame to the desk, and to whoever else wants it.
func (a *agent) trace(f drivers.Frame) {
	a.desk.Trace(f)
	if a.d.Trace != nil {
		a.d.Trace(f)
	}
}
