package pubsub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// wait is a question that is not answered yet.
type wait struct {
	m   *profiles.Topic
	id  profiles.Raw
	got chan profiles.Judgement
}

// answer is what became of a message.
type answer struct {
	profiles.Judgement
	left bool // the broker may have it
	at   elevator.Instant
}

// given is what the next message is said with. Its id is never the same twice.
func (l *link) given(args map[string]profiles.Raw) profiles.Given {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	l.stamp = max(time.Now().UnixMilli(), l.stamp+1)
	g := profiles.Given{Args: args, Site: l.to.site, Unix: l.stamp, Nonce: fmt.Sprintf("%s%08x", l.nonce, l.asked)}
	g.ID = l.api.ID(l.stamp, l.asked, l.nonce)
	return g
}

// ask publishes a message and waits for its answer, where it has one. What is not a good
// answer is an error as well, by its kind.
func (l *link) ask(ctx context.Context, m *profiles.Topic, args map[string]profiles.Raw) (answer, error) {
	out := answer{at: l.env.Now()}
	g := l.given(args)
	topic, payload, err := l.words(m, g)
	if err != nil {
		return out, fmt.Errorf("%w: %w: %w", drivers.ErrNotSent, drivers.ErrConfig, err)
	}
	ctx, cancel := context.WithTimeout(ctx, m.Within)
	defer cancel()
	w := &wait{m, g.ID, make(chan profiles.Judgement, 1)}
	l.expect(w, true)
	defer l.expect(w, false)
	out.at = l.env.Now()
	l.trace(true, topic, payload, out.at, "")
	if err := l.bus.Publish(ctx, topic, payload, m.Retain); err != nil {
		out.left = !errors.Is(err, drivers.ErrNotSent)
		return out, fmt.Errorf("%w: publish on %s: %w", kindOf(err), topic, err)
	}
	out.left = true
	if !m.Answered {
		return out, fmt.Errorf("%w: %s is never answered", drivers.ErrTimeout, m.Name)
	}
	select {
	case out.Judgement = <-w.got:
		return out, complaint(m, out.Judgement)
	case <-ctx.Done():
		return out, fmt.Errorf("%w: %s within %s", drivers.ErrTimeout, m.Name, m.Within)
	}
}

func kindOf(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return drivers.ErrTimeout
	}
	return drivers.ErrLink
}

func (l *link) words(m *profiles.Topic, g profiles.Given) (topic string, payload []byte, err error) {
	if topic, err = l.api.To(m, g); err != nil {
		return "", nil, err
	}
	payload, err = l.api.Payload(m, g)
	return topic, payload, err
}

func (l *link) expect(w *wait, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if on {
		l.waits[w] = true
		return
	}
	delete(l.waits, w)
}

// complaint is an answer that is not good, as an error.
func complaint(m *profiles.Topic, v profiles.Judgement) error {
	kind := map[profiles.AnswerKind]error{
		profiles.AnswerBusy: drivers.ErrBusy, profiles.AnswerConfig: drivers.ErrConfig, profiles.AnswerDenied: drivers.ErrConfig,
		profiles.AnswerDevice: drivers.ErrDevice, profiles.AnswerRefused: drivers.ErrDevice,
	}[v.Kind]
	if v.Kind == profiles.AnswerGood {
		return nil
	}
	if kind == nil {
		kind = drivers.ErrProtocol
	}
	return fmt.Errorf("%w: %s: code %s %s", kind, m.Name, v.Code, v.Text)
}
