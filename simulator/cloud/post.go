package cloud

import (
	"context"
	"fmt"
	"time"

	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// parcel is a message that waits to be sent.
type parcel struct {
	m   shadow.Message
	due time.Time // not sent before; zero is at once
}

// queue puts a message into its lane, as often and as late as the post and the faults
// want it; mu is held. One that is held back goes after the next of its lane.
func (c *Cloud) queue(m shadow.Message) {
	copies, late, held := c.onItsWay(m)
	p := parcel{m: m}
	if late > 0 {
		p.due = time.Now().Add(late)
	}
	lane := c.laneOf(m.Topic)
	before, waits := c.held[lane]
	if held && !waits {
		c.held[lane] = p
		return
	}
	c.push(lane, p, copies)
	if waits {
		delete(c.held, lane)
		c.push(lane, before, 1)
	}
}

func (c *Cloud) push(lane int, p parcel, copies int) {
	for range copies {
		select {
		case c.queues[lane] <- p:
		default:
			c.log.Warn("message dropped: the broker does not keep up", "topic", p.m.Topic)
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

// Forget makes the cloud know nothing of any thing, as one that was set up anew; with a
// store that is emptied too. Things are not told; they find out.
func (c *Cloud) Forget() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store != nil {
		var gone []shadow.Record
		for _, bucket := range []string{rules.Bucket, ops.Bucket} {
			rows, err := c.store.Load(bucket)
			if err != nil {
				return fmt.Errorf("forget: %w", err)
			}
			for _, r := range rows {
				gone = append(gone, shadow.Record{Bucket: r.Bucket, Key: r.Key})
			}
		}
		if err := c.store.Commit(gone); err != nil {
			return fmt.Errorf("forget: %w", err)
		}
	}
	return c.restore()
}
