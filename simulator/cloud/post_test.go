package cloud

import (
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/sync/shadow"
)

// trip is a post that the test changes as it goes.
type trip struct {
	mu     sync.Mutex
	copies int
	late   time.Duration
}

func (p *trip) set(copies int, late time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.copies, p.late = copies, late
}

func (p *trip) post(m shadow.Message) (int, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.HasSuffix(m.Topic, "/accepted") {
		return 1, 0
	}
	return p.copies, p.late
}

// SM-3: messages to a thing come twice, never, or late and still in their order.
func TestPost(t *testing.T) {
	way := &trip{copies: 1}
	c := startCloud(t, Options{Post: way.post})
	d := connect(t, c.URL())
	const write = `{"state":{"reported":{"a":1}}}`
	d.say("shadow/update", write, "shadow/update/accepted", "shadow/update/documents")
	way.set(2, 0)
	d.say("shadow/update", write, "shadow/update/accepted", "shadow/update/accepted", "shadow/update/documents")
	way.set(0, 0)
	d.say("shadow/update", write, "shadow/update/documents")
	way.set(1, 300*time.Millisecond)
	began := time.Now()
	d.say("shadow/update", write, "shadow/update/accepted", "shadow/update/documents")
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("took %v", took)
	}
	way.set(1, 0)
	d.say("shadow/update", write, "shadow/update/accepted", "shadow/update/documents")
}

// SM-3: a cloud that is closed while a message waits does not wait for it.
func TestPostLateAtTheEnd(t *testing.T) {
	way := &trip{copies: 1, late: time.Hour}
	c := startCloud(t, Options{Post: way.post})
	d := connect(t, c.URL())
	d.say("shadow/update", `{"state":{"reported":{"a":1}}}`)
	eventually(t, "the write", func() bool { _, ok := c.Document("GW-1", ""); return ok })
}

// SM-3: a service that was set up anew knows no thing, and learns again.
func TestForget(t *testing.T) {
	c := startCloud(t, Options{})
	d := connect(t, c.URL())
	d.say("shadow/update", `{"state":{"reported":{"a":1}}}`, "shadow/update/accepted", "shadow/update/documents")
	if err := c.Forget(); err != nil {
		t.Fatal(err)
	}
	if d, ok := c.Document("GW-1", ""); ok {
		t.Errorf("it remembers %+v", d)
	}
	if code := at(d.say("shadow/get", "", "shadow/get/rejected")[0], "code"); code != "404" {
		t.Errorf("code %s", code)
	}
	got := d.say("shadow/update", `{"state":{"reported":{"a":2}}}`, "shadow/update/accepted", "shadow/update/documents")
	if v := at(got[0], "version"); v != "1" {
		t.Errorf("version %s", v)
	}
}
