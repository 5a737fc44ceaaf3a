package fieldbus

import (
	"context"
	"net"
	"time"
)

// dialLimit bounds one attempt to connect.
const dialLimit = 2 * time.Second

// tcpStream is one connection. It lives until the first error.
type tcpStream struct{ c net.Conn }

func (l *line) dial(ctx context.Context) (stream, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	dial := l.env.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 15 * time.Second}).DialContext
	}
	c, err := dial(ctx, "tcp", l.spec.Address)
	if err != nil {
		return nil, err
	}
	return tcpStream{c}, nil
}

func (s tcpStream) Read(b []byte, by time.Time) (int, error) {
	if err := s.c.SetReadDeadline(by); err != nil {
		return 0, err
	}
	return s.c.Read(b)
}

func (s tcpStream) Write(b []byte, by time.Time) (int, error) {
	if err := s.c.SetWriteDeadline(by); err != nil {
		return 0, err
	}
	return s.c.Write(b)
}

func (tcpStream) Dead() <-chan struct{} { return nil }

func (s tcpStream) Close() error { return s.c.Close() }
