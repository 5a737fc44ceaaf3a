package dispatch

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"

	"pgregory.net/rapid"
)

// town plays a site of two lifts and three robots with anything that can happen, and
// checks what must hold between rides whatever happens. reached counts what came up:
// a play that never gets anywhere proves nothing.
type town struct {
	t       *rapid.T
	s       *Site
	now     elevator.Instant
	cars    map[string]*elevator.Snapshot
	seq     uint64
	made    int
	epoch   uint32
	numbers map[elevator.CommandID]bool
	reached map[string]int
}

// RD-13, IL-5, IL-6, IL-8, OP-3, RB-6
func TestAnythingBetweenRides(t *testing.T) {
	reached := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newTown(t, reached)
		for range rapid.IntRange(40, 240).Draw(t, "inputs") {
			w.now += elevator.Instant(rapid.SampledFrom([]time.Duration{
				0, 200 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 3 * time.Second, 12 * time.Second, 100 * time.Second,
			}).Draw(t, "later"))
			w.step(w.input())
		}
	})
	for _, what := range []string{"grant", "arrived", "FAULT", "resume with a lease", "queue", "inside", "drop", "door", "chosen again", "stop", "area", "deck"} {
		if reached[what] == 0 {
			t.Errorf("no play came to: %s", what)
		}
	}
}

func newTown(t *rapid.T, reached map[string]int) *town {
	w := &town{
		t: t, now: second, reached: reached, numbers: map[elevator.CommandID]bool{},
		cars: map[string]*elevator.Snapshot{},
	}
	w.s = New(w.config())
	for _, id := range []string{"L1", "L2", "L3", "L4"} {
		c := standing(2, w.now)
		w.cars[id] = &c
	}
	return w
}

func (w *town) config() Config {
	claiming := plan()
	claiming.Claims, claiming.Notifies, claiming.RecallFloor = true, true, 2
	return Config{
		Lifts: []Lift{
			{ID: "L1", Group: "G1", Floors: table(), Plan: plan()},
			{ID: "L2", Group: "G1", Floors: table(), Plan: claiming},
			{ID: "L3", Group: "G1", Area: "B", CarID: "C", Deck: "low", Floors: table(), Plan: plan()},
			{ID: "L4", Group: "G1", Area: "B", CarID: "C", Deck: "high", Floors: table(), Plan: plan()},
		},
		Robots: []string{"R1", "R2", "R3"}, Params: fsm.DefaultParams(), MaxRides: 4, MaxEnded: 1,
	}
}

func (w *town) input() Input {
	switch k := rapid.IntRange(0, 29).Draw(w.t, "input"); {
	case k < 12:
		return w.seen()
	case k < 19:
		return w.signal()
	case k < 23:
		return w.answer()
	case k < 26:
		return w.create()
	case k == 26:
		return w.order()
	case k == 28:
		return w.stands()
	case k == 27 && rapid.IntRange(0, 3).Draw(w.t, "restart") == 0:
		return w.restart()
	}
	return Tick{}
}

func (w *town) create() Input {
	w.made++
	labels := []string{"B1", "G", "G", "1"} // many at one landing
	c := Create{
		Request: fsm.Request{
			ID: fmt.Sprintf("r%d", rapid.IntRange(1, 12).Draw(w.t, "id")), Robot: rapid.SampledFrom([]string{"R1", "R2", "R3"}).Draw(w.t, "robot"),
			Lift: rapid.SampledFrom([]string{"L1", "L1", "L2", "L3", "L4"}).Draw(w.t, "lift"), Crossing: 4 * time.Second,
			Priority: rapid.IntRange(0, 9).Draw(w.t, "priority"),
			Ready:    rapid.IntRange(0, 4).Draw(w.t, "ready") > 0,
		},
		From: rapid.SampledFrom(labels).Draw(w.t, "from"), To: rapid.SampledFrom(labels).Draw(w.t, "to"),
	}
	c.Any = rapid.IntRange(0, 2).Draw(w.t, "any") == 0
	if rapid.IntRange(0, 7).Draw(w.t, "open") == 0 {
		c.Open, c.To = true, ""
	}
	if r := w.ride(); r.From != 0 && rapid.Bool().Draw(w.t, "beside") { // two at one button
		c.From, c.To, c.Open, c.Any, c.Request.Ready = table().Label(r.From), table().Label(r.To), false, false, true
		c.Request.Lift = map[string]string{"L1": "L3", "L3": "L1"}[r.Lift]
	}
	return c
}

