package replicatest

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hoistway/sync/shadow"
)

// Disk is what memory stores by their folders survive on. The zero value is ready.
type Disk struct {
	mu   sync.Mutex
	dirs map[string]*Memory
}

// Open gives the memory store of a folder.
func (d *Disk) Open(dir string) *Memory {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]*Memory{}
	}
	if d.dirs[dir] == nil {
		d.dirs[dir] = &Memory{}
	}
	return d.dirs[dir]
}

// Memory is a store that lives as long as its owner. The zero value is ready; its
// methods are for any goroutine.
type Memory struct {
	mu      sync.Mutex
	records map[[2]string][]byte
	fail    error
	gate    chan struct{}
	batches [][]shadow.Record
}

// Fail makes every later commit return err; nil ends that.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// Hold makes every later commit wait until the returned function is called.
func (m *Memory) Hold() (release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	gate := make(chan struct{})
	m.gate = gate
	return sync.OnceFunc(func() {
		m.mu.Lock()
		m.gate = nil
		m.mu.Unlock()
		close(gate)
	})
}

// Batches are the transactions so far.
func (m *Memory) Batches() [][]shadow.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.batches)
}

// Commit follows the contract of replica.Store.
func (m *Memory) Commit(records []shadow.Record) error {
	m.mu.Lock()
	gate := m.gate
	m.mu.Unlock()
	if gate != nil {
		<-gate
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	for _, r := range records {
		if err := r.Check(); err != nil {
			return err
		}
	}
	for _, r := range records {
		m.put(r)
	}
	m.batches = append(m.batches, slices.Clone(records))
	return nil
}

func (m *Memory) put(r shadow.Record) {
	if m.records == nil {
		m.records = map[[2]string][]byte{}
	}
	id := [2]string{r.Bucket, r.Key}
	if r.Value == nil {
		delete(m.records, id)
		return
	}
	m.records[id] = append([]byte{}, r.Value...)
}

// Load follows the contract of replica.Store.
func (m *Memory) Load(bucket string) ([]shadow.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []shadow.Record
	for id, v := range m.records {
		if id[0] == bucket {
			out = append(out, shadow.Record{Bucket: bucket, Key: id[1], Value: append([]byte{}, v...)})
		}
	}
	slices.SortFunc(out, func(a, b shadow.Record) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// Line is an uplink that a test plays: what is published lands in Sent, each
// publish ends with what Answer says.
type Line struct {
	// Answer is asked for each message; nil answers nil at once. It may block until
	// ctx ends.
	Answer func(ctx context.Context, m shadow.Message) error

	mu     sync.Mutex
	sent   []shadow.Message
	events chan shadow.LinkEvent
}

// NewLine makes a line with room for 64 events.
func NewLine() *Line { return &Line{events: make(chan shadow.LinkEvent, 64)} }

// Publish follows the contract of replica.Uplink.
func (l *Line) Publish(ctx context.Context, m shadow.Message) error {
	l.mu.Lock()
	l.sent = append(l.sent, m)
	l.mu.Unlock()
	if l.Answer == nil {
		return nil
	}
	return l.Answer(ctx, m)
}

// Events follows the contract of replica.Uplink.
func (l *Line) Events() <-chan shadow.LinkEvent { return l.events }

// Tell brings an event.
func (l *Line) Tell(e shadow.LinkEvent) { l.events <- e }

// Sent are the messages so far.
func (l *Line) Sent() []shadow.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.sent)
}
