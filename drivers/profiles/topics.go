package profiles

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Topics is a controller behind a message broker: messages that are published and
// answered, and messages that come. Read-only, so safe for several goroutines.
type Topics struct {
	Service
	Silent   time.Duration // without a message for so long the lift is offline
	ByBroker bool          // the lift counts as there while the broker is
	ids      string        // text, number, seconds, milliseconds
	echo     []Path
	topics   map[string]*Topic
}

// Topic is one message of a broker.
type Topic struct {
	Message
	Publish bool
	Retain  bool
	Partial bool          // what it does not say stays as it was
	Tries   int           // how often a question is asked; of a command always once
	Again   time.Duration // between them

	to     []slot // what is published, part by part
	from   []slot // what comes, or the answer
	scalar *slot  // the payload as a bare value
	match  where  // what an answer has to say to be one
	dated  Path
	unit   string // of the event time: "", seconds, milliseconds, text
}

// Topics are those of a profile that speaks through a broker, else nil.
func (p *Profile) Topics() *Topics { return p.topics }

// Topic gives one by its name.
func (t *Topics) Topic(name string) *Topic { return t.topics[name] }

// Names lists the messages, sorted.
func (t *Topics) Names() []string { return slices.Sorted(maps.Keys(t.topics)) }

// ID is the id of a question that is asked at a time of the wall clock in
// milliseconds; n is never the same twice in one program.
func (t *Topics) ID(unix, n int64, nonce string) Raw {
	switch t.ids {
	case "number":
		return RawOfInt(n)
	case "milliseconds":
		return RawOfInt(unix)
	case "seconds":
		return rawFloat(float64(unix) / 1000)
	}
	return RawOfText(fmt.Sprintf("%s-%d", nonce, n))
}

// Timed reports whether the id of a question is the time at which it is asked.
func (t *Topics) Timed() bool { return t.ids == "seconds" || t.ids == "milliseconds" }

// To is the topic that a message is published on.
func (t *Topics) To(m *Topic, g Given) (string, error) { return sayTopic(m.to, &g) }

// From is the filter on which a message, or the answer to one, comes; "" for none.
func (t *Topics) From(m *Topic, g Given) (string, error) { return sayTopic(m.from, &g) }

// sayTopic writes a topic. A word within one may not reach beyond its part; one that is
// the whole topic may.
func sayTopic(parts []slot, g *Given) (string, error) {
	out := make([]string, len(parts))
	for i, p := range parts {
		w, err := p.say(words{g: g})
		if err != nil {
			return "", err
		}
		if p.name != "" && (w == "" || strings.ContainsAny(w, "+#\x00") || len(parts) > 1 && strings.Contains(w, "/")) {
			return "", fmt.Errorf("$%s: %q is no part of a topic", p.name, w)
		}
		out[i] = w
	}
	return strings.Join(out, "/"), nil
}

// Payload writes what is published.
func (t *Topics) Payload(m *Topic, g Given) ([]byte, error) {
	w := t.signing(words{g: &g}, "", nil)
	if m.scalar == nil {
		b, err := m.says.fill(w)
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", m.Name, err)
		}
		return b, nil
	}
	b, err := (&Template{doc: *m.scalar}).fill(w)
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", m.Name, err)
	}
	return b, nil
}

// Answers reports whether a document on the topic of the answer answers the question
// whose id is given; with no echo in the profile what matches is enough.
func (t *Topics) Answers(m *Topic, doc any, id Raw, site map[string]string) bool {
	if !m.match.holds(doc, site) {
		return false
	}
	if len(t.echo) == 0 {
		return true
	}
	for _, p := range t.echo {
		if r := p.Pick(doc, nil); r.Kind != RawNone {
			return r.Word() != "" && r.Word() == id.Word()
		}
	}
	return false
}

// Comes reports whether a document on its topic is this message.
func (m *Topic) Comes(doc any, site map[string]string) bool {
	return m.Heard && m.comes.holds(doc, site)
}

// Event is when what a document tells happened, on the wall clock; ok is false where
// it does not say so.
func (m *Topic) Event(doc any) (at time.Time, ok bool) {
	r := m.dated.Pick(doc, nil)
	switch m.unit {
	case "seconds", "milliseconds":
		f, ok := r.Number()
		if m.unit == "milliseconds" {
			f /= 1000
		}
		if !ok || f <= 0 || f > 1e11 {
			return at, false
		}
		sec, part := math.Modf(f)
		return time.Unix(int64(sec), int64(part*1e9)), true
	case "text":
		at, err := time.Parse(time.RFC3339Nano, r.Text)
		return at, err == nil
	}
	return at, false
}

// Dated reports whether the message says when what it tells happened.
func (m *Topic) Dated() bool { return m.unit != "" }
