package opcua

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
)

const (
	// keepAliveEvery is how often the server is asked to say that nothing has changed:
	// the age of what it told is no more than that.
	keepAliveEvery = 300 * time.Millisecond
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
	back   []time.Duration // by item: how old a value may be when it is told
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
	every := millis(res.RevisedPublishingInterval) * time.Duration(min(max(1, res.RevisedMaxKeepAliveCount), 1000))
	if every <= 0 || every > slowest {
		l.complain("subscription", fmt.Errorf("the server would be silent for %s: its nodes are read instead", every))
		return nil, nil
	}
	if _, ok := s.pace.instant(res.ResponseHeader.Timestamp, l.env.Now()); !ok {
		l.complain("subscription", errors.New("the server tells no times: its nodes are read instead"))
		return nil, nil
	}
	t.id, t.limit = res.SubscriptionID, every+aside
	t.latest, t.back = make([]*ua.DataValue, len(t.items)), make([]time.Duration, len(t.items))
	return t, l.monitor(ctx, s, t, millis(res.RevisedPublishingInterval))
}

// millis is a time as servers tell it; one that is no time, or absurdly long, is an hour.
func millis(ms float64) time.Duration {
	if ms >= 0 && ms <= 3_600_000 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	return time.Hour
}

// monitor names the nodes of a subscription. What the server does not take, or looks at
// too seldom, is read. Beside that it was under way, a value that is told is as old as the
// server's looks at it and its messages lie apart.
func (l *link) monitor(ctx context.Context, s *session, t *subscription, published time.Duration) error {
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
		if r != nil {
			t.back[i] = max(published, millis(max(0, r.RevisedSamplingInterval)))
		}
		if r == nil || !good(r.StatusCode) || t.back[i] > slowest {
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
			err = l.told(ctx, s, t, res)
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

// told takes what the server says has changed, and dates anew what it says has not: both
// by when the server said so, and not by when it came.
func (l *link) told(ctx context.Context, s *session, t *subscription, res *ua.PublishResponse) error {
	if res.NotificationMessage == nil || res.SubscriptionID != t.id {
		return fmt.Errorf("%w: of subscription %d", drivers.ErrProtocol, res.SubscriptionID)
	}
	for _, n := range res.NotificationMessage.NotificationData {
		if n == nil {
			continue
		}
		if err := t.keep(n.Value); err != nil {
			return err
		}
	}
	if res.MoreNotifications {
		return nil
	}
	now := l.env.Now()
	said := res.NotificationMessage.PublishTime
	if said.Year() < 1970 {
		said = res.ResponseHeader.Timestamp // when it was sent, then
	}
	at, ok := s.pace.instant(said, now)
	if !ok || now.Sub(at) > belated {
		l.lose(t.items)
		l.complain("subscription", errors.New("told too late, or the server's clock was set"))
		return l.compare(ctx, s)
	}
	for i, src := range t.items {
		if src.Name != "" && t.latest[i] != nil {
			_ = l.layAll(t.items[i:i+1], t.latest[i:i+1], at.Add(-t.back[i])) // noted and logged there
		}
	}
	return nil
}

// keep takes one part of what the server says.
func (t *subscription) keep(part any) error {
	switch n := part.(type) {
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
	return nil
}

// currentTime is a node of namespace 0.
const currentTime = 2258

// compare asks the server something, so that its clock is compared with ours. What it
// answers does not matter.
func (l *link) compare(ctx context.Context, s *session) error {
	_, err := askFor[*ua.ReadResponse](ctx, s, readRequest([]*ua.NodeID{ua.NewNumericNodeID(0, currentTime)}), connectWithin)
	if lost(err) {
		return err
	}
	return nil
}
