package fsm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// A player carries out the lines of a transcript and says what the machine said.
// README.md explains the language.
type player struct {
	t      *testing.T
	floors elevator.Table
	ride   Ride
	plan   Plan
	params Params
	clock  time.Duration // what the transcript calls the time
	born   time.Duration // the clock at which the present process started
	car    elevator.Snapshot
	seen   []elevator.Snapshot
	seenAt []elevator.Instant
	epoch  uint32
	seq    uint64
	boot   string
	last   string
	never  []string // what the controller never tells
	quiet  bool     // nobody reads the lift between the lines
	out    strings.Builder
	walked []walkedMove
}

type walkedMove struct {
	ride     string
	from, to State
	phase    Phase
}

func newPlayer(t *testing.T) *player {
	both := []elevator.Side{elevator.Front, elevator.Rear}
	p := &player{
		t: t, born: -time.Second, boot: "b1", params: DefaultParams(),
		plan: Plan{
			Style: LandingAndCar, Confirm: ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
			AcceptWithin: 5 * time.Second, ClaimWithin: 10 * time.Second, Poll: 200 * time.Millisecond, RecallFloor: 3,
		},
	}
	for i, l := range []string{"B1", "G", "1", "2", "3"} {
		p.floors = append(p.floors, elevator.Landing{Label: l, Wire: i + 1, Doors: both})
	}
	p.car.Link = elevator.Online
	p.car.Motion.Value, p.car.Mode.Value = elevator.Stopped, elevator.Normal
	p.car.Floor.Value = 1
	p.car.Doors[elevator.Front].Value, p.car.Doors[elevator.Rear].Value = elevator.DoorClosed, elevator.DoorClosed
	p.car.Nudging.Value, p.car.Overload.Value, p.car.EmergencyStop.Value = elevator.No, elevator.No, elevator.No
	return p
}

func (p *player) now() elevator.Instant { return elevator.Instant(p.clock - p.born) }

// line carries out one line.
func (p *player) line(line string) {
	w := strings.Fields(line)
	if w[0] == "at" {
		if later, ok := strings.CutPrefix(w[1], "+"); ok {
			p.pass(p.clock + p.duration(later))
		} else {
			p.pass(p.duration(w[1]))
		}
		w = w[2:]
		if len(w) == 0 {
			w = []string{"tick"}
		}
	}
	switch w[0] {
	case "new":
		p.open(w[1:])
	case "plan":
		p.setPlan(w[1:])
	case "params":
		p.setParams(w[1:])
	case "scene":
		p.scene(w[1], w[2])
	case "polling":
		p.quiet = w[1] == "off"
	case "wake":
		p.wake()
	case "restart":
		p.restart(w[1:])
	default:
		p.step(p.event(w))
	}
}

func (p *player) event(w []string) Event {
	switch w[0] {
	case "tick":
		return Tick{}
	case "see":
		p.look(w[1:])
		return &Seen{Car: p.car}
	case "lease":
		p.epoch++
		if len(w) > 1 { // lease L2: the other car of the group
			return &Leased{Lift: w[1], Epoch: p.epoch, Plan: p.plan, Params: p.params, Car: p.car, Carry: true, Why: "it stands open there"}
		}
		return &Leased{Lift: "L1", Epoch: p.epoch, Plan: p.plan, Params: p.params, Car: p.car}
	case "signal":
		return p.signal(w[1:])
	case "answer":
		return p.answer(w[1:])
	case "cancel":
		return Cancel{By: "dana"}
	case "reset":
		return Reset{RobotIs: Whereabouts(w[1]), By: "kim"}
	case "recover":
		ev := Recover{Plan: w[1], FaultNo: p.ride.FaultNo}
		if len(w) > 2 {
			ev.Delay = p.duration(w[2])
		}
		return ev
	case "stop":
		return Stopping{}
	case "retarget":
		return p.retarget(w[1:])
	case "claims":
		return Claims{Says: SignalKind(w[1]), By: "fleet"}
	case "store":
		return StoreLost{Back: w[1] == "back"}
	case "breach":
		return Breach{Detail: strings.Join(w[1:], " ")}
	}
	p.t.Fatalf("no such verb: %s", w[0])
	return nil
}

