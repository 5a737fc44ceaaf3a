package modbus

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

var (
	_ drivers.Prober  = (*link)(nil)
	_ drivers.Planned = (*link)(nil)
	_ drivers.Prober  = (*Bare)(nil)
)

// peekWithin bounds a question that stands behind others in the line's queue.
const peekWithin = 5 * time.Second

// Bare is a unit with no profile: nothing is polled, only questions are asked. Its
// methods may be called from several goroutines.
type Bare struct{ *asker }

// NewBare checks the URL of a unit; it does no I/O before the first question.
func NewBare(lines *fieldbus.Lines, env drivers.Env, u *url.URL) (*Bare, error) {
	to, err := parseTarget(u)
	if err == nil {
		err = lines.Reserve(to.line)
	}
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", u.Redacted(), err)
	}
	return &Bare{newAsker(lines, env, to, newSpeaker(to, profiles.Device{}, env.Now))}, nil
}

// Close leaves the line.
func (b *Bare) Close() error { return b.close() }

func (l *link) Peek(ctx context.Context, question string) (drivers.Peeked, error) {
	return l.probing.Peek(ctx, question)
}
func (l *link) Preview(question string) ([][]byte, error) { return l.probing.Preview(question) }
func (l *link) Poke(ctx context.Context, id elevator.CommandID, question string) elevator.Outcome {
	return l.probing.Poke(ctx, id, question)
}

// asker asks raw questions of one unit as a user of its own on the line: a row of
// them must not push the ids of a ride's commands out of the port's memory.
type asker struct {
	lines *fieldbus.Lines
	env   drivers.Env
	to    target
	speak *speaker

	mu     sync.Mutex
	port   *fieldbus.Port
	shut   bool
	absent error // why the line cannot be opened; nil while it is not known
	down   chan struct{}
}

// newAsker shares the speaker of the link, which knows when the device has rested.
func newAsker(lines *fieldbus.Lines, env drivers.Env, to target, speak *speaker) *asker {
	return &asker{lines: lines, env: env, to: to, speak: speak, down: make(chan struct{})}
}

// Peek reads. An error wraps one of the kinds of package drivers.
func (a *asker) Peek(ctx context.Context, text string) (drivers.Peeked, error) {
	q, err := parseQuestion(text)
	if err == nil && q.write != nil {
		err = fmt.Errorf("%w: %q writes; to look, ask without =", drivers.ErrConfig, text)
	}
	if err != nil {
		return drivers.Peeked{}, err
	}
	var p drivers.Peeked
	err = a.diag(ctx, func(w *fieldbus.Wire) error {
		words, err := a.speak.read(w, q.table, q.addr, q.count)
		p = drivers.Peeked{Words: words, Text: wordsText(words, isBits(q.table)), At: w.SentAt()}
		return err
	})
	if err != nil {
		return drivers.Peeked{}, a.fault(err)
	}
	return p, nil
}

// Preview gives the frame of a write. Over TCP its first two bytes are the number
// of the question, which is counted when it leaves.
func (a *asker) Preview(text string) ([][]byte, error) {
	q, err := parseQuestion(text)
	if err == nil && q.write == nil {
		err = fmt.Errorf("%w: %q writes nothing", drivers.ErrConfig, text)
	}
	if err != nil {
		return nil, err
	}
	return [][]byte{frame(a.to.rtu, 0, a.to.unit, q.pdu())}, nil
}

// Poke writes once. A question that it does not take is not sent.
func (a *asker) Poke(ctx context.Context, id elevator.CommandID, text string) elevator.Outcome {
	q, err := parseQuestion(text)
	if err == nil && q.write == nil {
		err = fmt.Errorf("%w: %q writes nothing", drivers.ErrConfig, text)
	}
	if err != nil {
		return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: err.Error(), Advice: elevator.AdviceConfig, At: a.env.Now()}
	}
	ctx, end, err := a.limited(ctx)
	if err != nil {
		return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: err.Error(), At: a.env.Now()}
	}
	defer end()
	say := func(w *fieldbus.Wire) error {
		if err := drivers.Consent(ctx); err != nil {
			return err
		}
		return a.speak.write(w, q.asWrite())
	}
	r := a.port.Do(ctx, fieldbus.Command{ID: id, Class: fieldbus.Call, Group: byHand, Writes: []fieldbus.Write{{Ask: say}}})
	if r.Result == elevator.NotSent {
		r.Why = a.fault(fmt.Errorf("%w: %s", drivers.ErrNotSent, r.Why)).Error()
	}
	return outcome(id, r)
}