// stands is what stands over rides, and ends again.
func (w *town) stands() Input {
	lift := rapid.SampledFrom([]string{"L1", "L2", "L3", "L4"}).Draw(w.t, "over")
	on := rapid.IntRange(0, 2).Draw(w.t, "on") > 0
	area := rapid.SampledFrom([]string{"building", "B"}).Draw(w.t, "area")
	cloud := rapid.Bool().Draw(w.t, "cloud")
	length := time.Duration(rapid.IntRange(0, 60).Draw(w.t, "for")) * time.Second
	switch rapid.IntRange(0, 7).Draw(w.t, "stands") {
	case 0:
		return Maintain{Lift: lift, On: on, For: length, By: "x", Cloud: cloud}
	case 1:
		if !on {
			lift = ""
		}
		return Stop{Lift: lift, On: on, By: "x", Cloud: cloud}
	case 4:
		return Window{Until: w.now.Add(length)}
	case 5:
		r := w.ride()
		plan := rapid.SampledFrom([]string{"retry", "other_lift", "hold", "lock"}).Draw(w.t, "plan")
		return Recover{Ride: r.ID, Recover: fsm.Recover{FaultNo: r.FaultNo, Plan: plan, Delay: length}}
	case 2:
		return CarEmpty{Lift: lift, By: "x"}
	case 3:
		return RaiseArea{Area: area, Kind: rapid.SampledFrom([]AreaKind{AreaFire, AreaSeismic}).Draw(w.t, "kind"), Drill: on, Source: "x"}
	}
	return ClearArea{Area: area, By: "x"}
}

// ride picks a ride that is not over, or one that is not known.
func (w *town) ride() fsm.Ride {
	if len(w.s.rides) == 0 {
		return fsm.Ride{Request: fsm.Request{ID: "nobody"}}
	}
	return w.s.rides[rapid.IntRange(0, len(w.s.rides)-1).Draw(w.t, "ride")].ride
}

// seen reads a lift, which does mostly what its holder waits for.
func (w *town) seen() Input {
	id := rapid.SampledFrom([]string{"L1", "L2", "L3", "L4"}).Draw(w.t, "which")
	c := w.cars[id]
	*c = refreshed(*c, w.now)
	if owner := w.s.car(id).owner; owner != nil && rapid.IntRange(0, 2).Draw(w.t, "serves") > 0 {
		w.serve(c, owner.ride)
	} else {
		w.disturb(c)
	}
	return &Seen{Lift: id, Car: *c}
}

func refreshed(c elevator.Snapshot, now elevator.Instant) elevator.Snapshot {
	fresh := standing(c.Floor.Value, now)
	fresh.Link, fresh.Motion.Value, fresh.Mode.Value = c.Link, c.Motion.Value, c.Mode.Value
	for i := range c.Doors {
		fresh.Doors[i].Value = c.Doors[i].Value
	}
	fresh.UpCalls.Value, fresh.DownCalls.Value, fresh.CarCalls.Value = c.UpCalls.Value, c.DownCalls.Value, c.CarCalls.Value
	return fresh
}

func (w *town) serve(c *elevator.Snapshot, r fsm.Ride) {
	c.Link, c.Mode.Value, c.Motion.Value = elevator.Online, elevator.Normal, elevator.Stopped
	door := elevator.DoorClosed
	switch r.State {
	case fsm.Requesting:
		c.UpCalls.Value = c.UpCalls.Value.With(r.From)
		c.DownCalls.Value = c.UpCalls.Value
	case fsm.Waiting, fsm.Fault:
		c.Floor.Value, door = r.From, elevator.DoorOpen
	case fsm.Moving:
		c.CarCalls.Value = c.CarCalls.Value.With(r.To)
		if r.Phase == fsm.Riding {
			c.Floor.Value, door = r.To, elevator.DoorOpen
		}
	case fsm.Exiting:
		door = elevator.DoorOpen
	}
	c.Doors[elevator.Front].Value = door
}

func (w *town) disturb(c *elevator.Snapshot) {
	switch rapid.IntRange(0, 8).Draw(w.t, "what") {
	case 0:
		c.Floor.Value = elevator.Floor(rapid.IntRange(0, 3).Draw(w.t, "floor"))
	case 1, 2:
		c.Doors[elevator.Front].Value = elevator.Door(rapid.IntRange(0, 4).Draw(w.t, "door"))
	case 3:
		c.Motion.Value = elevator.Motion(rapid.IntRange(0, 3).Draw(w.t, "motion"))
	case 4:
		c.Mode.Value = rapid.SampledFrom([]elevator.Mode{elevator.Normal, elevator.Fire, elevator.Independent, elevator.ModeUnknown}).Draw(w.t, "mode")
	case 5:
		c.Link = rapid.SampledFrom([]elevator.LinkState{elevator.Online, elevator.Offline}).Draw(w.t, "link")
	case 6:
		c.UpCalls.Value, c.DownCalls.Value, c.CarCalls.Value = 0, 0, 0
	case 7:
		c.Mode.Value, c.Link = elevator.Normal, elevator.Online
	}
}

