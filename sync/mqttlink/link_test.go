package mqttlink

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/sync/shadow"
)

func TestNewRefuses(t *testing.T) {
	good := Options{Broker: "mqtt://localhost", ClientID: "GW-1", Topics: []string{"a", "b/#"}}
	for name, spoil := range map[string]func(*Options){
		"no broker":            func(o *Options) { o.Broker = "" },
		"no host":              func(o *Options) { o.Broker = "mqtt://:1883" },
		"foreign scheme":       func(o *Options) { o.Broker = "http://localhost" },
		"credentials in it":    func(o *Options) { o.Broker = "mqtt://u:p@localhost" },
		"a path":               func(o *Options) { o.Broker = "mqtt://localhost/x" },
		"no client id":         func(o *Options) { o.ClientID = "" },
		"empty topic":          func(o *Options) { o.Topics = []string{""} },
		"the same topic":       func(o *Options) { o.Topics = []string{"a", "b", "a"} },
		"spread below zero":    func(o *Options) { o.ConnectSpread = -1 },
		"a topic of 1025 byte": func(o *Options) { o.Topics = []string{strings.Repeat("x", 1025)} },
	} {
		o := good
		spoil(&o)
		if _, err := New(o); !errors.Is(err, errOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for broker, addr := range map[string]string{
		"mqtt://localhost": "localhost:1883", "mqtts://h": "h:8883", "mqtt://[::1]:9/": "[::1]:9", "mqtts://h:1": "h:1",
	} {
		o := good
		o.Broker = broker
		l, err := New(o)
		if err != nil || l.target.addr != addr || l.target.secure != strings.HasPrefix(broker, "mqtts") {
			t.Errorf("%s: %+v, %v", broker, l, err)
		}
	}
}

// The first wait is drawn from the spread, then windows double up to five minutes.
func TestPace(t *testing.T) {
	p := &pace{rng: rand.New(rand.NewPCG(1, 1)), spread: 30 * time.Second, window: 30 * time.Second}
	draw := func(window time.Duration) {
		t.Helper()
		var least, most time.Duration = 1 << 60, 0
		for range 200 {
			d := p.next()
			least, most = min(least, d), max(most, d)
		}
		if least < 0 || least > window/10 || most > window || most < window*9/10 {
			t.Errorf("drawn from %s to %s, want the whole of 0 to %s", least, most, window)
		}
	}
	draw(30 * time.Second)
	for _, s := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		p.failed()
		draw(time.Duration(s) * time.Second)
	}
	p.lost(time.Hour)
	draw(30 * time.Second)
	p.spread = 0
	for _, s := range []int{1, 2, 4} { // thrown out again and again
		p.lost(time.Second)
		draw(time.Duration(s) * time.Second)
	}
	p.lost(time.Hour)
	if d := p.next(); d != 0 {
		t.Errorf("after a long life and without a spread: %s", d)
	}
}

// A broker that is not there at the start is tried at a bounded rate, and found
// when it comes.
func TestBrokerAbsentAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.setAbsent(true)
		begin := time.Now()
		l := start(t, Options{Dial: f.dial, ConnectSpread: 30 * time.Second})
		go func() {
			time.Sleep(2 * time.Hour)
			f.setAbsent(false)
		}()
		downs := 0
		for e := range l.Events() {
			if e.Kind == shadow.LinkUp {
				break
			}
			if downs++; e.Kind != shadow.LinkDown || !errors.Is(e.Err, errAbsent) {
				t.Fatalf("%+v", e)
			}
		}
		found := time.Since(begin) - 2*time.Hour
		if found < 0 || found > 5*time.Minute {
			t.Errorf("found after %s", found)
		}
		if first := f.attempts()[0].Sub(begin); first == 0 || first > 30*time.Second {
			t.Errorf("first attempt after %s, want it within the spread", first)
		}
		// Eight tries to reach the longest window, then one in 2.5 minutes in the mean.
		if downs < 25 || downs > 100 || len(f.attempts()) != downs+1 {
			t.Errorf("%d failures told of %d attempts in two hours", downs, len(f.attempts()))
		}
		l.stop()
		f.serving.Wait()
	})
}