func (p *player) retarget(w []string) Event {
	ev := Retarget{To: p.floor(w[0]), ToSide: elevator.Front, By: "dana"}
	for _, word := range w[1:] {
		switch word {
		case "aboard":
			ev.Aboard = true
		case "rear":
			ev.ToSide = elevator.Rear
		default:
			p.t.Fatalf("retarget: %s", word)
		}
	}
	return ev
}

func (p *player) open(w []string) {
	req := Request{ID: w[0], Robot: "robot-7", Lift: w[1], FromSide: elevator.Front, ToSide: elevator.Front, Ready: true, Crossing: 8 * time.Second}
	for i := 2; i+1 < len(w); i += 2 {
		switch w[i] {
		case "from":
			req.From = p.floor(w[i+1])
		case "to":
			if req.Open = w[i+1] == "open"; !req.Open {
				req.To = p.floor(w[i+1])
			}
		case "door":
			req.ToSide, _ = elevator.ParseSide(w[i+1])
		case "toward":
			req.Toward, _ = elevator.ParseDirection(w[i+1])
		case "ready":
			req.Ready = w[i+1] == "yes"
		default:
			p.t.Fatalf("new: %s", w[i])
		}
	}
	p.ride = New(req, p.params, p.now())
	p.show()
}

func (p *player) setPlan(w []string) {
	flags := map[string]*bool{
		"hold": &p.plan.HasHold, "lapse": &p.plan.HasLapse, "cancel": &p.plan.HasCancel, "toggles": &p.plan.Toggles,
		"claims": &p.plan.Claims, "notifies": &p.plan.Notifies,
		"may_enter": &p.plan.PermitsEnter, "may_leave": &p.plan.PermitsLeave, "sight": &p.plan.Sight, "blind": &p.plan.Blind,
		"network": &p.plan.Network, "cancel_closes": &p.plan.CancelMayClose, "notify_closes": &p.plan.NotifyMayClose,
	}
	for _, word := range w {
		k, v, _ := strings.Cut(word, "=")
		switch k {
		case "style":
			p.plan.Style = CallStyle(v)
		case "confirm":
			p.plan.Confirm = Confirm(v)
		case "recall":
			p.plan.RecallFloor = p.floor(v)
		case "safe":
			p.plan.SafeFloor = p.floor(v)
		default:
			if flags[k] == nil {
				p.t.Fatalf("plan: %s", word)
			}
			*flags[k] = v == "yes"
		}
	}
}

func (p *player) setParams(w []string) {
	for _, word := range w {
		k, v, _ := strings.Cut(word, "=")
		switch k {
		case "retries":
			p.params.Retries = p.number(v)
		case "cloud_wait":
			p.params.CloudWait = p.duration(v)
		case "hold_limit":
			p.params.HoldLimit = p.duration(v)
		case "cool_down":
			p.params.CoolDown = p.duration(v)
		case "robot_ttl":
			p.params.RobotTTL = p.duration(v)
		case "expiry":
			p.params.Expiry = p.duration(v)
		default:
			p.t.Fatalf("params: %s", word)
		}
	}
}

// look lays the words over the car; everything is read at this time.
func (p *player) look(w []string) {
	for _, word := range w {
		k, v, _ := strings.Cut(word, "=")
		p.point(k, v)
	}
	now, c := p.now(), &p.car
	for _, at := range []*elevator.Instant{
		&c.Floor.At, &c.Motion.At, &c.Mode.At, &c.Nudging.At, &c.Overload.At, &c.EmergencyStop.At,
		&c.UpCalls.At, &c.DownCalls.At, &c.CarCalls.At,
		&c.Doors[elevator.Front].At, &c.Doors[elevator.Rear].At,
	} {
		if c.Link == elevator.Online {
			*at = now
		}
	}
	for _, part := range p.never {
		p.unread(part)
	}
	for _, s := range []*elevator.Seen[elevator.Tri]{&c.MayEnter, &c.MayLeave, &c.Claimed} {
		if s.At != 0 && c.Link == elevator.Online {
			s.At = now
		}
	}
	if c.Obstruction.At != 0 && c.Link == elevator.Online {
		c.Obstruction.At = now // a lift that shows none is the custom
	}
	if slices.Contains(w, "lamps=unread") {
		c.UpCalls, c.DownCalls, c.CarCalls = elevator.Seen[elevator.FloorSet]{}, elevator.Seen[elevator.FloorSet]{}, elevator.Seen[elevator.FloorSet]{}
	}
	p.seen, p.seenAt = append(p.seen, p.car), append(p.seenAt, now)
}

