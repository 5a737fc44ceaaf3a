package fieldbus

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// fakePort is a serial port in the test's hand. After Close it notes every call,
// which on the real one may land in another file.
type fakePort struct {
	reads  chan []byte
	quit   chan struct{}
	once   sync.Once
	stuck  chan struct{} // a write waits for it, nil = it does not
	panics bool
	closed atomic.Bool
	late   atomic.Int32
	wrote  atomic.Int32
}

func (p *fakePort) Read(b []byte) (int, error) {
	if p.panics {
		panic("descriptor too high")
	}
	select {
	case x := <-p.reads:
		return copy(b, x), nil
	case <-p.quit:
		return 0, io.EOF
	}
}

func (p *fakePort) Write(b []byte) (int, error) {
	if p.closed.Load() {
		p.late.Add(1)
		return len(b), nil
	}
	if p.stuck != nil {
		<-p.stuck
		return 1, nil // the rest would be written by a second call
	}
	p.wrote.Add(int32(len(b)))
	return len(b), nil
}

func (p *fakePort) Close() error {
	p.closed.Store(true)
	p.once.Do(func() { close(p.quit) })
	return nil
}

var wires = Spec{Network: Serial, Address: "/dev/x", Mode: drivers.SerialMode{Baud: 9600, DataBits: 8, Parity: "none", StopBits: 1}, Speech: "toy", Blind: true}

// onPort opens lines whose serial ports come from the list, then are absent.
func onPort(t *testing.T, ports []*fakePort, test func(ls *Lines, opened func() int)) {
	synctest.Test(t, func(t *testing.T) {
		start, n := time.Now(), atomic.Int32{}
		for _, p := range ports {
			*p = fakePort{reads: make(chan []byte, 8), quit: make(chan struct{}), panics: p.panics}
		}
		env := drivers.Env{
			Now: func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 },
			OpenSerial: func(string, drivers.SerialMode) (io.ReadWriteCloser, error) {
				if i := int(n.Add(1)); i <= len(ports) {
					return ports[i-1], nil
				}
				return nil, os.ErrNotExist
			},
		}
		ls := NewLines(env)
		defer ls.CloseAll()
		test(ls, func() int { return int(n.Load()) })
	})
}

// DR-11: a write that does not return is a lost line; the port is opened anew,
// and nothing is written to the old one any more, not even the rest.
func TestStuckWrite(t *testing.T) {
	ports := []*fakePort{{}, {}}
	onPort(t, ports, func(ls *Lines, opened func() int) {
		stuck := make(chan struct{})
		ports[0].stuck = stuck
		u := join(t, ls, wires, 1)
		time.Sleep(1500 * time.Millisecond)
		if opened() < 2 || !ports[0].closed.Load() {
			t.Errorf("%d openings after a stuck write", opened())
		}
		close(stuck)
		time.Sleep(time.Second)
		if n := ports[0].late.Load(); n != 0 {
			t.Errorf("%d writes to a closed port", n)
		}
		if ports[1].wrote.Load() == 0 {
			t.Error("nothing is asked on the new port")
		}
		u.Close()
	})
}

// DR-11: the library's panic on a high descriptor is a lost line, no crash.
func TestReadPanics(t *testing.T) {
	ports := []*fakePort{{panics: true}, {}}
	onPort(t, ports, func(ls *Lines, opened func() int) {
		u := join(t, ls, wires, 1)
		time.Sleep(time.Second)
		if opened() < 2 {
			t.Errorf("%d openings", opened())
		}
		u.Close()
	})
}

// DR-11: an adapter pulled out while nothing is asked is noticed at once.
func TestUnpluggedWhileIdle(t *testing.T) {
	ports := []*fakePort{{}}
	onPort(t, ports, func(ls *Lines, opened func() int) {
		states := make(chan LineState, 64)
		p, err := ls.Join(wires, Member{Unit: 1, Timeout: time.Second, Line: func(s LineState, err error) {
			if s != LineOpen && !errors.Is(err, drivers.ErrLink) {
				t.Errorf("state %d with %v", s, err)
			}
			states <- s
		}})
		if err != nil {
			t.Fatal(err)
		}
		if s := <-states; s != LineOpen {
			t.Fatalf("state %d", s)
		}
		ports[0].once.Do(func() { close(ports[0].quit) })
		if s := <-states; s != LineBroken {
			t.Errorf("state %d after unplugging", s)
		}
		if s := <-states; s != LineAbsent {
			t.Errorf("state %d while it is away", s)
		}
		p.Close()
	})
}

// What came before a question is no answer to it, and the silent interval of
// three and a half characters is kept: 4 ms at 9600 baud.
func TestDrainBeforeSend(t *testing.T) {
	ports := []*fakePort{{}}
	onPort(t, ports, func(ls *Lines, _ func() int) {
		p, err := ls.Join(wires, Member{Unit: 1, Timeout: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		ports[0].reads <- []byte("1 up ok\n")
		time.Sleep(time.Millisecond)
		start := time.Now()
		r := p.Do(context.Background(), press(1, "1 up"))
		if r.Result != elevator.ResultUnknown || !errors.Is(r.Err, drivers.ErrTimeout) {
			t.Errorf("stale bytes gave %+v", r)
		}
		// 100 ms of patience, 12 ms for the bytes of both, and the silence before.
		if d := time.Since(start); d < 114*time.Millisecond {
			t.Errorf("took %s: the silent interval was not kept", d)
		}
		p.Close()
	})
}

// The life of a command is looked at once more before its first byte: the line
// may have had to be waited for.
func TestLifeEndsWhileTheLineIsNoisy(t *testing.T) {
	ports := []*fakePort{{}}
	onPort(t, ports, func(ls *Lines, _ func() int) {
		p, err := ls.Join(wires, Member{Unit: 1, Timeout: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		var noise sync.WaitGroup
		noise.Go(func() {
			for range 60 {
				ports[0].reads <- []byte{0}
				time.Sleep(time.Millisecond)
			}
		})
		time.Sleep(10 * time.Millisecond)
		c := press(1, "1 up")
		c.Until = ls.env.Now().Add(30 * time.Millisecond)
		if r := p.Do(context.Background(), c); r.Result != elevator.NotSent {
			t.Errorf("%+v", r)
		}
		noise.Wait()
		time.Sleep(time.Second)
		if n := ports[0].wrote.Load(); n != 0 {
			t.Errorf("%d bytes sent after the end of its life", n)
		}
		p.Close()
	})
}

// A line that never falls silent is not talked into.
func TestBabble(t *testing.T) {
	ports := []*fakePort{{}}
	onPort(t, ports, func(ls *Lines, _ func() int) {
		ctx, cancel := context.WithCancel(context.Background())
		var noise sync.WaitGroup
		defer noise.Wait()
		defer cancel()
		noise.Go(func() {
			for ctx.Err() == nil {
				select {
				case ports[0].reads <- []byte("noise"):
				default:
				}
				time.Sleep(time.Millisecond)
			}
		})
		p, err := ls.Join(wires, Member{Unit: 1, Timeout: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if r := p.Do(ctx, press(1, "1 up")); r.Result != elevator.NotSent || !errors.Is(r.Err, drivers.ErrProtocol) {
			t.Errorf("%+v", r)
		}
		if n := ports[0].wrote.Load(); n != 0 {
			t.Errorf("%d bytes sent into the noise", n)
		}
		p.Close()
	})
}
