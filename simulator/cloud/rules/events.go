package rules

import (
	"slices"

	"hoistway/sync/shadow"
)

// What is kept of events, and how a gap is asked for.
const (
	maxEvents    = 100 // of one thing
	maxEventSize = 2 << 10
	resyncEvery  = 60 // seconds between two askings for one gap
	resyncMost   = 3  // then the gap is taken for lost
)

// Event is one that a thing told, as it told it.
type Event struct {
	Epoch, Seq uint64
	Kind       Kind
	Lift, Ride string
	Body       shadow.Tree
	Late       bool  // it came after a later one
	At         int64 // epoch seconds of its coming
}

// numbered is the stream of events of one thing.
type numbered struct {
	window  shadow.Window
	history []Event // newest last
	asked   int     // how often the first gap was asked for
	askedAt int64
}

// keptWindow is the record of how far the events were had.
type keptWindow struct {
	Serial string
	Window shadow.Window
}

func (t *thing) windowRecord() shadow.Record {
	k := keptWindow{t.Serial, t.events.window.Clone()}
	return record(ofEvents, "window", func() any { return k }, t.Serial)
}

// event counts one in. The answer tells up to where everything was had; a gap is
// asked for, and what came is had all the same.
func (c *call) event() {
	t, token, ok := c.request()
	if !ok {
		return
	}
	epoch, ok1 := whole(t["epoch"])
	seq, ok2 := whole(t["seq"])
	kind, ok3 := t["kind"].(string)
	if !ok1 || !ok2 || !ok3 || seq == 0 || kind == "" || len(kind) > shadow.MaxToken || len(c.payload) > maxEventSize {
		c.bad(token, "event")
		return
	}
	e := Event{Epoch: epoch, Seq: seq, Kind: Kind(kind), Body: t, At: c.now}
	e.Lift, _ = t["lift"].(string)
	e.Ride, _ = t["ride"].(string)
	c.count(e)
	w := &c.thing.events.window
	c.accept(shadow.Tree{"epoch": number(int64(w.Epoch)), "upto": number(int64(w.Upto()))}, token)
	c.resync()
	c.result.Puts = append(c.result.Puts, c.thing.windowRecord())
}

func (c *call) count(e Event) {
	n := &c.thing.events
	if e.Kind == Lost {
		from, _ := whole(e.Body["from"])
		to, _ := whole(e.Body["to"])
		n.window.Skip(e.Epoch, shadow.Span{From: from, To: to})
	}
	seen, gap := n.window.Take(shadow.Order{Epoch: e.Epoch, Seq: e.Seq})
	switch seen {
	case shadow.SeenNew, shadow.SeenLate:
		e.Late = seen == shadow.SeenLate
		n.history = append(n.history, e)
		n.history = slices.Delete(n.history, 0, max(0, len(n.history)-maxEvents))
		c.happened(e)
	default:
		c.result.Note = "an event that was had before"
	}
	if gap > 0 {
		c.tell(News{Kind: Gap, Count: int64(gap)})
	}
}

// happened tells what a new event says.
func (c *call) happened(e Event) {
	n := News{Kind: e.Kind, Shadow: e.Lift, ID: e.Ride, Count: 1}
	n.Code, _ = e.Body["code"].(string)
	n.Text, _ = e.Body["text"].(string)
	for name, into := range map[string]*int64{"count": &n.Count, "lost": &n.Count, "drift_s": &n.Count, "first": &n.First, "last": &n.Last} {
		if v, ok := integer(e.Body[name]); ok {
			*into = v
		}
	}
	c.tell(n)
	if e.Kind == RideFault && !e.Late {
		c.heal(e.Lift)
	}
}

// resync asks for what is missing: at once, then twice more, each after a minute and
// only while the thing goes on telling. What never comes is given up, or one event
// that is nowhere any more would keep all that follow in the device's store.
func (c *call) resync() {
	n := &c.thing.events
	if len(n.window.Missing) == 0 {
		n.asked, n.askedAt = 0, 0
		return
	}
	if n.asked > 0 && c.now-n.askedAt < resyncEvery {
		return
	}
	first := n.window.Missing[0]
	if n.asked >= resyncMost {
		n.window.Skip(n.window.Epoch, first)
		n.asked = 0
		c.tell(News{Kind: Lost, Count: int64(first.To - first.From + 1), Text: "asked for three times and never told"})
		return
	}
	n.asked, n.askedAt = n.asked+1, c.now
	c.ask(shadow.BesideResync, shadow.Tree{"events_from": number(int64(first.From))})
}

// Events are the newest of a thing, oldest first, at most 100.
func (s *Service) Events(serial string) []Event {
	if t := s.things[serial]; t != nil {
		return slices.Clone(t.events.history)
	}
	return nil
}

// Received tells how a thing's stream of events was had: duplicates, gaps, what is missing.
func (s *Service) Received(serial string) shadow.Window {
	if t := s.things[serial]; t != nil {
		return t.events.window.Clone()
	}
	return shadow.Window{}
}

// AskReport has a thing tell all it reports anew.
func (s *Service) AskReport(serial string) Result {
	t := s.things[serial]
	if t == nil {
		return Result{}
	}
	c := call{service: s, thing: t}
	c.ask(shadow.BesideResync, shadow.Tree{"report": true})
	return c.result
}
