package cli

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func asked(env map[string]string, args ...string) (exit int, out, errs string) {
	var o, e bytes.Buffer
	a := &app{out: &o, err: &e, env: func(k string) string { return env[k] }, exit: func(int) {}}
	exit = a.main(args)
	return exit, o.String(), e.String()
}

// A hung agent: the command ends in time, and after a call that changes something
// it does not pretend to know whether that was done.
func TestNoAnswerInTime(t *testing.T) {
	defer goleak.VerifyNone(t)
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer server.Close()
	defer close(hang)
	env := map[string]string{envAPI: server.URL}

	exit, _, errs := asked(env, "lifts", "--timeout", "50ms")
	if want := "hoistway: E-3002: no answer from " + server.URL + " within 50ms\n"; exit != 3 || errs != want {
		t.Errorf("exit %d: %s", exit, errs)
	}
	exit, _, errs = asked(env, "ride", "cancel", "r-1", "--timeout", "50ms")
	if exit != 3 || !strings.Contains(errs, "E-3002") || !strings.Contains(errs, "not known whether it was done") {
		t.Errorf("exit %d: %s", exit, errs)
	}
}

// CT-2: an agent that is hung still holds its lines: no command goes round it to the
// controller, by the lift's name, by its link or by another name of its host.
func TestAHungAgentKeepsItsLine(t *testing.T) {
	hang := make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer api.Close()
	defer close(hang)
	board, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer board.Close()
	met := make(chan bool, 1)
	go func() { // ends with the listener
		if c, err := board.Accept(); err == nil {
			met <- true
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(board.Addr().String())
	file := write(t, t.TempDir(), "gw.yaml", `device: {serial: GW-1}
lifts:
  - id: L1
    profile: bench/modbus-lift
    link: modbus+tcp://127.0.0.1:`+port+`?unit=1
    floors: [{label: G, wire: 1, doors: [front]}, {label: "1", wire: 2, doors: [front]}]
api: {listen: "`+strings.TrimPrefix(api.URL, "http://")+`"}
`)
	for _, to := range []string{"L1", "modbus+tcp://127.0.0.1:" + port + "?unit=1", "modbus+tcp://localhost:" + port + "?unit=1", "modbus+tcp://127.0.0.1:" + port + "?unit=2"} {
		for _, args := range [][]string{{"read", to, "input:0"}, {"write", to, "holding:2=1", "--i-understand"}} {
			a, out, errs := loaded(nil, nil)
			a.load = loadConfig
			if exit := a.main(append(args, "-c", file, "--timeout", "50ms")); exit == 0 {
				t.Errorf("%v: %s%s", args, out, errs)
			}
		}
	}
	select {
	case <-met:
		t.Error("somebody spoke to the controller")
	default:
	}
}

func TestAnswerThatBreaksOff(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`[{"id":`))
	}))
	defer server.Close()
	exit, out, errs := asked(map[string]string{envAPI: server.URL}, "lifts")
	if exit != 3 || out != "" || !strings.HasPrefix(errs, "hoistway: E-3006: ") {
		t.Errorf("exit %d: %s%s", exit, out, errs)
	}
}

func TestEndlessAnswerIsCut(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		blanks := bytes.Repeat([]byte(" "), 1<<20)
		for {
			if _, err := w.Write(blanks); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	exit, _, errs := asked(map[string]string{envAPI: server.URL}, "lifts")
	if exit != 3 || !strings.Contains(errs, "E-3006") || !strings.Contains(errs, "too large") {
		t.Errorf("exit %d: %s", exit, errs)
	}
}

func TestCertificateOfNobody(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	exit, _, errs := asked(map[string]string{envAPI: server.URL, envToken: "t"}, "lifts")
	if exit != 3 || !strings.HasPrefix(errs, "hoistway: E-3005: ") {
		t.Errorf("exit %d: %s", exit, errs)
	}
}

func TestHTTPSToAPlainPort(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	exit, _, errs := asked(map[string]string{envAPI: strings.Replace(server.URL, "http:", "https:", 1)}, "lifts")
	if exit != 3 || !strings.HasPrefix(errs, "hoistway: E-3007: ") {
		t.Errorf("exit %d: %s", exit, errs)
	}
}

// The token goes to the address that was given, never to where that one points.
func TestTokenDoesNotFollowARedirect(t *testing.T) {
	defer goleak.VerifyNone(t)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed with %q", r.Header.Get("Authorization"))
	}))
	defer thief.Close()
	server := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	if exit, _, errs := asked(map[string]string{envAPI: server.URL, envToken: "s3cret"}, "lifts"); exit != 3 {
		t.Errorf("exit %d: %s", exit, errs)
	}
}

func TestClassifyNames(t *testing.T) {
	exit := (&client{base: mustURL(t, "http://gw.example"), timeout: 1}).unreachable(http.MethodGet,
		&net.OpError{Op: "dial", Err: &net.DNSError{Name: "gw.example", Err: "no such host"}})
	if exit.exit != exitReach || exit.Error() != "E-3003: cannot find gw.example: no such host" {
		t.Errorf("%d %s", exit.exit, exit)
	}
}
