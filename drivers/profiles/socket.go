package profiles

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Socket is a service that is spoken to over a WebSocket: messages that are said and
// answered, and messages that come. Read-only, so safe for several goroutines.
type Socket struct {
	Service
	Connect     *Request // how the connection is asked for
	Subprotocol string
	Ping        time.Duration // between our pings
	Silence     time.Duration // without a message for so long the lift counts as gone
	Lifetime    time.Duration // the service ends a connection by then; 0: never
	Begin       []Begin
	Session     Session

	number   bool
	echo     []Path
	messages map[string]*Message
}

// Begin is a message that is said on each new connection, and again each Renew.
type Begin struct {
	Message string
	Renew   time.Duration // 0: once
}

// Session is what outlives a connection.
type Session struct {
	Create, Resume string // messages; "" where the service has no sessions
	at             Path
}

// Message is one message of a socket.
type Message struct {
	Name     string
	Within   time.Duration
	Args     []string
	Heard    bool // it comes, it is not said
	Answered bool // a final answer follows, else none
	Reads    bool // it moves nothing

	says   *Template
	comes  where
	done   where
	no     []naysay
	answer *answering
}

// Socket is the service of a profile that is spoken to over a WebSocket, else nil.
func (p *Profile) Socket() *Socket { return p.socket }

// Message gives one by its name.
func (s *Socket) Message(name string) *Message { return s.messages[name] }

// Heard lists the messages that come, sorted by name.
func (s *Socket) Heard() (out []*Message) {
	for _, n := range slices.Sorted(maps.Keys(s.messages)) {
		if m := s.messages[n]; m.Heard {
			out = append(out, m)
		}
	}
	return out
}

// ID is the n-th id of a connection whose nonce is given.
func (s *Socket) ID(nonce string, n int64) Raw {
	if s.number {
		return RawOfInt(n)
	}
	return RawOfText(nonce + "-" + strconv.FormatInt(n, 10))
}

// Write writes a message with its values.
func (s *Socket) Write(m *Message, g Given) ([]byte, error) {
	b, err := m.says.fill(s.signing(words{g: &g}, "", nil))
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", m.Name, err)
	}
	return b, nil
}

// Echo is the id of the question that a document answers, as a text; "" for none.
func (s *Socket) Echo(doc any) string {
	for _, p := range s.echo {
		if w := p.Pick(doc, nil).Word(); w != "" {
			return w
		}
	}
	return ""
}

// Comes reports whether a document is this message.
func (m *Message) Comes(doc any, site map[string]string) bool {
	return m.Heard && m.comes.holds(doc, site)
}

// Judge says what a document with the id of a question is worth as its answer. final
// is false where another is to come: that a question was registered is no yes.
func (m *Message) Judge(doc any, site map[string]string) (v Judgement, final bool) {
	v = Judgement{Doc: doc, Code: m.answer.at(doc, m.answer.code), Text: m.answer.at(doc, m.answer.text)}
	for _, n := range m.no {
		if n.where.holds(doc, site) {
			v.Kind = n.as
			return v, true
		}
	}
	if m.done != nil && m.done.holds(doc, site) {
		v.Kind = AnswerGood
		return v, true
	}
	return v, false
}

// Resumed takes the name of a session out of an answer.
func (s *Session) Resumed(doc any) string { return s.at.Pick(doc, nil).Word() }
