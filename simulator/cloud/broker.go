package cloud

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"
)

const maxPacket = 256 << 10 // bytes; the public service takes 128 KiB

// broker is the embedded one. It can be stopped and started for fault drills and
// keeps its port; what it had retained is then gone.
type broker struct {
	listen func(network, address string) (net.Listener, error)

	mu     sync.Mutex
	addr   string
	server *mochi.Server // nil while stopped
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

// everybody may do everything: a broker without a hook that says so lets nobody in.
type everybody struct{ mochi.HookBase }

func (*everybody) ID() string { return "everybody" }

func (*everybody) Provides(b byte) bool {
	return b == mochi.OnConnectAuthenticate || b == mochi.OnACLCheck
}
func (*everybody) OnConnectAuthenticate(*mochi.Client, packets.Packet) bool { return true }
func (*everybody) OnACLCheck(*mochi.Client, string, bool) bool              { return true }

func (b *broker) start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.server != nil {
		return nil
	}
	capabilities := mochi.NewDefaultServerCapabilities()
	capabilities.MaximumPacketSize = maxPacket
	server := mochi.New(&mochi.Options{Capabilities: capabilities, Logger: slog.New(slog.DiscardHandler)})
	if err := server.AddHook(&everybody{}, nil); err != nil {
		return fmt.Errorf("start broker: %w", err)
	}
	ln, err := b.listen("tcp", b.addr)
	if err != nil {
		return fmt.Errorf("start broker at %s: %w", b.addr, err)
	}
	if err := server.AddListener(listeners.NewNet("tcp", ln)); err != nil {
		return errors.Join(fmt.Errorf("start broker at %s: %w", b.addr, err), ln.Close())
	}
	if err := server.Serve(); err != nil {
		return errors.Join(fmt.Errorf("start broker: %w", err), ln.Close())
	}
	b.addr, b.server = ln.Addr().String(), server
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
