package real

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/daemon"
	"hoistway/drivers"
	"hoistway/drivers/all"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

// glimpse is what is seen of a car at one instant. Told says whether a position is.
type glimpse struct {
	Floor  elevator.Floor
	Motion elevator.Motion
	Door   elevator.Door // of the front
	Mm     int32
	Told   bool
}

func (g glimpse) String() string {
	return fmt.Sprintf("floor %s %s door %s %d mm (told %v)", g.Floor, g.Motion, g.Door, g.Mm, g.Told)
}

// telling is how a protocol says what is true, in its own coarse way: what it cannot
// say is unknown, and never something else.
type telling func(truth glimpse) glimpse

// whole tells everything.
func whole(g glimpse) glimpse { return g }

// twoDoors has no word for a door on its way, and none for a position.
func twoDoors(g glimpse) glimpse {
	g.Mm, g.Told = 0, false
	if g.Door != elevator.DoorOpen && g.Door != elevator.DoorClosed {
		g.Door = elevator.DoorUnknown
	}
	return g
}

// lobby takes every door that is not fully open for closed, and tells of a moving car
// not which way.
func lobby(g glimpse) glimpse {
	g.Mm, g.Told = 0, false
	if g.Door != elevator.DoorOpen {
		g.Door = elevator.DoorClosed
	}
	if g.Motion != elevator.Stopped {
		g.Motion = elevator.MotionUnknown
	}
	return g
}

// landings has words for each door, and no place between landings.
func landings(g glimpse) glimpse {
	g.Mm, g.Told = 0, false
	return g
}

// robotsOnly takes every door that is not fully open for closed; that a car moves is not
// told, and that it stands only by its open door.
func robotsOnly(g glimpse) glimpse {
	g = lobby(g)
	if g.Motion = elevator.MotionUnknown; g.Door == elevator.DoorOpen {
		g.Motion = elevator.Stopped
	}
	return g
}

// spoken is one protocol: where the car is served by it, and how it tells.
type spoken struct {
	name    string
	profile string // of the catalog; "" for none
	tells   telling
	// serve puts the car on its wire and gives the link to it.
	serve func(h *hall) (link string)
	// wire is the controller's number of a floor; nil: as the building has it.
	wire func(elevator.Floor) int
	// every says at which instants it is asked, where it is polled slowly; 0: at each.
	every int
}

// protocols: one row adds one.
var protocols = []spoken{
	{"Modbus TCP", "bench/modbus-lift", whole, func(h *hall) string { return "modbus+tcp://" + h.modbus() + "?unit=1" }, nil, 0},
	{"Modbus RTU on a terminal", "bench/modbus-lift", whole, func(h *hall) string {
		d, err := devices.ServePTY(h.world, h.seat)
		h.serves(d, err)
		return "modbus+rtu://" + d.Path() + "?baud=115200&unit=1"
	}, nil, 0},
	{"Modbus RTU over TCP", "bench/modbus-lift", whole, func(h *hall) string { return "modbus+rtu+tcp://" + h.serialServer() + "?unit=1" }, nil, 0},
	{"frames on a terminal", "bench/frame-lift", twoDoors, func(h *hall) string {
		b, err := devices.ServeBoardPTY(h.world, devices.STXBoard, h.seat)
		h.serves(b, err)
		return "serial://" + b.Where() + "?baud=57600"
	}, nil, 0},
	{"frames over TCP", "mitsubishi/fx-lift-mc1e", twoDoors, func(h *hall) string {
		b, err := devices.ServeBoardTCP(h.world, devices.MC1E, net.Listen, "127.0.0.1:0", h.seat)
		h.serves(b, err)
		return "serial+tcp://" + b.Where()
	}, nil, 0},
	{"HTTP", "bench/http-lift", whole, func(h *hall) string {
		return "http://" + h.web(devices.ShapeBench) + "?lift=L1&secrets=" + h.secrets("client="+devices.WebClient, "password="+devices.WebSecret)
	}, nil, 0},
	{"WebSocket", "liftauth/lobby", lobby, func(h *hall) string {
		return "ws://" + h.web(devices.ShapeLiftAuth) + "?lobby=x&lift=L1&secrets=" + h.secrets("api_key="+devices.WebSecret)
	}, func(f elevator.Floor) int { return int(f) - 1 }, 0},
	{"another gateway", "", whole, func(h *hall) string {
		return "hoistway+http://" + h.gateway("bench/modbus-lift", "modbus+tcp://"+h.modbus()+"?unit=1") + "?lift=L1"
	}, nil, 0},
	{"OPC UA", "bench/opcua-lift", landings, func(h *hall) string {
		n, err := devices.ServeNodes(h.world, "127.0.0.1:0", "L1")
		h.serves(n, err)
		return "opc.tcp://" + n.Addr() + "?base=" + url.QueryEscape(n.Base("L1"))
	}, nil, 0},
	{"MQTT, by a gateway that has a client of it", "", robotsOnly, func(h *hall) string {
		b, err := devices.ServeLCI(h.world, net.Listen, "127.0.0.1:0", devices.LCIManners{TellsStrangers: true}, devices.LCISeat{Car: "L1", Building: "b1", Bank: "A", Elevator: "1"})
		h.serves(b, err)
		return "hoistway+http://" + h.gateway("octa/lci", "mqtt://"+b.Addr()+"?building=b1&bank=A&elevator=1") + "?lift=L1"
	}, nil, 12},
}

