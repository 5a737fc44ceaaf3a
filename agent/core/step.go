package core

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/sync/shadow"
)

// pass is one step under way.
type pass struct {
	*Core
	t     Time
	token uint64
	lasts bool // the order must outlast the process
	res   Result
	// Of the classic shadow: its values may have changed. What a lift reports no longer.
	classic bool
	gone    []shadow.Report

	performs []shadow.Perform // handed out by the session, not yet carried out
}

// Step takes one input and says what to store and what to do.
func (k *Core) Step(in Input, t Time) Result {
	p := &pass{Core: k, t: t}
	switch in := in.(type) {
	case *Seen:
		p.seen(in)
	case Ordered:
		p.ordered(in)
	case Answered:
		p.toSite(dispatch.Answered{Outcome: in.Outcome})
	case Stored:
		p.stored(in)
	case Stopping:
		p.toSite(dispatch.Stopping{})
		p.toSession(shadow.Stopping{})
	case Tick:
		p.toSite(dispatch.Tick{})
		if p.windowAt != 0 && p.windowAt.Reached(t.Now) {
			p.keepWindows()
		}
		p.toSession(shadow.Tick{})
		p.drift()
	default:
		p.uplink(in)
	}
	p.perform()
	p.report()
	if k.session != nil {
		k.session.Passed(int64(t.Now))
	}
	if p.res.Changed {
		k.seq++
	}
	return p.res
}

func (p *pass) uplink(in Input) {
	switch in := in.(type) {
	case LinkUp:
		p.connected = true
		p.cloudWait()
		p.reportFacts()
		p.toSession(shadow.Up{Session: in.Session})
	case LinkDown:
		p.connected = false
		p.cloudWait()
		p.toSession(shadow.Down{})
	case Incoming:
		p.toSession(shadow.Received{Message: in.Message})
	case Sent:
		p.toSession(shadow.Sent{Token: in.Token, Err: in.Err})
	}
	p.res.Changed = true
}

func (p *pass) seen(in *Seen) {
	p.toSite((*dispatch.Seen)(in))
	p.res.Changed = true
	p.samples(in)
	now := linkMode{in.Lift, in.Car.Link, in.Car.Mode.Value}
	if was := p.link(in.Lift); *was != now {
		*was = now
		p.touch(in.Lift)
	}
}

// link is the place for what was last seen of a lift's link.
func (k *Core) link(lift string) *linkMode {
	for i := range k.links {
		if k.links[i].lift == lift {
			return &k.links[i]
		}
	}
	k.links = append(k.links, linkMode{})
	return &k.links[len(k.links)-1]
}

func (p *pass) stored(in Stored) {
	was := p.storeFault
	p.storeFault = ""
	if in.Err != nil {
		p.storeFault = in.Err.Error()
	}
	if was == p.storeFault {
		return
	}
	p.res.Changed = true
	if was != "" && in.Err != nil {
		return // the same failure in other words
	}
	if in.Err != nil {
		p.line("warn", "the store fails; rides go on in memory, new ones are refused", "", "", "code", "E-4002", "error", in.Err.Error())
		p.toSite(dispatch.StoreLost{})
		return
	}
	p.line("info", "the store works again", "", "")
	p.toSite(dispatch.StoreLost{Back: true})
}

func (p *pass) toSite(in dispatch.Input) {
	outs := p.site.Step(in, p.t.Now, p.outs[:0])
	p.outs = nil // while they are carried out
	outs = p.guard(in, outs)
	for _, o := range outs {
		p.output(o)
	}
	p.outs = outs
}

func (p *pass) output(o dispatch.Output) {
	switch o := o.(type) {
	case dispatch.Do:
		p.command(o)
	case dispatch.Moved:
		p.moved(o)
	case dispatch.Freed:
		p.touch(o.Lift)
	case dispatch.Keep:
		p.keepRide(o)
	case dispatch.KeepStanding:
		p.keepStanding()
	case dispatch.Drop:
		p.store(shadow.Record{Bucket: rideBucket, Key: p.sheet(o.Ride).key})
		p.latest = nil
		delete(p.sheets, o.Ride)
	case dispatch.Reply:
		if p.asked != nil {
			*p.asked = o
			return
		}
		p.after(Reply{Token: p.token, Answer: answer(o), Lasts: p.lasts})
		p.res.Changed = true
	case dispatch.Alarm:
		p.alarm(o)
	case dispatch.Note:
		p.line("warn", o.Text, o.Lift, o.Ride)
	}
}

func (p *pass) command(o dispatch.Do) {
	c := Command{Lift: o.Lift, Command: o.Command}
	if o.Urgent {
		p.res.Urgent = append(p.res.Urgent, c)
		return
	}
	p.after(c)
}

func (p *pass) alarm(o dispatch.Alarm) {
	p.res.Changed = true
	p.alarmEvent(o)
	if o.On {
		p.line("warn", "alarm "+o.Code, o.Lift, o.Ride, "detail", o.Detail)
		return
	}
	p.line("info", "alarm over: "+o.Code, o.Lift, o.Ride)
}

// maxMarks bounds the transitions kept for a ride; a ride that faults over and
// over loses its oldest.
const maxMarks = 64

func (p *pass) moved(o dispatch.Moved) {
	why := fsm.InWords(o.Why, p.site.Table(o.Lift))
	f := p.sheet(o.Ride)
	mark := Mark{At: p.t.Now, Wall: p.t.Wall, From: o.From, To: o.To, Phase: o.Phase, Why: why}
	m := append(f.marks, mark)
	f.marks = m[max(0, len(m)-maxMarks):]
	p.res.Moves = append(p.res.Moves, Move{Lift: o.Lift, Ride: o.Ride, Mark: mark})
	p.touch(o.Lift)
	p.res.Changed = true
	p.rideEvent(o, why)
	level := "info"
	if o.To == fsm.Fault || o.To == fsm.FaultLocked {
		level = "warn"
	}
	p.after(Line{Level: level, Msg: "ride", Lift: o.Lift, Ride: o.Ride, Moved: true, Attrs: []string{
		"robot", o.Robot, "from", string(o.From), "to", string(o.To), "phase", string(o.Phase), "why", why,
	}})
}

// after puts an effect behind the batch.
func (p *pass) after(e Effect) {
	if p.res.After == nil {
		p.res.After = p.effects.list(4)
	}
	p.res.After = append(p.res.After, e)
}

// store puts a record into the batch.
func (p *pass) store(r shadow.Record) {
	if p.res.Batch == nil {
		p.res.Batch = p.records.list(2)
	}
	p.res.Batch = append(p.res.Batch, r)
}

func (p *pass) line(level, msg, lift, ride string, attrs ...string) {
	p.after(Line{Level: level, Msg: msg, Lift: lift, Ride: ride, Attrs: attrs})
}

func (p *pass) touch(lift string) {
	for _, l := range p.touched {
		if l == lift {
			return
		}
	}
	p.touched = append(p.touched, lift)
}

// cloudWait lets a fault wait for the cloud's plan only while there is a cloud.
func (p *pass) cloudWait() {
	params := p.site.Params()
	params.CloudWait = 0
	if p.connected {
		params.CloudWait = cloudPlanWait
	}
	p.toSite(dispatch.SetParams{Params: params})
}

// cloudPlanWait is how long a fault waits for a plan before the local policy acts.
const cloudPlanWait = 15 * time.Second
