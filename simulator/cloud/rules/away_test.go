package rules

import (
	"fmt"
	"testing"
)

func (g *stage) beat(at int64, age int) {
	g.say(at, "heartbeat", fmt.Sprintf(`{"epoch":1,"session":4,"seq":1,"versions":{},"self_age_s":%d}`, age))
}

func (g *stage) inPool(want bool, strikes int) {
	g.t.Helper()
	if p, _ := g.s.Presence("GW-1", now+g.at); p.Pool != want || p.Strikes != strikes {
		g.t.Errorf("at +%d: in the pool %v with %d strikes, want %v with %d", g.at, p.Pool, p.Strikes, want, strikes)
	}
}

// OP-2: silence takes a thing out of the pool; three judgements in a row are a work
// order, once; its first sign of life puts it back.
func TestAwayOffline(t *testing.T) {
	g := newStage(t, Options{})
	g.tick(0)
	g.say(1, "presence", `{"online":true,"epoch":1,"session":4,"reason":"connect"}`)
	g.tick(181)
	g.inPool(true, 0)
	g.gives("news")
	g.tick(182)
	g.inPool(false, 1)
	g.tick(361)
	g.tick(362)
	g.inPool(false, 2)
	g.gives("news", "news|offline||||connect")
	g.tick(542)
	g.inPool(false, 3)
	g.tick(5000)
	g.gives("news", "news|work_order|||offline||3")
	g.beat(5001, 1)
	g.inPool(true, 0)
	g.gives("news", "news|recovered||||")
	g.say(5002, "presence", `{"online":false,"epoch":1,"session":4,"reason":"lost"}`)
	g.inPool(false, 1)
	g.gives("news", "news|offline||||lost")
}

// OP-2: beats without reports are something else than silence and than idleness: a loop
// that goes round makes each beat a report.
func TestAwaySemi(t *testing.T) {
	g := newStage(t, Options{})
	g.say(0, "presence", `{"online":true,"epoch":1,"session":4,"reason":"connect"}`)
	for at := int64(30); at <= 600; at += 30 { // idle, and well
		g.beat(at, 2)
		g.tick(at + 1)
	}
	g.inPool(true, 0)
	g.gives("news")
	for at := int64(630); at <= 840; at += 30 { // it hangs
		g.beat(at, 900)
	}
	g.tick(840)
	g.inPool(true, 0)
	g.beat(841, 900)
	g.inPool(false, 1)
	g.gives("news", "news|semi||||connect")
	for at := int64(871); at <= 1500; at += 30 {
		g.beat(at, 900)
		g.tick(at + 1)
	}
	g.gives("news", "news|work_order|||semi||3")
	g.tick(3000) // and now it is silent as well
	g.gives("news", "news|offline||||")
	g.say(3001, "shadow/update", `{"state":{"reported":{"a":1}}}`)
	g.inPool(true, 0)
	g.gives("news", "news|recovered||||")
}

// The consequences survive a restart of the service: no second work order, no forgotten
// recovery.
func TestAwaySurvives(t *testing.T) {
	g, d := newStage(t, Options{}), disk{}
	d.commit(t, take(g.s, "presence", `{"online":true,"epoch":1,"session":4}`))
	for at := int64(10); at < 1600; at += 10 {
		r := g.s.Tick(now + at)
		g.hear(r)
		d.commit(t, r)
		if at == 300 || at == 900 {
			g.s = d.agrees(t, g.s)
		}
	}
	g.gives("news", "news|offline||||", "news|work_order|||offline||3")
}

// A service that was away itself gives everybody the time to be heard before it calls
// anybody away.
func TestAwayAfterStart(t *testing.T) {
	g, d := newStage(t, Options{}), disk{}
	d.commit(t, take(g.s, "presence", `{"online":true,"epoch":1,"session":4}`))
	g.s = d.agrees(t, g.s)
	g.tick(86400)
	g.beat(86410, 900) // its reports stood still, or were not heard
	g.tick(86400 + 180)
	g.gives("news")
	g.inPool(true, 0)
	for at := int64(86600); at <= 86400+240; at += 20 {
		g.beat(at, 900)
		g.tick(at)
	}
	g.gives("news")
	g.tick(86400 + 241)
	g.gives("news", "news|semi||||")
	d = disk{}
	d.commit(t, Result{Puts: g.s.Snapshot()})
	g.s = d.agrees(t, g.s)
	g.tick(2 * 86400)
	g.tick(2*86400 + 180)
	g.gives("news")
	g.tick(2*86400 + 181)
	g.gives("news", "news|offline||||")
}
