package mqttlink

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

var (
	errPacket = errors.New("broker sent a packet that cannot be taken")
	errCut    = errors.New("the socket was cut")
)

const packetSuback = 9

// wire stands between the library and the socket. The library takes memory for
// whatever length a broker announces, indexes by the number of codes in a SUBACK,
// and writes pings and acknowledgements without a deadline, so that a frozen
// peer can freeze the very goroutine that should notice it.
type wire struct {
	net.Conn          // may be TLS
	raw      net.Conn // the socket below
	head     head
	writing  sync.Mutex

	mu     sync.Mutex
	suback int // codes expected at most
	err    error
}

// cut closes the socket, at once and without a farewell of TLS, which could wait
// for a frozen peer.
func (w *wire) cut() { _ = w.raw.Close() }

func (w *wire) expectSuback(codes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.suback = codes
}

func (w *wire) refused() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if bad := w.inspect(b[:n]); bad != nil {
		w.cut()
		return 0, bad
	}
	return n, reworded(err)
}

// reworded keeps the library awake: the end of a socket that is closed on our own
// side it takes for its own doing, and goes on as if it were connected.
func reworded(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return errCut
	}
	return err
}

func (w *wire) inspect(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.head.follow(b, w.suback)
	}
	return w.err
}

// Write has its own deadline, and one writer at a time, so that none lifts
// another's.
func (w *wire) Write(b []byte) (int, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	if err := w.Conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, reworded(err)
	}
	n, err := w.Conn.Write(b)
	if err == nil {
		err = w.Conn.SetWriteDeadline(time.Time{})
	}
	if err != nil {
		w.cut() // half a packet may be out; the reader must see the end too
	}
	return n, reworded(err)
}

// SetDeadline is about reading only; see Write.
func (w *wire) SetDeadline(t time.Time) error { return w.SetReadDeadline(t) }

// SetWriteDeadline does nothing; see Write.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// head follows the packets in a stream of bytes: a type, a length of one to four
// bytes, seven bits each, and so many bytes more.
type head struct {
	kind   byte
	length int
	digits int // of the length so far; 0 = the type comes next
	body   int // bytes of the body still to come
	inBody bool
}

func (h *head) follow(b []byte, suback int) error {
	for len(b) > 0 {
		if h.inBody {
			n := min(h.body, len(b))
			h.body -= n
			b = b[n:]
			h.inBody = h.body > 0
			continue
		}
		if err := h.take(b[0], suback); err != nil {
			return err
		}
		b = b[1:]
	}
	return nil
}

func (h *head) take(b byte, suback int) error {
	if h.digits == 0 {
		*h = head{kind: b >> 4, digits: 1}
		return nil
	}
	h.length |= int(b&0x7f) << (7 * (h.digits - 1))
	h.digits++
	if b&0x80 != 0 {
		if h.digits > 4 {
			return fmt.Errorf("%w: its length has no end", errPacket)
		}
		return nil
	}
	h.digits = 0
	h.body, h.inBody = h.length, h.length > 0
	if h.length > maxPacket {
		return fmt.Errorf("%w: %d bytes, at most %d", errPacket, h.length, maxPacket)
	}
	if h.kind == packetSuback && h.length > 2+suback {
		return fmt.Errorf("%w: %d answers to %d subscriptions", errPacket, h.length-2, suback)
	}
	return nil
}
