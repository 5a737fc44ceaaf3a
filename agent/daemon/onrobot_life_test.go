package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hoistway/agent/localapi"
	"hoistway/simulator/robots"
)

// ready brings a ride to a state and phase, with a walker before the robot's agent.
func (o *onboard) ready(at string) {
	o.t.Helper()
	o.start()
	o.board()
	o.bothOnline()
	if code := o.say("POST", "/v1/rides", wish, nil); code != http.StatusCreated {
		o.t.Fatalf("%d", code)
	}
	o.walker(robots.Manner{})
	o.shows(at, "r1", func(r localapi.Ride) bool { return r.State+" "+r.Phase == at })
}

// arrives waits for the end, with so many landing calls at most.
func (o *onboard) arrives(most int) {
	o.t.Helper()
	o.shows("the end of the ride", "r1", func(r localapi.Ride) bool { return r.State == "DONE" && r.Phase != "failed" })
	if n := o.presses(0, 2) + o.presses(1, 2); n > most {
		o.t.Errorf("%d landing calls at G", n)
	}
}

// RD-11: the robot's agent is killed and starts anew, before the door and in the car. The
// ride goes on, no call is placed twice, and no permit from before is shown.
func TestRobotsAgentIsKilled(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"WAITING called", "MOVING riding", "EXITING leaving"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			o := newOnboard(t)
			o.ready(at)
			o.kill()
			o.arrives(1)
		})
	}
}

// RD-11: killed in the car with the gateway out of reach: the new life knows the ride, the
// place of the robot and its leave pass, and says that it has heard of nobody.
func TestRobotsAgentIsKilledInTheDark(t *testing.T) {
	t.Parallel()
	o := newOnboard(t)
	o.ready("MOVING riding")
	before := o.shows("a leave pass", "r1", func(r localapi.Ride) bool { return r.LeavePass != nil })
	time.Sleep(300 * time.Millisecond) // it is stored in its own time
	o.net.set(true)
	o.kill()
	r := o.mine("r1")
	if r.State != "FAULT" || r.Fault == nil || r.Fault.Code != "NETWORK_TIMEOUT" || r.Where != "inside" || r.Permit != nil || r.Do.Action != "stay" {
		t.Errorf("after the start: %+v %+v", r, r.Fault)
	}
	if p := r.LeavePass; p == nil || p.Floor != "1" || p.Side != "front" || p.NotAfterMs > before.LeavePass.NotAfterMs {
		t.Errorf("leave pass %+v, before %+v", p, before.LeavePass)
	}
	o.net.set(false)
	o.arrives(1)
}

// RD-11: the gateway ends and starts anew under the robot.
func TestGatewayStartsAnewUnderARobot(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"WAITING called", "MOVING riding"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			o := newOnboard(t)
			o.ready(at)
			o.stop()
			o.silence("r1", 7*time.Second)
			o.start()
			o.arrives(2) // the car may have come and gone meanwhile: its lamp is off then, and the call is placed anew
		})
	}
}

// truth is the robot's own eyes, as a page: what the gateway's lift shows, seen from where
// the robot is.
func (o *onboard) truth(where *atomic.Value) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		l := o.lift1()
		out := map[string]any{"age_ms": 0, "where": where.Load(), "odo_m": 3.5, "battery": 71}
		if floor, ok := l.Floor.Value.(string); ok {
			out["floor"], out["floor_sure"] = floor, true
			if open, known := l.Doors["front"].Value.(string); known {
				out["sees_door"] = map[string]any{"floor": floor, "side": "front", "open": open == "open"}
			}
		}
		out["motion"] = map[any]string{"stopped": "still", "up": "up", "down": "down"}[l.Motion.Value]
		_ = json.NewEncoder(w).Encode(out)
	}))
	o.t.Cleanup(s.Close)
	return s
}

