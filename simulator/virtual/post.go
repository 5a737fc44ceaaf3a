package virtual

import (
	"strings"
	"time"

	"hoistway/agent/core"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// parcel is a message on its way.
type parcel struct {
	m     shadow.Message
	token string
	gen   uint32
	err   error
}

func (c *cloud) put(p parcel) int {
	p.gen = c.gen
	if n := len(c.free); n > 0 {
		i := c.free[n-1]
		c.free = c.free[:n-1]
		c.parcels[i] = p
		return i
	}
	c.parcels = append(c.parcels, p)
	return len(c.parcels) - 1
}

func (c *cloud) take(i int) parcel {
	p := c.parcels[i]
	c.drop(i)
	return p
}

func (c *cloud) drop(i int) {
	c.parcels[i] = parcel{}
	c.free = append(c.free, i)
}

// publish sends one message of the agent's.
func (c *cloud) publish(p shadow.Publish) {
	if !c.on {
		i := c.put(parcel{token: p.Token, err: errNoLink})
		c.own(0, evAcked, uint64(i))
		return
	}
	at := max(c.s.tl.Now()+int64(c.rng.between(brokerLow, brokerHigh)), c.lastTo)
	c.lastTo = at
	i := c.put(parcel{m: p.Message, token: p.Token})
	c.s.tl.Plan(at, event{kind: evToCloud, who: int32(c.gen), n: uint64(i)})
}

// atBroker hands a message on and acknowledges it.
func (c *cloud) atBroker(i int) {
	p := c.take(i)
	if c.faulty("broker-gone") || p.gen != c.gen {
		return
	}
	ack := c.put(parcel{token: p.token})
	if c.faulty("cloud-deaf") {
		c.parcels[ack].err = errNoAck
		c.own(ackLimit, evAcked, uint64(ack))
		return
	}
	c.own(c.rng.between(brokerLow, brokerHigh), evAcked, uint64(ack))
	if p.m.Topic == c.x+"/"+shadow.BesidePresence {
		c.presence(p.m)
		return
	}
	c.carry(c.svc.Take(p.m, c.now()))
}

// presence goes to the service and, being retained and subscribed, to the agent.
func (c *cloud) presence(m shadow.Message) {
	m.Retain = false
	kept := m
	kept.Retain = true
	c.kept = &kept
	c.carry(c.svc.Take(m, c.now()))
	if c.on {
		c.toAgent(m, 0)
	}
}

// carry sends what came of one input of the service.
func (c *cloud) carry(r rules.Result) {
	c.shownOld = c.shownOld || len(r.Changes) > 0
	for _, ch := range r.Changes {
		c.tell(ch)
	}
	late := time.Duration(0)
	if slow, on := c.s.on(cloudTarget, "cloud-slow"); on {
		late = slow.Duration()
	}
	for _, m := range r.Messages {
		if c.on && c.subscribed(m.Topic) {
			c.toAgent(m, late)
		}
	}
}

func (c *cloud) toAgent(m shadow.Message, late time.Duration) {
	if _, lost := c.s.meet(cloudTarget, "lost-messages"); lost {
		return
	}
	times := 1
	if _, twice := c.s.meet(cloudTarget, "duplicates"); twice {
		times = 2
	}
	for range times {
		at := max(c.s.tl.Now()+int64(late+c.rng.between(brokerLow, brokerHigh)), c.lastOf)
		c.lastOf = at
		i := c.put(parcel{m: m})
		c.s.tl.Plan(at, event{kind: evToAgent, gen: c.s.agent.gen, who: int32(c.gen), n: uint64(i)})
	}
}

func (c *cloud) atAgent(i int) {
	p := c.take(i)
	if c.on && !c.faulty("cloud-deaf") && !c.faulty("broker-gone") {
		c.s.agent.put(core.Incoming{Message: p.m})
	}
}

// subscribed matches a topic with what the agent wants to hear.
func (c *cloud) subscribed(topic string) bool {
	for _, f := range c.topics {
		if matches(f, topic) {
			return true
		}
	}
	return false
}

func matches(filter, topic string) bool {
	for {
		f, restF, moreF := strings.Cut(filter, "/")
		t, restT, moreT := strings.Cut(topic, "/")
		if f != "+" && f != t || moreF != moreT {
			return false
		}
		if !moreF {
			return true
		}
		filter, topic = restF, restT
	}
}
