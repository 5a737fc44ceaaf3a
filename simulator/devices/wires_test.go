package devices

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/simulator/faults"
)

// pipes are a network within the process, of one address.
type pipes struct {
	calls chan net.Conn
	mu    sync.Mutex
	end   chan struct{} // of the listener that there is, nil for none
}

func newPipes() *pipes { return &pipes{calls: make(chan net.Conn)} }

func (p *pipes) listen(_, _ string) (net.Listener, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = make(chan struct{})
	return &pipeListener{p, p.end}, nil
}

type pipeListener struct {
	*pipes
	end chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.calls:
		return c, nil
	case <-l.end:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.end)
	l.pipes.end = nil
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// refuses reports whether nobody listens.
func (p *pipes) refuses() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end == nil
}

func (p *pipes) dial(t *testing.T) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	patient(t, near) // first: it is refused once the far end has hung up
	p.calls <- far
	return near
}

func patient(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// stream is a serial line that knows bytes and nothing else.
type stream struct{ c net.Conn }

func (s stream) Read(b []byte) (int, error)  { return s.c.Read(b) }
func (s stream) Write(b []byte) (int, error) { return s.c.Write(b) }
func (s stream) Close() error                { return s.c.Close() }

const (
	askTCP, goodTCP = "0002 0000 0006 01 04 0000 0001", "0002 0000 0005 01 04 02 0001"
	askRTU, goodRTU = "01 04 0000 0001 31ca", "01 04 02 0001 78f0"
)

// inBubble serves L1 on pipes and on a plain stream, in virtual time.
func inBubble(t *testing.T, do func(t *testing.T, d *TCP, p *pipes, r *RTU, line *lines)) {
	synctest.Test(t, func(t *testing.T) {
		w := world(t, since(time.Now()))
		p, line := newPipes(), &lines{}
		d, err := ServeTCP(w, p.listen, "", Seat{Car: "L1", Unit: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer closed(t, d)
		r, err := ServeRTU(w, line.far, Seat{Car: "L1", Unit: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer closed(t, r)
		patient(t, line.near())
		do(t, d, p, r, line)
	})
}

// took wants the answer after exactly so long.
func took(t *testing.T, c io.ReadWriter, ask, want string, d time.Duration) {
	t.Helper()
	start := time.Now()
	says(t, c, ask, want)
	if got := time.Since(start); got != d {
		t.Errorf("answered after %v, want %v", got, d)
	}
}

// SM-3: unplugged, connections and lines of any kind end at once, nobody listens, and
// all is well when the time is over, by the world's clock.
func TestUnpluggedOnWiresOfOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, d *TCP, p *pipes, r *RTU, line *lines) {
		c, l := p.dial(t), line.near()
		says(t, c, askTCP, goodTCP)
		for _, u := range []*Unit{d.Unit, r.Unit} {
			if err := u.Play(faults.Fault{Kind: "unplugged", Target: "L1", For: 10 * time.Second}); err != nil {
				t.Fatal(err)
			}
		}
		ends(t, c)
		ends(t, l)
		time.Sleep(9 * time.Second)
		if !p.refuses() || line.near() != l {
			t.Error("back too soon")
		}
		time.Sleep(time.Second + lookAgain)
		says(t, line.near(), askRTU, goodRTU)
		says(t, p.dial(t), askTCP, goodTCP)
		var told []string
		for _, e := range d.FaultEvents() {
			told = append(told, e.String())
		}
		if len(told) != 2 || told[0] != "fault begins: L1 unplugged for 10s" || told[1] != "fault ends, time over: L1 unplugged" {
			t.Errorf("told %q", told)
		}
	})
}

// SM-3: the one place is taken for a while.
func TestBusyElsewhere(t *testing.T) {
	inBubble(t, func(t *testing.T, d *TCP, p *pipes, _ *RTU, _ *lines) {
		c := p.dial(t)
		plays(t, d, "busy-elsewhere", "", 0)
		ends(t, c)
		ends(t, p.dial(t))
		d.ClearNamed("busy-elsewhere")
		says(t, p.dial(t), askTCP, goodTCP)
	})
}

// SM-3: while one of two units is silent the other answers.
func TestAFaultIsOneUnits(t *testing.T) {
	noLeak(t)
	d, err := ServeTCP(world(t, new(hand).now), net.Listen, "127.0.0.1:0", Seat{Car: "L1", Unit: 1}, Seat{Car: "L2", Unit: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	c := dial(t, d)
	plays(t, d, "silent", "", 0)
	put(t, c, askTCP)
	says(t, c, "0003 0000 0006 02 04 0000 0001", "0003 0000 0005 02 04 02 0004")
}

// SM-3, DR-11: a socket that is gone refuses, and is back at the same address.
func TestUnpluggedSocket(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	says(t, c, askTCP, goodTCP)
	plays(t, d, "unplugged", "", 0)
	ends(t, c)
	if c, err := net.DialTimeout("tcp", d.Addr(), 10*time.Second); err == nil {
		closed(t, c)
		t.Error("still takes connections")
	}
	d.ClearNamed("")
	says(t, dial(t, d), askTCP, goodTCP)
}

// SM-3: the address was taken meanwhile: the lift comes back when it is free.
func TestUnpluggedSocketWaitsForItsAddress(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	plays(t, d, "unplugged", "", 0)
	other, err := net.Listen("tcp", d.Addr())
	if err != nil {
		t.Fatal(err)
	}
	d.ClearNamed("unplugged")
	closed(t, other)
	eventually(t, func() bool {
		c, err := net.DialTimeout("tcp", d.Addr(), 10*time.Second)
		if err != nil {
			return false
		}
		defer closed(t, c)
		says(t, c, askTCP, goodTCP)
		return true
	})
}

// SM-3, DR-11: a port that is pulled ends for who has it open, its path goes, and
// it comes back under the same path when he has closed it; so too for a hang-up.
func TestUnpluggedPTY(t *testing.T) {
	noLeak(t)
	_, r := rtuBench(t, new(hand).now)
	line := openTTY(t, r.Path())
	says(t, line, askRTU, goodRTU)
	plays(t, r, "unplugged", "", 0)
	ends(t, line)
	if _, err := os.Stat(r.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the path is still there: %v", err)
	}
	closed(t, line)
	r.ClearNamed("unplugged")
	line = comesBack(t, r)
	says(t, line, askRTU, goodRTU)
	plays(t, r, "hang-up", "", 1)
	put(t, line, "01 06 0002 0005 e809") // done, and then the line goes
	ends(t, line)
	closed(t, line)
	says(t, comesBack(t, r), "01 04 000c 0001 f1c9", "01 04 02 0010 b8fc")
}

func comesBack(t *testing.T, r *RTU) *os.File {
	t.Helper()
	eventually(t, func() bool {
		r.plug.mu.Lock() // the path alone may be another's for a while
		defer r.plug.mu.Unlock()
		return r.cable != nil
	})
	return openTTY(t, r.Path())
}

// eventually looks again and again; machines are shared, so it is patient.
func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come")
		}
	}
}

// SM-3: a unit's faults are told, and may strike a part of the requests only.
func TestFaultsAreTold(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	if err := d.Play(faults.Fault{Kind: "exception", Target: "L1", From: 2, Times: 1}); err != nil {
		t.Fatal(err)
	}
	says(t, c, askTCP, goodTCP)
	if on := d.Faults(); len(on) != 1 || on[0].Met != 1 || on[0].Struck != 0 {
		t.Errorf("on: %+v", on)
	}
	says(t, c, askTCP, "0002 0000 0003 01 84 04")
	says(t, c, askTCP, goodTCP)
	if n := len(d.FaultEvents()); n != 3 {
		t.Errorf("%d events, want begin, strike and end", n)
	}
}

// SM-3: what the controller tells is what the registers show: a door state that the
// data sheet does not know, no landing, a mode, and nothing at all while it boots.
func TestControllerFaultsOnTheWire(t *testing.T) {
	noLeak(t)
	clock := new(hand)
	w, d := tcpBench(t, clock.now)
	c := dial(t, d)
	begin := func(f faults.Fault) {
		t.Helper()
		if err := w.Inject(f); err != nil {
			t.Fatal(err)
		}
	}
	begin(faults.Fault{Kind: "door-unknown", Target: "L1"})
	begin(faults.Fault{Kind: "floor-unknown", Target: "L1"})
	says(t, c, "0001 0000 0006 01 04 0000 0004", "0001 0000 000b 01 04 08 0000 0000 0009 0009")
	w.Clear("L1", "")
	begin(faults.Fault{Kind: "independent", Target: "L1"})
	says(t, c, "0002 0000 0006 01 04 0004 0001", "0002 0000 0005 01 04 02 0002")
	w.Clear("L1", "independent")
	begin(faults.Fault{Kind: "restart", Target: "L1", Arg: "2s"})
	put(t, c, "0003 0000 0006 01 06 0002 0005") // heard by nobody
	eventually(t, func() bool { return d.Requests()[Request{Function: 6, Addr: 2}] == 1 })
	clock.move(2*time.Second + 1)
	says(t, c, "0004 0000 0006 01 04 000c 0001", "0004 0000 0005 01 04 02 0000")
	if on, lifts := w.Faults(), w.Lifts(); len(on) != 0 || len(lifts) != 2 || lifts[0] != "L1" {
		t.Errorf("on %+v in %v", on, lifts)
	}
	if n := len(w.FaultEvents()); n != 8 {
		t.Errorf("%d events, want four beginnings and four ends", n)
	}
}
