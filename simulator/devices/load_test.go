package devices

import (
	"encoding/hex"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/simulator/building"
	"hoistway/simulator/faults"
)

// SM-3: faults and manners come and go under load; then all is well again.
func TestFaultsUnderLoad(t *testing.T) {
	noLeak(t)
	w, d := tcpBench(t, since(time.Now()))
	line := &lines{}
	r, err := ServeRTU(w, line.far, Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, r) })
	stop := make(chan struct{})
	var masters sync.WaitGroup
	for range 3 {
		masters.Go(func() { pester(stop, askTCP, func() (net.Conn, error) { return net.Dial("tcp", d.Addr()) }) })
	}
	masters.Go(func() { pester(stop, askRTU, func() (net.Conn, error) { return line.near(), nil }) })
	for i := range 150 {
		for _, u := range []*Unit{d.Unit, r.Unit} {
			kinds := faults.Names(faults.AtLift)
			_ = u.Play(faults.Fault{Kind: kinds[i%len(kinds)], Target: "L1", For: time.Duration(i%7+1) * time.Millisecond}) // some are of no line
			behaves(t, u, Manners{AnswerDelay: time.Duration(i%3) * time.Millisecond, OneConnection: i%5 == 0, ClosesAfterAnswer: i%2 == 0})
			u.Faults()
			if i%4 == 0 {
				u.ClearNamed("")
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	close(stop)
	masters.Wait()
	for _, u := range []*Unit{d.Unit, r.Unit} {
		u.ClearNamed("")
		behaves(t, u, Manners{})
	}
	eventually(t, func() bool { // what was asked before may still be answered
		c := line.near()
		for late := error(nil); late == nil; {
			_ = c.SetDeadline(time.Now().Add(50 * time.Millisecond))
			_, late = c.Read(make([]byte, 64))
		}
		return answers(c, raw(t, askRTU), raw(t, goodRTU))
	})
	eventually(t, func() bool { // the connections of before may still be on their way out
		c, err := net.Dial("tcp", d.Addr())
		if err != nil {
			return false
		}
		defer closed(t, c)
		return answers(c, raw(t, askTCP), raw(t, goodTCP))
	})
}

func answers(c net.Conn, ask, want []byte) bool {
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = c.Write(ask)
	got := make([]byte, len(want))
	_, err := io.ReadFull(c, got)
	return err == nil && string(got) == string(want)
}

// lines are serial lines within the process, one after another.
type lines struct {
	mu  sync.Mutex
	now net.Conn
}

func (l *lines) far() (io.ReadWriteCloser, error) {
	near, far := net.Pipe()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = near
	return stream{far}, nil
}

func (l *lines) near() net.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// pester asks again and again, whatever comes of it.
func pester(stop <-chan struct{}, ask string, open func() (net.Conn, error)) {
	frame, _ := hex.DecodeString(strings.ReplaceAll(ask, " ", ""))
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Millisecond):
		}
		c, err := open()
		if err != nil {
			continue
		}
		_ = c.SetDeadline(time.Now().Add(20 * time.Millisecond))
		_, _ = c.Write(frame)
		_, _ = c.Read(make([]byte, 64))
		if _, socket := c.(*net.TCPConn); socket {
			_ = c.Close()
		}
	}
}

// BenchmarkAllRegisters is one poll of a lift in flight, without its wire.
func BenchmarkAllRegisters(b *testing.B) {
	w := world(b, since(time.Now()))
	u, err := newUnit(w, Seat{Car: "L1", Unit: 1})
	if err != nil {
		b.Fatal(err)
	}
	act(b, w, func(b *building.Building) error { return b.CarCall("L1", 5) })
	ask := raw(b, "04 0000 000e")
	for b.Loop() {
		if got, _ := u.respond(ask); len(got) != 30 {
			b.Fatalf("% x", got)
		}
	}
}
