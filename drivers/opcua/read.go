package opcua

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

const (
	mostNodes = 100 // of one read, until the server says less
	strikes   = 3   // reads in a row without an answer, then the session is given up
)

// serve lives on a session until it ends. An error says why.
func (l *link) serve(ctx context.Context, s *session) error {
	told, err := l.subscribe(ctx, s)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.sess = s
	l.mu.Unlock()
	inner, stop := context.WithCancel(ctx)
	defer stop()
	if told != nil {
		l.wg.Go(func() { l.listen(inner, s, told) })
	}
	l.flow.Back(ctx)
	p := polling{due: make([]time.Time, len(l.sources)), told: told}
	for ctx.Err() == nil && s.alive() {
		if err := p.turn(ctx, l, s); err != nil {
			return err
		}
		l.idle(ctx, s, &p)
	}
	return s.cause(fmt.Errorf("%w: the connection ended", drivers.ErrLink))
}

// polling is which nodes are read when.
type polling struct {
	due    []time.Time
	told   *subscription
	missed int
}

// turn reads what is due. An error ends the session.
func (p *polling) turn(ctx context.Context, l *link, s *session) error {
	now := time.Now()
	var due []source
	for i, src := range l.sources {
		if p.told.has(src.Name) || now.Before(p.due[i]) {
			continue
		}
		p.due[i] = now.Add(src.Every)
		due = append(due, src)
	}
	if len(due) == 0 {
		return nil
	}
	err := l.read(ctx, s, due)
	switch {
	case errors.Is(err, drivers.ErrTimeout):
		p.missed++
	case err == nil || errors.Is(err, drivers.ErrDevice) || errors.Is(err, drivers.ErrConfig):
		p.missed = 0
	}
	if p.missed >= strikes || lost(err) {
		return err
	}
	return nil
}

// lost reports an error after which nothing more can be asked of a session.
func lost(err error) bool {
	return errors.Is(err, drivers.ErrLink) || errors.Is(err, ua.StatusBadSessionIDInvalid) || errors.Is(err, ua.StatusBadSessionClosed) ||
		errors.Is(err, ua.StatusBadSessionNotActivated) || errors.Is(err, ua.StatusBadSecureChannelIDInvalid) || errors.Is(err, ua.StatusBadSecureChannelClosed)
}

// idle waits for the next turn.
func (l *link) idle(ctx context.Context, s *session, p *polling) {
	wait := time.Hour
	for i, src := range l.sources {
		if !p.told.has(src.Name) {
			wait = min(wait, time.Until(p.due[i]))
		}
	}
	t := time.NewTimer(max(wait, time.Millisecond))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-s.wire.dead:
	case <-t.C:
	case <-l.news:
		clear(p.due)
	}
}

// Read reads each node once, those too that the server tells of.
func (l *link) Read(ctx context.Context) (elevator.Snapshot, error) {
	if l.closed() {
		return l.view.Snapshot(), drivers.ErrClosed
	}
	s := l.current()
	if s == nil {
		return l.view.Snapshot(), fmt.Errorf("%w: %s is away", drivers.ErrLink, l.to.host)
	}
	err := l.read(ctx, s, l.sources)
	return l.view.Snapshot(), err
}

// read asks for nodes, as many at once as the server takes.
func (l *link) read(ctx context.Context, s *session, list []source) error {
	if !take(ctx, l.asking) {
		return drivers.ErrTimeout
	}
	defer func() { <-l.asking }()
	var first error
	for len(list) > 0 {
		n := min(len(list), l.batch)
		err := l.readSome(ctx, s, list[:n])
		if errors.Is(err, ua.StatusBadTooManyOperations) && n > 1 {
			l.batch = n / 2 // under the token of asking
			continue
		}
		if err != nil && first == nil {
			first = err
		}
		if lost(err) {
			break
		}
		list = list[n:]
	}
	return first
}

func readRequest(ids []*ua.NodeID) *ua.ReadRequest {
	req := &ua.ReadRequest{TimestampsToReturn: ua.TimestampsToReturnBoth}
	for _, id := range ids {
		req.NodesToRead = append(req.NodesToRead, &ua.ReadValueID{NodeID: id, AttributeID: ua.AttributeIDValue, DataEncoding: &ua.QualifiedName{}})
	}
	return req
}

func (l *link) readSome(ctx context.Context, s *session, list []source) error {
	var ids []*ua.NodeID
	within := time.Duration(0)
	for _, src := range list {
		id, err := s.node(src.at)
		if err != nil {
			l.lose(list)
			return fmt.Errorf("nodes.%s: %w", src.Name, err)
		}
		ids, within = append(ids, id), max(within, l.within(src.node))
	}
	at := l.env.Now()
	res, err := askFor[*ua.ReadResponse](ctx, s, readRequest(ids), within)
	if err == nil && len(res.Results) != len(list) {
		err = fmt.Errorf("%w: %d values for %d nodes", drivers.ErrProtocol, len(res.Results), len(list))
	}
	if err != nil {
		if errors.Is(err, ua.StatusBadTooManyOperations) && len(list) > 1 {
			return err
		}
		l.lose(list)
		err = fmt.Errorf("%w: read: %w", kindOfRead(err), err)
		l.complain("read", err)
		return err
	}
	return l.layAll(list, res.Results, at)
}

// layAll lays what was read over the view; the first that is not good is the error.
func (l *link) layAll(list []source, values []*ua.DataValue, at elevator.Instant) (first error) {
	for i, src := range list {
		if err := l.lay(src, values[i], at); err != nil {
			l.lose(list[i : i+1])
			l.complain(src.Name, err)
			if first == nil {
				first = err
			}
		}
	}
	return first
}

// lay lays one value over the view.
func (l *link) lay(src source, v *ua.DataValue, at elevator.Instant) error {
	doc, err := believed(src, v)
	if err != nil {
		return err
	}
	return l.view.Good(func(s *elevator.Snapshot) error {
		l.flow.Lay(src.Name, false, func(place string) profiles.Raw { return profiles.PickNode(doc, place) }, at, s)
		return nil
	})
}

// believed takes a value with a good status and of the type that is expected.
func believed(src source, v *ua.DataValue) (any, error) {
	where := fmt.Sprintf("nodes.%s (%s)", src.Name, src.at)
	switch {
	case v == nil:
		return nil, fmt.Errorf("%w: %s: no value", drivers.ErrProtocol, where)
	case slices.Contains([]ua.StatusCode{ua.StatusBadNodeIDUnknown, ua.StatusBadNodeIDInvalid, ua.StatusBadAttributeIDInvalid, ua.StatusBadNotReadable, ua.StatusBadUserAccessDenied}, v.Status):
		return nil, fmt.Errorf("%w: %s: %s", drivers.ErrConfig, where, name(v.Status))
	case !good(v.Status):
		return nil, fmt.Errorf("%w: %s: %s", drivers.ErrDevice, where, name(v.Status))
	case v.Value == nil || v.Value.Type() == ua.TypeIDNull:
		return nil, fmt.Errorf("%w: %s: no value", drivers.ErrProtocol, where)
	case !fits(v.Value, src.node.Type):
		return nil, fmt.Errorf("%w: %s: a value of type %s where %s is expected", drivers.ErrProtocol, where, v.Value.Type(), src.node.Type)
	}
	return plain(v.Value.Value()), nil
}

func (l *link) lose(list []source) {
	l.view.Note(func(s *elevator.Snapshot) {
		for _, src := range list {
			l.prof.Lose(src.Name, s)
		}
	})
}