// The connection number is persisted before each attempt, and rides in the will.
func TestBeforeConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		n := 0
		broken := errors.New("disk full")
		l := start(t, Options{Dial: f.dial, BeforeConnect: func(context.Context) (*shadow.Message, error) {
			if n++; n == 1 {
				return nil, broken
			}
			body := []byte{'s', '=', '0' + byte(n)}
			return &shadow.Message{Topic: "x/presence", Payload: body, QoS: 1, Retain: true}, nil
		}})
		if e := l.next(shadow.LinkDown); !errors.Is(e.Err, broken) || len(f.attempts()) != 0 {
			t.Errorf("%v after %d attempts", e.Err, len(f.attempts()))
		}
		l.next(shadow.LinkUp)
		f.cut()
		l.next(shadow.LinkDown)
		l.next(shadow.LinkUp)
		l.stop()
		f.serving.Wait()
		for i, connect := range f.frames(1) {
			// "MQTT", level 4; clean session 2, will 4, will QoS 1 8, will retain 32; keep alive 30 s.
			want := "\x00\x04MQTT\x04\x2e\x00\x1e\x00\x04GW-1\x00\x0ax/presence\x00\x03s=" + string('2'+rune(i))
			if string(connect.body) != want {
				t.Errorf("CONNECT %d: %q, want %q", i, connect.body, want)
			}
		}
		if len(f.frames(1)) != 2 || len(f.frames(14)) != 1 {
			t.Errorf("%d CONNECT and %d DISCONNECT, want 2 and 1", len(f.frames(1)), len(f.frames(14)))
		}
	})
}

// A message is not done because the connection ended, nor because the next one began.
func TestPublishNeedsAnAck(t *testing.T) {
	message := shadow.Message{Topic: "t", Payload: []byte("x"), QoS: 1}
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.noAck = true
		l := start(t, Options{Dial: f.dial})
		if err := l.Publish(t.Context(), message); !errors.Is(err, ErrDown) {
			t.Errorf("before the connection: %v", err)
		}
		l.next(shadow.LinkUp)

		done := make(chan error, 1)
		go func() { done <- l.Publish(t.Context(), message) }()
		synctest.Wait()
		if len(f.frames(3)) != 1 {
			t.Fatal("nothing was sent")
		}
		f.cut()
		l.next(shadow.LinkDown)
		l.next(shadow.LinkUp)
		if err := <-done; !errors.Is(err, ErrLost) {
			t.Errorf("cut before the PUBACK: %v", err)
		}

		begin := time.Now()
		if err := l.Publish(t.Context(), message); !errors.Is(err, ErrNoAck) || time.Since(begin) != ackTimeout {
			t.Errorf("no PUBACK on a live connection: %v after %s", err, time.Since(begin))
		}
		if e := l.next(shadow.LinkDown); !errors.Is(e.Err, ErrNoAck) {
			t.Errorf("a broker that forgets acknowledgements: %v", e.Err)
		}
		l.next(shadow.LinkUp)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Publish(ctx, message); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's own patience: %v", err)
		}
		if err := l.Publish(t.Context(), shadow.Message{Topic: "t", Payload: []byte("x")}); err != nil {
			t.Errorf("QoS 0 needs none: %v", err)
		}
		l.stop()
		if err := l.Publish(t.Context(), message); !errors.Is(err, ErrDown) {
			t.Errorf("after the end: %v", err)
		}
		f.serving.Wait()
	})
}

func TestPublishRefuses(t *testing.T) {
	l, err := New(Options{Broker: "mqtt://h", ClientID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]shadow.Message{
		"QoS 2": {Topic: "t", QoS: 2}, "no topic": {}, "wildcard": {Topic: "a/+/b"}, "zero byte": {Topic: "a\x00"},
		"too big": {Topic: "t", Payload: make([]byte, shadow.MaxMessage+1)},
	} {
		if err := l.Publish(t.Context(), m); err == nil || errors.Is(err, ErrDown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// All filters are asked for, a few at a time, and each answer is looked at.
func TestSubscribe(t *testing.T) {
	topics := strings.Split("a b c d e f g h i j", " ")
	for name, c := range map[string]struct {
		codes func(int) []byte
		err   error
	}{
		"granted":        {nil, nil},
		"one refused":    {func(n int) []byte { return append(make([]byte, n-1), 128) }, ErrRefused},
		"a code short":   {func(n int) []byte { return make([]byte, n-1) }, ErrRefused},
		"a code too far": {func(n int) []byte { return make([]byte, n+1) }, errPacket},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.suback = c.codes
				l := start(t, Options{Dial: f.dial, Topics: topics})
				if c.err == nil {
					l.next(shadow.LinkUp)
					if n := len(f.frames(8)); n != 2 {
						t.Errorf("%d SUBSCRIBE for ten filters, want 2", n)
					}
				} else {
					for range 3 { // and it goes on trying, slower each time
						if e := l.next(shadow.LinkDown); !errors.Is(e.Err, c.err) {
							t.Errorf("%v, want %v", e.Err, c.err)
						}
					}
				}
				l.stop()
				f.serving.Wait()
			})
		})
	}
}

