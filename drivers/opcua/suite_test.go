package opcua

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopcua/opcua/server"
	"github.com/gopcua/opcua/ua"
	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

func TestMain(m *testing.M) {
	// The library's server, which runs on to the end, and what its loops have open.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/gopcua/opcua/server.(*Server).acceptAndRegister"),
		goleak.IgnoreAnyFunction("github.com/gopcua/opcua/server.(*Server).monitorConnections"),
		goleak.IgnoreAnyFunction("github.com/gopcua/opcua/server.(*channelBroker).RegisterConn"),
		goleak.IgnoreAnyFunction("github.com/gopcua/opcua/server.(*Subscription).run"),
		goleak.IgnoreAnyFunction("github.com/gopcua/opcua/uasc.(*SecureChannel).scheduleExpiration"),
	)
}

var floors = elevator.Table{
	{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
	{Label: "2", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}

// foreign is the library's own server, one for all tests: each case has a namespace of
// its own on it.
type foreign struct {
	srv  *server.Server
	addr string
	mu   sync.Mutex
}

var shared = sync.OnceValue(func() *foreign {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	addr := ln.Addr().(*net.TCPAddr)
	ln.Close()
	f := &foreign{addr: addr.String(), srv: server.New(
		server.EndPoint("127.0.0.1", addr.Port),
		server.EnableSecurity("None", ua.MessageSecurityModeNone),
		server.EnableAuthMode(ua.UserTokenTypeAnonymous),
	)}
	if err := f.srv.Start(context.Background()); err != nil {
		panic(err)
	}
	return f
})

// board is a lift controller as a namespace of that server, behind a wire that can be
// cut and spoilt.
type board struct {
	name string
	id   uint16
	srv  *server.Server
	wire *cable

	mu      sync.Mutex
	face    drivertest.Face
	presses []drivertest.Press
	level   bool
	refuses ua.StatusCode
	reads   int
}

func newBoard(name string) *board {
	f := shared()
	b := &board{name: name, srv: f.srv, wire: &cable{to: f.addr}}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.srv.AddNamespace(b)
	return b
}

func (b *board) Name() string                                  { return b.name }
func (b *board) AddNode(n *server.Node) *server.Node           { return n }
func (b *board) Node(*ua.NodeID) *server.Node                  { return nil }
func (b *board) Objects() *server.Node                         { return nil }
func (b *board) Root() *server.Node                            { return nil }
func (b *board) Browse(*ua.BrowseDescription) *ua.BrowseResult { return &ua.BrowseResult{} }
func (b *board) ID() uint16                                    { return b.id }
func (b *board) SetID(id uint16)                               { b.id = id }

// Attribute reads as the bench's data sheet has it.
func (b *board) Attribute(id *ua.NodeID, _ ua.AttributeID) *ua.DataValue {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reads++
	var v any
	switch id.StringID() {
	case "Lift1.Floor":
		v = int16(b.face.Floor)
	case "Lift1.Motion":
		v = uint8(map[elevator.Motion]int{elevator.MovingUp: 1, elevator.MovingDown: 2}[b.face.Motion])
	case "Lift1.Doors":
		v = []int32{map[elevator.Door]int32{elevator.DoorOpen: 1}[b.face.Door], 9}
	default:
		return &ua.DataValue{EncodingMask: ua.DataValueStatusCode, Status: ua.StatusBadNodeIDUnknown}
	}
	return &ua.DataValue{EncodingMask: ua.DataValueValue | ua.DataValueServerTimestamp, Value: ua.MustVariant(v), ServerTimestamp: time.Now().Add(time.Hour)}
}

func (b *board) SetAttribute(id *ua.NodeID, _ ua.AttributeID, v *ua.DataValue) ua.StatusCode {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuses != ua.StatusOK {
		return b.refuses
	}
	rest, ok := strings.CutPrefix(id.StringID(), "Lift1.")
	var n int
	switch {
	case !ok:
		return ua.StatusBadNodeIDUnknown
	case rest == "CarCall":
		x, ok := v.Value.Value().(uint16)
		if !ok {
			return ua.StatusBadTypeMismatch
		}
		if b.level = x != 0; b.level {
			b.presses = append(b.presses, drivertest.Press{Verb: elevator.CarCall, Floor: elevator.Floor(x)})
		}
	case scan(rest, "Landing%d.Up", &n) && v.Value.Value() == true:
		b.presses = append(b.presses, drivertest.Press{Verb: elevator.LandingCall, Floor: elevator.Floor(n)})
	default:
		return ua.StatusBadNodeIDUnknown
	}
	return ua.StatusOK
}

func scan(s, form string, n *int) bool {
	k, err := fmt.Sscanf(s, form, n)
	return k == 1 && err == nil
}

func (b *board) Power(on bool) { b.wire.power(on) }

func (b *board) Show(f drivertest.Face) {
	b.mu.Lock()
	b.face = f
	b.mu.Unlock()
	for _, n := range []string{"Floor", "Motion", "Doors"} {
		b.srv.ChangeNotification(ua.NewStringNodeID(b.id, "Lift1."+n))
	}
}

func (b *board) Spoil(how drivertest.Spoil, writes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if writes {
		b.refuses = map[bool]ua.StatusCode{true: ua.StatusBadNotWritable, false: ua.StatusOK}[how == drivertest.Refuse]
	}
	if how == drivertest.Refuse {
		how = drivertest.Sound
	}
	b.wire.spoil(how, writes)
}

func (b *board) Pressed() []drivertest.Press {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]drivertest.Press(nil), b.presses...)
}

