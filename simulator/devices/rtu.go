package devices

import (
	"fmt"
	"io"
	"slices"
)

// RTU is lifts on one serial line. Its methods may be called from any goroutine.
// The owner calls Close once.
type RTU struct {
	*Unit // the first of them
	plug  plug
	path  string
	// open makes the line anew after it was unplugged.
	open  func() (io.ReadWriteCloser, error)
	cable *cable // nil while unplugged; under the plug's lock
}

// ServePTY puts lifts on a new pseudo terminal in raw mode. The other end stays
// open here too: a gateway may open and close it as it likes, and the lifts do not
// read a hang-up.
func ServePTY(w *World, seats ...Seat) (*RTU, error) {
	units, err := seated(w, seats)
	if err != nil {
		return nil, err
	}
	p, err := openPTY()
	if err != nil {
		return nil, fmt.Errorf("serve lift %q: %w", units[0].car, err)
	}
	path := p.path()
	r := startRTU(units, p, func() (io.ReadWriteCloser, error) { return reopenPTY(path) })
	r.path = path
	return r, nil
}

// ServeRTU puts lifts on a line of any kind that open makes; it is asked for
// another whenever the line comes back. A line needs no deadlines: closing it must
// end its Read and Write.
func ServeRTU(w *World, open func() (io.ReadWriteCloser, error), seats ...Seat) (*RTU, error) {
	units, err := seated(w, seats)
	if err != nil {
		return nil, err
	}
	rw, err := open()
	if err != nil {
		return nil, fmt.Errorf("serve lift %q: %w", units[0].car, err)
	}
	return startRTU(units, rw, open), nil
}

func startRTU(units []*Unit, rw io.ReadWriteCloser, open func() (io.ReadWriteCloser, error)) *RTU {
	r := &RTU{Unit: units[0], open: open}
	r.plug.mount(units, r.settle)
	for _, u := range units {
		u.serial = true
	}
	r.attach(rw)
	return r
}

// Path is the device to open, /dev/pts/N, "" on a line of others. It stays the
// same when the line is unplugged and comes back.
func (r *RTU) Path() string { return r.path }

// Units are the lifts on this wire, in the order of their seats.
func (r *RTU) Units() []*Unit { return slices.Clone(r.plug.units) }

// Close takes the lifts off the line for good and waits until nothing of it is
// left. On our own pty the path goes too.
func (r *RTU) Close() error { return r.plug.close(r.detach) }

func (r *RTU) attach(rw io.ReadWriteCloser) {
	c := newCable(rw)
	r.cable = c
	r.plug.wg.Go(c.pump)
	r.plug.wg.Go(func() {
		r.listen(c)
		_ = c.Close() // perhaps for the second time; ends the pump
	})
}

func (r *RTU) detach() error {
	if r.cable == nil {
		return nil
	}
	err := r.cable.Close()
	r.cable = nil
	return err
}

// settle see [plug]. A pty whose number is not free yet is tried again.
func (r *RTU) settle() bool {
	gone := r.plug.suffer(unplugged)
	switch {
	case gone:
		_ = r.detach() // it is gone either way
	case r.cable == nil:
		rw, err := r.open()
		if err != nil {
			return false
		}
		r.attach(rw)
	}
	return !gone
}

// replug pulls the line and puts it in again.
func (r *RTU) replug() {
	r.plug.mu.Lock()
	_ = r.detach() // it is gone either way
	r.plug.mu.Unlock()
	r.plug.look()
}

// listen takes frames off the line until it closes.
func (r *RTU) listen(c *cable) {
	var buf []byte
	for {
		piece, silence, ok := c.next(len(buf) > 0)
		if !ok {
			return
		}
		if buf, ok = r.frames(c, append(buf, piece...), silence); !ok {
			return
		}
	}
}

// frames serves each whole frame at the front of buf and returns what is left.
// Silence ends whatever began: a frame of unknown length is served, a part or
// garbage is thrown away. False means that the line is gone.
func (r *RTU) frames(c *cable, buf []byte, silence bool) ([]byte, bool) {
	for len(buf) > 0 {
		n := frameLen(buf)
		if n == 0 && silence {
			n = len(buf)
		}
		switch {
		case n == 0 && len(buf) < maxFrame, n > len(buf) && n <= maxFrame && !silence:
			return buf, true
		case n == 0 || n > len(buf) || n > maxFrame || !sound(buf[:n]):
			return nil, silence || c.resync()
		case !r.turn(c, buf[:n]):
			return nil, false
		}
		buf = buf[n:]
	}
	return nil, true
}

// frameLen is the length of the request that begins in b, 0 when it cannot be
// told yet, or never: functions that the lift does not know end by silence.
func frameLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch fn := b[1]; {
	case fn >= 1 && fn <= 6:
		return 8
	case (fn == 15 || fn == 16) && len(b) >= 7:
		return 9 + int(b[6])
	}
	return 0
}

// turn answers one frame that is sound; false means that the line is gone.
func (r *RTU) turn(c *cable, frame []byte) bool {
	id, req := frame[0], frame[1:len(frame)-2]
	u := find(r.plug.units, id)
	switch {
	case id == 0: // a lift takes no call for all
		return true
	case u == nil:
		return !answersOthers(r.plug.units, false) || c.send(seal([]byte{id, req[0] | exceptionFlag, wrongTarget}))
	case u.rest() > 0:
		return true
	}
	answer, f := u.respond(req)
	if f.Kind == hangUp {
		r.replug()
		return false
	}
	if answer == nil {
		return true
	}
	if f.Kind == foreign {
		id++
	}
	out := seal(append([]byte{id}, answer...))
	if f.Kind == garbled {
		out[len(out)/2] ^= 0x10
	}
	return u.deliver(out, f, c.send, c.cut)
}
