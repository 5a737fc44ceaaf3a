package cloud

import (
	"context"
	"time"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// parcel is a message that waits to be sent.
type parcel struct {
	m   shadow.Message
	due time.Time // not sent before; zero is at once
}

// queue puts a message into its lane, as often and as late as the post wants it; mu
// is held.
func (c *Cloud) queue(m shadow.Message) {
	copies, late := c.post(m)
	p := parcel{m: m}
	if late > 0 {
		p.due = time.Now().Add(late)
	}
	for range copies {
		select {
		case c.queues[c.laneOf(m.Topic)] <- p:
		default:
			c.log.Warn("message dropped: the broker does not keep up", "topic", m.Topic)
		}
	}
}

// send empties one lane.
func (c *Cloud) send(ctx context.Context, lane <-chan parcel) {
	for {
		select {
		case p := <-lane:
			if !wait(ctx, p.due) {
				return
			}
			if err := c.publish(ctx, p.m); err != nil && ctx.Err() == nil {
				c.log.Debug("message dropped", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// wait reports whether it waited to the end.
func wait(ctx context.Context, until time.Time) bool {
	left := time.Until(until)
	if left <= 0 {
		return true
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *Cloud) publish(ctx context.Context, m shadow.Message) error {
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	return c.link.Publish(ctx, m)
}

// Forget makes the service know nothing of any thing, as one that was set up anew.
// Things are not told; they find out.
func (c *Cloud) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.service = rules.New(c.root)
}