func (b *board) Level() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.level
}

// cable carries messages between a driver and the server, and spoils answers.
type cable struct {
	to string

	mu            sync.Mutex
	at            string
	ln            net.Listener
	conns         map[net.Conn]bool
	reads, writes drivertest.Spoil
	length        time.Duration // how long each answer is under way
	wg            sync.WaitGroup
}

func (c *cable) power(on bool) {
	c.mu.Lock()
	if on == (c.ln != nil) {
		c.mu.Unlock()
		return
	}
	if !on {
		c.ln.Close()
		c.ln = nil
		for k := range c.conns {
			k.Close()
		}
		c.mu.Unlock()
		c.wg.Wait()
		return
	}
	defer c.mu.Unlock()
	if c.at == "" {
		c.at = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", c.at)
	for tries := 0; err != nil && tries < 100; tries++ { // a passing connection has the port
		time.Sleep(100 * time.Millisecond)
		ln, err = net.Listen("tcp", c.at)
	}
	if err != nil {
		panic(err)
	}
	c.ln, c.at, c.conns = ln, ln.Addr().String(), map[net.Conn]bool{}
	c.wg.Go(func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			c.join(near)
		}
	})
}

func (c *cable) join(near net.Conn) {
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		near.Close()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ln == nil {
		near.Close()
		far.Close()
		return
	}
	c.conns[near], c.conns[far] = true, true
	end := func() { near.Close(); far.Close() }
	c.wg.Go(func() { defer end(); _, _ = io.Copy(far, near) })
	c.wg.Go(func() { defer end(); c.answers(far, near) })
}

func (c *cable) spoil(how drivertest.Spoil, writes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if writes {
		c.writes = how
	} else {
		c.reads = how
	}
}

// slow has each answer take so long.
func (c *cable) slow(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.length = d
}

func (c *cable) way() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.length
}

// how an answer is to be spoilt, by the number of its type.
func (c *cable) how(b []byte) drivertest.Spoil {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(b) < 28 || string(b[:3]) != "MSG" || b[24] != 1 || b[25] != 0 {
		return drivertest.Sound
	}
	switch binary.LittleEndian.Uint16(b[26:]) {
	case 634, 829: // read, publish
		return c.reads
	case 676, 715: // write, call
		return c.writes
	}
	return drivertest.Sound
}

// tooLate is beyond the patience of a link, 600 ms, by far: on a machine that is busy both
// may be over before the link looks, and an answer that is there is then taken.
const tooLate = 2500 * time.Millisecond

func (c *cable) answers(far, near net.Conn) {
	for {
		b, err := message(far, 1<<20)
		if err != nil {
			return
		}
		time.Sleep(c.way())
		switch c.how(b) {
		case drivertest.Silent:
			continue
		case drivertest.Late:
			late := append([]byte(nil), b...)
			c.wg.Go(func() { time.Sleep(tooLate); _, _ = near.Write(late) })
			continue
		case drivertest.Short:
			_, _ = near.Write(b[:len(b)/2])
			return
		case drivertest.Garbled: // the number of values, and a length within it
			for i := 28; i < len(b); i++ {
				b[i] ^= 0x55
			}
		case drivertest.Foreign: // the answer to a question that was not asked
			binary.LittleEndian.PutUint32(b[20:], binary.LittleEndian.Uint32(b[20:])+1000)
		}
		if _, err := near.Write(b); err != nil {
			return
		}
	}
}

// clock starts at an instant that is not never.
func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

func spec(t *testing.T, link, profile string) drivers.Spec {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	return drivers.Spec{Lift: "A", URL: u, ProfileName: profile, Profile: src, Floors: floors}
}

func start(t *testing.T, env drivers.Env, profile string) (*board, drivers.Opener) {
	t.Helper()
	b := newBoard("urn:test:" + t.Name())
	b.wire.power(true) // to learn a free port
	b.wire.power(false)
	o, err := Factory(env).New(spec(t, fmt.Sprintf("opc.tcp://%s?base=ns=%d;s=Lift1.&timeout=600ms", b.wire.at, b.id), profile))
	if err != nil {
		t.Fatal(err)
	}
	return b, o
}

// DR-1: against the library's own server, by reading and by subscription.
func TestConformance(t *testing.T) {
	for _, profile := range []string{"bench", "told"} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			now := clock()
			drivertest.Run(t, drivertest.Harness{
				Parallel: true, Period: 200 * time.Millisecond, Return: 20 * time.Second, Now: now,
				Pulse: elevator.Command{Verb: elevator.CarCall, Floor: 2, Side: elevator.Front},
				Start: func(t *testing.T) (drivertest.Controller, drivers.Opener) {
					return start(t, drivers.Env{Now: now}, "testdata/"+profile+".yaml")
				},
			})
		})
	}
}