// byHand is the group of raw writes: they end nobody's hold.
const byHand = 1 << 20

// diag puts a question behind everything else on the line.
func (a *asker) diag(ctx context.Context, ask func(*fieldbus.Wire) error) error {
	ctx, end, err := a.limited(ctx)
	if err != nil {
		return err
	}
	defer end()
	return a.port.Diag(ctx, ask)
}

// limited joins the line, and ends a question's wait when the line cannot be opened.
func (a *asker) limited(ctx context.Context) (context.Context, func(), error) {
	down, err := a.join()
	if err != nil {
		return ctx, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, peekWithin)
	over := make(chan struct{})
	go func() {
		select {
		case <-down:
			cancel()
		case <-over:
		}
	}()
	return ctx, func() { cancel(); close(over) }, nil
}

func (a *asker) join() (down <-chan struct{}, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shut {
		return nil, drivers.ErrClosed
	}
	if a.port == nil {
		m := fieldbus.Member{Unit: a.to.unit, Timeout: a.to.timeout, Line: a.lineState}
		if a.port, err = a.lines.Join(a.to.line, m); err != nil {
			return nil, err
		}
	}
	return a.down, nil
}

func (a *asker) lineState(s fieldbus.LineState, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s != fieldbus.LineAbsent {
		a.absent = nil
		return
	}
	a.absent = err
	close(a.down)
	a.down = make(chan struct{})
}

// fault prefers why the line cannot be opened to that the wait was over.
func (a *asker) fault(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.absent != nil && (errors.Is(err, context.Canceled) || errors.Is(err, drivers.ErrNotSent) || errors.Is(err, drivers.ErrLink)) {
		return a.absent
	}
	return err
}

func (a *asker) close() error {
	a.mu.Lock()
	port := a.port
	a.shut = true
	a.mu.Unlock()
	if port == nil {
		return nil
	}
	return port.Close()
}

// Plan tells what the link reads, and what it has learned while reading.
func (l *link) Plan() []drivers.PlannedRead {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []drivers.PlannedRead
	for _, r := range l.readings {
		q := question{table: r.block.Table, addr: r.block.Addr, count: r.block.Count}
		p := drivers.PlannedRead{Question: q.String(), Every: r.block.Every, Wire: l.to.wireTime(q), Note: r.note}
		if named, ok := l.prof.(interface {
			PointsIn(profiles.Block) []string
		}); ok {
			p.Points = named.PointsIn(r.block)
		}
		out = append(out, p)
	}
	return out
}

// wireTime is how long question and answer of a read take on a serial line, with
// the silence between them; 0 where the bytes cost no time.
func (t target) wireTime(q question) time.Duration {
	if t.line.Network != fieldbus.Serial || t.line.Mode.Baud <= 0 {
		return 0
	}
	data := 2 * int(q.count)
	if isBits(q.table) {
		data = (int(q.count) + 7) / 8
	}
	bytes := 8 + 5 + data + 7 // the question, the answer, twice three and a half characters
	return time.Duration(bytes) * 11 * time.Second / time.Duration(t.line.Mode.Baud)
}

func wordsText(words []uint16, bits bool) string {
	var parts []string
	for _, w := range words {
		if bits {
			parts = append(parts, fmt.Sprint(w))
		} else {
			parts = append(parts, fmt.Sprintf("%d (0x%04X)", w, w))
		}
	}
	return strings.Join(parts, " ")
}
