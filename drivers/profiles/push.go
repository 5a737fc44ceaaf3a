package profiles

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// Push is how a service brings messages by itself. Read-only, so safe for several
// goroutines.
type Push struct {
	Silence       time.Duration
	FailsWithin   time.Duration
	SuspendsAfter time.Duration
	Subscribe     []Subscription
	Repair        time.Duration // between two full reads
	Window        time.Duration // for which the service keeps what it could not bring
	Failed, Queue Fetch
	State         PushState
	Enable        string // a request; "" for none
	Steps         []string
	Confirmed     []string

	types    []string
	verify   verify
	checks   []pushCheck
	answer   Reply
	id       pushPlace
	event    pushPlace
	seconds  bool
	ours     where
	attach   pushPlace
	attached slot
	messages map[string]*pushMessage
	service  *Service
}

// Subscription is a request that is asked so that messages come.
type Subscription struct {
	Request string
	Renew   time.Duration
	Check   string // a request that shows that it stands; "" for none
}

// Fetch is a request whose answer holds messages; none where Request is "".
type Fetch struct {
	Request, Taken string
	Every          time.Duration
	at             Path
	message        Path
}

// PushState is a request that tells whether the service pushes; none where Request is "".
type PushState struct {
	Request string
	Every   time.Duration
	on      where
}

// Reply is what a sender is answered.
type Reply struct {
	Status int
	Type   string
	Body   []byte
}

type pushMessage struct {
	name, class string
	where       where
	event       pushPlace
	says        map[string]pushSaid // by source.place
	ours        where
	code, text  Path
	echo        Path
	echoes      string
	means       string
}

type pushSaid struct {
	source, place string
	at            Path
}

type pushCheck struct {
	method string
	when   []pushCondition
	echo   pushPlace
	typ    string
	text   string
}

type pushCondition struct {
	at pushPlace
	is []string
}

// pushPlace is a place in a pushed message.
type pushPlace struct {
	kind string // "", doc, header, query, raw
	name string
	path Path
}

// Came is a message as it came.
type Came struct {
	Method string
	Header func(name string) string
	Query  func(name string) string
	Body   []byte
	Wall   int64 // our clock, ms
	// Fetched: we asked for it ourselves, so it needs no proof.
	Fetched bool
}

// Push is how the service brings messages, nil where it does not.
func (h *HTTP) Push() *Push { return h.push }

// Verification is the kind of proof that a message brings.
func (p *Push) Verification() string { return p.verify.kind }

// Messages lists the names, sorted.
func (p *Push) Messages() []string { return slices.Sorted(maps.Keys(p.messages)) }

// TellsFailures reports whether a command that was taken may still be refused by a message.
func (p *Push) TellsFailures() bool {
	for _, m := range p.messages {
		if m.class == "failures" {
			return true
		}
	}
	return false
}

func (a pushPlace) given() bool { return a.kind != "" }

// pick gives the value at a place.
func (a pushPlace) pick(c *Came, doc any, site map[string]string) Raw {
	if c.Fetched && (a.kind == "header" || a.kind == "query") {
		return Raw{}
	}
	switch a.kind {
	case "header":
		return textOrNone(c.Header(a.name))
	case "query":
		return textOrNone(c.Query(a.name))
	case "raw":
		return RawOfText(string(c.Body))
	case "doc":
		return a.path.Pick(doc, func(name string) string { return site[name] })
	}
	return Raw{}
}

func textOrNone(s string) Raw {
	if s == "" {
		return Raw{}
	}
	return RawOfText(s)
}

// Fate is what becomes of a message.
type Fate uint8

const (
	FateRefused Fate = iota // not believed, or not to be understood
	FateKept
	FateChecked // a check of the address: answered and forgotten
	FateForeign // of another lift, or with another word than we gave along
	FateOther   // ours, of a kind that tells nothing that we use
)

// Admission is the judgement on a message.
type Admission struct {
	Fate   Fate
	Reply  Reply
	ID     string
	Nonce  string
	Event  int64 // ms; 0 where it has none
	Sent   int64 // when it was signed, ms; 0 where it does not say
	Signed bool  // its proof was right
	Why    string
}

// Admit judges a message from its bytes. With unsigned one without a signature is
// taken; one with a wrong signature never is.
func (p *Push) Admit(c *Came, g Given, unsigned bool) Admission {
	doc, bad := Document(c.Body)
	if c.Fetched {
		if bad != nil {
			return refusedPush(400, bad.Error())
		}
		return p.classed(c, doc, g)
	}
	if a, is := p.checked(c, doc, g.Site); is {
		return a
	}
	if c.Method != "POST" {
		return refusedPush(405, "messages come by POST")
	}
	if !typed(p.types, c.Header("Content-Type")) {
		return refusedPush(415, "not one of the profile's content types")
	}
	signed, why := p.verify.proof(c, doc, g, unsigned)
	if why != "" {
		return refusedPush(401, why)
	}
	if bad != nil {
		return refusedPush(400, bad.Error())
	}
	a := p.classed(c, doc, g)
	a.Signed = signed
	return a
}