// hall is one building, served in every way, in a time that a test moves.
type hall struct {
	*testing.T
	world *devices.World
	seat  devices.Seat
	at    atomic.Int64 // the building's present
}

func newHall(t *testing.T) *hall {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	h := &hall{T: t, seat: devices.Seat{Car: "L1", Unit: 1}}
	h.world = devices.NewWorld(b, func() elevator.Instant { return elevator.Instant(h.at.Load()) })
	return h
}

func (h *hall) serves(c io.Closer, err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() {
		if err := c.Close(); err != nil {
			h.Error(err)
		}
	})
}

func (h *hall) modbus() string {
	d, err := devices.ServeTCP(h.world, net.Listen, "127.0.0.1:0", h.seat)
	h.serves(d, err)
	return d.Addr()
}

// serialServer passes the bytes of a serial line over TCP.
func (h *hall) serialServer() string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.Fatal(err)
	}
	served := make(chan *devices.RTU, 1)
	go func() {
		d, _ := devices.ServeRTU(h.world, func() (io.ReadWriteCloser, error) { return ln.Accept() }, h.seat)
		served <- d
	}()
	h.Cleanup(func() {
		_ = ln.Close()
		if d := <-served; d != nil {
			_ = d.Close() // the line may be gone with its listener
		}
	})
	return ln.Addr().String()
}

func (h *hall) web(shape devices.WebShape) string {
	d, err := devices.ServeWeb(h.world, net.Listen, "127.0.0.1:0", shape, "L1")
	h.serves(d, err)
	return d.Addr()
}

func (h *hall) secrets(lines ...string) string {
	path := filepath.Join(h.TempDir(), "secrets")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		h.Fatal(err)
	}
	return path
}

// gateway is the real agent before the same car, on a wire of its own.
func (h *hall) gateway(profile, link string) string {
	h.Helper()
	sum := sha256.Sum256([]byte("nobody"))
	text := fmt.Sprintf(`device: {serial: GW-T, kind: lift-gateway, site: {campus: C, building: B}}
lifts:
  - {id: L1, profile: %s, link: %q, floors: [
      {label: B1, wire: 1, doors: [front]}, {label: G, wire: 2, doors: [front, rear]}, {label: "1", wire: 3, doors: [front]},
      {label: "2", wire: 4, doors: [front]}, {label: "3", wire: 5, doors: [front]}]}
api: {listen: "127.0.0.1:0", technicians: [{name: t, token_sha256: %s}]}
store: {dir: %q}
`, profile, link, hex.EncodeToString(sum[:]), h.TempDir())
	c, wrong := config.Parse("hall.yaml", []byte(text), nil)
	if len(wrong) > 0 {
		h.Fatal(wrong)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, c, daemon.Deps{Log: slog.New(slog.DiscardHandler), Version: "test", Seed: 1, Ready: func(a string) { ready <- a }})
	}()
	h.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			h.Errorf("the agent ended with %v", err)
		}
	})
	select {
	case a := <-ready:
		return a
	case err := <-ended:
		ended <- nil
		h.Fatalf("the agent does not start: %v", err)
	}
	return ""
}

