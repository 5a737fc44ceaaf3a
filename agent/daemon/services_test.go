package daemon

import (
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/devices"
	"hoistway/simulator/robots"
)

// oneRide takes one robot from G to 1 and gives what the service was asked.
func (r *rig) oneRide(asked func() []devices.Write) string {
	r.t.Helper()
	r.start()
	r.robot(robots.Manner{})
	r.online()
	if code, body := r.post("/v1/rides", callFromG); code != http.StatusCreated {
		r.t.Fatalf("%d %s", code, body)
	}
	r.reaches("r1", "DONE")
	if end := r.ride("r1").Phase; end != "arrived" {
		r.t.Errorf("ended %s", end)
	}
	var out []string
	for _, w := range asked() {
		out = append(out, w.Text)
	}
	return strings.Join(out, "; ")
}

// DR-1, RD-1: a ride with a claim, through a broker, by the real agent: registration, two
// calls, where the robot is, release; each once.
func TestRideByLCI(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s, err := devices.ServeLCI(r.world, net.Listen, "127.0.0.1:0", devices.LCIManners{Registration: time.Second, DeadTime: 10 * time.Second, TellsStrangers: true},
		devices.LCISeat{Car: "L1", Building: "b1", Bank: "A", Elevator: "1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	r.swap = [2]string{"octa/lci", "mqtt://" + s.Addr() + "?building=b1&bank=A&elevator=1"}
	r.oneRide(s.Lift("L1").Writes)
	r.until("the release", func() bool { return strings.Contains(said(s), "release") }, func() any { return said(s) })
	// That the robot is out may come to the service before the release or after it, which
	// it then knows already by the release.
	got := strings.Replace(said(s), "; robot _DUMMYID is in state 2", "", 1)
	if want := "call to G; robot _DUMMYID is in state 1; call inside to 1; release by _DUMMYID"; got != want {
		t.Errorf("asked %s", got)
	}
}

func said(s *devices.LCI) string {
	var out []string
	for _, w := range s.Lift("L1").Writes() {
		out = append(out, w.Text)
	}
	return strings.Join(out, "; ")
}

// DR-1, RD-1: the same ride on an OPC UA server.
func TestRideByOPCUA(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s, err := devices.ServeNodes(r.world, "127.0.0.1:0", "L1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	r.swap = [2]string{"bench/opcua-lift", "opc.tcp://" + s.Addr() + "?base=" + s.Base("L1")}
	got := r.oneRide(s.Lift("L1").Writes)
	if n := strings.Count(got, "Landing_Call_Up = 2") + strings.Count(got, "Landing_Call_Down = 2"); n != 1 {
		t.Errorf("%d landing calls at G: %s", n, got)
	}
	if n := strings.Count(got, "Making_Car_Call = 3"); n != 1 {
		t.Errorf("%d car calls to 1: %s", n, got)
	}
}

// The client of lifts' brokers against a foreign one.
func TestBrokerOfOthers(t *testing.T) {
	mosquitto, err := exec.LookPath("mosquitto")
	if err != nil {
		for _, p := range []string{"/usr/sbin/mosquitto"} {
			if mosquitto, err = exec.LookPath(p); err == nil {
				break
			}
		}
	}
	if err != nil {
		missing(t, "mosquitto is not installed")
	}
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.Command(mosquitto, "-p", port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	brokerCarries(t, &url.URL{Scheme: "mqtt", Host: addr})
}
