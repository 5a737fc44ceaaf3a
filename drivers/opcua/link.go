package opcua

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/carry"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

var (
	_ drivers.Link    = (*link)(nil)
	_ drivers.Watcher = (*link)(nil)
	_ drivers.Prober  = (*link)(nil)
	_ drivers.Planned = (*link)(nil)
)

// link is one lift behind a server.
type link struct {
	*opener
	id   identity
	view *view.View
	flow *carry.Flow

	ctx    context.Context
	stop   context.CancelFunc
	shut   chan struct{}
	close  sync.Once
	wg     sync.WaitGroup
	news   chan struct{} // read now
	asking chan struct{} // holds a token while nodes are read

	mu    sync.Mutex
	sess  *session // nil while away
	batch int      // nodes that one read may ask for, as learned
	quiet elevator.Instant
}

// run keeps a session, and makes a new one when it is lost.
func (l *link) run(ctx context.Context) {
	var wait backoff
	for ctx.Err() == nil {
		s, err := connect(ctx, &l.env, &l.to, l.id, l.line())
		if err == nil {
			if err = l.names(ctx, s); err == nil {
				wait = backoff{}
				err = l.serve(ctx, s)
			}
			l.drop(s, ctx.Err() != nil)
		}
		if ctx.Err() != nil {
			return
		}
		l.view.Down(l.loseAll)
		l.complain("server", err)
		view.Sleep(ctx, wait.next())
	}
}

func (l *link) line() string { return Scheme + "://" + l.to.host }

// drop ends a session; goodbye is said where the link ends and not the server.
func (l *link) drop(s *session, clean bool) {
	if clean {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		l.flow.Close(ctx)
	}
	l.mu.Lock()
	l.sess = nil
	l.mu.Unlock()
	if clean {
		s.leave()
		return
	}
	s.kill()
}

// names fetches the server's namespaces where a node is named by one.
func (l *link) names(ctx context.Context, s *session) error {
	need := strings.HasPrefix(l.to.base, "nsu=")
	for _, n := range l.nodes.Names() {
		id, object, _ := l.nodes.Node(n).At("", nil)
		need = need || strings.HasPrefix(id, "nsu=") || strings.HasPrefix(object, "nsu=")
	}
	if !need {
		return nil
	}
	res, err := askFor[*ua.ReadResponse](ctx, s, readRequest([]*ua.NodeID{ua.NewNumericNodeID(0, namespaceArray)}), connectWithin)
	if err != nil {
		return err
	}
	if len(res.Results) == 1 && good(res.Results[0].Status) {
		s.names, _ = res.Results[0].Value.Value().([]string)
	}
	if len(s.names) == 0 {
		return fmt.Errorf("%w: the server does not tell its namespaces", drivers.ErrProtocol)
	}
	return nil
}

// namespaceOf cuts the URI out of nsu=URI;….
func namespaceOf(id string) (string, bool) {
	rest, ok := strings.CutPrefix(id, "nsu=")
	uri, _, _ := strings.Cut(rest, ";")
	return uri, ok && uri != ""
}

// node gives the id of a node on this session.
func (s *session) node(text string) (*ua.NodeID, error) {
	if uri, ok := namespaceOf(text); ok && s.names == nil {
		return nil, fmt.Errorf("%w: the server's namespaces are not known, %s among them", drivers.ErrConfig, uri)
	}
	id, err := parseID(text, s.names)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	return id, nil
}

// current is the session that stands, or nil.
func (l *link) current() *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sess
}

// Watch see [drivers.Watcher].
func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	return l.view.Watch(ctx, l.shut, l.prof.Traits().FastPoll, deliver)
}

// Close pays what is owed, ends the session and waits for all that lives on it.
func (l *link) Close() error {
	l.close.Do(func() {
		close(l.shut)
		l.stop()
		l.wg.Wait()
	})
	return nil
}

func (l *link) closed() bool {
	select {
	case <-l.shut:
		return true
	default:
		return false
	}
}

func (l *link) loseAll(s *elevator.Snapshot) {
	for _, src := range l.sources {
		l.prof.Lose(src.Name, s)
	}
}

// complain writes down what a technician can mend, not each of a row of it.
func (l *link) complain(what string, err error) {
	if l.env.Log == nil || errors.Is(err, drivers.ErrTimeout) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.env.Now()
	if !l.quiet.Reached(now) {
		return
	}
	l.quiet = now.Add(10 * time.Second)
	l.env.Log.Warn("trouble with the controller", "lift", l.lift, "with", what, "err", err)
}

// hurry has the nodes read now.
func (l *link) hurry() {
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// backoff waits longer each time, and never just as long as another link.
type backoff struct{ last time.Duration }

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 5 * time.Second
)

func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, firstWait), longestWait)
	return b.last/2 + rand.N(b.last/2)
}

// take waits for the only token; false when ctx ended first.
func take(ctx context.Context, c chan struct{}) bool {
	select {
	case c <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
