package rules

import (
	"strings"

	"hoistway/sync/shadow"
)

// Root stands before the serial in every topic.
const Root = "hoistway/things"

// Limits of what one service keeps for strangers.
const (
	maxThings  = 100_000
	maxShadows = 64 // of one thing
)

// Service holds what the cloud knows of all things. One owner steps it, in place.
// The same messages at the same times give the same results. now is the server's
// time in epoch seconds.
type Service struct {
	root   string
	things map[string]*thing
	order  []*thing // as they came
	hushed bool     // makes no documents messages

	options  Options
	troubles []Trouble
	sampled  int   // samples of all things
	begun    int64 // epoch seconds of the first step: before it nobody listened
}

type thing struct {
	kept
	stored  kept                       // as the last record had it
	shadows map[string]shadow.Document // by name, "" is the classic one
	facts   Facts
	events  numbered
	orders  []*Order
	wishes  []*Wish
	series  map[string][]Sample
	plans   map[string]*plans
}

// Result is what came of one input. Puts are one batch, to be stored before the
// Messages are sent, in their order; an owner without a store may leave them.
type Result struct {
	Messages []shadow.Message
	Changes  []Change
	News     []News
	Puts     []shadow.Record
	Note     string // worth a line in the log; "" for nothing
}

var errTooMany = &shadow.Rejection{Code: 429, Message: "Too many things"}

// Change is one accepted version of one document.
type Change struct {
	Serial, Shadow string
	Before, After  shadow.Document // no Version in After.Exists() = deleted
	At             int64           // epoch seconds
}

// New makes an empty service. root is [Root], or another place before the serial.
func New(root string) *Service {
	return &Service{root: root, things: map[string]*thing{}}
}

// Hush leaves out the documents messages, by far the largest, for an owner who knows
// that nobody hears them.
func (s *Service) Hush() { s.hushed = true }

// Take answers one message.
func (s *Service) Take(m shadow.Message, now int64) Result {
	s.begin(now)
	serial, rest, ok := s.split(m.Topic)
	if !ok {
		return Result{Note: "not a topic of a thing"}
	}
	if m.Retain && rest != shadow.BesidePresence {
		return Result{Note: "a retained request is no request"}
	}
	t := s.thing(serial)
	if t == nil {
		return Result{Note: "too many things"}
	}
	c := call{service: s, thing: t, topic: m.Topic, payload: m.Payload, now: now}
	if rest == shadow.BesidePresence {
		c.presence(m.Retain)
	} else {
		c.take(rest)
	}
	c.judge()
	return c.settle()
}

func (s *Service) begin(now int64) {
	if s.begun == 0 {
		s.begun = now
	}
}

// take answers a request, if today is a day for answers.
func (c *call) take(rest string) {
	trouble, met := c.service.meet(c.thing.Serial, rest)
	if met && c.troubled(trouble) {
		return
	}
	if answer := c.answer(rest); answer != nil {
		answer()
	} else {
		c.shadow(rest)
	}
	if met {
		misnumber(c.result.Messages)
	}
}

func (s *Service) split(topic string) (serial, rest string, ok bool) {
	tail, ok := strings.CutPrefix(topic, s.root+"/")
	if !ok {
		return "", "", false
	}
	serial, rest, ok = strings.Cut(tail, "/")
	return serial, rest, ok && shadow.ValidName(serial)
}

func (s *Service) thing(serial string) *thing {
	t := s.things[serial]
	if t == nil && len(s.things) < maxThings {
		t = &thing{kept: kept{Serial: serial}, shadows: map[string]shadow.Document{}}
		s.things[serial] = t
		s.order = append(s.order, t)
	}
	return t
}

// Document is a copy of one shadow; ok is false when there is none.
func (s *Service) Document(serial, name string) (d shadow.Document, ok bool) {
	t := s.things[serial]
	if t == nil {
		return shadow.Document{}, false
	}
	d = t.shadows[name]
	return d, d.Exists()
}

// Desire is an operator's write: patch is merged into desired. The error is a
// [*shadow.Rejection] with the public code.
func (s *Service) Desire(serial, name string, patch shadow.Tree, now int64) (Result, error) {
	return s.Operate(serial, name, shadow.Update{Desired: orEmpty(patch)}, now)
}

func orEmpty(t shadow.Tree) shadow.Tree {
	if t == nil {
		return shadow.Tree{}
	}
	return t
}
