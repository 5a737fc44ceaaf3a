package cloud

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// Document is a copy of one shadow as it is kept; name "" is the classic one. ok is
// false when there is none. It does not wait for what is being written.
func (c *Cloud) Document(serial, name string) (d shadow.Document, ok bool) {
	return c.hot.get(serial, name)
}

// authority is what the hot copies are made of. Under mu nothing is in the service that
// is not in the store.
func (c *Cloud) authority(serial, name string) (shadow.Document, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.service.Document(serial, name)
}

// HotStats count how readers of documents were served.
func (c *Cloud) HotStats() HotStats { return c.hot.figures() }

// Presence tells how a thing stands now; ok is false for one never heard of.
func (c *Cloud) Presence(serial string) (p rules.Presence, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.service.Presence(serial, time.Now().Unix())
}

// Intent is the header that may ride with an operator's write. Fields is filled
// from the patch.
type Intent struct {
	ID        string
	Priority  int           // 0, promote, to 9
	TTL       time.Duration // 0 = none; whole seconds are sent
	Batch, By string        // may be empty
	Sig       any           // of an operator's key, for what permits; nil = none
}

// Desk is both halves for one look or one act: nothing of it may be kept.
type Desk struct {
	Rules *rules.Service
	Ops   *ops.Desk
	Now   int64 // epoch seconds
}

// Look lets f read. f must not block, nor call the cloud.
func (c *Cloud) Look(f func(d Desk)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seenAt = time.Now().Unix()
	f(Desk{c.service, c.desk, c.seenAt})
}

// Act lets an operator act: what f gives back is durable and on its way when Act
// returns nil. After an error of f nothing has happened, which f has to see to; after
// one of the store nothing has either. f must not block, nor call the cloud.
func (c *Cloud) Act(by string, f func(d Desk) (rules.Result, ops.Result, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turn()
	r, o, err := f(Desk{c.service, c.desk, t.now})
	if err != nil {
		return err
	}
	t.take(r, by)
	t.desk(o)
	return t.end()
}

// Desire is an operator's write into desired, and is durable when it returns nil; it
// reaches the device when there is a way to it. With an intent its fields are wished
// as one. The error is a [*shadow.Rejection] with the public code, or says that patch
// is no JSON, or that it could not be kept.
func (c *Cloud) Desire(serial, name string, patch shadow.Tree, intents ...Intent) error {
	wish, by := patch, ""
	for _, i := range intents {
		wish, by = i.Around(wish), i.By
	}
	plain, err := shadow.Plain(wish)
	if err != nil {
		return fmt.Errorf("desire of %s: %w", serial, err)
	}
	tree, _ := plain.(shadow.Tree) // of a tree Plain makes a tree
	err = c.Act(by, func(d Desk) (r rules.Result, o ops.Result, err error) {
		r, err = d.Rules.Desire(serial, name, tree, d.Now)
		return r, o, err
	})
	if err != nil {
		return fmt.Errorf("desire of %s: %w", serial, err)
	}
	return nil
}

// PlainPriority is that of a wish which says none.
const PlainPriority = 5

// Around is the patch with the header of this intent.
func (i Intent) Around(patch shadow.Tree) shadow.Tree {
	headers, _ := patch["_intents"].(shadow.Tree)
	fields := maps.Clone(patch)
	delete(fields, "_intents")
	return shadow.Merge(patch, shadow.Tree{"_intents": shadow.Merge(headers, shadow.Tree{i.ID: i.header(fields)})})
}

// codeOf is the public code of a refusal.
func codeOf(err error) int {
	var r *shadow.Rejection
	if errors.As(err, &r) {
		return r.Code
	}
	return 500
}

func (i Intent) header(patch shadow.Tree) shadow.Tree {
	h := shadow.Tree{"fields": slices.Sorted(maps.Keys(patch)), "priority": i.Priority}
	if i.TTL > 0 {
		h["ttl_s"] = int64(i.TTL / time.Second)
	}
	if i.Batch != "" {
		h["batch"] = i.Batch
	}
	if i.Sig != nil {
		h["sig"] = i.Sig
	}
	if i.By != "" {
		h["by"] = i.By
	}
	return h
}

// Event is what a watcher is told: a new version of a document, or a notice.
type Event struct {
	Change rules.Change // Serial "" = it is a notice
	Notice *ops.Notice
}

// Changes delivers each new version of each document, and each notice, from now on. A
// watcher that does not keep up finds its channel closed, as does one of a closed cloud;
// what it missed is in the documents. stop may be called at any time.
func (c *Cloud) Changes() (changes <-chan Event, stop func()) {
	w := make(chan Event, watcherSize)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[w] = true
	return w, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unwatch(w)
	}
}

func (c *Cloud) unwatch(w chan Event) {
	if c.watchers[w] {
		delete(c.watchers, w)
		close(w)
	}
}
