package broker

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// hello is the CONNECT of MQTT 3.1.1, a clean session of client id a: the bytes of its standard.
var hello = []byte{0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 1, 'a'}

func start(t *testing.T, o Options) *Broker {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Start(ln, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// call connects as client id and waits to be let in.
func call(t *testing.T, b *Broker, id byte) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	ack := make([]byte, 4)
	if _, err := c.Write(append(append([]byte(nil), hello[:14]...), id)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, ack); err != nil || ack[0] != 0x20 || ack[3] != 0 {
		t.Fatalf("%x, %v", ack, err)
	}
	return c
}

// A broker that is closed while its clients leave ends all the same, and leaves nothing behind.
func TestClosesWhileClientsLeave(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for range 20 {
		b := start(t, Options{})
		var clients []net.Conn
		for id := range byte(20) {
			clients = append(clients, call(t, b, 'a'+id))
		}
		var wg sync.WaitGroup
		for _, c := range clients {
			wg.Go(func() { _ = c.Close() })
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}

// One that connects and says nothing holds up no end.
func TestClosesUnderASilentClient(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	b := start(t, Options{})
	c, err := net.Dial("tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call(t, b, 'a').Close() // by now the door has seen the first one
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestHears(t *testing.T) {
	heard := make(chan string, 1)
	b := start(t, Options{Filter: "x/#", Hear: func(_ *Broker, topic string, payload []byte) { heard <- topic + " " + string(payload) }})
	defer b.Close()
	c := call(t, b, 'a')
	defer c.Close()
	// PUBLISH, QoS 0, to y and to x/1: only the second is asked for.
	if _, err := c.Write([]byte{0x30, 4, 0, 1, 'y', '1', 0x30, 6, 0, 3, 'x', '/', '1', '2'}); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != "x/1 2" {
		t.Error(got)
	}
}