// RD-16, SH-21's robot: alone in the car it leaves by its pass, once its own eyes show the
// landing, the open door and a standing car; what it did is told later, with its age.
func TestLeavesByThePassAlone(t *testing.T) {
	t.Parallel()
	o := newOnboard(t)
	var where atomic.Value
	where.Store("unknown")
	o.extra = fmt.Sprintf("robot: {displacement: %q, every: 200ms}\n", o.truth(&where).URL)
	o.ready("MOVING riding")
	where.Store("car")
	o.net.set(true)
	o.shows("told to stay", "r1", func(r localapi.Ride) bool {
		return r.Do.Action == "stay" && strings.Contains(r.Do.Why, "when its own eyes show") && r.Permit == nil
	})
	o.shows("told to leave", "r1", func(r localapi.Ride) bool { return r.Do.Action == "leave" && r.LeavePass != nil && r.Permit == nil })
	o.quit()
	tell := func(seq int, kind, at string) {
		if code := o.say("POST", "/v1/rides/r1/signals", map[string]any{"kind": kind, "boot": "eyes", "seq": seq, "age_ms": 0, "where": at}, nil); code != http.StatusOK {
			t.Errorf("%s: %d", kind, code)
		}
	}
	where.Store("doorway")
	tell(1, "leaving", "doorway")
	where.Store("landing")
	tell(2, "left", "landing")
	if r := o.mine("r1"); r.Where != "outside" || r.State != "FAULT" || r.Permit != nil {
		t.Errorf("out: %+v", r)
	}
	if g := o.ride("r1"); g.State == "DONE" {
		t.Fatalf("the gateway knows already: %+v", g)
	}
	time.Sleep(2 * time.Second)
	o.net.set(false)
	o.arrives(1)
	if r := o.ride("r1"); r.Phase != "arrived" || r.Where != "outside" {
		t.Errorf("at the gateway %+v", r)
	}
}

// SE-4: a token that the gateway does not know. The robot's software is told so in plain
// words, and nothing is taken.
func TestRobotWithAWrongToken(t *testing.T) {
	t.Parallel()
	o := newOnboard(t)
	o.token = "nobody's"
	o.start()
	o.online()
	o.board()
	var no localapi.Problem
	if code := o.say("POST", "/v1/rides", wish, &no); code != http.StatusServiceUnavailable || no.Code != "E-5013" || !strings.Contains(no.Detail, "E-2003") {
		t.Errorf("%d %+v", code, no)
	}
	var ready localapi.Ready
	if code := o.say("GET", "/readyz", nil, &ready); code != http.StatusServiceUnavailable || ready.Ready {
		t.Errorf("%d %+v", code, ready)
	}
}

// authority makes a certificate for this machine and its key, signed by itself.
func authority(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: dir}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")
	for path, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// SE-1: the gateway's certificate is believed by its own authority alone.
func TestRobotAndCertificates(t *testing.T) {
	t.Parallel()
	o := newOnboard(t)
	cert, key := authority(t, t.TempDir())
	foreign, _ := authority(t, t.TempDir())
	o.rig.own = strings.Replace(o.config(), `"127.0.0.1:0", tech`, fmt.Sprintf(`"127.0.0.1:0", tls: {listen: "127.0.0.1:1", cert_file: %q, key_file: %q}, tech`, cert, key), 1)
	tls := make(chan string, 1)
	o.deps.Listen = func(network, address string) (net.Listener, error) {
		ln, err := net.Listen(network, "127.0.0.1:0")
		if err == nil && address == "127.0.0.1:1" {
			tls <- ln.Addr().String()
		}
		return ln, err
	}
	o.start()
	o.online()
	at := <-tls
	o.link = "hoistway+https://" + at + "?lift=L1&ca=" + foreign
	o.board()
	var no localapi.Problem
	if code := o.say("POST", "/v1/rides", wish, &no); code != http.StatusServiceUnavailable || no.Code != "E-5013" || !strings.Contains(no.Detail, "x509") {
		t.Errorf("%d %+v", code, no)
	}
	o.halt()
	o.link = "hoistway+https://" + at + "?lift=L1&ca=" + cert
	o.board()
	if code := o.say("POST", "/v1/rides", wish, &no); code != http.StatusCreated {
		t.Errorf("%d %+v", code, no)
	}
}