// unread makes a part one that was never read.
func (p *player) unread(part string) {
	switch c := &p.car; part {
	case "floor":
		c.Floor = elevator.Seen[elevator.Floor]{}
	case "motion":
		c.Motion = elevator.Seen[elevator.Motion]{}
	case "mode":
		c.Mode = elevator.Seen[elevator.Mode]{}
	case "doors":
		c.Doors = [elevator.Sides]elevator.Seen[elevator.Door]{}
	case "nothing":
	default:
		p.t.Fatalf("never: %s", part)
	}
}

func (p *player) point(k, v string) {
	ok := true
	c := &p.car
	switch k {
	case "floor":
		c.Floor.Value = p.floor(v)
	case "front":
		c.Doors[elevator.Front].Value, ok = elevator.ParseDoor(v)
	case "rear":
		c.Doors[elevator.Rear].Value, ok = elevator.ParseDoor(v)
	case "motion":
		c.Motion.Value, ok = elevator.ParseMotion(v)
	case "mode":
		c.Mode.Value, ok = elevator.ParseMode(v)
	case "nudging":
		c.Nudging.Value, ok = elevator.ParseTri(v)
	case "emergency":
		c.EmergencyStop.Value, ok = elevator.ParseTri(v)
	case "obstruction":
		c.Obstruction.Value, ok = elevator.ParseTri(v)
		c.Obstruction.At = p.now()
	case "overload":
		c.Overload.Value, ok = elevator.ParseTri(v)
	case "link":
		c.Link = map[string]elevator.LinkState{"online": elevator.Online, "offline": elevator.Offline}[v]
	case "up":
		c.UpCalls.Value = p.set(v)
	case "down":
		c.DownCalls.Value = p.set(v)
	case "car":
		c.CarCalls.Value = p.set(v)
	case "may_enter":
		c.MayEnter.Value, ok = elevator.ParseTri(v)
		c.MayEnter.At = p.now()
	case "may_leave":
		c.MayLeave.Value, ok = elevator.ParseTri(v)
		c.MayLeave.At = p.now()
	case "claimed":
		c.Claimed.Value, ok = elevator.ParseTri(v)
		c.Claimed.At = p.now()
	case "never":
		p.never = strings.Split(v, ",")
	case "lamps":
	default:
		ok = false
	}
	if !ok {
		p.t.Fatalf("see: %s=%s", k, v)
	}
}

func (p *player) signal(w []string) Event {
	p.seq++
	s := Signal{Kind: SignalKind(w[0]), Boot: p.boot, Seq: p.seq, Battery: -1}
	for _, word := range w[1:] {
		k, v, _ := strings.Cut(word, "=")
		switch k {
		case "where":
			s.View.Where = SignalWhere(v)
		case "floor":
			s.View.Floor, s.View.FloorSure = p.floor(v), true
		case "motion":
			s.View.Motion, _ = elevator.ParseMotion(v)
		case "sees":
			p.sees(&s.View, v)
		case "age":
			s.Age = p.duration(v)
		case "permit":
			s.Permit = v
		case "seq":
			s.Seq = uint64(p.number(v))
			p.seq = max(p.seq, s.Seq)
		case "boot":
			p.boot, s.Boot, s.Seq, p.seq = v, v, 1, 1
		case "battery":
			s.Battery = p.number(v)
		default:
			p.t.Fatalf("signal: %s", word)
		}
	}
	return &Signaled{Signal: s, Then: p.then(s.Age)}
}