func refusedPush(status int, why string) Admission {
	return Admission{Reply: Reply{Status: status, Type: "text/plain; charset=utf-8", Body: []byte("refused\n")}, Why: why}
}

// classed sorts a message whose sender is proven.
func (p *Push) classed(c *Came, doc any, g Given) Admission {
	a := Admission{Reply: p.answer, ID: p.id.pick(c, doc, g.Site).Word()}
	if !c.Fetched {
		a.Nonce, a.Sent = p.verify.nonce.pick(c, doc, g.Site).Word(), p.verify.sent(c, doc, g.Site)
	}
	if len(a.ID) > maxID || len(a.Nonce) > maxID {
		return refusedPush(400, "its id is too long")
	}
	word, err := p.attached.say(words{g: &g})
	if p.attach.given() && (err != nil || p.attach.pick(c, doc, g.Site).Word() != word) {
		a.Fate, a.Why = FateForeign, "its attached word is not ours"
		return a
	}
	if p.ours != nil && !p.ours.holds(doc, g.Site) {
		a.Fate, a.Why = FateForeign, "of another lift"
		return a
	}
	ms := p.fitting(doc, g.Site)
	if len(ms) == 0 {
		a.Fate, a.Why = FateOther, "no message of the profile"
		return a
	}
	a.Fate, a.Event = FateKept, p.eventOf(ms[0], c, doc, g.Site)
	return a
}

// maxID bounds what a message is known by.
const maxID = 200

func (p *Push) fitting(doc any, site map[string]string) (out []*pushMessage) {
	for _, name := range p.Messages() {
		if m := p.messages[name]; m.where.holds(doc, site) {
			out = append(out, m)
		}
	}
	return out
}

// ahead is how far the vendor's clock may run before ours. A time beyond it would
// shut out all that follows, so it counts as the arrival.
const ahead = 5 * 60 * 1000

// eventOf is the inner time of a message, in ms; its arrival where it has none that can be.
func (p *Push) eventOf(m *pushMessage, c *Came, doc any, site map[string]string) int64 {
	at := p.event
	if m.event.given() {
		at = m.event
	}
	n, ok := at.pick(c, doc, site).Whole()
	if p.seconds && n < 1<<40 {
		n *= 1000
	}
	if !ok || n <= 0 || n > c.Wall+ahead {
		return c.Wall
	}
	return n
}

// checked answers a check of the address.
func (p *Push) checked(c *Came, doc any, site map[string]string) (Admission, bool) {
	for _, k := range p.checks {
		if k.method != c.Method || !k.holds(c, doc, site) {
			continue
		}
		word := k.echo.pick(c, doc, site).Word()
		if len(word) > maxID || strings.ContainsFunc(word, unprintable) {
			return refusedPush(400, "the word of the check can not be answered"), true
		}
		if k.typ == "application/json" {
			quoted, _ := json.Marshal(word) // a text always can be
			word = string(quoted)
		}
		body := strings.ReplaceAll(k.text, "$echo", word)
		return Admission{Fate: FateChecked, Reply: Reply{Status: 200, Type: k.typ + "; charset=utf-8", Body: []byte(body)}}, true
	}
	return Admission{}, false
}

func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r > '~' }

func (k *pushCheck) holds(c *Came, doc any, site map[string]string) bool {
	for _, w := range k.when {
		got := w.at.pick(c, doc, site)
		if got.Kind == RawNone || !slices.ContainsFunc(w.is, func(is string) bool { return is == "*" || is == got.Word() }) {
			return false
		}
	}
	return true
}

// Messages of an answer, each as it would have been pushed; ok is false where the answer
// has no list.
func (f *Fetch) Messages(doc any) (out [][]byte, ok bool) {
	for _, s := range f.at.steps {
		if doc, ok = s.from(doc, nil); !ok {
			return nil, false
		}
	}
	list, ok := doc.([]any)
	if !ok || len(list) > maxFetched {
		return nil, false
	}
	for _, e := range list {
		if b, ok := f.one(e); ok {
			out = append(out, b)
		}
	}
	return out, true
}

// maxFetched bounds the messages of one answer.
const maxFetched = 10_000

func (f *Fetch) one(e any) ([]byte, bool) {
	for _, s := range f.message.steps {
		var ok bool
		if e, ok = s.from(e, nil); !ok {
			return nil, false
		}
	}
	if text, is := e.(string); is {
		return []byte(text), true
	}
	b, err := json.Marshal(e)
	return b, err == nil
}

// On reports whether an answer shows that the service pushes.
func (s *PushState) On(doc any, site map[string]string) bool { return s.on.holds(doc, site) }

func keyOf(source, place string) string { return source + "." + place }
