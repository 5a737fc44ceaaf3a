package fieldbus

import (
	"io"
	"os"
	"time"
)

// pump reads a stream on a goroutine of its own, so that the line hears it while it
// waits for something else. What comes is kept in pieces as they came: sixteen at
// most, then the stream itself has to hold them.
type pump struct {
	chunks chan []byte
	news   chan struct{} // holds one when a chunk was added
	quit   chan struct{}
	dead   chan struct{} // closed by the reader at its end
	why    error         // valid once dead is closed
	rest   []byte
}

func newPump() pump {
	return pump{quit: make(chan struct{}), chunks: make(chan []byte, 16), news: make(chan struct{}, 1), dead: make(chan struct{})}
}

// run reads until the stream is closed or gone. The serial library panics in Read
// on a descriptor of 1024 and above; that is a lost line like any other.
func (p *pump) run(from io.Reader, size int) {
	defer close(p.dead)
	p.why = errUnplugged
	defer func() { _ = recover() }()
	for {
		b := make([]byte, size)
		n, err := from.Read(b)
		if n > 0 {
			select {
			case p.chunks <- b[:n]:
				signal(p.news)
			case <-p.quit:
				return
			}
		}
		if err != nil {
			p.why = err
			return
		}
		if n == 0 {
			time.Sleep(time.Millisecond) // a port with a read time-out of its own
		}
	}
}

func (p *pump) Read(b []byte, by time.Time) (int, error) {
	if len(p.rest) == 0 {
		if err := p.next(by); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pump) next(by time.Time) error {
	t := time.NewTimer(time.Until(by))
	defer t.Stop()
	select {
	case p.rest = <-p.chunks:
		return nil
	case <-p.dead:
	case <-t.C:
		return os.ErrDeadlineExceeded
	}
	if p.rest = p.Came(); p.rest != nil { // before the end
		return nil
	}
	return p.why
}

func (p *pump) Dead() <-chan struct{} { return p.dead }

func (p *pump) News() <-chan struct{} { return p.news }

// Came takes what is there already, nil for nothing.
func (p *pump) Came() []byte {
	select {
	case b := <-p.chunks:
		return b
	default:
		return nil
	}
}
