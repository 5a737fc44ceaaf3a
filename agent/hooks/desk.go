package hooks

import (
	"encoding/json"
	"sync"
	"time"

	"hoistway/drivers"
)

// desk is what is kept of one lift's messages.
type desk struct {
	h    *Hooks
	id   string
	link drivers.Link
	r    drivers.Receiver
	plan drivers.PushPlan

	news chan struct{} // something waits
	mend chan struct{} // everything is to be read anew

	order sync.Mutex // held while a message gets its place and is handed to the store

	mu     sync.Mutex
	next   uint64 // number of the next message
	queue  []*message
	seen   remembered
	nonces map[string]nonce
	kept   kept
	counts counts
	rate   rate
	flow   bucketOfTokens
	watch  watch
	quiet  time.Time // when a refusal may be logged again
}

// message is one that waits.
type message struct {
	seq  uint64
	key  string // its id as a part of a key
	push drivers.Push
	size int
	done chan struct{} // closed when it is durable, or never will be
	err  error
}

// kept is the record of what was told.
type kept struct {
	Heard int64           `json:"heard"`           // ms
	Floor int64           `json:"floor,omitempty"` // ms; nonces of what was signed before it are forgotten
	Told  json.RawMessage `json:"told,omitempty"`
}

type nonce struct {
	Wall int64  `json:"wall"`
	Sent int64  `json:"sent,omitempty"` // ms; when its message was signed
	ID   string `json:"id"`
}

// counts is since the start.
type counts struct{ taken, duplicates, foreign, other, refused, checks, late, turned uint64 }

func newDesk(h *Hooks, l Lift, r drivers.Receiver) *desk {
	return &desk{
		h: h, id: l.ID, link: l.Link, r: r, plan: r.Pushes(),
		news: make(chan struct{}, 1), mend: make(chan struct{}, 1),
		seen: newRemembered(), nonces: map[string]nonce{}, flow: newBucketOfTokens(),
	}
}

func (d *desk) recall() {
	if len(d.kept.Told) > 0 {
		d.r.Recall(d.kept.Told, d.h.o.Now(), d.h.o.Wall())
	}
	poke(d.news)
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// waiting finds a message that waits.
func (d *desk) waiting(key string) *message {
	for _, m := range d.queue {
		if m.key == key {
			return m
		}
	}
	return nil
}

func (d *desk) drop(m *message) {
	for i, q := range d.queue {
		if q == m {
			d.queue = append(d.queue[:i], d.queue[i+1:]...)
			d.h.size.give(m.size)
			return
		}
	}
}
