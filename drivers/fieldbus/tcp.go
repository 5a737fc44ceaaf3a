package fieldbus

import (
	"context"
	"net"
	"time"
)

// dialLimit bounds one attempt to connect.
const dialLimit = 2 * time.Second

// connStream is one connection. It lives until the first error.
type connStream struct{ c net.Conn }

// dial opens a line that is no serial port.
func (l *line) dial(ctx context.Context) (stream, error) {
	c, err := l.connect(ctx)
	if err != nil {
		return nil, err
	}
	if l.spec.Cut == nil {
		return connStream{c}, nil
	}
	s := &heardStream{connStream: connStream{c}, pump: newPump()}
	go s.run(c, maxStray)
	return s, nil
}

func (l *line) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	if l.spec.Listen != "" || l.spec.Group != "" {
		return listenUDP(ctx, l.spec)
	}
	dial := l.env.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 15 * time.Second}).DialContext
	}
	return dial(ctx, l.spec.Network, l.spec.Address)
}

func (s connStream) Read(b []byte, by time.Time) (int, error) {
	if err := s.c.SetReadDeadline(by); err != nil {
		return 0, err
	}
	return s.c.Read(b)
}

func (s connStream) Write(b []byte, by time.Time) (int, error) {
	if err := s.c.SetWriteDeadline(by); err != nil {
		return 0, err
	}
	return s.c.Write(b)
}

func (connStream) Dead() <-chan struct{} { return nil }

func (connStream) News() <-chan struct{} { return nil }

func (connStream) Came() []byte { return nil }

func (s connStream) Close() error { return s.c.Close() }

// heardStream is a connection that is heard all the time.
type heardStream struct {
	connStream
	pump
}

func (s *heardStream) Read(b []byte, by time.Time) (int, error) { return s.pump.Read(b, by) }

func (s *heardStream) Dead() <-chan struct{} { return s.pump.Dead() }

func (s *heardStream) News() <-chan struct{} { return s.pump.News() }

func (s *heardStream) Came() []byte { return s.pump.Came() }

// Close ends the reader too.
func (s *heardStream) Close() error {
	close(s.quit)
	err := s.c.Close()
	<-s.dead
	return err
}
