package profiles

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

const talker = `
id: test/talker
title: speaks by messages
protocol: modbus
ride: {style: journey, confirm: ack}
wire: {lowest: -2, highest: 9}
sides: {front: F, rear: "2"}
directions: {up: 1, down: 2}
points:
  floor: {from: status.floor}
  motion: {from: status.dir, enum: {"0": stopped, "1": up, "2": down}}
  door:
    front: {from: doors.front, enum: {OPENED: open, CLOSED: closed}}
  position: {from: status.pos, scale: 1000, min: 0}
  overload: {from: status.load}
  car_calls: {from: status.calls, poll: slow}
  hold_left: {front: {from: doors.left, max: 30}}
commands:
  journey: {send: [{message: call, with: {from: $wire, to: $to_wire, door: $side, exit: $to_side, dir: $direction, kind: 3, name: $to_label, id: $id}}]}
  cancel_journey: {send: [{message: cancel}]}
  hold: {front: {send: [{message: open, with: {s: $seconds}}], longest: 30s, dies_after: 30s}}
errors:
  E7: {advice: wait, text: "door blocked"}
`

var towers = elevator.Table{
	{Label: "B1", Wire: -1, Doors: []elevator.Side{elevator.Front}},
	{Label: "G", Wire: 0, Doors: []elevator.Side{elevator.Front, elevator.Rear}},
	{Label: "3A", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}

// spoken parses src with the common part of all protocols of messages.
func spoken(t *testing.T, src string, messages ...string) (*Profile, []strict.Fault) {
	t.Helper()
	keys := append(headKeys(), talkKeys()...)
	schema := strict.Keys(append(keys, strict.Key{Name: "implied", Schema: strict.ListOf(strict.OneOf(openStopped), 0, 1)})...)
	root, faults := strict.Read("t.yaml", []byte(src), &schema)
	b := &builder{p: &Profile{ID: root.Get("id").Text()}, faults: faults, messages: map[string]bool{}}
	for _, m := range messages {
		b.messages[m] = true
	}
	b.device(root)
	b.ownWords(root)
	b.toldPoints(root)
	b.commands(root.Get("commands"))
	b.meanings(root)
	b.consistent(root)
	return b.p, strict.Sort(b.faults)
}

func talk(t *testing.T) *Profile {
	t.Helper()
	p, faults := spoken(t, talker, "status", "doors", "call", "cancel", "open")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return p
}

func says(values map[string]Raw) func(string) Raw {
	return func(path string) Raw { return values[path] }
}

// DR-10: what a message says, what it says wrongly and what it does not say.
func TestLay(t *testing.T) {
	p := talk(t)
	var s elevator.Snapshot
	p.Lay("status", false, says(map[string]Raw{
		"floor": RawOfText("3"), "dir": RawOfInt(7), "pos": RawOfFloat(1.25), "load": RawOfBool(true),
		"calls": {Kind: RawList, List: []Raw{RawOfInt(0), RawOfInt(99), RawOfInt(3)}},
	}), towers, 10, &s)
	if s.Floor.Value != 3 || s.Position.Value != 1250 || s.Overload.Value != elevator.Yes || s.Floor.At != 10 {
		t.Errorf("%+v", s)
	}
	if s.Motion.Value != elevator.MotionUnknown || s.Motion.At != 10 || s.Motion.Failed {
		t.Errorf("a value without a word is %+v, not unknown", s.Motion)
	}
	if want := elevator.FloorSet(0).With(2).With(3); s.CarCalls.Value != want {
		t.Errorf("calls %b, want %b", s.CarCalls.Value, want)
	}
	if s.Doors[elevator.Front].At != 0 {
		t.Error("a door of another message was laid")
	}
	p.Lay("status", false, says(map[string]Raw{"floor": RawOfFloat(0.5), "dir": RawOfInt(1), "pos": RawOfFloat(-1)}), towers, 20, &s)
	if s.Floor.Value != 0 || s.Floor.At != 20 || s.Motion.Value != elevator.MovingUp {
		t.Errorf("half a floor is %+v", s.Floor)
	}
	if !s.Position.Failed || s.Position.Value != 1250 || !s.Overload.Failed || s.Overload.Value != elevator.Yes {
		t.Errorf("not believed %+v, not said %+v", s.Position, s.Overload)
	}
}

// WH-4, WH-5: a push says a part, and an older one changes nothing.
func TestLayPartial(t *testing.T) {
	p := talk(t)
	var s elevator.Snapshot
	p.Lay("status", true, says(map[string]Raw{"floor": RawOfInt(-1)}), towers, 50, &s)
	p.Lay("status", true, says(map[string]Raw{"floor": RawOfInt(3), "dir": RawOfInt(2)}), towers, 40, &s)
	if s.Floor.Value != 1 || s.Floor.At != 50 || s.Motion.Value != elevator.MovingDown || s.Overload.Failed {
		t.Errorf("%+v", s)
	}
	p.Lay("status", true, says(map[string]Raw{"dir": {Kind: RawNull}}), towers, 60, &s)
	if s.Motion.Value != elevator.MotionUnknown || s.Motion.Failed {
		t.Errorf("null is %+v, not unknown", s.Motion)
	}
	p.Lose("status", &s)
	if !s.Floor.Failed || !s.Motion.Failed || s.Doors[elevator.Front].Failed {
		t.Errorf("lost: %+v", s)
	}
}

// RD-4: what is no set of lamps is no dark lamp: a call would be pressed anew on it.
func TestLampsOfMessage(t *testing.T) {
	p := talk(t)
	for name, r := range map[string]Raw{
		"a word":         RawOfText("none"),
		"an empty text":  RawOfText(""),
		"a part":         RawOfFloat(2.5),
		"below nothing":  RawOfInt(-1),
		"null":           {Kind: RawNull},
		"a yes":          RawOfBool(true),
		"a list of junk": {Kind: RawList, List: []Raw{RawOfInt(3), RawOfText("x")}},
	} {
		var s elevator.Snapshot
		p.Lay("status", false, says(map[string]Raw{"calls": RawOfInt(2)}), towers, 10, &s)
		was := s.CarCalls
		p.Lay("status", false, says(map[string]Raw{"calls": r}), towers, 20, &s)
		if s.CarCalls.At != was.At || s.CarCalls.Value != was.Value || !s.CarCalls.Failed {
			t.Errorf("%s: %+v after %+v", name, s.CarCalls, was)
		}
	}
	var s elevator.Snapshot
	p.Lay("status", false, says(map[string]Raw{"calls": {Kind: RawList}}), towers, 30, &s)
	if s.CarCalls.At != 30 || s.CarCalls.Value != 0 || s.CarCalls.Failed {
		t.Errorf("an empty list: %+v", s.CarCalls)
	}
}

// DR-7: a message's command dies early too, and what may close a door is owed to nobody.
func TestAskLife(t *testing.T) {
	src := strings.Replace(talker, "cancel_journey: {send: [{message: cancel}]}", `cancel_journey:
    send: [{message: cancel, pause: 100ms}, {message: cancel, owed: true, may_close: true}]
    ttl: 2s
    confirm: {seen: [{point: floor, is: [wire]}], within: 3s}`, 1)
	p, faults := spoken(t, src, "status", "doors", "call", "cancel", "open")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	const now = elevator.Instant(time.Second)
	c := elevator.Command{Verb: elevator.CancelCall, Floor: 2, Until: now.Add(time.Minute)}
	a, err := p.Ask(c, towers, now)
	if err != nil || a.Until != now.Add(2*time.Second) || a.Confirmed != 3*time.Second || len(a.Sends) != 2 || !a.Sends[1].MayClose {
		t.Errorf("%+v, %v", a, err)
	}
	c.Until = now.Add(time.Second)
	if a, _ := p.Ask(c, towers, now); a.Until != c.Until {
		t.Errorf("its own life is the shorter one: %+v", a)
	}
	_, faults = spoken(t, strings.Replace(src, "owed: true, may_close", "may_close", 1), "status", "doors", "call", "cancel", "open")
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "owed") {
		t.Errorf("may_close with nothing owed: %v", faults)
	}
}

