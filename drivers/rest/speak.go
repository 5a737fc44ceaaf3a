package rest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// listen takes what comes, until the connection ends.
func (s *socket) listen(ctx context.Context, ln *line) error {
	for {
		kind, b, err := ln.conn.Read(ctx)
		if err != nil {
			return s.broken(err)
		}
		s.trace(false, string(b), "")
		doc, err := profiles.Document(b)
		if kind != websocket.MessageText || err != nil {
			s.link.complain("message", fmt.Errorf("%w: not a JSON text", drivers.ErrProtocol))
			continue
		}
		ln.deliver(s.api.Echo(doc), doc)
		s.hear(ctx, doc)
	}
}

// hear lays a message that came by itself over the view, dated by its coming.
func (s *socket) hear(ctx context.Context, doc any) {
	at := s.env.Now()
	for _, m := range s.api.Heard() {
		if m.Comes(doc, s.to.site) {
			_ = s.link.lay(ctx, m.Name, true, answer{Judgement: profiles.Judgement{Doc: doc}, at: at}) // it has nothing to fail on
		}
	}
}

// deliver hands an answer to who waits for it; one that nobody waits for is late or
// foreign, and dropped.
func (ln *line) deliver(id string, doc any) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	ln.heard = time.Now()
	select {
	case ln.waiting[id] <- doc:
	default:
	}
}

// expect makes the id of a question and a place for its answers.
func (ln *line) expect(api *profiles.Socket) (profiles.Raw, chan any, error) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	if len(ln.waiting) >= maxWaiting {
		return profiles.Raw{}, nil, errTooMany
	}
	ln.n++
	id, ch := api.ID(ln.nonce, ln.n), make(chan any, 8)
	ln.waiting[id.Word()] = ch
	return id, ch, nil
}

func (ln *line) forget(id profiles.Raw) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	delete(ln.waiting, id.Word())
}

func (ln *line) since() time.Duration {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	return time.Since(ln.heard)
}

// greet says what each connection begins with.
func (s *socket) greet(ctx context.Context, ln *line) error {
	if err := s.resume(ctx, ln); err != nil {
		return err
	}
	for _, b := range s.api.Begin {
		if err := s.must(ctx, ln, b.Message); err != nil {
			return err
		}
	}
	return nil
}

// resume takes the session up again, or begins one.
func (s *socket) resume(ctx context.Context, ln *line) error {
	se := s.api.Session
	if se.Create == "" {
		return nil
	}
	if s.session != "" {
		a, err := s.question(ctx, ln, s.api.Message(se.Resume), map[string]profiles.Raw{"session": profiles.RawOfText(s.session)})
		if err == nil {
			return nil
		}
		if !a.final() {
			return err
		}
	}
	a, err := s.question(ctx, ln, s.api.Message(se.Create), nil)
	if err != nil {
		return err
	}
	s.session = se.Resumed(a.Doc)
	return nil
}

// final reports that the service has answered, be it with a no.
func (a answer) final() bool { return a.Kind != profiles.AnswerGarbage }