// sees reads what a robot sees of a door: G,front,open.
func (p *player) sees(v *RobotView, words string) {
	w := strings.Split(words, ",")
	v.DoorFloor = p.floor(w[0])
	v.DoorSide, _ = elevator.ParseSide(w[1])
	v.DoorOpen = map[string]elevator.Tri{"open": elevator.Yes, "shut": elevator.No}[w[2]]
}

func (p *player) then(age time.Duration) elevator.Snapshot {
	for i := len(p.seen) - 1; i >= 0; i-- {
		if p.seenAt[i] <= p.now()-elevator.Instant(age) {
			return p.seen[i]
		}
	}
	return elevator.Snapshot{}
}

func (p *player) answer(w []string) Event {
	results := map[string]elevator.Result{"done": elevator.Done, "refused": elevator.Refused, "not_sent": elevator.NotSent, "unknown": elevator.ResultUnknown}
	o := elevator.Outcome{ID: elevator.CommandID{Ride: p.ride.ID, N: uint32(p.number(w[0]))}, At: p.now()}
	var ok bool
	if o.Result, ok = results[w[1]]; !ok {
		p.t.Fatalf("answer: %s", w[1])
	}
	for _, word := range w[2:] {
		k, v, _ := strings.Cut(word, "=")
		switch k {
		case "code":
			o.Code = v
		case "advice":
			o.Advice = map[string]elevator.Advice{"retry": elevator.AdviceRetry, "wait": elevator.AdviceWait, "config": elevator.AdviceConfig}[v]
		default:
			p.t.Fatalf("answer: %s", word)
		}
	}
	return Answered{Outcome: o}
}

// scenes are the way of a ride from G to 3, each named by what it leads to.
var scenes = []struct{ name, lines string }{
	{"idle", "see floor=G front=closed rear=closed motion=stopped mode=normal up= down= car= link=online nudging=no overload=no\nnew ID L1 from G to 3"},
	{"requesting", "at +1s lease"},
	{"waiting", "answer 1 done\nat +0.5s see up=G"},
	{"boarding", "at +1s see front=opening\nat +2s see front=open up="},
	{"crossing", "at +1s signal entering where=doorway"},
	{"registering", "at +1s signal entered where=car"},
	{"riding", "at +0.5s see car=3\nat +2s see front=closing\nat +2s see front=closed"},
	{"under_way", "at +1s see motion=up floor=1"},
	{"exiting", "at +8s see floor=3 motion=stopped car=\nat +1s see front=opening\nat +2s see front=open"},
	{"leaving", "at +1s signal leaving where=doorway"},
	{"done", "at +5s signal left where=landing"},
}

// scene begins a new ride and brings it to a stage without telling the way there.
func (p *player) scene(id, stage string) {
	told := p.out.String()
	p.epoch, p.seq = 0, 0
	for _, sc := range scenes {
		for _, line := range strings.Split(sc.lines, "\n") {
			p.line(strings.Replace(line, "ID", id, 1))
		}
		if sc.name == stage {
			p.out.Reset()
			p.out.WriteString(told)
			p.last = ""
			p.show()
			return
		}
	}
	p.t.Fatalf("no scene %q", stage)
}

// pass lets time go by; an unchanged lift is read each half second meanwhile.
func (p *player) pass(to time.Duration) {
	if to < p.clock {
		p.t.Fatalf("time runs backwards: %s after %s", to, p.clock)
	}
	for next := p.clock + 500*time.Millisecond; next < to && len(p.seen) > 0 && !p.quiet && p.ride.ID != ""; next += 500 * time.Millisecond {
		p.clock = next
		p.look(nil)
		p.step(&Seen{Car: p.car})
	}
	p.clock = to
}

// wake lets the time pass to the moment that the machine asked to be woken at.
func (p *player) wake() {
	at := NextWake(&p.ride)
	if at == 0 {
		p.out.WriteString("never\n")
		return
	}
	p.clock = p.born + time.Duration(at)
	p.step(Tick{})
}

