package bridge

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/rmf"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/broker"
	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

const patience = 60 * time.Second

// everybody may do everything on the test's broker.
func embedded(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.Start(ln, broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b.Addr()
}

func mosquitto(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("mosquitto")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/mosquitto"); err != nil {
			if os.Getenv("HOISTWAY_REQUIRE") == "all" {
				t.Fatal("mosquitto is required and not installed")
			}
			t.Skip("no foreign broker: install the Debian package mosquitto")
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	_ = ln.Close()
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.Command(program, "-p", port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return addr
}

// fleet is a fleet's side of the broker.
type fleet struct {
	t    *testing.T
	link *mqttlink.Link
}

func connect(t *testing.T, addr, client string, topics ...string) *mqttlink.Link {
	t.Helper()
	l, err := mqttlink.New(mqttlink.Options{Broker: "mqtt://" + addr, ClientID: client, Topics: topics, LongestPause: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func runs(t *testing.T, run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { _ = run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// until says something each second, as fleets do, until a state is as wanted.
func (f *fleet) until(what string, say func() string, ok func(rmf.LiftState) bool) {
	f.t.Helper()
	end, again := time.After(patience), time.NewTicker(500*time.Millisecond)
	defer again.Stop()
	var last rmf.LiftState
	for {
		select {
		case <-end:
			f.t.Fatalf("%s never came; last seen %+v", what, last)
		case <-again.C:
			if say != nil {
				_ = f.link.Publish(context.Background(), shadow.Message{Topic: "site/rmf/lifts/L1/request", Payload: []byte(say()), QoS: 1})
			}
		case e := <-f.link.Events():
			if e.Kind != shadow.LinkMessage {
				continue
			}
			if e.Message.Retain {
				f.t.Error("a state is retained")
			}
			last = rmf.LiftState{}
			if err := json.Unmarshal(e.Message.Payload, &last); err != nil {
				f.t.Fatal(err)
			}
			if ok(last) {
				return
			}
		}
	}
}

// RB-2: a ride's messages by real brokers, ours and another's.
func TestOverBrokers(t *testing.T) {
	for name, broker := range map[string]func(*testing.T) string{"embedded": embedded, "mosquitto": mosquitto} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overBroker(t, broker(t))
		})
	}
}

func overBroker(t *testing.T, addr string) {
	f := &fleet{t: t, link: connect(t, addr, "fleet", "site/rmf/lifts/L1/state")}
	runs(t, f.link.Run)
	// Somebody has made a broker keep a request: it is handed to whoever subscribes.
	old := func() string { return requestAt(time.Now(), "R2", rmf.RequestAGV, "1") }
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if err := f.link.Publish(context.Background(), shadow.Message{Topic: "site/rmf/lifts/L1/request", Payload: []byte(old()), QoS: 1, Retain: true}); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	start := time.Now()
	l := newLoop(func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 })
	link := connect(t, addr, "agent", Topics("site/rmf")...)
	b := New(Options{
		Desk: l, Config: rmf.Config{Robots: []string{"R1", "R2"}, Sessions: map[string]string{"fleet/r1": "R1"}},
		Now: l.now, Wall: time.Now, Broker: link, Prefix: "site/rmf",
	})
	l.told = b.Publish
	runs(t, link.Run)
	runs(t, b.Run)

	f.until("a first state", nil, func(s rmf.LiftState) bool { return s.SessionID == "" && s.CurrentFloor == "G" })
	say := func(kind rmf.RequestType, floor string) func() string {
		return func() string { return requestAt(time.Now(), "fleet/r1", kind, floor) }
	}
	f.until("the session", say(rmf.RequestAGV, "B1"), func(s rmf.LiftState) bool { return s.SessionID == "fleet/r1" && s.DestinationFloor == "B1" })
	l.edit(func(v *core.View) {
		r := &v.Rides[0].Ride
		r.State, r.Phase, r.Where, r.Granted, r.FromSide, r.PermitWas = fsm.Waiting, fsm.Boarding, fsm.Unknown, true, elevator.Front, fsm.Enter
		r.Permit = fsm.Permit{N: 1, Kind: fsm.Enter, Side: elevator.Front, Start: l.now().Add(patience), Through: l.now().Add(patience)}
		v.Lifts[0].Owner, v.Lifts[0].Car.Floor.Value = r.ID, 1
		v.Lifts[0].Car.Doors[elevator.Front].Value = elevator.DoorOpen
	})
	f.until("the open door", say(rmf.RequestAGV, "B1"), func(s rmf.LiftState) bool { return s.DoorState == rmf.DoorOpen && s.CurrentFloor == "B1" })
	l.answers(func(o rmf.Order) (core.Answer, error) {
		if _, is := o.(rmf.Redirect); is {
			l.edit(func(v *core.View) {
				r := &v.Rides[0].Ride
				r.State, r.Phase, r.Where, r.To, r.Aboard, r.Permit = fsm.Moving, fsm.Riding, fsm.Inside, 3, true, fsm.Permit{}
			})
		}
		return core.Answer{Status: core.Accepted}, nil
	})
	f.until("the way", say(rmf.RequestAGV, "1"), func(s rmf.LiftState) bool { return s.DestinationFloor == "1" && s.DoorState == rmf.DoorMoving })
	for _, o := range l.orders() {
		if open, is := o.(rmf.Open); is && open.Robot != "R1" {
			t.Errorf("a request that the broker had kept opened a ride: %+v", open)
		}
	}
	if o := l.orders(); len(o) < 3 {
		t.Errorf("%v", o)
	}
}
