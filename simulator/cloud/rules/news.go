package rules

// News is one happening that somebody may want to act upon: an operator, an alarm,
// a batch. It is told once; what is so now is asked of the [Service].
type News struct {
	Kind   Kind
	Serial string
	Shadow string // "" is the gateway itself; otherwise a lift
	ID     string // of the command, the write or the ride that it is about
	Code   string // of a fault or alarm, or what became of a command or write
	Text   string // why, for people
	Batch  string
	By     string
	Count  int64 // of a merged alarm, of lost events, of attempts; 0 where there is none
	First  int64 // epoch seconds of a merged alarm, as the device told; 0 = not told
	Last   int64
	At     int64 // epoch seconds, the service's
}

// Kind says what happened.
type Kind string

// What can happen. Those of a ride and of alarms are the device's own events.
const (
	Registered    Kind = "registered"
	Refused       Kind = "refused"      // a device asked for what it may not; Code is the answer
	Offline       Kind = "offline"      // no sign of life, or the will
	Semi          Kind = "semi"         // beats come, reports stand still
	Recovered     Kind = "recovered"    // back in the pool
	WorkOrder     Kind = "work_order"   // found away three times in a row
	Write         Kind = "write"        // a desired write is now Code: see [WishState]
	Expired       Kind = "expired"      // a desired write was cleared, its time to live over: an alarm
	Command       Kind = "command"      // a command is now Code: see [shadow.OrderStatus]
	CommandFailed Kind = "command_fail" // of the cloud's own judgement too: an alarm
	Gap           Kind = "gap"          // events are missing; Count of them
	Lost          Kind = "lost"         // the device had to drop Count events
	Drift         Kind = "drift"        // the device's clock is off by Count seconds
	Alarm         Kind = "alarm"
	AlarmEnd      Kind = "alarm.end"
	RideFault     Kind = "ride.fault"
	RideLocked    Kind = "ride.locked"
	RideDone      Kind = "ride.done"
	TaskFinished  Kind = "task.finished"
	Recovery      Kind = "recovery" // the planner wrote desired.recovery; Code is what to do
)

// tell adds a happening, of this thing and now.
func (c *call) tell(n News) {
	n.Serial, n.At = c.thing.Serial, c.now
	c.result.News = append(c.result.News, n)
}