// signal says mostly what the ride waits for.
func (w *town) signal() Input {
	w.seq++
	r := w.ride()
	s := fsm.Signal{Kind: fsm.Heartbeat, Boot: "b", Seq: w.seq, Battery: -1}
	s.View.Where = rapid.SampledFrom([]fsm.SignalWhere{fsm.AtLanding, fsm.AtLanding, fsm.AtDoorway, fsm.InCar, fsm.Nowhere}).Draw(w.t, "where")
	if rapid.IntRange(0, 3).Draw(w.t, "fits") > 0 {
		switch {
		case r.State == fsm.Idle:
			s.Kind, s.View.Where = fsm.Ready, fsm.AtLanding
		case r.Phase == fsm.Boarding:
			s.Kind, s.View.Where = fsm.Entered, fsm.InCar
		case r.State == fsm.Exiting:
			s.Kind, s.View.Where = fsm.Left, fsm.AtLanding
		case r.State == fsm.Moving:
			s.View.Where = fsm.InCar
		}
	}
	if rapid.IntRange(0, 5).Draw(w.t, "unnamed") == 0 {
		return Heartbeat{Robot: r.Robot, Signal: s}
	}
	return Signal{Ride: r.ID, Signal: s}
}

func (w *town) answer() Input {
	r := w.ride()
	n := rapid.SampledFrom([]uint32{r.Call.Command.ID.N, r.ClaimN, r.ClaimN, r.BackN, r.Door.N}).Draw(w.t, "n")
	return Answered{Outcome: elevator.Outcome{
		ID: elevator.CommandID{Ride: r.ID, N: n}, At: w.now,
		Result: rapid.SampledFrom([]elevator.Result{elevator.Done, elevator.Done, elevator.Refused, elevator.NotSent, elevator.ResultUnknown}).Draw(w.t, "result"),
	}}
}

func (w *town) order() Input {
	r := w.ride()
	switch rapid.IntRange(0, 4).Draw(w.t, "order") {
	case 0, 1:
		return Cancel{Ride: r.ID, By: "x"}
	case 2:
		return Retarget{Ride: r.ID, To: rapid.SampledFrom([]string{"B1", "G", "1"}).Draw(w.t, "goal"), Aboard: rapid.Bool().Draw(w.t, "aboard"), By: "x"}
	case 3:
		return Claim{Ride: r.ID, Says: rapid.SampledFrom([]fsm.SignalKind{fsm.Entered, fsm.Left, fsm.GaveUpEntering}).Draw(w.t, "claims"), By: "x"}
	}
	return Reset{Ride: r.ID, By: "x", RobotIs: rapid.SampledFrom([]fsm.Whereabouts{fsm.RobotOutside, fsm.RobotRemoved, fsm.RobotInside}).Draw(w.t, "is")}
}

// restart goes on with a new site and what the old one would have stored.
func (w *town) restart() Input {
	var stored []fsm.Ride
	for _, r := range w.s.Rides() {
		src, err := json.Marshal(r)
		if err != nil {
			w.t.Fatal(err)
		}
		var back fsm.Ride
		if err := json.Unmarshal(src, &back); err != nil {
			w.t.Fatal(err)
		}
		stored = append(stored, back)
		if r.Granted {
			w.reached["resume with a lease"]++
		}
	}
	bookings, standing := map[string]Booking{}, w.s.Standing()
	for _, r := range stored {
		bookings[r.ID] = *w.s.Booking(r.ID)
	}
	w.s, w.epoch = New(w.config()), 0
	for _, r := range stored { // what was dropped before is known to nobody any more
		w.epoch = max(w.epoch, r.Epoch)
	}
	maps.DeleteFunc(w.numbers, func(id elevator.CommandID, _ bool) bool {
		return !slices.ContainsFunc(stored, func(r fsm.Ride) bool { return r.ID == id.Ride })
	})
	return Resume{Rides: stored, Bookings: bookings, Standing: standing}
}

