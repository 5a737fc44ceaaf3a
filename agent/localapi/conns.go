package localapi

import (
	"net"
	"sync"
)

const (
	maxConns   = 512
	ofOnePlace = 64 // connections from one address that is not of this machine
)

// bounded takes at most n connections at once, and few from one place on the network;
// further ones are closed at once, so that nobody waits behind a flood.
func bounded(ln net.Listener, n int) net.Listener {
	return &boundedListener{Listener: ln, room: n, places: make(map[string]int)}
}

type boundedListener struct {
	net.Listener
	mu     sync.Mutex
	room   int
	places map[string]int
}

func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		place := ""
		if from := c.RemoteAddr().String(); !local(from) {
			place = hostOf(from)
		}
		if l.take(place) {
			return &boundedConn{Conn: c, free: func() { l.give(place) }}, nil
		}
		_ = c.Close() // unread, and nobody hears of it
	}
}

func (l *boundedListener) take(place string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.room == 0 || place != "" && l.places[place] >= ofOnePlace {
		return false
	}
	l.room--
	if place != "" {
		l.places[place]++
	}
	return true
}

func (l *boundedListener) give(place string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room++
	if place == "" {
		return
	}
	if l.places[place]--; l.places[place] == 0 {
		delete(l.places, place)
	}
}

type boundedConn struct {
	net.Conn
	once sync.Once
	free func()
}

func (c *boundedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.free)
	return err
}
