package conformance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hoistway/sync/shadow"
	"hoistway/sync/shadow/schema"
)

// Wire is the way to the one who is judged. Topics are whole.
type Wire interface {
	Publish(ctx context.Context, m shadow.Message) error
	// Receive waits for the next message that he says.
	Receive(ctx context.Context) (shadow.Message, error)
}

// Options of a check; the zero value will do.
type Options struct {
	Serial string        // of the thing that is played or judged
	Limit  time.Duration // for each thing that is wanted; 0 = 5 s for a service, 60 s for a device
	Quiet  time.Duration // for each that is not; 0 = 1 s
	Mark   string        // ends the names of the cases' shadows, where others of this serial may be there still
	Only   string        // the cases whose name begins so; "" = all
	Cases  []Case        // in place of those that ship with it
}

// x is what stands before every topic.
func (o Options) x() string { return "hoistway/things/" + o.Serial + "/" }

// other is one who is judged: how he is spoken to, and what else is done to him.
type other interface {
	do(ctx context.Context, s Step, body []byte) error
	// heard tells of each message that came, before it is judged.
	heard(ctx context.Context, m shadow.Message) error
	patient() bool // says other things, too, on a topic where something is wanted
	// after cleans up behind a case, which had that shadow.
	after(ctx context.Context, shown string)
}

// player plays one case.
type player struct {
	o     Options
	wire  Wire
	other other
	book  *schema.Book
	names names
	shown string // the case's shadow, in place of S
	held  []shadow.Message
	wrong []string
}

func play(ctx context.Context, o Options, wire Wire, it other, book *schema.Book) (Report, error) {
	r := Report{Serial: o.Serial}
	for _, c := range o.Cases {
		if !strings.HasPrefix(c.Name, o.Only) {
			continue
		}
		p := &player{o: o, wire: wire, other: it, book: book, names: names{}, shown: "shadow/name/" + c.Name + o.Mark}
		err := p.run(ctx, c)
		it.after(ctx, p.shown)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil {
			p.wrong = append(p.wrong, err.Error())
		}
		r.Cases = append(r.Cases, Verdict{Name: c.Name, What: c.What, Wrong: p.wrong})
	}
	return r, nil
}

func (p *player) run(ctx context.Context, c Case) error {
	for _, s := range c.Steps {
		var err error
		switch s.Topic = p.topic(s.Topic); s.Verb {
		case "want":
			err = p.want(ctx, s)
		case "none":
			err = p.none(ctx, s)
		default:
			err = p.other.do(ctx, s, p.body(s))
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", s.Line, err)
		}
	}
	return nil
}

func (p *player) topic(t string) string {
	if rest, ok := strings.CutPrefix(t, "S/"); ok {
		return p.shown + "/" + rest
	}
	if t == "S" {
		return strings.TrimPrefix(p.shown, "shadow/name/")
	}
	return t
}

// body is the payload with named values in it; text that is no JSON goes as it is.
func (p *player) body(s Step) []byte {
	if s.Body == longText {
		return []byte(`{"state":{"reported":{"a":"` + strings.Repeat("x", shadow.MaxDocument) + `"}}}`)
	}
	t, err := shadow.Decode([]byte(s.Body))
	if err != nil {
		return []byte(s.Body)
	}
	return shadow.Encode(p.names.fill(t).(shadow.Tree)) // of a tree it makes a tree
}

// longText stands for a report that no document has room for.
const longText = "$long"

func (p *player) want(ctx context.Context, s Step) error {
	ctx, cancel := context.WithTimeout(ctx, p.o.Limit)
	defer cancel()
	pattern, err := shadow.Decode([]byte(s.Body))
	if s.Body == "" {
		pattern, err = shadow.Tree{}, nil
	}
	if err != nil {
		return err
	}
	last := ""
	for {
		m, err := p.next(ctx, s.Topic)
		if err != nil {
			if last != "" {
				return fmt.Errorf("%s: %s", s.Topic, last)
			}
			return fmt.Errorf("nothing on %s within %s%s", s.Topic, p.o.Limit, p.instead())
		}
		got, err := shadow.Decode(m.Payload)
		if err != nil {
			last = err.Error()
		} else if last = p.names.Match(pattern, got); last == "" {
			return nil
		}
		if !p.other.patient() {
			return fmt.Errorf("%s: %s", s.Topic, last)
		}
	}
}

// instead tells of a refusal that nobody wanted: it may be why.
func (p *player) instead() string {
	for _, m := range p.held {
		if strings.HasSuffix(m.Topic, "/rejected") {
			return fmt.Sprintf("; %s: %.200s", m.Topic, m.Payload)
		}
	}
	return ""
}

// next is the first message on a topic that no step has had.
func (p *player) next(ctx context.Context, topic string) (shadow.Message, error) {
	for i, m := range p.held {
		if m.Topic == topic {
			p.held = append(p.held[:i:i], p.held[i+1:]...)
			return m, nil
		}
	}
	for {
		m, err := p.receive(ctx)
		if err != nil || m.Topic == topic {
			return m, err
		}
		p.held = append(p.held, m)
	}
}

// receive takes one message in, and holds it against its schema.
func (p *player) receive(ctx context.Context) (shadow.Message, error) {
	m, err := p.wire.Receive(ctx)
	if err != nil {
		return m, err
	}
	if err := p.other.heard(ctx, m); err != nil {
		return m, err
	}
	m.Topic = strings.TrimPrefix(m.Topic, p.o.x())
	if err := p.book.Check(m.Topic, m.Payload); err != nil && p.concerns(m.Topic) && len(p.wrong) < 10 {
		p.wrong = append(p.wrong, "shape of "+err.Error())
	}
	return m, nil
}

// concerns: a service may still answer about the shadow of a case before.
func (p *player) concerns(topic string) bool {
	return p.other.patient() || !strings.HasPrefix(topic, "shadow/name/") || strings.HasPrefix(topic, p.shown+"/")
}

func (p *player) none(ctx context.Context, s Step) error {
	quiet, cancel := context.WithTimeout(ctx, p.o.Quiet)
	defer cancel()
	m, err := p.next(quiet, s.Topic)
	if err == nil {
		return fmt.Errorf("%s: %s, want nothing there", s.Topic, show(string(m.Payload)))
	}
	if quiet.Err() == nil {
		return err
	}
	return nil
}
