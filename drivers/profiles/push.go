package profiles

import (
	"encoding/json"
	"maps"
	"slices"
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
