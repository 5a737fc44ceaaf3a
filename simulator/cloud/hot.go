package cloud

import (
	"math/rand/v2"
	"sync"
	"time"

	"hoistway/sync/shadow"
)

const (
	hotFor  = 30 * time.Minute // ± a fifth, so that a fleet's copies do not end in step
	nullFor = 60 * time.Second
	maxHot  = 200_000 // documents; beyond, readers ask the authority
)

// hot are copies of documents for readers, in front of the authority. One is put in
// only when its document is durable: a reader must not see what a crash undoes. Each
// report renews its copy's life. Readers who miss together are served by one look at
// the authority, and what it does not know is remembered as unknown for a minute. Its
// methods are for any goroutine.
type hot struct {
	fetch func(serial, name string) (shadow.Document, bool)

	mu     sync.Mutex
	copies map[place]*copied
	stats  HotStats
}

type place struct{ serial, name string }

// copied is one document, or that there is none; ready is closed when it is known.
type copied struct {
	ready chan struct{}
	doc   shadow.Document
	known bool
	until time.Time
}

// HotStats count how readers were served.
type HotStats struct {
	Hits    uint64 `json:"hits"`
	Fetches uint64 `json:"fetches"` // looks at the authority
	Joined  uint64 `json:"joined"`  // readers who waited for another's look
	Nulls   uint64 `json:"nulls"`   // answered as unknown from memory
	Copies  int    `json:"copies"`
}

func newHot(fetch func(serial, name string) (shadow.Document, bool)) *hot {
	return &hot{fetch: fetch, copies: map[place]*copied{}}
}

// get is a reader's way to a document. ok is false where there is none.
func (h *hot) get(serial, name string) (d shadow.Document, ok bool) {
	at := place{serial, name}
	h.mu.Lock()
	c := h.copies[at]
	if c == nil || c.over() {
		c = &copied{ready: make(chan struct{})}
		if len(h.copies) < maxHot {
			h.copies[at] = c
		}
		h.stats.Fetches++
		h.mu.Unlock()
		c.doc, c.known = h.fetch(serial, name)
		h.mu.Lock()
		c.until = time.Now().Add(life(c.known))
		close(c.ready)
		h.mu.Unlock()
		return c.doc, c.known
	}
	h.count(c)
	h.mu.Unlock()
	<-c.ready
	return c.doc, c.known
}

// over holds for a copy whose life has ended; one that is still fetched has none yet.
func (c *copied) over() bool {
	select {
	case <-c.ready:
		return time.Now().After(c.until)
	default:
		return false
	}
}

func (h *hot) count(c *copied) {
	select {
	case <-c.ready:
		if h.stats.Hits++; !c.known {
			h.stats.Nulls++
		}
	default:
		h.stats.Joined++
	}
}

// put takes a document that is durable now. A look at the authority that is under way
// ends as it will; its copy is replaced.
func (h *hot) put(serial, name string, d shadow.Document) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := place{serial, name}
	if _, there := h.copies[at]; !there && len(h.copies) >= maxHot {
		return
	}
	c := &copied{ready: make(chan struct{}), doc: d, known: d.Exists()}
	close(c.ready)
	c.until = time.Now().Add(life(c.known))
	h.copies[at] = c
}

// sweep lets go of copies whose life has ended.
func (h *hot) sweep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for at, c := range h.copies {
		if c.over() {
			delete(h.copies, at)
		}
	}
}

func (h *hot) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.copies = map[place]*copied{}
}

func (h *hot) figures() HotStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.stats
	s.Copies = len(h.copies)
	return s
}

func life(known bool) time.Duration {
	if !known {
		return nullFor
	}
	return hotFor*4/5 + rand.N(hotFor*2/5) // 30 min ± 20 %
}
