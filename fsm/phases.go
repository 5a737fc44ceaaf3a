package fsm

// phaseRows is the second table: which state each phase belongs to. Read-only.
var phaseRows = []struct {
	phase Phase
	state State
}{
	{Free, Idle},
	{Queued, Idle},
	{Standby, Idle},
	{Claiming, Requesting},
	{Calling, Requesting},
	{Called, Waiting},
	{Boarding, Waiting},
	{Registering, Moving},
	{Riding, Moving},
	{Returning, Moving},
	{Leaving, Exiting},
	{Arrived, Done},
	{Returned, Done},
	{Evacuated, Done},
	{Cancelled, Done},
	{Expired, Done},
	{FailedEnd, Done},
	{Recovering, Fault},
	{Locked, FaultLocked},
}

// StateOf gives the state that a phase belongs to; "" for a word that is no phase.
func StateOf(p Phase) State {
	for _, row := range phaseRows {
		if row.phase == p {
			return row.state
		}
	}
	return ""
}
