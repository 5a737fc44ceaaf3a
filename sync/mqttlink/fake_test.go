package mqttlink

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"hoistway/sync/shadow"
)

// fake is a broker made of a few bytes, for what a real one will not do. Its
// frames are written by hand from the MQTT 3.1.1 text.
type fake struct {
	noAck    bool                     // never a PUBACK
	suback   func(filters int) []byte // codes; nil grants QoS 1
	greeting []byte                   // sent right behind the CONNACK

	mu      sync.Mutex
	absent  bool
	frozen  chan struct{} // closed: no byte is taken or answered any more
	conns   []net.Conn
	seen    []frame
	dialled []time.Time
	serving sync.WaitGroup
}

type frame struct {
	kind byte // the high half of the first byte
	body []byte
}

var errAbsent = errors.New("connection refused")

func newFake() *fake { return &fake{frozen: make(chan struct{})} }

func (f *fake) dial(context.Context, string, string) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dialled = append(f.dialled, time.Now())
	if f.absent {
		return nil, errAbsent
	}
	ours, theirs := net.Pipe()
	f.conns = append(f.conns, theirs)
	f.serving.Go(func() { f.serve(theirs) })
	return ours, nil
}

func (f *fake) setAbsent(absent bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.absent = absent
}

func (f *fake) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
}

func (f *fake) attempts() []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.dialled)
}

func (f *fake) frames(kind byte) []frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []frame
	for _, fr := range f.seen {
		if fr.kind == kind {
			out = append(out, fr)
		}
	}
	return out
}

func (f *fake) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	out := make(chan []byte, 2000) // a pipe has no buffer: reading must not wait for writing
	var writing sync.WaitGroup
	writing.Go(func() {
		for b := range out {
			if _, err := c.Write(b); err != nil {
				for range out {
				}
			}
		}
	})
	defer writing.Wait()
	defer close(out)
	for {
		fr, err := readFrame(r)
		if err != nil {
			return
		}
		select {
		case <-f.frozen:
			_, _ = io.Copy(io.Discard, r) // until the other side gives up
			return
		default:
		}
		f.mu.Lock()
		f.seen = append(f.seen, fr)
		f.mu.Unlock()
		if !f.answer(fr, out) {
			return
		}
	}
}

func (f *fake) answer(fr frame, out chan<- []byte) bool {
	switch fr.kind {
	case 1:
		out <- []byte{0x20, 2, 0, 0}
		if f.greeting != nil {
			out <- f.greeting
		}
	case 3:
		if !f.noAck {
			topic := int(fr.body[0])<<8 | int(fr.body[1])
			out <- []byte{0x40, 2, fr.body[2+topic], fr.body[3+topic]}
		}
	case 8:
		n := countFilters(fr.body[2:])
		codes := bytes.Repeat([]byte{1}, n)
		if f.suback != nil {
			codes = f.suback(n)
		}
		out <- append([]byte{0x90, byte(2 + len(codes)), fr.body[0], fr.body[1]}, codes...)
	case 12:
		out <- []byte{0xd0, 0}
	case 14:
		return false
	}
	return true
}

func countFilters(b []byte) (n int) {
	for len(b) > 2 {
		b = b[2+int(b[0])<<8+int(b[1])+1:]
		n++
	}
	return n
}

func readFrame(r *bufio.Reader) (frame, error) {
	first, err := r.ReadByte()
	if err != nil {
		return frame{}, err
	}
	length := 0
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return frame{}, err
		}
		length |= int(b&0x7f) << shift
		if b&0x80 == 0 {
			break
		}
	}
	body := make([]byte, length)
	_, err = io.ReadFull(r, body)
	return frame{first >> 4, body}, err
}

// publishFrame is a PUBLISH of QoS 0 with a short topic and body.
func publishFrame(topic, body string) []byte {
	b := []byte{0x30, byte(2 + len(topic) + len(body)), 0, byte(len(topic))}
	return append(append(b, topic...), body...)
}

// running is a link under test with its Run.
type running struct {
	*Link
	t      *testing.T
	cancel context.CancelFunc
	ended  chan error
}

func start(t *testing.T, o Options) *running {
	t.Helper()
	if o.Broker == "" {
		o.Broker = "mqtt://broker.test"
	}
	if o.ClientID == "" {
		o.ClientID = "GW-1"
	}
	o.Seed = 1
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{l, t, cancel, make(chan error, 1)}
	go func() { r.ended <- l.Run(ctx) }()
	return r
}

// stop ends the link and waits for it.
func (r *running) stop() {
	r.t.Helper()
	r.cancel()
	if err := <-r.ended; err != nil {
		r.t.Errorf("Run: %v", err)
	}
}

// next is the next event, which must be of the kind.
func (r *running) next(kind shadow.LinkEventKind) shadow.LinkEvent {
	r.t.Helper()
	select {
	case e := <-r.Events():
		if e.Kind != kind {
			r.t.Fatalf("event %d (%v, %s), want kind %d", e.Kind, e.Err, e.Message.Topic, kind)
		}
		return e
	case <-time.After(time.Hour): // of a bubble
		r.t.Fatalf("no event of kind %d", kind)
	}
	return shadow.LinkEvent{}
}
