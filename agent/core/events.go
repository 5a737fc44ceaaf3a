package core

import (
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// What the cloud hears of as events, beside the newest state in the shadow.
const (
	eventFault    = "ride.fault"
	eventLocked   = "ride.locked"
	eventDone     = "ride.done" // the ride ended; whether the job did only its robot knows
	eventTask     = "task.finished"
	eventAlarm    = "alarm"
	eventAlarmEnd = "alarm.end"
	eventDrift    = "drift"
)

// rideEvent tells of a ride's end and of its faults: a fault that is over within the same
// step is in no report, and yet it was.
func (p *pass) rideEvent(o dispatch.Moved, why string) {
	kinds := map[fsm.State]string{fsm.Fault: eventFault, fsm.FaultLocked: eventLocked, fsm.Done: eventDone}
	kind, tells := kinds[o.To]
	if !tells || p.session == nil {
		return
	}
	body := shadow.Tree{"lift": o.Lift, "ride": o.Ride, "robot": o.Robot, "why": shorten(why)}
	if r := p.site.Ride(o.Ride); r != nil {
		if r.Task != "" {
			body["task_id"] = r.Task
		}
		if kind != eventDone {
			body["code"], body["fault_no"], body["retry_count"] = string(r.Code), number(int64(r.FaultNo)), number(int64(r.RetryN))
		}
	}
	p.toSession(shadow.Event{Kind: kind, Alarm: kind == eventLocked, Body: body})
}

const maxFinished = 64

// finishTask tells the cloud that a job is done, whatever its rides came to. A robot that
// got no answer says it again: the same words are one event, for as long as this process
// remembers them.
func (p *pass) finishTask(o FinishTask) {
	if p.session != nil && !slices.Contains(p.finished, o) {
		p.finished = append(p.finished[max(0, len(p.finished)-maxFinished+1):], o)
		p.toSession(shadow.Event{Kind: eventTask, Body: shadow.Tree{"robot": o.Robot, "task_id": o.Task, "result": o.Result}})
	}
	p.after(Reply{Token: p.token, Answer: Answer{Status: Accepted}, Lasts: p.lasts})
}

func (p *pass) alarmEvent(o dispatch.Alarm) {
	kind := eventAlarm
	if !o.On {
		kind = eventAlarmEnd
	}
	body := shadow.Tree{"lift": o.Lift, "code": o.Code}
	if o.Ride != "" {
		body["ride"] = o.Ride
	}
	if o.On {
		body["detail"] = shorten(o.Detail)
	}
	p.toSession(shadow.Event{Kind: kind, Alarm: true, Body: body, Merge: o.Lift + "/" + o.Code})
}

// shorten keeps words within what an event may hold.
func shorten(s string) string {
	const most = 200
	r := []rune(s)
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// curve is what the cloud draws of a lift.
type curve struct {
	lift   string
	floor  elevator.Floor
	motion elevator.Motion
	door   elevator.Door
}

// samples tells what changed of a lift's curves.
func (p *pass) samples(in *Seen) {
	if p.session == nil {
		return
	}
	now := curve{in.Lift, in.Car.Floor.Value, in.Car.Motion.Value, in.Car.Doors[elevator.Front].Value}
	was := p.curve(in.Lift)
	if was.floor != now.floor {
		p.toSession(shadow.Sample{Series: in.Lift + ".floor", Value: orNull(p.site.Table(in.Lift).Label(now.floor))})
	}
	if was.motion != now.motion {
		p.toSession(shadow.Sample{Series: in.Lift + ".motion", Value: now.motion.String()})
	}
	if was.door != now.door {
		p.toSession(shadow.Sample{Series: in.Lift + ".door", Value: now.door.String()})
	}
	*was = now
}

func (k *Core) curve(lift string) *curve {
	for i := range k.curves {
		if k.curves[i].lift == lift {
			return &k.curves[i]
		}
	}
	k.curves = append(k.curves, curve{lift: lift})
	return &k.curves[len(k.curves)-1]
}

// Drift is how far this machine's wall clock is from the cloud's.
type Drift struct {
	Seconds int64 // ahead of the cloud's; behind is negative
	Known   bool  // the cloud told its time on this connection
	told    int64 // what the cloud last heard, 0 for within bounds
}

// driftLimit is what does not matter: answers take time, and server times are whole seconds.
const driftLimit = 5

// drift looks at the wall clock. It is told when it goes wrong, changes and is right
// again, and nothing but people depends on it.
func (p *pass) drift() {
	if p.session == nil {
		return
	}
	ms, known := p.session.ServerTime(int64(p.t.Now))
	d := &p.Core.wallDrift
	d.Known = known
	if !known {
		return
	}
	d.Seconds = (p.t.Wall - ms) / 1000
	right := within(d.Seconds, 0)
	if right && d.told == 0 || !right && d.told != 0 && within(d.Seconds, d.told) {
		return
	}
	d.told = d.Seconds
	if right {
		d.told = 0
	}
	p.toSession(shadow.Event{Kind: eventDrift, Merge: eventDrift, Body: shadow.Tree{"drift_s": number(d.Seconds)}})
	p.line("warn", "this machine's clock and the cloud's differ", "", "", "seconds", string(number(d.Seconds)))
	p.res.Changed = true
}

func within(a, b int64) bool { return a-b <= driftLimit && b-a <= driftLimit }
