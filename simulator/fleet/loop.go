package fleet

import (
	"bytes"
	"context"
	"strings"
	"time"

	"hoistway/sync/shadow"
)

const (
	longNap  = 30 * time.Second
	shortNap = 5 * time.Millisecond // keeps a deadline that a tick did not clear from taking the processor
	farewell = 3 * time.Second
	// goodbyes a second: they are no storm either.
	goodbyes = 2000
)

// loop owns the session until the power goes or the run ends.
func (g *gateway) loop(ctx context.Context) (off time.Duration, again bool) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(g.nap())
		select {
		case e := <-g.carrier.Events():
			g.event(e)
		case <-g.box.ready:
			g.returned()
		case o := <-g.orders:
			if o.off > 0 {
				return o.off, true
			}
			o.view <- g.session.View()
		case <-timer.C:
			g.tick()
		case <-g.f.ending:
			g.goodbye(ctx)
			return 0, false
		case <-ctx.Done():
			return 0, false
		}
	}
}

func (g *gateway) nap() time.Duration {
	next := longNap
	if wake := g.session.NextWake(); wake != 0 {
		next = min(next, time.Duration(wake-g.mono()))
	}
	if g.rolling() {
		next = min(next, g.due-g.f.now())
	}
	return max(shortNap, next)
}

func (g *gateway) rolling() bool { return g.times.gap > 0 && !g.f.isQuiet() }

// mono is the gateway's monotonic clock: it starts where it likes.
func (g *gateway) mono() int64 { return g.since + int64(g.f.now()) }

func (g *gateway) tick() {
	if g.rolling() && g.f.now() >= g.due {
		if g.f.isLiving() {
			g.transition()
			return
		}
		g.due = g.f.now() + g.times.pause()
	}
	g.step(shadow.Tick{})
}

// transition takes the ride one state on, or begins the next.
func (g *gateway) transition() {
	now := g.f.now()
	if g.ride.leg == len(legs)-1 {
		g.rides++
		g.ride = newRide(g.serial, g.rides, g.times.rng)
	} else {
		g.ride.leg++
	}
	g.due = now + g.times.leg()
	if g.ride.leg == len(legs)-1 {
		g.f.tally.rides.Add(1)
		g.due = now + g.times.pause()
	}
	link := uint64(0)
	if g.up.Load() {
		link = g.number.Load()
	}
	g.book.happened(now, link)
	g.f.tally.made.Add(1)
	g.truth = g.ride.fields(time.Now().Add(g.drift))
	g.step(shadow.Report{Shadow: lift, Fields: g.truth})
}

func (g *gateway) event(e shadow.LinkEvent) {
	switch e.Kind {
	case shadow.LinkUp:
		g.connected()
	case shadow.LinkDown:
		if g.up.Load() {
			g.down(e.Err)
		} else {
			g.f.tally.couldNot(e.Err)
		}
		g.step(shadow.Down{})
	case shadow.LinkMessage:
		g.message(e.Message)
	}
}

func (g *gateway) connected() {
	t := g.f.tally
	g.cutBy.Store(0)
	g.up.Store(true)
	t.online.Add(1)
	if g.away.why == arrivalCause {
		t.reached.Add(1)
	}
	t.back(g.away, g.f.now())
	g.step(shadow.Report{Fields: g.facts()})
	g.step(shadow.Up{Session: g.number.Load()})
}

func (g *gateway) offline() (was bool) {
	was = g.up.Swap(false)
	if was {
		g.f.tally.online.Add(-1)
	}
	return was
}

// down counts the end of a connection, once, under its cause.
func (g *gateway) down(err error) {
	if !g.offline() {
		return
	}
	why := cause(g.cutBy.Swap(0))
	switch {
	case why == foreignCause:
		g.f.tally.foreign.Add(1)
		g.f.tally.lastError(err)
	case why == powerCause:
		g.f.tally.power.Add(1)
	default:
		g.f.tally.drops.Add(1)
	}
	g.away = g.f.tally.gone(why, g.f.now())
	g.book.lost()
	g.told = told{}
}

func (g *gateway) message(m shadow.Message) {
	t := g.f.tally
	t.received.Add(1)
	size := uint64(len(m.Topic) + len(m.Payload))
	t.recvBytes.Add(size)
	if ofRide(m.Topic) {
		t.rideBytes.Add(size)
	}
	rest := strings.TrimPrefix(m.Topic, g.x)
	switch rest {
	case "/shadow/name/" + lift + "/update/accepted":
		g.accepted(m.Payload)
	case "/shadow/update/accepted":
		g.confirmed(m.Payload)
	case "/shadow/name/" + lift + "/get/accepted", "/shadow/name/" + lift + "/get/rejected":
		t.caughtUp(g.away, g.f.now())
	}
	g.step(shadow.Received{Message: m})
	if rest == "/"+shadow.BesideRegisterAccepted {
		g.epoch.Store(g.session.View().Epoch)
		if !g.registered {
			g.registered = true
			t.registered.Add(1)
		}
	}
}

// carries tells an answer to our own request without reading it all.
func carries(payload []byte, token string) bool {
	return token != "" && bytes.Contains(payload, []byte(`"clientToken":"`+token+`"`))
}

func (g *gateway) accepted(payload []byte) {
	if !carries(payload, g.book.token) {
		return
	}
	newest, overtaken, news := g.book.accepted()
	if !news {
		return
	}
	g.f.tally.told.Add(1)
	g.f.tally.overtaken.Add(uint64(overtaken))
	if newest.link != 0 && newest.link == g.number.Load() {
		g.f.tally.delivered(g.f.now() - newest.at)
	}
}

func (g *gateway) confirmed(payload []byte) {
	if !carries(payload, g.told.token) {
		return
	}
	for _, intent := range g.unsure[:g.told.intents] {
		g.f.tally.fulfilled(intent, g.f.now())
	}
	g.unsure = g.unsure[g.told.intents:]
	g.told = told{}
}

func (g *gateway) returned() {
	for _, s := range g.box.take() {
		if s.Token == g.last {
			g.last = ""
		}
		g.step(s)
	}
}

// goodbye says offline before the connection goes, each gateway in its turn.
func (g *gateway) goodbye(ctx context.Context) {
	turn := time.NewTimer(time.Duration(g.n) * time.Second / goodbyes)
	defer turn.Stop()
	select {
	case <-turn.C:
	case <-ctx.Done():
		return
	}
	g.last = "" // only this word counts
	g.step(shadow.Stopping{})
	late := time.NewTimer(farewell)
	defer late.Stop()
	for g.last != "" {
		select {
		case <-g.box.ready:
			g.returned()
		case <-g.carrier.Events():
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
