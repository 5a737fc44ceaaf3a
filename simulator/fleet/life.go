package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

const (
	forever   = 100 * 365 * 24 * time.Hour
	wishLife  = 300 // seconds; longer than anybody is away
	wishQueue = 64  // of wishes under way
	longOff   = 20 * time.Second
)

// online is what share of the fleet was there, in the mean of calm moments.
type online struct {
	sum, least float64
	n          int
}

func (o *online) see(share float64) {
	if o.n == 0 || share < o.least {
		o.least = share
	}
	o.sum += share
	o.n++
}

// conductor decides what befalls whom. It has a goroutine of its own.
type conductor struct {
	f      *fleet
	rng    *rand.Rand
	owed   struct{ drops, wishes float64 }
	from   time.Duration
	last   time.Duration
	storms int
	calm   time.Duration // until when a storm is not over
	shares online
	order  []int // in which gateways are wished something
	wished int
	wishes chan wish
}

// life is the part in which things happen.
func (f *fleet) life(ctx context.Context) online {
	f.enter("life")
	close(f.living)
	inner, cancel := context.WithCancel(ctx)
	c := &conductor{
		f: f, rng: rand.New(rand.NewPCG(f.o.Seed, 0)), from: f.now(), last: f.now(),
		order: nil, wishes: make(chan wish, wishQueue),
	}
	c.order = c.rng.Perm(f.o.Gateways)
	defer f.operator(inner, c.wishes)()
	defer cancel()
	limit := f.o.For
	if limit == 0 {
		limit = forever
	}
	f.until(ctx, limit, func() bool { c.pass(); return false })
	return c.shares
}

// operator is a client of its own that sends what the conductor wishes. It ends
// with ctx; the function it returns waits for that.
func (f *fleet) operator(ctx context.Context, wishes <-chan wish) (wait func()) {
	link, err := mqttlink.New(mqttlink.Options{Broker: f.o.Broker, ClientID: f.o.Name + "-operator"})
	if err != nil {
		f.tally.couldNot(err)
		return func() {}
	}
	sender := f.owned(ctx, link.Run, func(ctx context.Context) { f.operate(ctx, link, wishes) })
	var reader sync.WaitGroup
	reader.Go(func() { drain(ctx, link.Events()) })
	return func() { sender(); reader.Wait() }
}

func drain(ctx context.Context, events <-chan shadow.LinkEvent) {
	for {
		select {
		case <-events:
		case <-ctx.Done():
			return
		}
	}
}

func (f *fleet) operate(ctx context.Context, link *mqttlink.Link, wishes <-chan wish) {
	for {
		select {
		case w := <-wishes:
			f.tally.wished(w.id, f.now())
			if !f.send(ctx, link, w.Message) {
				f.tally.unwished(w.id)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// send goes on until the broker has it: the same header twice is one intent.
func (f *fleet) send(ctx context.Context, link *mqttlink.Link, m shadow.Message) bool {
	for link.Publish(ctx, m) != nil {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// wish is a message of the operator's, and the intent in it.
type wish struct {
	id string
	shadow.Message
}

// pass is one look at the fleet.
func (c *conductor) pass() {
	now := c.f.now()
	dt := now - c.last
	c.last = now
	c.storm(now)
	c.drop(dt)
	c.wish(dt)
	c.rotate(now)
}

// storm cuts everybody at the instants that part the life evenly.
func (c *conductor) storm(now time.Duration) {
	n := c.f.o.Storms
	if c.storms == n || now-c.from < c.f.o.For*time.Duration(c.storms+1)/time.Duration(n+1) {
		return
	}
	why := stormCause + cause(c.storms)
	c.storms++
	c.f.cuts = append(c.f.cuts, now)
	cut := 0
	for _, g := range c.f.gateways {
		if g.cut(why) {
			cut++
		}
	}
	c.calm = c.f.now() + c.f.o.Spread + 5*time.Second
	c.f.o.Log.Info("storm", "connections", cut, "took", c.f.now()-now)
}

// drop cuts single connections as often as asked for, whoever it hits.
func (c *conductor) drop(dt time.Duration) {
	c.owed.drops += c.f.o.DropsPerHour * float64(c.f.o.Gateways) * dt.Hours()
	for ; c.owed.drops >= 1; c.owed.drops-- {
		if g := c.anyOnline(); g != nil {
			g.cut(dropCause)
		}
	}
}

// anyOnline is nil when the draw finds none in a few tries.
func (c *conductor) anyOnline() *gateway {
	for range 20 {
		if g := c.f.gateways[c.rng.IntN(len(c.f.gateways))]; g.up.Load() {
			return g
		}
	}
	return nil
}

// rotate takes the power from as many as the asked-for share lets be away. Those
// that are away for other reasons count, so that the share is met and not passed.
func (c *conductor) rotate(now time.Duration) {
	n := c.f.o.Gateways
	away := n - int(c.f.tally.online.Load())
	if now >= c.calm {
		c.shares.see(100 * float64(n-away) / float64(n))
	}
	may := int(float64(n) * (100 - c.f.o.OnlinePercent) / 100)
	for ; away < may; away++ {
		g := c.anyOnline()
		if g == nil {
			return
		}
		select {
		case g.orders <- order{off: c.hold()}:
		default: // it has one already
		}
	}
}

// hold is how long a gateway is without power.
func (c *conductor) hold() time.Duration {
	mean := longOff
	if c.f.o.For > 0 {
		mean = min(mean, c.f.o.For/10)
	}
	return mean/2 + time.Duration(c.rng.Int64N(int64(mean)+1))
}

// wish has the operator wish a setting, of each gateway in turn.
func (c *conductor) wish(dt time.Duration) {
	f := c.f
	if f.o.For == 0 {
		c.owed.wishes += float64(f.o.Settings) * dt.Hours() // without an end: in an hour
	} else {
		c.owed.wishes += float64(f.o.Settings) * dt.Seconds() / f.o.For.Seconds()
	}
	for ; c.owed.wishes >= 1; c.owed.wishes-- {
		g := f.gateways[c.order[c.wished%len(c.order)]]
		id := fmt.Sprintf("w-%s-%d", f.instance[:6], c.wished)
		m := shadow.Message{
			Topic:   shadow.ShadowTopic(g.x+"/shadow", "", shadow.OpUpdate),
			Payload: shadow.Update{Desired: wishOf(id, 61+c.wished%500)}.Payload(), QoS: 1,
		}
		select {
		case c.wishes <- wish{id, m}:
			c.wished++
		default:
			return // the operator is behind: the rest is wished later
		}
	}
}

// wishOf is a setting under a header that gives it a time to live: judged by the
// server's clock it is alive, whatever the gateway's own clock says.
func wishOf(id string, seconds int) shadow.Tree {
	return shadow.Tree{
		settingName: number(int64(seconds)),
		"_intents": shadow.Tree{id: shadow.Tree{
			"fields": []any{settingName}, "priority": number(5), "ttl_s": number(wishLife), "by": "fleet",
		}},
	}
}
