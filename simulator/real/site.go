package real

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/cloud"
	"hoistway/simulator/devices"
	"hoistway/simulator/robots"
)

// The wires, as people call them.
const (
	modbusTCP = "Modbus TCP"
	modbusRTU = "Modbus RTU"
)

// Options say what site is wanted. The zero Net is the machine's loopback.
type Options struct {
	Net     Net
	Robots  []Robot // nobody: R1 and R2
	Lifts   []Lift  // that are not as the bench has them
	Rides   []Setting
	NoCloud bool
	Broker  string // of the cloud; "" is one of its own. With NoCloud whoever is behind it is somebody else's
	Listen  string // of the agent's API; "" is a free port
	Dir     string // folder of the agent's store; it must be there
	Seed    uint64
	Version string
	Log     *slog.Logger // nil: silent
	// Instead, where it is set, is told of a lift for which there is no pseudo terminal:
	// it is then put on a socket. Where it is nil there is no such site.
	Instead func(lift string, err error)
	// program makes the agent a process of its own, run with that file; Listen has to
	// name a port then. A kill is a signal 9, and the next life has the store that is left.
	program func(file string) *exec.Cmd
}

func (o Options) filled() Options {
	if o.Net.Listen == nil {
		o.Net = Sockets()
	}
	if o.Robots == nil {
		o.Robots = []Robot{{ID: "R1", Crossing: 1500 * time.Millisecond}, {ID: "R2", Crossing: 1500 * time.Millisecond}}
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Site is the demonstration building with the real agent before it: lift L1 on
// Modbus TCP, lift L2 on Modbus RTU. Its methods may be called from any goroutine.
type Site struct {
	o          Options
	conf       building.Config
	began      time.Time
	world      *devices.World
	units      map[string]*devices.Unit // by lift
	wires      map[string]string        // as people call them
	links      map[string]string        // as the configuration has them
	profiles   map[string]string        // the same
	cloud      *cloud.Cloud
	tokens     map[string]string
	technician string
	robots     map[string]*robots.Robot
	client     *http.Client
	transport  *http.Transport
	ctx        context.Context // of what plays around the agent
	stop       context.CancelFunc
	wg         sync.WaitGroup
	closers    []func() error
	film       film // of who draws the frames
	crowds     int  // that came so far; under the world's lock

	mu       sync.Mutex
	dir      string // of the present store
	lives    int
	agent    *process // nil while it is down
	url      string   // of the API
	text     string   // the configuration in force
	rides    map[string]*rideOf
	answered map[string]string // by ride or lift: what the last order about it came to
	timed    timed             // faults of cloud and host
	deaf     string            // address at which the agent cannot hear nor be heard
}

// Start raises the building, its wires, the cloud, the robots and the agent, and
// waits until the agent's API answers. The site lives until Close, or until ctx ends;
// it is to be closed all the same.
func Start(ctx context.Context, o Options) (*Site, error) {
	s := &Site{
		o: o.filled(), conf: building.Bench(), began: time.Now(), technician: Secret(),
		units: map[string]*devices.Unit{}, wires: map[string]string{}, links: map[string]string{},
		tokens: map[string]string{}, robots: map[string]*robots.Robot{}, rides: map[string]*rideOf{}, answered: map[string]string{}, dir: o.Dir,
		film: film{told: map[string]int{}, waited: map[string]bool{}, spoiled: map[string]uint64{}},
	}
	for _, r := range s.o.Robots {
		s.tokens[r.ID] = Secret()
	}
	s.transport = &http.Transport{DialContext: s.o.Net.Dial, MaxIdleConns: 8, IdleConnTimeout: time.Minute}
	s.client = &http.Client{Timeout: 5 * time.Second, Transport: s.transport}
	// What plays around the agent lives a little longer than ctx, so that the agent
	// can end in an orderly way.
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.raise(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.boot(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.enlist()
	return s, nil
}

// raise puts up the building, its wires and the cloud.
func (s *Site) raise() error {
	b, err := building.New(s.conf)
	if err != nil {
		return err
	}
	s.world = devices.NewWorld(b, func() elevator.Instant { return elevator.Instant(time.Since(s.began)) + 1 })
	if err := s.writeProfiles(); err != nil {
		return err
	}
	if err := s.raiseTCP("L1"); err != nil {
		return fmt.Errorf("lift L1 on Modbus TCP: %w", err)
	}
	if err := s.raiseLine("L2"); err != nil {
		return fmt.Errorf("lift L2 on Modbus RTU, which needs a pseudo terminal (/dev/ptmx, /proc/sys/kernel/pty): %w", err)
	}
	if s.o.NoCloud {
		return nil
	}
	s.cloud, err = cloud.Start(s.ctx, cloud.Options{
		Broker: s.o.Broker, Patient: s.o.Broker != "", Log: s.o.Log, ListenOn: s.o.Net.Listen, Dial: s.o.Net.Dial, Post: s.post,
	})
	if err != nil {
		return fmt.Errorf("stand-in cloud: %w", err)
	}
	s.closers = append(s.closers, s.cloud.Close)
	return nil
}

func (s *Site) raiseTCP(lift string) error {
	t, err := devices.ServeTCP(s.world, s.o.Net.Listen, "127.0.0.1:0", s.seat(lift))
	if err != nil {
		return err
	}
	s.closers = append(s.closers, t.Close)
	s.units[lift], s.wires[lift] = t.Units()[0], modbusTCP
	s.links[lift] = fmt.Sprintf("modbus+tcp://%s?unit=1", t.Addr())
	return nil
}

func (s *Site) raiseLine(lift string) error {
	err := s.raiseRTU(lift)
	if err == nil || s.o.Instead == nil {
		return err
	}
	s.o.Instead(lift, err)
	return s.raiseTCP(lift)
}

func (s *Site) raiseRTU(lift string) error {
	r, path, err := s.serveRTU(s.seat(lift))
	if err != nil {
		return err
	}
	s.closers = append(s.closers, r.Close)
	s.units[lift], s.wires[lift] = r.Units()[0], modbusRTU
	s.links[lift] = fmt.Sprintf("modbus+rtu://%s?baud=19200&parity=none&stop=1&unit=1", path)
	return nil
}

func (s *Site) serveRTU(seat devices.Seat) (*devices.RTU, string, error) {
	if s.o.Net.Serial == nil {
		r, err := devices.ServePTY(s.world, seat)
		if err != nil {
			return nil, "", err
		}
		return r, r.Path(), nil
	}
	path, open := s.o.Net.Serial()
	r, err := devices.ServeRTU(s.world, open, seat)
	return r, path, err
}

// enlist starts the pretend robots.
func (s *Site) enlist() {
	for i, r := range s.o.Robots {
		bot := robots.New(robots.Options{
			ID: r.ID, BaseURL: s.URL(), Token: s.tokens[r.ID], Crossing: r.Crossing,
			Client: s.client, Log: s.o.Log, World: presence{s.world}, Seed: s.o.Seed + uint64(i) + 1,
		})
		s.robots[r.ID] = bot
		s.wg.Go(func() {
			if err := bot.Run(s.ctx); err != nil && s.ctx.Err() == nil {
				s.o.Log.Error("robot ended", "robot", r.ID, "error", err)
			}
		})
	}
}

// Close ends the agent first, while its robots can still speak, then all the rest.
func (s *Site) Close() error {
	err := s.halt()
	s.stop()
	s.wg.Wait()
	err = errors.Join(err, s.halt()) // one that was just coming back
	s.transport.CloseIdleConnections()
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	return err
}

// URL is where the agent's local API answers; it stays the same over restarts.
func (s *Site) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Configuration is the text with which the agent runs.
func (s *Site) Configuration() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// Technician and Token are secrets of this run, for people who look at it.
func (s *Site) Technician() string { return s.technician }

// Token see [Site.Technician]; "" for an unknown robot.
func (s *Site) Token(robot string) string { return s.tokens[robot] }

// Link is how the agent reaches a lift; CloudURL is its broker, "" without one.
func (s *Site) Link(lift string) string { return s.links[lift] }

// CloudURL see [Site.Link].
func (s *Site) CloudURL() string {
	if s.cloud == nil {
		return s.o.Broker
	}
	return s.cloud.URL()
}

// Since is the time since the site began.
func (s *Site) Since() time.Duration { return time.Since(s.began) }

// presence lets a robot be felt by the building, its body in the doorway and its
// weight in the car, and gives it eyes.
type presence struct{ *devices.World }

// See is what the robot's own eyes and its own sense of motion tell.
func (p presence) See(lift, side string) robots.Sight {
	floor, motion, open := p.Look(lift, side)
	return robots.Sight{Floor: floor, Motion: motion, Open: open}
}

// Bot is one of the site's robots, nil for an unknown one.
func (s *Site) Bot(id string) *robots.Robot { return s.robots[id] }

// StandIn is the stand-in cloud, nil without one.
func (s *Site) StandIn() *cloud.Cloud { return s.cloud }
