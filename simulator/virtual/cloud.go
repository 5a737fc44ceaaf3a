package virtual

import (
	"fmt"
	"time"

	"hoistway/agent/core"
	"hoistway/simulator/cloud/rules"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
	"hoistway/sync/shadow"
)

// cloud is the broker, the service behind it, and the agent's connection to them.
type cloud struct {
	s       *Site
	svc     *rules.Service
	rng     chance
	topics  []string
	x       string // of the thing, before everything
	on      bool   // a connection stands, as the agent sees it
	gen     uint32 // of the connection
	session uint64
	will    shadow.Message
	kept    *shadow.Message // the retained word of presence
	fails   int
	upAt    int64
	parcels []parcel
	free    []int
	lastTo  int64 // instants at which the last parcels arrive: they keep their order
	lastOf  int64
	intents int
	// What is shown of the documents, until one changes.
	shown    scenarios.Cloud
	shownOld bool
}

const (
	brokerLow, brokerHigh = 15 * time.Millisecond, 25 * time.Millisecond
	dialTakes             = 80 * time.Millisecond
	dialLimit             = 15 * time.Second
	keepAlive             = 40 * time.Second // and the wait for its answer
	ackLimit              = 30 * time.Second
	firstPause            = time.Second
	longPause             = 5 * time.Minute
	settled               = time.Minute
	cloudTarget           = faults.CloudTarget
)

func (c *cloud) init(s *Site) {
	c.s = s
	c.rng = s.chance(ofCloud, 0)
	c.x = rules.Root + "/" + serial
	if s.set.Cloud {
		c.topics = shadow.New(*c.config()).Topics()
	}
	c.newService()
}

// newService puts a service there that knows nothing.
func (c *cloud) newService() {
	c.svc, c.shownOld = rules.New(rules.Root), true
	if !c.subscribed(shadow.ShadowTopic(c.x+"/shadow", "L1", shadow.OpUpdateDocuments)) {
		c.svc.Hush()
	}
}

func (c *cloud) config() *shadow.Config {
	k := &shadow.Config{Serial: serial, Prefix: c.x + "/shadow", Beside: c.x, Shadows: []string{""}, Seed: c.s.set.Seed}
	lifts := []any{}
	for _, l := range c.s.lifts {
		k.Shadows = append(k.Shadows, l.id)
		lifts = append(lifts, l.id)
	}
	k.Register = shadow.Tree{
		"kind": "lift-gateway", "firmware": "virtual", "protocol": "1", "lifts": lifts, "instance": "virtual-1",
		"static": shadow.Tree{"campus": "Riverside", "building": "A"},
	}
	return k
}

// now is the cloud's own clock, in epoch seconds; it does not jump.
func (c *cloud) now() int64 { return wall0/1000 + int64(c.s.at())/1e9 }

func (c *cloud) own(d time.Duration, k kind, n uint64) {
	c.s.own(d, k, int(c.gen), n)
}

func (c *cloud) happens(e event) {
	if e.kind != evToCloud && uint32(e.who) != c.gen { // of an older connection
		if e.kind == evToAgent || e.kind == evAcked {
			c.drop(int(e.n))
		}
		return
	}
	switch e.kind {
	case evConnect:
		c.dial()
	case evLinkUp:
		c.up()
	case evDeaf:
		if c.on {
			c.lose("the keep-alive is not answered")
		}
	case evToCloud:
		c.atBroker(int(e.n))
	case evToAgent:
		c.atAgent(int(e.n))
	case evAcked:
		p := c.take(int(e.n))
		c.s.agent.put(core.Sent{Token: p.token, Err: p.err})
	}
}

// begin lets a new process look for its broker.
func (c *cloud) begin() {
	c.gen++
	c.on, c.fails = false, 0
	c.own(0, evConnect, 0)
}

// dial is one attempt to connect. The session is counted up in the store before.
func (c *cloud) dial() {
	if c.on {
		return
	}
	c.session++
	switch {
	case c.faulty("broker-gone"):
		c.failed(dialTakes)
	case c.faulty("cloud-deaf"):
		c.failed(dialLimit)
	default:
		c.own(dialTakes, evLinkUp, 0)
	}
}

func (c *cloud) failed(after time.Duration) {
	c.fails++
	c.own(after+c.pause(), evConnect, 0)
}