func TestHoldLeftOfMessage(t *testing.T) {
	p := talk(t)
	const at = elevator.Instant(100 * time.Second)
	for raw, want := range map[int64]time.Duration{12: 11 * time.Second, 1: 0, 0: 0, 31: 0} {
		var s elevator.Snapshot
		p.Lay("doors", false, says(map[string]Raw{"left": RawOfInt(raw)}), towers, at, &s)
		if got := s.Holds[elevator.Front].Until(at); got != want {
			t.Errorf("%d s left: a hold for %s, want %s", raw, got, want)
		}
	}
}

func TestSources(t *testing.T) {
	got := talk(t).Sources()
	if len(got) != 2 || got[0].Name != "status" || got[0].Every != 200*time.Millisecond || !got[0].Fast || len(got[1].Points) != 2 {
		t.Errorf("%+v", got)
	}
}

// DR-7: a command as messages, with the controller's own words.
func TestAsk(t *testing.T) {
	p := talk(t)
	c := elevator.Command{
		ID: elevator.CommandID{Ride: "r7", N: 2}, Verb: elevator.Journey, Floor: 2, To: 3,
		Side: elevator.Rear, ToSide: elevator.Front, Direction: elevator.Up, Until: 99,
	}
	a, err := p.Ask(c, towers, 1)
	if err != nil || len(a.Sends) != 1 || a.Sends[0].Message != "call" {
		t.Fatalf("%+v, %v", a, err)
	}
	want := map[string]Raw{
		"from": RawOfInt(0), "to": RawOfInt(3), "door": RawOfInt(2), "exit": RawOfText("F"), "dir": RawOfInt(1),
		"kind": RawOfInt(3), "name": RawOfText("3A"), "id": RawOfText("r7/2"),
	}
	for k, w := range want {
		if got := a.Sends[0].Args[k]; got.Kind != w.Kind || got.Int != w.Int || got.Text != w.Text {
			t.Errorf("%s is %+v, want %+v", k, got, w)
		}
	}
	for name, c := range map[string]elevator.Command{
		"no such floor":             {Verb: elevator.Journey, Floor: 2, To: 9, Until: 99},
		"a side that does not open": {Verb: elevator.Hold, Floor: 1, Side: elevator.Rear, Until: 99},
		"a verb without a message":  {Verb: elevator.CarCall, Floor: 2, Until: 99},
		"a life that is over":       {Verb: elevator.Journey, Floor: 2, To: 3, Until: 1},
	} {
		if _, err := p.Ask(c, towers, 1); !errors.Is(err, ErrNoFloor) && !errors.Is(err, ErrNotCapable) && !errors.Is(err, ErrExpired) {
			t.Errorf("%s: %v", name, err)
		}
	}
	hold := elevator.Command{Verb: elevator.Hold, Floor: 2, Side: elevator.Front, Until: elevator.Instant(12*time.Second) + 1}
	if a, err := p.Ask(hold, towers, 1); err != nil || a.Sends[0].Args["s"].Int != 12 || a.HoldUntil != elevator.Instant(11*time.Second)+1 {
		t.Errorf("hold: %+v, %v", a, err)
	}
	if adv, text := p.Meaning("E7"); adv != elevator.AdviceWait || text != "door blocked" {
		t.Errorf("%v %q", adv, text)
	}
}

