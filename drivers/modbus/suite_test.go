package modbus

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var floors = elevator.Table{
	{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
	{Label: "2", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}

// clock starts at an instant that is not never.
func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

func spec(t *testing.T, link string) drivers.Spec {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("testdata/pulse.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return drivers.Spec{Lift: "A", URL: u, ProfileName: "test/pulse", Profile: src, Floors: floors}
}

func open(t *testing.T, env drivers.Env, link string, f func(*fieldbus.Lines, drivers.Env) drivers.Factory) drivers.Opener {
	t.Helper()
	o, err := f(fieldbus.NewLines(env), env).New(spec(t, link))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func harness(virtual bool, start func(*testing.T, drivers.Env) (drivertest.Controller, drivers.Opener)) drivertest.Harness {
	now := clock()
	return drivertest.Harness{
		Virtual: virtual, Parallel: !virtual, Period: 200 * time.Millisecond, Return: 20 * time.Second,
		Now:   func() elevator.Instant { return now() },
		Pulse: elevator.Command{Verb: elevator.CarCall, Floor: 2, Side: elevator.Front},
		Debts: true,
		Start: func(t *testing.T) (drivertest.Controller, drivers.Opener) {
			if virtual {
				now = clock() // each bubble begins its own time
			}
			return start(t, drivers.Env{Now: now})
		},
	}
}

// DR-1: over TCP, in virtual time.
func TestConformanceTCP(t *testing.T) {
	drivertest.Run(t, harness(true, func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		k := newSocket(newSlave(), false)
		env.Dial = k.dial
		return k, open(t, env, "modbus+tcp://lift:1502?unit=1", TCP)
	}))
}

// DR-1: RTU frames through a serial server, in virtual time.
func TestConformanceRTUOverTCP(t *testing.T) {
	drivertest.Run(t, harness(true, func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		k := newSocket(newSlave(), true)
		env.Dial = k.dial
		return k, open(t, env, "modbus+rtu+tcp://lift:1502?unit=1", RTUOverTCP)
	}))
}

// DR-1: over real sockets.
func TestConformanceLoopback(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness(false, func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		p := &listener{socket: newSocket(newSlave(), false)}
		p.late = 800 * time.Millisecond
		p.Power(true) // to learn a free port
		p.Power(false)
		return p, open(t, env, "modbus+tcp://"+p.at+"?unit=1&timeout=600ms", TCP)
	}))
}

// DR-1: on a serial line with room in its buffers, in virtual time.
func TestConformanceRTU(t *testing.T) {
	drivertest.Run(t, harness(true, func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		p := &bench{slave: newSlave()}
		p.late = 700 * time.Millisecond
		env.OpenSerial = p.openSerial
		return p, open(t, env, "modbus+rtu:///dev/ttyS9?baud=9600&unit=1", RTU)
	}))
}

// DR-1: through the kernel and the serial library, with a device that is really
// unplugged.
func TestConformancePTY(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness(false, func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		p := &adapter{slave: newSlave(), path: filepath.Join(t.TempDir(), "by-id")}
		p.late = 500 * time.Millisecond
		return p, open(t, env, "modbus+rtu://"+p.path+"?baud=19200&parity=even&unit=1&timeout=400ms", RTU)
	}))
}

// dial makes a pipe to the slave; it is what Env.Dial is in virtual time.
func (k *socket) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	if !k.accept(far) {
		return nil, errors.New("connection refused")
	}
	return near, nil
}

// listener is a slave on a real port that it keeps over power cuts.
type listener struct {
	*socket
	at string
	ln net.Listener
	up sync.WaitGroup
}

func (p *listener) Power(on bool) {
	if on == (p.ln != nil) {
		return
	}
	if !on {
		p.ln.Close()
		p.ln = nil
		p.up.Wait()
		p.socket.Power(false)
		return
	}
	if p.at == "" {
		p.at = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", p.at)
	if err != nil {
		panic(err)
	}
	p.ln, p.at = ln, ln.Addr().String()
	p.socket.Power(true)
	p.up.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			p.accept(c)
		}
	})
}

// bench is a slave on a cable in virtual time. Without power its port is not there.
type bench struct {
	*slave
	mu    sync.Mutex
	on    bool
	cable *drivertest.Cable
	up    sync.WaitGroup
}

func (p *bench) openSerial(string, drivers.SerialMode) (io.ReadWriteCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on {
		return nil, os.ErrNotExist
	}
	near, far := drivertest.NewCable()
	p.cable = far
	p.up.Go(func() { p.serveRTU(far) })
	return near, nil
}

func (p *bench) Power(on bool) {
	p.mu.Lock()
	p.on = on
	if !on && p.cable != nil {
		p.cable.Close()
	}
	p.mu.Unlock()
	if !on {
		p.up.Wait()
	}
}

// adapter is a slave behind a pseudo-terminal that comes and goes as a USB
// adapter does: the path stays, what is behind it is new each time.
type adapter struct {
	*slave
	path        string
	master, tty *os.File
	up          sync.WaitGroup
}

func (p *adapter) Power(on bool) {
	if on == (p.master != nil) {
		return
	}
	if !on {
		os.Remove(p.path)
		p.tty.Close()
		p.master.Close()
		p.master = nil
		p.up.Wait()
		return
	}
	var err error
	if p.master, p.tty, err = pty.Open(); err != nil {
		panic(err)
	}
	if err := os.Symlink(p.tty.Name(), p.path); err != nil {
		panic(err)
	}
	m := p.master
	p.up.Go(func() { p.serveRTU(m) })
}