// pause is drawn from a window that doubles with each failure.
func (c *cloud) pause() time.Duration {
	if c.fails == 0 {
		return 0
	}
	window := min(firstPause<<min(c.fails-1, 20), longPause)
	return time.Duration(c.rng.Int64N(int64(window) + 1))
}

func (c *cloud) faulty(kind string) bool {
	_, on := c.s.on(cloudTarget, kind)
	return on
}

func (c *cloud) up() {
	if c.faulty("broker-gone") || c.faulty("cloud-deaf") {
		c.failed(0)
		return
	}
	c.on, c.upAt = true, c.s.tl.Now()
	epoch := c.s.agent.look().Shadow.Epoch
	c.will = shadow.Message{Topic: c.x + "/" + shadow.BesidePresence, Payload: shadow.PresencePayload(false, epoch, c.session, "lost"), QoS: 1, Retain: true}
	c.s.say("agent", false, "is connected to the cloud")
	c.s.agent.put(core.LinkUp{Session: c.session})
	if c.kept != nil {
		c.toAgent(*c.kept, 0)
	}
}

// lose ends the connection without a word; the broker then speaks the will.
func (c *cloud) lose(why string) {
	c.s.say("agent", true, "has lost the cloud: "+why)
	lived := time.Duration(c.s.tl.Now() - c.upAt)
	c.off()
	c.fails++
	if lived >= settled {
		c.fails = 0
	}
	c.s.agent.put(core.LinkDown{})
	c.own(c.pause(), evConnect, 0)
}

func (c *cloud) off() {
	c.on = false
	c.gen++
	if !c.faulty("broker-gone") {
		c.presence(c.will)
	}
}

// processEnds closes the connection of a process that is gone.
func (c *cloud) processEnds() {
	if !c.on {
		return
	}
	if c.s.agent.stopping { // it has said goodbye
		c.on = false
		c.gen++
		return
	}
	c.off()
}

// begins is what a fault of the cloud does beside being on.
func (c *cloud) begins(f faults.Fault) {
	switch f.Kind {
	case "broker-gone":
		c.kept = nil // its broker keeps nothing over a restart
		if c.on && c.s.agent.up {
			c.lose("the broker has gone")
		}
	case "cloud-deaf":
		c.own(keepAlive, evDeaf, 0)
	case "cloud-forgets":
		c.newService()
	}
}

// tell writes one version of one document into the log.
func (c *cloud) tell(ch rules.Change) {
	if ch.Shadow != "" {
		if state, ok := ch.After.Reported["state"].(string); ok {
			c.s.watch.Reported(ch.Shadow, state, c.s.at())
		}
	}
	if c.s.set.Lean { // nobody reads it
		return
	}
	name := ch.Shadow
	if name == "" {
		name = "gateway"
	}
	text := fmt.Sprintf("%s v%d", name, ch.After.Version)
	if d := shadow.Diff(ch.Before.Desired, ch.After.Desired); len(d) > 0 {
		text += " desired " + string(shadow.Encode(d))
	}
	if d := shadow.Diff(ch.Before.Reported, ch.After.Reported); len(d) > 0 {
		text += " reported " + string(shadow.Encode(d))
	}
	c.s.say("cloud", false, text)
}

// desire is an operator's order to the agent's settings.
func (c *cloud) desire(a scenarios.Desire) error {
	if !c.s.set.Cloud {
		return errNoCloud
	}
	v, err := readJSON(a.Value)
	if err != nil {
		return err
	}
	c.intents++
	id := fmt.Sprintf("order-%d", c.intents)
	name, field := a.Place()
	header := shadow.Tree{"fields": []any{field}, "priority": 5, "by": "operator"}
	if a.Expires > 0 {
		header["ttl_s"] = int64(a.Expires / time.Second)
	}
	plain, err := shadow.Plain(shadow.Tree{field: v, "_intents": shadow.Tree{id: header}})
	if err != nil {
		return err
	}
	tree, _ := plain.(shadow.Tree)
	c.s.say("operator", false, "desires "+a.Path+" "+a.Value)
	r, err := c.svc.Desire(serial, name, tree, c.now())
	if err != nil {
		return err
	}
	c.carry(r)
	return nil
}