// What the common part refuses, with its place.
func TestTalkFaults(t *testing.T) {
	_, faults := spoken(t, talker, "status", "doors", "call", "cancle")
	if len(faults) != 2 || faults[0].Line == 0 {
		t.Fatalf("%v", faults)
	}
	for i, want := range []string{"cancel", "open"} {
		if f := faults[i]; f.Msg != "the profile has no message "+want {
			t.Errorf("%v", f)
		}
	}
	if faults[0].Hint == "" {
		t.Error("no hint at cancle")
	}
}

func TestRaw(t *testing.T) {
	for _, c := range []struct {
		raw   Raw
		word  string
		whole int64
		ok    bool
	}{
		{RawOfInt(-3), "-3", -3, true},
		{RawOfFloat(2), "2", 2, true},
		{RawOfFloat(2.5), "2.5", 0, false},
		{RawOfFloat(1e300), "", 0, false},
		{RawOfText(" 12 "), " 12 ", 12, true},
		{RawOfText("12a"), "12a", 0, false},
		{RawOfBool(true), "true", 0, false},
		{Raw{}, "", 0, false},
		{Raw{Kind: RawNull}, "", 0, false},
	} {
		n, ok := c.raw.Whole()
		if ok != c.ok || ok && n != c.whole {
			t.Errorf("%+v is %d, %v", c.raw, n, ok)
		}
		if c.word != "" && c.raw.Word() != c.word {
			t.Errorf("%+v reads %q", c.raw, c.raw.Word())
		}
	}
	if Literal("007").Kind != RawText || Literal("7").Kind != RawInt || Literal("true").Kind != RawBool || Literal("T").Kind != RawText {
		t.Error("literals")
	}
}