func (w *town) step(in Input) {
	before, twin := w.s.Clone(), w.s.Clone()
	out := w.s.Step(in, w.now, nil)
	for _, e := range w.s.rides {
		if want := fsm.NextWake(&e.ride); e.wake != want {
			w.t.Fatalf("%s wakes at %d, not %d", e.ride.ID, e.wake, want)
		}
	}
	if again := twin.Step(in, w.now, nil); !reflect.DeepEqual(again, out) || !reflect.DeepEqual(twin.Rides(), w.s.Rides()) {
		w.t.Fatalf("not deterministic:\n%v\n%v", out, again)
	}
	w.checkBounds(out)
	for i, c := range w.s.cars {
		w.checkLease(c, in)
		if was := before.cars[i].owner; c.owner != nil && (was == nil || was.ride.ID != c.owner.ride.ID) {
			if _, resumed := in.(Resume); !resumed {
				w.checkGrant(c)
			}
		}
	}
	w.checkOutputs(before, in, out)
	w.checkShells()
	w.checkStands(before, in, out)
	w.checkButtons(before, out)
	w.checkWake(in)
	w.note(out)
}

// checkShells: a car has one owner, decks and all.
func (w *town) checkShells() {
	owners := map[int]string{}
	for _, c := range w.s.cars {
		if c.owner == nil {
			continue
		}
		if had, twice := owners[c.shell]; twice {
			w.t.Fatalf("%s has a deck of the car of %s", c.owner.ride.ID, had)
		}
		owners[c.shell] = c.owner.ride.ID
		if c.Deck != "" {
			w.reached["deck"]++
		}
	}
}

// checkStands: what is closed is given to nobody but the ride of a robot that is in it, and
// neither a stop nor an alarm asks for anything that may close a door on a robot.
func (w *town) checkStands(before *Site, in Input, out []Output) {
	_, resumed := in.(Resume)
	for i, c := range w.s.cars {
		closed, _ := w.s.closed(c, w.now)
		was := before.cars[i].owner
		if e := c.owner; !resumed && closed != "" && e != nil && (was == nil || was.ride.ID != e.ride.ID) && e.ride.Where == fsm.Outside {
			w.t.Fatalf("%s got %s, which is closed: %s", e.ride.ID, c.ID, closed)
		}
	}
	switch in := in.(type) {
	case Stop, RaiseArea:
		for _, o := range out {
			d, ok := o.(Do)
			if !ok || !d.Command.MayClose {
				continue
			}
			if e, _ := before.find(d.Command.ID.Ride); e.ride.Where != fsm.Outside {
				w.t.Fatalf("%T: %s with the robot %s", in, d.Command.Verb, e.ride.Where)
			}
		}
		w.reached["stop"]++
	}
}

// checkButtons: no landing button of the group is pressed for one ride while the press of
// another for the same button stands.
func (w *town) checkButtons(before *Site, out []Output) {
	for _, o := range out {
		d, ok := o.(Do)
		if !ok || d.Command.Verb != elevator.LandingCall {
			continue
		}
		for _, e := range before.rides {
			if x, _ := w.s.find(e.ride.ID); x == nil || x.ride.Call.Command.ID != e.ride.Call.Command.ID {
				continue // it was let go of in this step
			}
			if c := e.ride.Call.Command; e.ride.ID != d.Command.ID.Ride && c.ID.N != 0 && c.Verb == elevator.LandingCall &&
				c.Floor == d.Command.Floor && c.Side == d.Command.Side && c.Direction == d.Command.Direction {
				w.t.Fatalf("%s presses what %s has pressed", d.Command.ID.Ride, e.ride.ID)
			}
		}
	}
}

// checkLease: a ride that has the lease is the owner and the other way round; a ride
// that is over with its robot outside lets go in time.
func (w *town) checkLease(c *car, in Input) {
	for _, e := range w.s.rides {
		if e.ride.Lift == c.ID && e.ride.Granted != (c.owner == e) {
			w.t.Fatalf("%s thinks that it has %s: %v; it has: %v", e.ride.ID, c.ID, e.ride.Granted, c.owner == e)
		}
	}
	if _, tick := in.(Tick); !tick || c.owner == nil || c.Plan.Claims {
		return
	}
	if r := c.owner.ride; r.State == fsm.Done && w.now > r.Since.Add(32*time.Second) && w.now > r.Watch.Add(32*time.Second) {
		w.t.Fatalf("%s is over since %s and still has %s", r.ID, w.now.Sub(r.Since), c.ID)
	}
}

