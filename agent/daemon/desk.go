package daemon

import (
	"time"

	"hoistway/agent/commission"
	"hoistway/drivers"
)

// openDesk makes the technician's desk, which keeps the last frames of each line.
// Its writes stand in the audit.
func (a *agent) openDesk() {
	a.openRecords()
	a.desk = commission.NewDesk(a.audit.Acts, a.clock.now, time.Now)
	for _, l := range a.c.Lifts {
		a.desk.Expect(l.URL())
	}
}

// trace gives each frame to the desk, to the flight recorder, and to whoever else wants it.
func (a *agent) trace(f drivers.Frame) {
	a.desk.Trace(f)
	a.recorder.Trace(f)
	if a.d.Trace != nil {
		a.d.Trace(f)
	}
}
