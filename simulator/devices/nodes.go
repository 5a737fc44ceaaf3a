package devices

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gopcua/opcua/server"
	"github.com/gopcua/opcua/ua"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// Nodes is lifts on an OPC UA server, each with its nodes in namespace 2 below its own
// id: ns=2;s=L1.Car_Position. Names and numbers are those of the BACnet lift object; the
// README lists them. Its methods may be called from any goroutine.
type Nodes struct {
	world *World
	addr  string
	srv   *server.Server
	stop  context.CancelFunc
	ns    uint16
	lifts map[string]*NodeLift
	order []string
	once  sync.Once
}

// NodeLift is one lift on an OPC UA server.
type NodeLift struct {
	car   string
	table elevator.Table

	mu     sync.Mutex
	writes []Write
}

// nodesURI is the name of the namespace.
const nodesURI = "urn:hoistway:lifts"

// ServeNodes puts lifts on a server at a loopback address; port 0 takes a free one.
func ServeNodes(w *World, addr string, cars ...string) (*Nodes, error) {
	host, port, err := freePort(addr)
	if err != nil {
		return nil, err
	}
	n := &Nodes{world: w, addr: fmt.Sprintf("%s:%d", host, port), lifts: map[string]*NodeLift{}, order: cars}
	for _, car := range cars {
		l := &NodeLift{car: car}
		w.Do(func(b *building.Building) { l.table = b.Table(car) })
		if l.table == nil {
			return nil, fmt.Errorf("lift %q: %w", car, building.ErrNoCar)
		}
		n.lifts[car] = l
	}
	n.srv = server.New(server.EndPoint(host, port), server.EnableSecurity("None", ua.MessageSecurityModeNone), server.EnableAuthMode(ua.UserTokenTypeAnonymous))
	n.srv.AddNamespace(server.NewNameSpace("urn:hoistway:empty")) // so that ours is 2, as most servers have theirs
	n.srv.AddNamespace(n)
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	if err := n.srv.Start(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("serve lift %q: %w", cars[0], err)
	}
	go n.change(ctx)
	return n, nil
}

// freePort finds out a port before the server binds it: it cannot be asked which it took.
func freePort(addr string) (host string, port int, err error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return "", 0, err
	}
	at := ln.Addr().(*net.TCPAddr)
	return at.IP.String(), at.Port, ln.Close()
}

// Addr is where the server answers, as host:port.
func (n *Nodes) Addr() string { return n.addr }

// Base is what stands before the nodes of a lift.
func (n *Nodes) Base(car string) string { return fmt.Sprintf("ns=%d;s=%s.", n.ns, car) }

// Lift is one of them, nil for none.
func (n *Nodes) Lift(car string) *NodeLift { return n.lifts[car] }

// Close ends the service.
func (n *Nodes) Close() (err error) {
	n.once.Do(func() {
		n.stop()
		err = n.srv.Close()
	})
	return err
}

// Writes is the journal of the latest writes, oldest first.
func (l *NodeLift) Writes() []Write {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.writes)
}

// change has the server look at the doors again and again: what it tells of by itself it
// tells only when asked to.
func (n *Nodes) change(ctx context.Context) {
	was := map[string]string{}
	for pauseFor(ctx, 20*time.Millisecond) {
		for _, car := range n.order {
			for name, v := range n.show(car) {
				key := car + "." + name
				if now := fmt.Sprint(v); was[key] != now {
					was[key] = now
					n.srv.ChangeNotification(ua.NewStringNodeID(n.ns, key))
				}
			}
		}
	}
}

func pauseFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// show is a car by the names of the object.
func (n *Nodes) show(car string) map[string]any {
	s, t := n.world.Shown(car), n.lifts[car].table
	wire, _ := t.Wire(s.Floor)
	front, rear := s.Doors[elevator.Front], s.Doors[elevator.Rear]
	if s.Dark {
		return nil
	}
	return map[string]any{
		"Car_Position": uint8(wire), "Car_Moving_Direction": directionNumber(s.Motion),
		"Car_Door_Status": []uint16{doorNumber(front.State), doorNumber(rear.State)}, "Car_Mode": modeNumber(s.Mode),
		"Car_Load": float32(s.LoadKg), "Fault_Code": uint16(s.Error), "Nudging": s.Nudging, "Obstruction": s.Obstacle, "Overload": s.Overload,
		"Landing_Calls_Up": wires(s.Up, t), "Landing_Calls_Down": wires(s.Down, t), "Registered_Car_Call": wires(s.Car, t),
		"Door_Hold_Left": []uint16{secondsLeft(front.Hold), secondsLeft(rear.Hold)},
	}
}

func directionNumber(m elevator.Motion) uint8 {
	return map[elevator.Motion]uint8{elevator.Stopped: 2, elevator.MovingUp: 3, elevator.MovingDown: 4}[m]
}

func doorNumber(d elevator.Door) uint16 {
	n, ok := map[elevator.Door]uint16{elevator.DoorClosed: 0, elevator.DoorOpen: 1, elevator.DoorClosing: 6, elevator.DoorOpening: 7, building.DoorInvalid: 3}[d]
	if !ok {
		return 5 // none fitted
	}
	return n
}

func modeNumber(m elevator.Mode) uint16 {
	return map[elevator.Mode]uint16{
		elevator.Normal: 1, elevator.Independent: 5, elevator.Inspection: 8, elevator.Seismic: 10, elevator.Fire: 11,
		elevator.EmergencyStop: 12, elevator.OutOfService: 12,
	}[m]
}