// must says a message of our own; one that is never answered is taken as heard.
func (s *socket) must(ctx context.Context, ln *line, name string) error {
	m := s.api.Message(name)
	_, err := s.question(ctx, ln, m, nil)
	if errors.Is(err, errMute) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// tend starts what keeps a connection alive.
func (s *socket) tend(ctx context.Context, ln *line, wg *sync.WaitGroup) {
	wg.Go(func() { s.every(ctx, ln, s.api.Ping, func() error { return s.ping(ctx, ln) }) })
	for _, b := range s.api.Begin {
		if b.Renew > 0 {
			wg.Go(func() { s.every(ctx, ln, b.Renew, func() error { return s.must(ctx, ln, b.Message) }) })
		}
	}
	if s.api.Lifetime > 0 {
		wg.Go(func() { s.end(ctx, ln) })
	}
}

// end ends a connection shortly before the service would, between two commands and two
// readings.
func (s *socket) end(ctx context.Context, ln *line) {
	// Half a minute is enough for a command to end in.
	if !view.Sleep(ctx, s.api.Lifetime-min(30*time.Second, s.api.Lifetime/4)) {
		return
	}
	resume := s.link.flow.Still(ctx)
	read := take(ctx, s.link.turn)
	s.retire()
	ln.fail(errLifetime)
	if read {
		<-s.link.turn
	}
	resume()
}

func (s *socket) every(ctx context.Context, ln *line, d time.Duration, do func() error) {
	for view.Sleep(ctx, d) {
		if err := do(); err != nil {
			ln.fail(err)
			return
		}
	}
}

// ping proves the connection. That the service answers does not prove the lift.
func (s *socket) ping(ctx context.Context, ln *line) error {
	if ln.since() > s.api.Silence {
		return errSilent
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := ln.conn.Ping(ctx); err != nil {
		return fmt.Errorf("ping: %w", s.broken(err))
	}
	return nil
}

// errMute is a message that its service never answers.
var errMute = errors.New("the service never answers this")

// message asks a message of the profile on the connection that there is.
func (s *socket) message(ctx context.Context, name string, args map[string]profiles.Raw, _ bool) (answer, error) {
	m := s.api.Message(name)
	if m.Heard {
		return answer{at: s.env.Now()}, errHeard
	}
	ln, err := s.current()
	if err != nil {
		return answer{at: s.env.Now()}, err
	}
	return s.question(ctx, ln, m, args)
}

// errHeard is a source that comes by itself: there is nothing to ask.
var errHeard = errors.New("it comes by itself")

// question says a message once and waits for its final answer.
func (s *socket) question(ctx context.Context, ln *line, m *profiles.Message, args map[string]profiles.Raw) (answer, error) {
	out := answer{at: s.env.Now()}
	id, answers, err := ln.expect(s.api)
	if err != nil {
		return out, fmt.Errorf("%w: %w", drivers.ErrNotSent, err)
	}
	defer ln.forget(id)
	g := s.given(args)
	g.ID = id
	b, err := s.api.Write(m, g)
	if err != nil {
		return out, fmt.Errorf("%w: %w: %w", drivers.ErrNotSent, drivers.ErrConfig, err)
	}
	if ctx.Err() != nil {
		return out, fmt.Errorf("%w: %w", drivers.ErrNotSent, ctx.Err())
	}
	s.trace(true, string(b), "")
	out.left, out.at = true, s.env.Now()
	if err := write(ln, b); err != nil {
		ln.fail(s.broken(err))
		return out, s.broken(err)
	}
	if !m.Answered {
		return out, errMute
	}
	return s.final(ctx, ln, m, answers, out)
}

// write has a time limit of its own: the library cuts a connection whose writer gives up.
func write(ln *line, b []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return ln.conn.Write(ctx, websocket.MessageText, b)
}

// final waits for the answer that ends a question; what only registers it does not.
func (s *socket) final(ctx context.Context, ln *line, m *profiles.Message, answers chan any, out answer) (answer, error) {
	ctx, cancel := s.patience(ctx, m.Within)
	defer cancel()
	for {
		select {
		case doc := <-answers:
			v, final := m.Judge(doc, s.to.site)
			if !final {
				continue
			}
			out.Judgement = v
			if v.Kind == profiles.AnswerGood {
				return out, nil
			}
			return out, complaint(reply{}, v)
		case <-ctx.Done():
			return out, fmt.Errorf("%w: %s", drivers.ErrTimeout, m.Name)
		case <-ln.gone:
			return out, fmt.Errorf("%w: the connection broke before the answer", drivers.ErrLink)
		}
	}
}

func (s *socket) takes(name string) (args []string, known bool) {
	if m := s.api.Message(name); m != nil && !m.Heard {
		return m.Args, true
	}
	return nil, false
}

func (s *socket) harmless(name string) bool { return s.api.Message(name).Reads }

func (s *socket) preview(name string, args map[string]profiles.Raw) ([]byte, error) {
	g := hidden(s.given(args))
	g.ID = profiles.RawOfText("REQUEST-ID")
	b, err := s.api.Write(s.api.Message(name), g)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	return b, nil
}

// loseAll marks what every source feeds.
func (l *link) loseAll(s *elevator.Snapshot) {
	for _, src := range l.prof.Sources() {
		l.prof.Lose(src.Name, s)
	}
}

// pause is how long the account is to be silent.
func (a *account) pause() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, time.Until(a.until))
}
