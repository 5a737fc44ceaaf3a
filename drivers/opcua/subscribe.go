package opcua

import (
	"context"
	"fmt"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
)

const (
	// keepAliveEvery is how often the server is asked to say that nothing has changed:
	// the age of what it told is no more than that.
	keepAliveEvery = 500 * time.Millisecond
	// slowest is the most that a server may make of it; then the nodes are read.
	slowest = 1500 * time.Millisecond
	aside   = time.Second // beyond it, until a subscription counts as silent
	// belated is how long what was told may have been under way to be believed.
	belated = 500 * time.Millisecond
)

// subscription is what a server tells of by itself.
type subscription struct {
	id     uint32
	items  []source
	latest []*ua.DataValue // by item; nil: not told yet
	limit  time.Duration   // without a word for so long it is dead
	ahead  time.Duration   // our clock before the server's, with the shortest way seen
}

// under tells how much longer than the shortest one a message was under way that the
// server dated. Neither clock has to be right: only their distance counts.
func (t *subscription) under(sent, came time.Time) time.Duration {
	if sent.Year() < 1970 {
		return 0 // it does not say
	}
	d := came.Sub(sent)
	t.ahead = min(t.ahead, d)
	return d - t.ahead
}

// has reports whether a source is told by the server; a nil subscription tells nothing.
func (t *subscription) has(name string) bool {
	if t == nil {
		return false
	}
	for _, s := range t.items {
		if s.Name == name {
			return true
		}
	}
	return false
}

// subscribe asks the server to tell of the nodes for which the profile wants it. It
// gives nil where there are none, or where the server would tell too seldom.
func (l *link) subscribe(ctx context.Context, s *session) (*subscription, error) {
	t := &subscription{}
	interval := keepAliveEvery
	for _, src := range l.sources {
		if src.node.Subscribe > 0 {
			t.items = append(t.items, src)
			interval = min(interval, src.node.Subscribe)
		}
	}
	if len(t.items) == 0 {
		return nil, nil
	}
	count := max(1, uint32(keepAliveEvery/interval))
	res, err := askFor[*ua.CreateSubscriptionResponse](ctx, s, &ua.CreateSubscriptionRequest{
		RequestedPublishingInterval: float64(interval) / float64(time.Millisecond), RequestedMaxKeepAliveCount: count,
		RequestedLifetimeCount: max(3*count, 100), PublishingEnabled: true,
	}, connectWithin)
	if err != nil {
		return nil, fmt.Errorf("%w: subscribe: %w", kindOfRead(err), err)
	}
	every := time.Duration(res.RevisedPublishingInterval*float64(time.Millisecond)) * time.Duration(max(1, res.RevisedMaxKeepAliveCount))
	if every <= 0 || every > slowest {
		l.complain("subscription", fmt.Errorf("the server would be silent for %s: its nodes are read instead", every))
		return nil, nil
	}
	t.id, t.limit = res.SubscriptionID, every+aside
	t.latest, t.ahead = make([]*ua.DataValue, len(t.items)), time.Since(res.ResponseHeader.Timestamp)
	return t, l.monitor(ctx, s, t)
}

// monitor names the nodes of a subscription. What the server does not take is read.
func (l *link) monitor(ctx context.Context, s *session, t *subscription) error {
	req := &ua.CreateMonitoredItemsRequest{SubscriptionID: t.id, TimestampsToReturn: ua.TimestampsToReturnBoth}
	for i, src := range t.items {
		id, err := s.node(src.at)
		if err != nil {
			return fmt.Errorf("nodes.%s: %w", src.Name, err)
		}
		req.ItemsToCreate = append(req.ItemsToCreate, &ua.MonitoredItemCreateRequest{
			ItemToMonitor:  &ua.ReadValueID{NodeID: id, AttributeID: ua.AttributeIDValue, DataEncoding: &ua.QualifiedName{}},
			MonitoringMode: ua.MonitoringModeReporting,
			RequestedParameters: &ua.MonitoringParameters{
				ClientHandle: uint32(i), SamplingInterval: float64(src.node.Subscribe) / float64(time.Millisecond), QueueSize: 1, DiscardOldest: true,
				Filter: ua.NewExtensionObject(nil),
			},
		})
	}
	res, err := askFor[*ua.CreateMonitoredItemsResponse](ctx, s, req, connectWithin)
	if err == nil && len(res.Results) != len(t.items) {
		err = fmt.Errorf("%w: %d results for %d nodes", drivers.ErrProtocol, len(res.Results), len(t.items))
	}
	if err != nil {
		return fmt.Errorf("%w: subscribe: %w", kindOfRead(err), err)
	}
	for i, r := range res.Results {
		if r == nil || !good(r.StatusCode) {
			l.complain(t.items[i].Name, fmt.Errorf("%w: not told by the server, so it is read", drivers.ErrConfig))
			t.items[i].Name = "" // has finds it no more
		}
	}
	return nil
}

// listen waits for what the server tells until the session ends. A subscription that
// falls silent is the end of the session.
func (l *link) listen(ctx context.Context, s *session, t *subscription) {
	var acks []*ua.SubscriptionAcknowledgement
	for ctx.Err() == nil && s.alive() {
		res, err := askFor[*ua.PublishResponse](ctx, s, &ua.PublishRequest{SubscriptionAcknowledgements: acks}, t.limit)
		if err == nil {
			err = l.told(t, res)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			l.lose(t.items)
			s.wire.stop(fmt.Errorf("subscription: %w", err))
			return
		}
		acks = nil
		if len(res.NotificationMessage.NotificationData) > 0 {
			acks = []*ua.SubscriptionAcknowledgement{{SubscriptionID: res.SubscriptionID, SequenceNumber: res.NotificationMessage.SequenceNumber}}
		}
	}
}

// told takes what the server says has changed, and dates anew what it says has not:
// both are as old as the message was under way.
func (l *link) told(t *subscription, res *ua.PublishResponse) error {
	at := l.env.Now()
	if res.NotificationMessage == nil || res.SubscriptionID != t.id {
		return fmt.Errorf("%w: of subscription %d", drivers.ErrProtocol, res.SubscriptionID)
	}
	for _, n := range res.NotificationMessage.NotificationData {
		if n == nil {
			continue
		}
		switch n := n.Value.(type) {
		case *ua.DataChangeNotification:
			for _, item := range n.MonitoredItems {
				if int64(item.ClientHandle) >= int64(len(t.latest)) {
					return fmt.Errorf("%w: of an item that is not ours", drivers.ErrProtocol)
				}
				t.latest[item.ClientHandle] = item.Value
			}
		case *ua.StatusChangeNotification:
			return fmt.Errorf("%w: the server has ended it: %s", drivers.ErrDevice, name(n.Status))
		}
	}
	if res.MoreNotifications {
		return nil
	}
	late := t.under(res.NotificationMessage.PublishTime, time.Now())
	if late > belated {
		l.lose(t.items)
		l.complain("subscription", fmt.Errorf("%w: told %s late", drivers.ErrTimeout, late))
		return nil
	}
	at = at.Add(-late)
	for i, src := range t.items {
		if src.Name != "" && t.latest[i] != nil {
			_ = l.layAll(t.items[i:i+1], t.latest[i:i+1], at) // noted and logged there
		}
	}
	return nil
}
