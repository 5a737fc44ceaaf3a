package profiles

import (
	"fmt"
	"time"

	"hoistway/drivers/profiles/strict"
)

// A call of the style level stands for as long as it is written again and ends by itself, so
// that a gateway which hangs calls nothing for ever. A ride renews it by the same command
// with a new number: whatever else the command does it does once more each time.

// Bounds of how long a call outlives its last renewal: room for one to be late, and an end
// that people do not have to wait for.
const (
	levelLeast = 5 * time.Second
	levelMost  = time.Minute
)

// levelStyle looks that each call is a level that ends by itself, and keeps the shortest.
func (b *builder) levelStyle(ride, cmds *strict.Value) {
	if t := ride.Get("toggles"); t.Bool() {
		b.fault(t, "a call that is renewed would be taken back by its renewal", "leave it out, or another style")
	}
	if b.messages != nil {
		b.fault(ride.Get("style"), "calls are held as levels in registers and coils alone", "landing+car, or car-only")
		return
	}
	for _, call := range []*strict.Value{cmds.Get("landing_call").Get("up"), cmds.Get("landing_call").Get("down"), cmds.Get("car_call")} {
		if call.Given() && call.OK() {
			b.levelCall(call)
		}
	}
}

func (b *builder) levelCall(call *strict.Value) {
	held := false
	for _, w := range call.Get("writes").Items() {
		b.onceOnly(w.Get("pulse"), "a pulse would be pressed anew")
		b.onceOnly(w.Get("cleared"), "a trigger would be pulled anew")
		every, life := w.Get("level").Get("refresh"), w.Get("level").Get("for")
		if !every.Given() {
			continue
		}
		held = true
		b.levelLife(life)
		if w.Get("release").Given() && w.Get("may_close").Bool() {
			b.fault(w.Get("may_close"), "a release that is never written by itself leaves the call standing", "leave it out")
		}
	}
	if !held {
		b.fault(call, "nothing of this call is a level, which the style wants", "level: {name: call, refresh: 2s, for: 20s} in its write")
	}
}

func (b *builder) onceOnly(v *strict.Value, what string) {
	if v.Given() {
		b.fault(v, what+" at each renewal of the call", "level: {name: call, refresh: 2s, for: 20s} instead, or style: landing+car")
	}
}

func (b *builder) levelLife(v *strict.Value) {
	if !v.Given() || !v.OK() {
		return // told elsewhere
	}
	t := &b.p.traits
	least := max(levelLeast, 4*t.FastPoll+2*time.Second)
	if d := v.Duration(); d < least || d > levelMost {
		b.fault(v, fmt.Sprintf("a call that is renewed lives %s to %s", least, levelMost), "20s")
		return
	}
	if t.LevelFor == 0 || v.Duration() < t.LevelFor {
		t.LevelFor = v.Duration()
	}
}

// of is the level of one output among several that a command finds by adding the landing:
// each is held and let go by itself. Were they one, the next call would take over the level
// of the last and leave its output on.
func (l Level) of(addr uint16) Level {
	if l.Key != 0 {
		l.Key = max(1, (l.Key^uint32(addr))*16777619)
	}
	return l
}