// checkGrant: the car goes to a ride that can use it, under an epoch of its own, and
// never while the robot of another may be in it.
func (w *town) checkGrant(c *car) {
	w.reached["grant"]++
	if c.owner.ride.Epoch <= w.epoch {
		w.t.Fatalf("epoch %d after %d", c.owner.ride.Epoch, w.epoch)
	}
	w.epoch = c.owner.ride.Epoch
	for _, e := range w.s.rides {
		if e != c.owner && e.ride.Lift == c.ID && e.ride.Where != fsm.Outside {
			w.t.Fatalf("%s was given to %s with the robot of %s %s", c.ID, c.owner.ride.ID, e.ride.ID, e.ride.Where)
		}
	}
}

func (w *town) checkOutputs(before *Site, in Input, out []Output) {
	for _, o := range out {
		switch o := o.(type) {
		case Do:
			w.checkCommand(before, o, out)
		case Freed: // of a ride that went over to another car, that one may have let the robot in at once
			if e, _ := w.s.find(o.Ride); e != nil && e.ride.Lift == o.Lift && e.ride.Where != fsm.Outside {
				w.t.Fatalf("%T freed %s with the robot %s", in, o.Lift, e.ride.Where)
			}
		case Drop:
			w.reached["drop"]++
			if e, _ := w.s.find(o.Ride); e != nil && !slices.Contains(w.s.rides, e) {
				w.t.Fatalf("%s is dropped and still kept", o.Ride)
			}
		}
	}
}

// checkCommand: it is asked of the lift by the ride that has it, by a number that was
// never used, and closes no door on a robot.
func (w *town) checkCommand(before *Site, o Do, out []Output) {
	id := o.Command.ID
	if w.numbers[id] {
		w.t.Fatalf("command %s is given twice", id)
	}
	w.numbers[id] = true
	had, has := before.car(o.Lift).owner, w.s.car(o.Lift).owner
	passed := slices.Contains(out, Output(Freed{Lift: o.Lift, Ride: id.Ride})) // it went over to it, and let it go at once
	if !passed && (had == nil || had.ride.ID != id.Ride) && (has == nil || has.ride.ID != id.Ride) {
		w.t.Fatalf("%s asks %s of %s without having it", id.Ride, o.Command.Verb, o.Lift)
	}
	if e, _ := w.s.find(id.Ride); o.Command.MayClose && e.ride.Where != fsm.Outside && e.ride.Where != fsm.Inside {
		w.t.Fatalf("%s with the robot %s", o.Command.Verb, e.ride.Where)
	}
}

func (w *town) checkBounds(out []Output) {
	if len(w.s.rides) > 4 || len(w.s.ended) > 1 || len(out) > 80 {
		w.t.Fatalf("%d rides, %d ended, %d outputs", len(w.s.rides), len(w.s.ended), len(out))
	}
	for _, c := range w.s.cars {
		if len(c.alarms) > 2*len(w.s.rides)+1 {
			w.t.Fatalf("%d alarms for %d rides", len(c.alarms), len(w.s.rides))
		}
	}
}

// checkWake: after a Tick no other is wanted at once, and none does anything before
// the time that is asked for.
func (w *town) checkWake(in Input) {
	at := w.s.NextWake()
	if _, tick := in.(Tick); !tick {
		return
	}
	if at != 0 && at <= w.now {
		w.t.Fatalf("a tick at %d leaves a wake at %d", w.now, at)
	}
	early := at - 1
	if at == 0 {
		early = w.now + 3600*second
	}
	if out := w.s.Clone().Step(Tick{}, early, nil); len(out) > 0 {
		w.t.Fatalf("a tick at %d, before the wake at %d, does %v", early, at, out)
	}
}

func (w *town) note(out []Output) {
	for _, o := range out {
		switch o := o.(type) {
		case Moved:
			w.reached[string(o.To)]++
			w.reached[string(o.Phase)]++
		case Alarm:
			if o.Code == fsm.DoorOpenAlarm {
				w.reached["door"]++
			}
		}
	}
	for _, e := range w.s.rides {
		if strings.Contains(e.book.CarWhy, "in place of") {
			w.reached["chosen again"]++
		}
	}
	for _, c := range w.s.Cars() {
		if c.AreaAlarm != nil {
			w.reached["area"]++
		}
		if len(c.Queue) > 1 {
			w.reached["queue"]++
		}
	}
	for _, e := range w.s.rides {
		if e.ride.Where == fsm.Inside {
			w.reached["inside"]++
		}
	}
}
