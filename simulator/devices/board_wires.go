package devices

import (
	"errors"
	"fmt"
	"io"
	"net"
)

// ServeBoardTCP puts lifts behind a board on a socket of any network that listen knows.
func ServeBoardTCP(w *World, protocol string, listen func(network, address string) (net.Listener, error), addr string, seats ...Seat) (*Board, error) {
	b, err := newBoard(w, protocol, seats)
	if err != nil {
		return nil, err
	}
	ln, err := listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve lift %q: %w", seats[0].Car, err)
	}
	b.where, b.shut = ln.Addr().String(), ln.Close
	b.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			b.admit(c)
		}
	})
	b.wg.Go(b.live)
	return b, nil
}

// ServeBoardPTY puts lifts behind a board on a new pseudo terminal.
func ServeBoardPTY(w *World, protocol string, seats ...Seat) (*Board, error) {
	p, err := openPTY()
	if err != nil {
		return nil, fmt.Errorf("serve %s: %w", protocol, err)
	}
	b, err := ServeBoardLine(w, protocol, p, seats...)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	b.where = p.path()
	return b, nil
}

// ServeBoardLine puts lifts behind a board on any byte stream; closing it must end
// its Read and Write.
func ServeBoardLine(w *World, protocol string, rw io.ReadWriteCloser, seats ...Seat) (*Board, error) {
	b, err := newBoard(w, protocol, seats)
	if err != nil {
		return nil, err
	}
	b.shut = func() error { return nil }
	b.converse(rw)
	b.wg.Go(b.live)
	return b, nil
}