func wires(s elevator.FloorSet, t elevator.Table) []uint16 {
	out := []uint16{}
	for i := range t {
		if s.Has(elevator.Floor(i + 1)) {
			out = append(out, uint16(t[i].Wire))
		}
	}
	return out
}

// nodeOrders are what a write to a node asks for.
func nodeOrders() map[string]func(b *building.Building, car string, floor elevator.Floor, n int) error {
	return map[string]func(*building.Building, string, elevator.Floor, int) error{
		"Landing_Call_Up": func(b *building.Building, car string, f elevator.Floor, _ int) error {
			return b.LandingCall(car, f, elevator.Up)
		},
		"Landing_Call_Down": func(b *building.Building, car string, f elevator.Floor, _ int) error {
			return b.LandingCall(car, f, elevator.Down)
		},
		"Making_Car_Call":      func(b *building.Building, car string, f elevator.Floor, _ int) error { return b.CarCall(car, f) },
		"Cancel_Landing_Calls": func(b *building.Building, car string, f elevator.Floor, _ int) error { return b.CancelLanding(car, f) },
		"Cancel_Car_Call":      func(b *building.Building, car string, f elevator.Floor, _ int) error { return b.CancelCar(car, f) },
		"Door_Hold_Front": func(b *building.Building, car string, _ elevator.Floor, n int) error {
			return b.Hold(car, elevator.Front, n)
		},
		"Door_Hold_Rear": func(b *building.Building, car string, _ elevator.Floor, n int) error {
			return b.Hold(car, elevator.Rear, n)
		},
	}
}

// write carries out a write.
func (n *Nodes) write(car, name string, v any) ua.StatusCode {
	l, order := n.lifts[car], nodeOrders()[name]
	x, whole := v.(uint8)
	switch {
	case l == nil:
		return ua.StatusBadNodeIDUnknown
	case order == nil && n.show(car)[name] != nil:
		return ua.StatusBadNotWritable
	case order == nil:
		return ua.StatusBadNodeIDUnknown
	case !whole:
		return ua.StatusBadTypeMismatch
	}
	var err error
	w := Write{Text: fmt.Sprintf("%s = %d", name, x)}
	n.world.Do(func(b *building.Building) {
		w.At = b.Now()
		if err = building.ErrNoLanding; strings.HasPrefix(name, "Door_Hold") || l.table.ByWire(int(x)) != 0 {
			err = order(b, car, l.table.ByWire(int(x)), int(x))
		}
	})
	code := nodeAnswer(err)
	if code != ua.StatusOK {
		w.Exception, w.Text = 1, w.Text+" refused: "+err.Error()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.writes) == maxWrites {
		l.writes = append(l.writes[:0], l.writes[maxWrites/2:]...)
	}
	l.writes = append(l.writes, w)
	return code
}

func nodeAnswer(err error) ua.StatusCode {
	switch {
	case err == nil:
		return ua.StatusOK
	case errors.Is(err, building.ErrNoLanding), errors.Is(err, building.ErrRange), errors.Is(err, building.ErrNoDoor):
		return ua.StatusBadOutOfRange
	}
	return ua.StatusBadInvalidState
}

// What follows is what the server asks of a namespace.

// Name is its URI.
func (n *Nodes) Name() string { return nodesURI }

// ID is its number.
func (n *Nodes) ID() uint16 { return n.ns }

// SetID is told its number.
func (n *Nodes) SetID(id uint16) { n.ns = id }

// AddNode adds none: the lifts are the nodes.
func (n *Nodes) AddNode(x *server.Node) *server.Node { return x }

// Node has no node as such.
func (n *Nodes) Node(*ua.NodeID) *server.Node { return nil }

// Objects has no folder.
func (n *Nodes) Objects() *server.Node { return nil }

// Root has no folder.
func (n *Nodes) Root() *server.Node { return nil }

// Browse shows nothing: the names are in the README.
func (n *Nodes) Browse(*ua.BrowseDescription) *ua.BrowseResult {
	return &ua.BrowseResult{StatusCode: ua.StatusGood}
}

// Attribute reads a value.
func (n *Nodes) Attribute(id *ua.NodeID, what ua.AttributeID) *ua.DataValue {
	bad := func(c ua.StatusCode) *ua.DataValue {
		return &ua.DataValue{EncodingMask: ua.DataValueStatusCode, Status: c}
	}
	car, name, _ := strings.Cut(id.StringID(), ".")
	if n.lifts[car] == nil {
		return bad(ua.StatusBadNodeIDUnknown)
	}
	all := n.show(car)
	v, ok := all[name]
	switch {
	case all == nil:
		return bad(ua.StatusBadNoCommunication)
	case !ok && nodeOrders()[name] != nil:
		return bad(ua.StatusBadNotReadable)
	case !ok:
		return bad(ua.StatusBadNodeIDUnknown)
	case what != ua.AttributeIDValue:
		return bad(ua.StatusBadAttributeIDInvalid)
	}
	return &ua.DataValue{EncodingMask: ua.DataValueValue | ua.DataValueServerTimestamp, Value: ua.MustVariant(v), ServerTimestamp: time.Now()}
}

// SetAttribute takes a write.
func (n *Nodes) SetAttribute(id *ua.NodeID, what ua.AttributeID, v *ua.DataValue) ua.StatusCode {
	if what != ua.AttributeIDValue || v == nil || v.Value == nil {
		return ua.StatusBadWriteNotSupported
	}
	car, name, _ := strings.Cut(id.StringID(), ".")
	return n.write(car, name, v.Value.Value())
}
