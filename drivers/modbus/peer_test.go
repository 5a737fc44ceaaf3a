package modbus

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	simon "github.com/simonvetter/modbus"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

// desk is the register map behind somebody else's server.
type desk struct {
	mu    sync.Mutex
	calls []uint16
}

func (d *desk) HandleCoils(*simon.CoilsRequest) ([]bool, error) {
	return nil, simon.ErrIllegalFunction
}

func (d *desk) HandleDiscreteInputs(*simon.DiscreteInputsRequest) ([]bool, error) {
	return nil, simon.ErrIllegalFunction
}

func (d *desk) HandleInputRegisters(r *simon.InputRegistersRequest) ([]uint16, error) {
	regs := []uint16{2, 1, 1, 0, 1}
	if int(r.Addr)+int(r.Quantity) > len(regs) || r.UnitId != 9 {
		return nil, simon.ErrIllegalDataAddress
	}
	return regs[r.Addr : r.Addr+r.Quantity], nil
}

func (d *desk) HandleHoldingRegisters(r *simon.HoldingRegistersRequest) ([]uint16, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !r.IsWrite || r.Addr != 0 {
		return nil, simon.ErrServerDeviceBusy
	}
	d.calls = append(d.calls, r.Args...)
	return nil, nil
}

// A server by other hands reads our questions, and we its answers.
// DR-1
func TestForeignServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := ln.Addr().String()
	ln.Close()
	d := &desk{}
	server, err := simon.NewServer(&simon.ServerConfiguration{URL: "tcp://" + at, Timeout: time.Minute, MaxClients: 2}, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Stop()

	env := drivers.Env{Now: clock()}
	lines := fieldbus.NewLines(env)
	o, err := TCP(lines, env).New(spec(t, fmt.Sprintf("modbus+tcp://%s?unit=9&timeout=5s", at)))
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer lines.CloseAll()
	s, err := l.Read(context.Background())
	if err != nil || s.Floor.Value != 2 || s.Motion.Value != elevator.MovingUp || s.Door(elevator.Front).Value != elevator.DoorClosed || s.Mode.Value != elevator.Normal {
		t.Errorf("read %+v, %v", s, err)
	}
	up := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.LandingCall, Floor: 3, Direction: elevator.Up, Until: env.Now().Add(time.Minute)}
	if out := l.Do(context.Background(), up); out.Result != elevator.Done {
		t.Errorf("landing call: %+v", out)
	}
	up.ID.N, up.Direction = 2, elevator.Down
	if out := l.Do(context.Background(), up); out.Result != elevator.Refused || out.Code != "0x06" {
		t.Errorf("call that it refuses: %+v", out)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.calls) != 1 || d.calls[0] != 3 {
		t.Errorf("it took %v, want one call at 3", d.calls)
	}
}
