package devices

import (
	"errors"
	"fmt"
	"net"
)

// ServeBoardUDP puts lifts behind a board that takes datagrams. It answers whoever
// asks, and speaks by itself to the one who asked last.
func ServeBoardUDP(w *World, protocol, addr string, seats ...Seat) (*Board, error) {
	b, err := newBoard(w, protocol, seats)
	if err != nil {
		return nil, err
	}
	c, err := net.ListenPacket("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve lift %q: %w", seats[0].Car, err)
	}
	b.where, b.shut = c.LocalAddr().String(), c.Close
	b.wg.Go(func() { b.datagrams(c) })
	b.wg.Go(b.live)
	return b, nil
}

func (b *Board) datagrams(c net.PacketConn) {
	buf := make([]byte, maxHeard)
	for {
		n, from, err := c.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // a peer that is away says so here
		}
		send := func(f []byte) bool {
			_, err := c.WriteTo(f, from)
			return err == nil
		}
		b.mu.Lock()
		clear(b.lines)
		b.lines[nowhere{}] = send
		b.mu.Unlock()
		b.turn(buf[:n:n], buf[:n], send)
	}
}

// nowhere stands for a peer, of which there is nothing to close.
type nowhere struct{}

func (nowhere) Close() error { return nil }
