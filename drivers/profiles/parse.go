package profiles

import (
	"slices"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// Parse reads one profile. The profile is nil when there is any fault; the faults
// then are all that can be told at once. file is only a name for them. What it extends
// is looked for among the bundled profiles; see [Library].
func Parse(file string, src []byte) (*Profile, []strict.Fault) { return Library{}.Parse(file, src) }

// build makes a profile of what was read.
func build(root *strict.Value, faults []strict.Fault) (*Profile, []strict.Fault) {
	b := &builder{p: &Profile{
		ID:       root.Get("id").Text(),
		Title:    root.Get("title").Text(),
		Protocol: root.Get("protocol").Text(),
		Maturity: root.Get("maturity").Text(),
	}, faults: faults}
	b.device(root)
	if s, ok := sections()[b.p.Protocol]; ok {
		b.messages = map[string]bool{}
		s.read(b, root)
		b.ownWords(root)
		b.toldPoints(root)
		b.pushesFit()
	} else {
		b.points(root)
	}
	b.commands(root.Get("commands"))
	b.meanings(root)
	b.facts(root)
	b.consistent(root)
	if len(b.faults) > 0 {
		return nil, strict.Sort(b.faults)
	}
	b.p.resolve(root)
	return b.p, nil
}

// builder fills a profile and gathers what the schema alone cannot see. It runs
// over files with faults too, so each step takes only values that are OK.
type builder struct {
	p        *Profile
	faults   []strict.Fault
	messages map[string]bool // those that the profile's section names
	// needs are the values that a message must get of a command, by its name, and may
	// those that it may get too; what is in neither map takes any.
	needs, may map[string][]string
	// heard are messages that only come.
	heard map[string]bool
	// tells are messages that tell points even where only commands ask them.
	tells map[string]bool
	// place reads the place in a message that a point names; nil: any will do.
	place func(v *strict.Value, message, place string)
	base  [InputRegisters + 1]int
	// says are what pushed messages say of the sources of points.
	says []*strict.Value
}

func (b *builder) fault(v *strict.Value, msg, hint string) {
	b.faults = append(b.faults, v.Fault(msg, hint))
}

func (b *builder) device(root *strict.Value) {
	ride, poll, lim, w := root.Get("ride"), root.Get("poll"), root.Get("limits"), root.Get("wire")
	p := b.p
	p.traits = Traits{
		Style:        ride.Get("style").Text(),
		Confirm:      ride.Get("confirm").Text(),
		Toggles:      ride.Get("toggles").Bool(),
		AcceptWithin: ride.Get("accept_within").Duration(),
		FastPoll:     poll.Get("fast").Duration(),
	}
	p.slow = poll.Get("slow").Duration()
	b.limits(root, lim)
	p.lowest, p.highest = w.Get("lowest").Int(), w.Get("highest").Int()
	if w.Get("lowest").OK() && w.Get("highest").OK() && p.lowest > p.highest {
		b.fault(w, "lowest is above highest", "")
	}
	if poll.OK() && p.slow < p.traits.FastPoll {
		b.fault(poll, "slow points would be read more often than fast ones", "")
	}
}

func (b *builder) meanings(root *strict.Value) {
	v := root.Get("errors")
	b.p.errors, b.p.codes = make(map[int]meaning), make(map[string]meaning)
	advice := map[string]elevator.Advice{
		"retry": elevator.AdviceRetry, "wait": elevator.AdviceWait, "config": elevator.AdviceConfig,
	}
	told := false // what is amiss is so for all of them
	for _, e := range v.Items() {
		calls := map[string]answer{"new": whenNew, "last": ofLast}[e.Get("refuses_call").Text()]
		m := meaning{advice[e.Get("advice").Text()], e.Get("text").Text(), calls}
		if e.Key() == "0" {
			b.fault(e, "code 0 is no error", "leave it out")
		}
		b.p.codes[e.Key()] = m
		if b.messages == nil {
			b.p.errors[e.KeyInt()] = m
		}
		if calls != never && !told {
			told = b.judges(root, e.Get("refuses_call"))
		}
	}
}

// judges looks whether what a refusal is told by can be read, and reports a fault.
func (b *builder) judges(root, v *strict.Value) bool {
	had := len(b.faults)
	ride, code := root.Get("ride").Get("confirm"), root.Get("points").Get("vendor")
	switch {
	case ride.OK() && ride.Text() != "lamp":
		b.fault(v, "only a lamp that stays dark shows that a call was not taken", "ride.confirm: lamp, or leave it out")
	case root.Get("points").OK() && !code.Given():
		b.fault(v, "the code can not be read", "points.vendor")
	case v.Text() == "new" && code.Get("poll").Text() == "slow":
		b.fault(v, "a code that is read slowly does not show whether it is new", "points.vendor.poll: fast")
	}
	return len(b.faults) > had
}

// pointKeys pairs the keys of points with the parts of a snapshot. Doors and
// holds have one key a side below them.
var pointKeys = []struct {
	key   string
	part  part
	sided bool
}{
	{"floor", floor, false},
	{"motion", motion, false},
	{"door", door, true},
	{"mode", mode, false},
	{"position", position, false},
	{"load", load, false},
	{"vendor", vendor, false},
	{"overload", overload, false},
	{"nudging", nudging, false},
	{"obstruction", obstruction, false},
	{"emergency_stop", emergencyStop, false},
	{"may_enter", mayEnter, false},
	{"may_leave", mayLeave, false},
	{"claimed", claimed, false},
	{"up_calls", upCalls, false},
	{"down_calls", downCalls, false},
	{"car_calls", carCalls, false},
	{"hold_left", holdLeft, true},
}

func (b *builder) points(root *strict.Value) {
	order := orderOf(root.Get("order"))
	all := root.Get("points")
	some := false
	for _, k := range pointKeys {
		v := all.Get(k.key)
		some = some || v.Given()
		if !k.sided {
			b.point(v, point{part: k.part, lowFirst: order.lowFirst, swapped: order.swapped})
			continue
		}
		for i, side := range elevator.SideNames()[1:] {
			b.point(v.Get(side), point{part: k.part, side: elevator.Side(i + 1), lowFirst: order.lowFirst, swapped: order.swapped})
		}
	}
	if all.OK() && !some {
		b.fault(all, "nothing can be read", "")
	}
	b.p.plan = plan(b.p.points, b.p.limits, b.p.traits.FastPoll, b.p.slow)
	b.oneRead(all.Get("hold_left"))
	b.implied(root)
}

// oneRead holds the holds of all sides together: a snapshot has one end for them.
func (b *builder) oneRead(v *strict.Value) {
	for _, block := range b.p.plan {
		n, all := 0, 0
		for i := range b.p.points {
			if pt := &b.p.points[i]; pt.part == holdLeft {
				all++
				if pt.within(block) {
					n++
				}
			}
		}
		if n > 0 && n < all {
			b.fault(v, "the sides are not in one read", "put them side by side, or allow holes")
			return
		}
	}
}

func (b *builder) implied(root *strict.Value) {
	list := root.Get("implied")
	b.p.stopped = slices.ContainsFunc(list.Items(), (*strict.Value).OK)
	if !b.p.stopped {
		return
	}
	points := root.Get("points")
	if points.Get("motion").Given() {
		b.fault(list, "the controller tells motion itself", "leave out one of the two")
	}
	if !points.Get("door").Given() {
		b.fault(list, "there is no door that could imply anything", "")
	}
}

// consistent checks the ride's words against what the profile can do.
func (b *builder) consistent(root *strict.Value) {
	p, ride := b.p, root.Get("ride")
	cmds := root.Get("commands")
	if p.traits.Style == "level" {
		b.levelStyle(ride, cmds)
	}
	for _, need := range styleNeeds(p.traits.Style) {
		if cmds.Given() && !cmds.Get(need).Given() {
			b.fault(ride.Get("style"), "the style needs commands."+need, "")
		}
	}
	if p.traits.Confirm == "lamp" {
		for _, need := range lampNeeds(p.traits.Style) {
			if root.Get("points").OK() && !root.Get("points").Get(need).Given() {
				b.fault(ride.Get("confirm"), "confirm by lamp needs points."+need, "")
			}
		}
	}
	p.traits.HasHold = cmds.Get("hold").Given()
	p.traits.HasLapse = cmds.Get("lapse").Given()
	p.traits.HasCancel = b.cancelsAll()
	p.traits.Claims = cmds.Get("claim").Given()
	p.traits.Notifies = cmds.Get("notify").Given()
	p.traits.CancelMayClose = b.closing(elevator.CancelCall)
	p.traits.NotifyMayClose = b.closing(elevator.Notify)
	p.traits.PermitsEnter, p.traits.PermitsLeave = slices.Contains(p.Points(), "may_enter"), slices.Contains(p.Points(), "may_leave")
	p.traits.Blind = ride.Get("blind").Bool()
	if p.traits.Blind && cmds.Given() && !p.traits.Claims {
		b.fault(ride.Get("blind"), "a car that is claimed unread needs commands.claim", "")
	}
	if p.traits.Claims {
		p.traits.ClaimWithin = ride.Get("claim_within").Duration()
	}
	if p.traits.Claims != cmds.Get("give_back").Given() {
		b.fault(cmds, "claim and give_back come together", "")
	}
	b.sameSides(cmds)
}

// sameSides refuses a lapse of a door that cannot be held, and the reverse.
func (b *builder) sameSides(cmds *strict.Value) {
	if !cmds.Get("lapse").Given() {
		return
	}
	for _, side := range elevator.SideNames()[1:] {
		h, l := cmds.Get("hold").Get(side), cmds.Get("lapse").Get(side)
		if h.Given() != l.Given() {
			b.fault(cmds.Get("lapse"), "hold and lapse are not for the same sides", side)
		}
	}
}

// cancelsAll reports whether every kind of call has a cancel.
func (b *builder) cancelsAll() bool {
	any := false
	for a := range b.p.commands {
		kind := a.verb
		switch kind {
		case elevator.LandingCall, elevator.CarCall, elevator.Journey:
			any = true
			if _, ok := b.p.commands[ask{verb: elevator.CancelCall, of: kind}]; !ok {
				return false
			}
		}
	}
	return any
}

// closing reports a command of this verb that can start a door closing.
func (b *builder) closing(v elevator.Verb) bool {
	for a, c := range b.p.commands {
		if a.verb == v && c.mayClose {
			return true
		}
	}
	return false
}

func styleNeeds(style string) []string {
	switch style {
	case "landing+car", "level":
		return []string{"landing_call", "car_call"}
	case "journey":
		return []string{"journey"}
	case "car-only":
		return []string{"car_call"}
	}
	return nil
}

func lampNeeds(style string) []string {
	if style == "car-only" {
		return []string{"car_calls"}
	}
	return []string{"up_calls", "down_calls", "car_calls"}
}
