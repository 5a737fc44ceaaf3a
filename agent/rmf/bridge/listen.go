package bridge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hoistway/agent/rmf"
	"hoistway/sync/shadow"
)

// heard is one request as it came from the broker.
type heard struct {
	r    rmf.LiftRequest
	kept bool
}

// listen takes what comes from the broker, and never waits for anything else.
func (b *Bridge) listen(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-b.o.Broker.Events():
			switch e.Kind {
			case shadow.LinkUp:
				b.mu.Lock()
				b.afresh = true
				b.mu.Unlock()
				b.Publish()
			case shadow.LinkMessage:
				b.take(e.Message)
			}
		}
	}
}

// take reads one message and puts it into the queue.
func (b *Bridge) take(m shadow.Message) {
	r, err := b.parse(m)
	if err != nil {
		b.warn("a message of Open-RMF cannot be read", "topic", m.Topic, "error", err)
		return
	}
	select {
	case b.inbox <- heard{r, m.Retain}:
	default:
		b.warn("requests of Open-RMF come faster than they can be taken; some are dropped")
	}
}

func (b *Bridge) parse(m shadow.Message) (rmf.LiftRequest, error) {
	lift, is := strings.CutPrefix(m.Topic, b.o.Prefix+"/lifts/")
	lift, end := strings.CutSuffix(lift, "/request")
	if !is || !end {
		return rmf.LiftRequest{}, fmt.Errorf("the topic is none of %s", b.o.Prefix)
	}
	r, err := rmf.ParseRequest(m.Payload)
	if err == nil && r.LiftName != lift {
		err = &rmf.BadRequest{Field: "lift_name", Why: "is not that of the topic"}
	}
	return r, err
}

// work hands requests on one after the other, and what the translator does by itself.
func (b *Bridge) work(ctx context.Context) {
	due := time.NewTicker(dueEvery)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case h := <-b.inbox:
			_, _ = b.Hear(ctx, h.r, rmf.Source{Kept: h.kept}) // logged there; its answer is the state
		case <-due.C:
			b.due(ctx)
		}
	}
}

func (b *Bridge) due(ctx context.Context) {
	b.mu.Lock()
	orders := b.tr.Due(b.o.Desk.View(), b.time())
	b.mu.Unlock()
	for _, o := range orders {
		_, _ = b.carry(ctx, "", "", []rmf.Order{o}) // logged there; asked again while it is due
	}
	if len(orders) > 0 {
		b.Publish()
	}
}