// open serves the car by one protocol and opens the link to it.
func (h *hall) open(p spoken, registry drivers.Registry) drivers.Link {
	h.Helper()
	u, err := url.Parse(p.serve(h))
	if err != nil {
		h.Fatal(err)
	}
	s := drivers.Spec{Lift: "L1", URL: u, ProfileName: p.profile}
	if p.profile != "" {
		s.Profile, _ = profiles.Lookup(p.profile)
	}
	h.world.Do(func(b *building.Building) {
		for i, l := range b.Table("L1") {
			if p.wire != nil {
				l.Wire = p.wire(elevator.Floor(i + 1))
			}
			s.Floors = append(s.Floors, l)
		}
	})
	o, err := registry.New(s)
	if err != nil {
		h.Fatalf("%s: %v", p.name, err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		h.Fatalf("%s: %v", p.name, err)
	}
	return l
}

func (h *hall) truth() glimpse {
	s := h.world.Shown("L1")
	return glimpse{s.Floor, s.Motion, s.Doors[elevator.Front].State, s.PositionMM, true}
}

var errStale = errors.New("nothing of this instant was read")

// read asks a link until all of it is of an instant after the given one.
func read(l drivers.Link, after elevator.Instant) (glimpse, error) {
	var s elevator.Snapshot
	err := errStale
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if s, err = l.Read(context.Background()); err != nil {
			continue // a line that is not open yet
		}
		d := s.Door(elevator.Front)
		still := s.Motion.Value == elevator.MotionUnknown || s.Motion.At >= after && !s.Motion.Failed
		if s.Floor.At >= after && d.At >= after && still && !s.Floor.Failed && !d.Failed {
			told := s.Position.At != 0
			return glimpse{s.Floor.Value, s.Motion.Value, d.Value, s.Position.Value, told}, nil
		}
		err = errStale
	}
	return glimpse{}, fmt.Errorf("%w: last was %+v", err, s)
}

// SM-2, DR-1: one car read through every protocol at the same instant, from a call to a
// door that closes again, up and down: one position, one door, everywhere.
func TestOneCarThroughEveryProtocol(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	start := time.Now()
	now := func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
	env := drivers.Env{Now: now, Dial: (&net.Dialer{}).DialContext}
	lines := fieldbus.NewLines(env)
	registry, err := all.Builtin(lines, env)
	if err != nil {
		t.Fatal(err)
	}
	links := make([]drivers.Link, len(protocols))
	for i, p := range protocols {
		links[i] = h.open(p, registry)
	}
	t.Cleanup(func() {
		for _, l := range links {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := lines.CloseAll(); err != nil {
			t.Error(err)
		}
	})
	var seen tally
	rows := make([]tally, len(protocols))
	for n := range 85 {
		h.at.Store(int64(n) * int64(470*time.Millisecond))
		h.call(n)
		truth := h.truth()
		seen.add(truth)
		h.compare(n, links, rows, truth, now())
		if again := h.truth(); again != truth {
			t.Fatalf("time stands, and yet the car is %v and then %v", truth, again)
		}
	}
	if len(seen.floors) != 5 || len(seen.doors) != 4 || len(seen.motions) != 3 || len(seen.places) < 20 {
		t.Errorf("too little happened: %d floors, %d doors, %d motions, %d places", len(seen.floors), len(seen.doors), len(seen.motions), len(seen.places))
	}
	for i, p := range protocols {
		if r := rows[i]; len(r.floors) < 3 || !r.doors[elevator.DoorOpen] || !r.doors[elevator.DoorClosed] {
			t.Errorf("%s showed too little: floors %v, doors %v", p.name, r.floors, r.doors)
		}
	}
}

// call sends the car up, and down again.
func (h *hall) call(n int) {
	h.world.Do(func(b *building.Building) {
		var err error
		switch n {
		case 0:
			err = b.CarCall("L1", 5)
		case 42:
			err = b.CarCall("L1", 1)
		}
		if err != nil {
			h.Fatal(err)
		}
	})
}

// compare reads every link at once, while the building's time stands.
func (h *hall) compare(n int, links []drivers.Link, rows []tally, truth glimpse, since elevator.Instant) {
	var wg sync.WaitGroup
	for i, p := range protocols {
		if n%max(p.every, 1) != 0 {
			continue
		}
		wg.Go(func() {
			got, err := read(links[i], since)
			rows[i].add(got)
			switch want := p.tells(truth); {
			case err != nil:
				h.Errorf("%s: %v", p.name, err)
			case got != want:
				h.Errorf("%s shows %v, want %v; the car: %v", p.name, got, want, truth)
			}
		})
	}
	wg.Wait()
	if h.Failed() {
		h.FailNow()
	}
}

// tally is what there was to see.
type tally struct {
	floors  map[elevator.Floor]bool
	motions map[elevator.Motion]bool
	doors   map[elevator.Door]bool
	places  map[int32]bool
}

func (s *tally) add(g glimpse) {
	if s.floors == nil {
		*s = tally{map[elevator.Floor]bool{}, map[elevator.Motion]bool{}, map[elevator.Door]bool{}, map[int32]bool{}}
	}
	s.floors[g.Floor], s.motions[g.Motion], s.doors[g.Door], s.places[g.Mm] = true, true, true, true
}
