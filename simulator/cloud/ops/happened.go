package ops

// Happened is one thing that came to pass with a device, by the words of the protocol's
// events and of the service's own judgement. A kind that is not below changes nothing.
type Happened struct {
	Kind   string
	Serial string
	Shadow string // "" is the gateway itself; else a lift
	ID     string // of the ride or the command
	Code   string // of a fault or alarm; what became of a command
	Text   string
}

// The kinds that the desk acts upon.
const (
	Online        = "online"
	Offline       = "offline"
	Semi          = "semi"
	Recovered     = "recovered"
	WorkOrder     = "work_order"
	Expired       = "expired"
	Command       = "command"
	CommandFailed = "command_fail"
	EventsLost    = "lost"
	Drift         = "drift"
	Alarm         = "alarm"
	AlarmEnd      = "alarm.end"
	RideFault     = "ride.fault"
	RideLocked    = "ride.locked"
	RideDone      = "ride.done"
	Conflict      = "conflict" // a write was refused with 409
)

// ownCodes are the alarms that the service itself finds.
var ownCodes = map[string]string{
	Offline: "OFFLINE", Semi: "SEMI_OFFLINE", WorkOrder: "WORK_ORDER", Expired: "DESIRED_EXPIRED",
	CommandFailed: "COMMAND_FAILED", EventsLost: "EVENTS_LOST", Drift: "CLOCK_DRIFT", RideLocked: "FAULT_LOCKED",
}

// Heard takes what happened.
func (d *Desk) Heard(h Happened, now int64) Result {
	t := d.thing(h.Serial, now)
	if t == nil {
		return d.done()
	}
	if t.Stats.heard(h, now) {
		d.things.put(h.Serial, t)
	}
	d.figures.heard(h)
	at := Source{h.Serial, h.Shadow}
	switch h.Kind {
	case Alarm, RideFault:
		d.raise(at, h.Code, now)
	case AlarmEnd:
		d.calm(at, h.Code)
	case Online, Recovered:
		d.calm(at, ownCodes[Offline])
		d.calm(at, ownCodes[Semi])
	default:
		if code := ownCodes[h.Kind]; code != "" {
			d.raise(at, code, now)
		}
	}
	return d.done()
}
