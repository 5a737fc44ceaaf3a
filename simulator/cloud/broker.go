package cloud

import (
	"fmt"
	"net"
	"sync"

	mqtt "hoistway/simulator/broker"
)

const maxPacket = 256 << 10 // bytes; the public service takes 128 KiB

// broker is the embedded one. It can be stopped and started for fault drills and
// keeps its port; what it had retained is then gone.
type broker struct {
	listen func(network, address string) (net.Listener, error)

	mu     sync.Mutex
	addr   string
	server *mqtt.Broker // nil while stopped
}

// newBroker starts a broker at a loopback address; port 0 takes a free one. listen
// nil is the machine's own network.
func newBroker(addr string, listen func(network, address string) (net.Listener, error)) (*broker, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("broker address: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("broker address %s: the embedded broker lets everybody in and so stays on loopback", addr)
	}
	if listen == nil {
		listen = net.Listen
	}
	b := &broker{addr: addr, listen: listen}
	return b, b.start()
}

func (b *broker) start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.server != nil {
		return nil
	}
	ln, err := b.listen("tcp", b.addr)
	if err != nil {
		return fmt.Errorf("start broker at %s: %w", b.addr, err)
	}
	server, err := mqtt.Start(ln, mqtt.Options{MaxPacket: maxPacket})
	if err != nil {
		return err
	}
	b.addr, b.server = server.Addr(), server
	return nil
}

func (b *broker) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.server == nil {
		return nil
	}
	err := b.server.Close()
	b.server = nil
	if err != nil {
		return fmt.Errorf("stop broker: %w", err)
	}
	return nil
}

func (b *broker) url() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return "mqtt://" + b.addr
}
