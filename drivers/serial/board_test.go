package serial

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/creack/pty"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// board is the far end, written by hand: text between 02 and 03 behind which two hex
// digits of the sum stand, the number of the board in front.
type board struct {
	numbered bool
	late     time.Duration

	mu      sync.Mutex
	face    drivertest.Face
	reads   drivertest.Spoil
	writes  drivertest.Spoil
	no      string // what Refuse says
	pressed []drivertest.Press
	on      bool
	mode    int
	heard   []string // payloads
}

func newBoard(numbered bool) *board {
	return &board{numbered: numbered, late: 1500 * time.Millisecond, reads: drivertest.Sound, writes: drivertest.Sound, no: "N07", mode: 1}
}

func (b *board) Show(f drivertest.Face) { b.mu.Lock(); defer b.mu.Unlock(); b.face = f }

func (b *board) Spoil(how drivertest.Spoil, writes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if writes {
		b.writes = how
	} else {
		b.reads = how
	}
}

func (b *board) Pressed() []drivertest.Press {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]drivertest.Press(nil), b.pressed...)
}

func (b *board) Level() bool { b.mu.Lock(); defer b.mu.Unlock(); return b.on }

func (b *board) Heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.heard...)
}

func enclose(payload string) []byte {
	sum := 0
	for _, c := range []byte(payload) {
		sum += int(c)
	}
	return []byte(fmt.Sprintf("\x02%s%02X\x03", payload, sum&255))
}

// frames calls turn for each frame that comes, until the line breaks.
func frames(r io.Reader, turn func(payload string)) {
	var in []byte
	b := make([]byte, 64)
	for {
		n, err := r.Read(b)
		if err != nil {
			return
		}
		in = append(in, b[:n]...)
		for {
			i := bytes.IndexByte(in, 3)
			if i < 0 {
				break
			}
			f := in[:i+1]
			in = in[i+1:]
			if len(f) >= 4 && f[0] == 2 && string(enclose(string(f[1:len(f)-3]))) == string(f) {
				turn(string(f[1 : len(f)-3]))
			}
		}
	}
}

// serve answers on one line. A late answer comes in its own time, unless the line is gone.
func (b *board) serve(rw io.ReadWriter, gone <-chan struct{}) {
	frames(rw, func(p string) {
		answer, wait := b.answer(p)
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-gone:
				return
			}
		}
		if answer != nil {
			_, _ = rw.Write(answer) // the line may be gone
		}
	})
}

func (b *board) answer(p string) (frame []byte, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard = append(b.heard, p)
	head := 1
	if b.numbered {
		head = 3
	}
	if len(p) <= head || p[0] != '1' {
		return nil, 0
	}
	front, ask := p[:head], p[head:]
	say, how := b.carry(ask)
	switch how {
	case drivertest.Silent:
		return nil, 0
	case drivertest.Late:
		wait = b.late
	case drivertest.Refuse:
		say = b.no
	case drivertest.Foreign:
		front = "2" + front[1:]
	}
	if say == "" {
		return nil, 0
	}
	frame = enclose(front + say)
	switch how {
	case drivertest.Short:
		frame = frame[:len(frame)/2]
	case drivertest.Garbled:
		frame[len(frame)/2] ^= 1
	}
	return frame, wait
}

// carry does what is asked and says it back.
func (b *board) carry(ask string) (string, drivertest.Spoil) {
	switch ask[0] {
	case 'P':
		motion := map[elevator.Motion]int{elevator.MovingUp: 1, elevator.MovingDown: 2}[b.face.Motion]
		door := map[elevator.Door]int{elevator.DoorOpen: 1, elevator.DoorOpening: 2}[b.face.Door]
		return fmt.Sprintf("P%d%d%d", b.face.Floor, motion, door), b.reads
	case 'M':
		return fmt.Sprintf("M%03d", b.mode), b.reads
	}
	if b.writes == drivertest.Refuse {
		return "", b.writes
	}
	switch ask[0] {
	case 'U':
		n, _ := strconv.Atoi(ask[1:])
		b.pressed = append(b.pressed, drivertest.Press{Verb: elevator.LandingCall, Floor: elevator.Floor(n)})
	case 'C':
		b.on = ask[2] == '1'
	case 'B', 'a':
		return "", b.writes
	case 'D':
		b.mode = 2
	}
	return ask, b.writes
}

// outlet is a board that is reached by connecting: TCP, or datagrams where each write
// is one.
type outlet struct {
	*board
	mu    sync.Mutex
	power bool
	conns map[net.Conn]chan struct{}
	wg    sync.WaitGroup
	far   net.Conn // the latest
}

func (o *outlet) dial() (net.Conn, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.power {
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	gone := make(chan struct{})
	if o.conns == nil {
		o.conns = map[net.Conn]chan struct{}{}
	}
	o.conns[far], o.far = gone, far
	o.wg.Go(func() { o.serve(far, gone) })
	return near, nil
}

func (o *outlet) Power(on bool) {
	o.mu.Lock()
	o.power = on
	if !on {
		for c, gone := range o.conns {
			_ = c.Close()
			close(gone)
		}
		clear(o.conns)
	}
	o.mu.Unlock()
	if !on {
		o.wg.Wait()
	}
}

// cabled is a board on a serial line with room in its buffers. Without power its port
// is not there.
type cabled struct {
	*board
	mu  sync.Mutex
	on  bool
	far *drivertest.Cable
	wg  sync.WaitGroup
}

func (p *cabled) open(string, drivers.SerialMode) (io.ReadWriteCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on {
		return nil, os.ErrNotExist
	}
	near, far := drivertest.NewCable()
	p.far = far
	p.wg.Go(func() { p.serve(far, far.Gone()) })
	return near, nil
}

func (p *cabled) Power(on bool) {
	p.mu.Lock()
	p.on = on
	if !on && p.far != nil {
		_ = p.far.Close()
	}
	p.mu.Unlock()
	if !on {
		p.wg.Wait()
	}
}

// say puts bytes on the line unasked.
func (p *cabled) say(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.far.Write(b)
}

// adapter is a board behind a pseudo terminal that comes and goes as a USB adapter
// does: the path stays, what is behind it is new each time.
type adapter struct {
	*board
	path        string
	master, tty *os.File
	gone        chan struct{}
	wg          sync.WaitGroup
}

func (p *adapter) Power(on bool) {
	if on == (p.master != nil) {
		return
	}
	if !on {
		_ = os.Remove(p.path)
		close(p.gone)
		_ = p.tty.Close()
		_ = p.master.Close()
		p.master = nil
		p.wg.Wait()
		return
	}
	var err error
	if p.master, p.tty, err = pty.Open(); err != nil {
		panic(err)
	}
	if err := os.Symlink(p.tty.Name(), p.path); err != nil {
		panic(err)
	}
	m, gone := p.master, make(chan struct{})
	p.gone = gone
	p.wg.Go(func() { p.serve(m, gone) })
}