// What a broker sends before the subscriptions are through comes after LinkUp.
func TestMessagesBeforeLinkUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.greeting = publishFrame("early", "bird")
		l := start(t, Options{Dial: f.dial, Topics: []string{"early"}})
		l.next(shadow.LinkUp)
		if e := l.next(shadow.LinkMessage); e.Message.Topic != "early" || string(e.Message.Payload) != "bird" {
			t.Errorf("%+v", e.Message)
		}
		l.stop()
		f.serving.Wait()
	})
}

// No message is lost in silence: a reader that does not keep up loses the
// connection, and then pulls the state anew.
func TestOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for range 1000 {
			f.greeting = append(f.greeting, publishFrame("t", "x")...)
		}
		l := start(t, Options{Dial: f.dial})
		synctest.Wait() // nobody reads: the buffers are full, and the socket is cut
		if n := len(f.attempts()); n != 1 {
			t.Fatalf("%d attempts", n)
		}
		// The flood may be too much before or after the subscription is acknowledged.
		up, messages := false, 0
		for e := range l.Events() {
			if e.Kind == shadow.LinkDown {
				if !errors.Is(e.Err, ErrOverflow) {
					t.Errorf("%v", e.Err)
				}
				break
			}
			if e.Kind == shadow.LinkUp {
				up = true
				continue
			}
			messages++
		}
		if up && messages < inboxSize || messages > inboxSize+eventsSize {
			t.Errorf("%d messages came before the end, want all that fitted", messages)
		}
		f.mu.Lock()
		f.greeting = nil
		f.mu.Unlock()
		l.next(shadow.LinkUp)
		l.stop()
		f.serving.Wait()
	})
}

// A broker that has stopped without a word is noticed by the keep-alive, also
// with a full socket.
func TestFrozenBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		l := start(t, Options{Dial: f.dial})
		l.next(shadow.LinkUp)
		time.Sleep(10 * time.Minute)
		if pings := len(f.frames(12)); pings < 15 || pings > 25 {
			t.Errorf("%d pings in ten quiet minutes", pings)
		}
		begin := time.Now()
		close(f.frozen)
		f.setAbsent(true)
		l.next(shadow.LinkDown)
		if took := time.Since(begin); took > 60*time.Second {
			t.Errorf("noticed after %s", took)
		}
		l.stop()
		f.serving.Wait()
	})
}

// A peer that does not even take bytes: the pipe has no buffer, so each write
// waits, and only the deadline frees it.
func TestStuckSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		first := true
		l := start(t, Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			if !first {
				return nil, errAbsent
			}
			first = false
			return ours, nil
		}})
		go func() {
			b := make([]byte, 100)
			_, _ = theirs.Read(b) // the CONNECT, and nothing after it
			_, _ = theirs.Write([]byte{0x20, 2, 0, 0})
		}()
		l.next(shadow.LinkUp)
		begin := time.Now()
		err := l.Publish(t.Context(), shadow.Message{Topic: "t", QoS: 1})
		if err == nil || time.Since(begin) > 2*writeTimeout {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		l.next(shadow.LinkDown)
		l.stop()
		_ = theirs.Close()
	})
}

// A packet longer than anything of ours ends the connection before memory is
// taken for it.
func TestHugePacket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, head := range [][]byte{{0x30, 0xff, 0xff, 0xff, 0x7f}, {0x30, 0xff, 0xff, 0xff, 0xff, 0x01}} {
			f := newFake()
			f.greeting = head
			l := start(t, Options{Dial: f.dial})
			e := <-l.Events()
			if e.Kind == shadow.LinkUp { // it depends on which is read first
				e = <-l.Events()
			}
			if e.Kind != shadow.LinkDown || !errors.Is(e.Err, errPacket) {
				t.Errorf("%x: %d %v", head, e.Kind, e.Err)
			}
			l.stop()
			f.serving.Wait()
		}
	})
}

// head must find the same frames however the bytes are cut.
func TestHeadFollowsAnyCut(t *testing.T) {
	stream := []byte{0x20, 2, 0, 0, 0xd0, 0}
	long := make([]byte, 300)
	stream = append(append(append(stream, 0x30, 0xac, 0x02), long...), 0x90, 3, 0, 1, 1)
	for size := 1; size <= len(stream); size++ {
		var h head
		for rest := stream; len(rest) > 0; {
			n := min(size, len(rest))
			if err := h.follow(rest[:n], 1); err != nil {
				t.Fatalf("in pieces of %d: %v", size, err)
			}
			rest = rest[n:]
		}
		if h.inBody || h.digits != 0 {
			t.Fatalf("in pieces of %d: ended inside a packet: %+v", size, h)
		}
		if err := h.follow([]byte{0x90, 4, 0, 1, 1, 1}, 1); !errors.Is(err, errPacket) {
			t.Fatalf("two codes for one filter: %v", err)
		}
	}
}