// restart stores the ride, ends the process and starts another one some time later,
// whose clock begins at one second.
func (p *player) restart(w []string) {
	down := p.duration(w[0])
	src, err := json.Marshal(p.ride)
	if err != nil {
		p.t.Fatal(err)
	}
	was := p.now()
	p.clock += down
	p.born = p.clock - time.Second
	var r Ride
	if err := json.Unmarshal(src, &r); err != nil {
		p.t.Fatal(err)
	}
	p.seen, p.seenAt = nil, nil
	p.ride = Rebase(r, int64(p.now()-was)-int64(down))
	p.step(Resumed{})
}

func (p *player) step(ev Event) {
	var fx []Effect
	p.ride, fx = Step(p.ride, ev, p.now())
	for _, f := range fx {
		p.say(f)
	}
	p.show()
}

func (p *player) say(f Effect) {
	at := fmt.Sprintf("%7.1fs ", p.clock.Seconds())
	switch f := f.(type) {
	case Send:
		c := f.Command
		fmt.Fprintf(&p.out, "%s send %d %s%s\n", at, c.ID.N, p.command(c), map[bool]string{true: " urgent"}[f.Urgent])
	case Moved:
		fmt.Fprintf(&p.out, "%s %s -> %s·%s: %s\n", at, f.From, f.To, f.Phase, InWords(f.Why, p.floors))
		p.walked = append(p.walked, walkedMove{p.ride.ID, f.From, f.To, f.Phase})
	case FreeLease:
		fmt.Fprintf(&p.out, "%s lease ends%s%s\n", at, map[bool]string{true: ", place kept"}[f.KeepPlace], map[bool]string{true: ", another lift wanted"}[f.Other])
	case Alarm:
		fmt.Fprintf(&p.out, "%s alarm %s %s: %s\n", at, f.Code, map[bool]string{true: "on", false: "off"}[f.On], f.Detail)
	case Illegal:
		fmt.Fprintf(&p.out, "%s illegal in %s: %s\n", at, f.State, f.Event)
	}
}

func (p *player) command(c elevator.Command) string {
	s := c.Verb.String()
	if c.Floor != 0 {
		s += " " + p.floors.Label(c.Floor)
	}
	if c.To != 0 {
		s += " to " + p.floors.Label(c.To)
	}
	switch c.Verb {
	case elevator.LandingCall:
		s += " " + c.Direction.String()
	case elevator.CancelCall:
		s += map[bool]string{true: " (car)", false: " (landing)"}[c.Car]
	case elevator.Notify:
		s += " " + c.Notice.String()
	case elevator.Hold:
		s += fmt.Sprintf(" for %.1fs", c.Until.Sub(p.now()).Seconds())
	}
	return s
}

// show tells how things stand, where that has changed.
func (p *player) show() {
	r, now := p.ride, p.now()
	s := fmt.Sprintf("%s·%s, robot %s", r.State, r.Phase, r.Where)
	if r.Code != NoFault {
		s += fmt.Sprintf(", %s no %d", r.Code, r.FaultNo)
	}
	if r.Latched {
		s += " latched"
	}
	if r.stands(now) {
		s += fmt.Sprintf(", permit %d %s %s %s", r.Permit.N, r.Permit.Kind, p.floors.Label(r.Permit.Floor), r.Permit.Side)
	}
	if list := Withheld(&r, now); len(list) > 0 {
		s += ", withheld"
		for i, u := range list {
			s += map[bool]string{true: ",", false: ""}[i > 0] + " " + u.Part + "=" + u.Seen
		}
	}
	s = InWords(s, p.floors) + ", do " + string(Advise(&r, now).Do)
	if s != p.last {
		fmt.Fprintf(&p.out, "%7.1fs = %s\n", p.clock.Seconds(), s)
		p.last = s
	}
}

func (p *player) floor(label string) elevator.Floor {
	f := p.floors.ByLabel(label)
	if f == 0 && label != "" && label != "unknown" {
		p.t.Fatalf("no floor %q", label)
	}
	return f
}

func (p *player) set(v string) (out elevator.FloorSet) {
	for _, l := range strings.Split(v, ",") {
		out = out.With(p.floor(l))
	}
	return out
}

func (p *player) duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

func (p *player) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}
