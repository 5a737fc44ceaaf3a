package broker

import (
	"errors"
	"fmt"
	"log/slog"
	"net"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// Options say what is not usual of a broker; the zero value is the usual one.
type Options struct {
	MaxPacket uint32                                        // bytes; 0 is the library's own bound
	May       func(topic string) bool                       // who comes in may speak and hear there; nil is everywhere
	Filter    string                                        // what Hear is told, "" for nothing
	Hear      func(b *Broker, topic string, payload []byte) // called by one goroutine a client
}

// Broker is one on one listener. Its methods may be called from any goroutine.
type Broker struct {
	server *mochi.Server
	door   *door
}

// Start serves ln, and owns it whatever comes of the start.
func Start(ln net.Listener, o Options) (*Broker, error) {
	capabilities := mochi.NewDefaultServerCapabilities()
	if o.MaxPacket > 0 {
		capabilities.MaximumPacketSize = o.MaxPacket
	}
	b := &Broker{door: &door{ln: ln, open: map[net.Conn]bool{}}}
	b.server = mochi.New(&mochi.Options{Capabilities: capabilities, InlineClient: true, Logger: slog.New(slog.DiscardHandler)})
	err := errors.Join(b.server.AddHook(&everybody{may: o.May}, nil), b.server.AddListener(b.door))
	if o.Filter != "" {
		err = errors.Join(err, b.server.Subscribe(o.Filter, 1, func(_ *mochi.Client, _ packets.Subscription, p packets.Packet) {
			o.Hear(b, p.TopicName, p.Payload)
		}))
	}
	if err == nil {
		err = b.server.Serve()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start broker at %s: %w", ln.Addr(), err), ln.Close())
	}
	return b, nil
}

// Addr is where it answers, as host:port.
func (b *Broker) Addr() string { return b.door.Address() }

// Publish says something by the broker itself.
func (b *Broker) Publish(topic string, payload []byte, retain bool, qos byte) error {
	return b.server.Publish(topic, payload, retain, qos)
}

// Close cuts every connection and waits for what served them. It is called once.
func (b *Broker) Close() error {
	err := b.server.Close()
	b.door.served.Wait()
	return err
}

// everybody may come in: a broker without a hook that says so lets nobody in.
type everybody struct {
	mochi.HookBase
	may func(topic string) bool
}

func (*everybody) ID() string { return "everybody" }

func (*everybody) Provides(b byte) bool {
	return b == mochi.OnConnectAuthenticate || b == mochi.OnACLCheck
}

func (*everybody) OnConnectAuthenticate(*mochi.Client, packets.Packet) bool { return true }

func (h *everybody) OnACLCheck(_ *mochi.Client, topic string, _ bool) bool {
	return h.may == nil || h.may(topic)
}
