package fleet

import (
	"context"
	"net"
	"strconv"
	"strings"

	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

// uplink counts what the shipped client sends. It fulfils replica.Uplink.
type uplink struct {
	*mqttlink.Link
	tally *tally
}

// Publish sends, and counts what the broker took.
func (u uplink) Publish(ctx context.Context, m shadow.Message) error {
	err := u.Link.Publish(ctx, m)
	if err != nil {
		u.tally.retries.Add(1)
		return err
	}
	u.tally.sent.Add(1)
	size := uint64(len(m.Topic) + len(m.Payload))
	u.tally.sentBytes.Add(size)
	if ofRide(m.Topic) {
		u.tally.rideBytes.Add(size)
	}
	return nil
}

// ofRide holds for what a transition costs: updates of a lift's shadow and their
// answers.
func ofRide(topic string) bool {
	return strings.Contains(topic, "/shadow/name/"+lift+"/update")
}

// conn counts what a socket carries, and can be cut.
type conn struct {
	net.Conn
	tally *tally
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.tally.wireIn.Add(uint64(n))
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.tally.wireOut.Add(uint64(n))
	return n, err
}

// cut ends the connection with a reset, as a lost power or a torn cable would look
// to the broker in the end: no goodbye, and no port that lingers here.
func (c *conn) cut() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // else it closes with a farewell of TCP, which is close enough
	}
	_ = c.Close() // what it held is lost on purpose
}

// perAddress is how many gateways share a loopback address of our side: each
// address has some 28,000 ports of its own, and a closed one may linger.
const perAddress = 8000

// localAddr is where gateway n dials from, nil for where the system likes. Only on
// loopback there are addresses to choose from.
func localAddr(broker string, n int) net.Addr {
	host, _, err := net.SplitHostPort(broker)
	ip := net.ParseIP(host)
	if err != nil || ip.To4() == nil || !ip.IsLoopback() || n < perAddress {
		return nil
	}
	return &net.TCPAddr{IP: net.ParseIP("127.0.0." + strconv.Itoa(1+n/perAddress))}
}
