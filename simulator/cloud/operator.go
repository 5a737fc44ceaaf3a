package cloud

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// Document is a copy of one shadow as the cloud holds it; name "" is the classic
// one. ok is false when there is none.
func (c *Cloud) Document(serial, name string) (d shadow.Document, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.service.Document(serial, name)
}

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
}

// Desire is an operator's write into desired, and is in the document when it
// returns nil; it reaches the device when there is a way to it. With an intent
// its fields are wished as one. The error is a [*shadow.Rejection] with the public
// code, or says that patch is no JSON.
func (c *Cloud) Desire(serial, name string, patch shadow.Tree, intents ...Intent) error {
	wish := shadow.Tree{}
	maps.Copy(wish, patch)
	if len(intents) > 0 {
		headers := shadow.Tree{}
		for _, i := range intents {
			headers[i.ID] = i.header(patch)
		}
		wish["_intents"] = headers
	}
	plain, err := shadow.Plain(wish)
	if err != nil {
		return fmt.Errorf("desire of %s: %w", serial, err)
	}
	tree, _ := plain.(shadow.Tree) // of a tree Plain makes a tree
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.service.Desire(serial, name, tree, time.Now().Unix())
	if err != nil {
		return fmt.Errorf("desire of %s: %w", serial, err)
	}
	c.carry(r)
	return nil
}

func (i Intent) header(patch shadow.Tree) shadow.Tree {
	h := shadow.Tree{"fields": slices.Sorted(maps.Keys(patch)), "priority": i.Priority}
	if i.TTL > 0 {
		h["ttl_s"] = int64(i.TTL / time.Second)
	}
	if i.Batch != "" {
		h["batch"] = i.Batch
	}
	if i.By != "" {
		h["by"] = i.By
	}
	return h
}

// Changes delivers each new version of each document from now on. A watcher that
// does not keep up finds its channel closed, as does one of a closed cloud. stop
// may be called at any time.
func (c *Cloud) Changes() (changes <-chan rules.Change, stop func()) {
	w := make(chan rules.Change, watcherSize)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[w] = true
	return w, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unwatch(w)
	}
}

func (c *Cloud) unwatch(w chan rules.Change) {
	if c.watchers[w] {
		delete(c.watchers, w)
		close(w)
	}
}
