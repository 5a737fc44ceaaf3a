package daemon

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/localapi"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
	"hoistway/sync/shadow"
)

// pushRig is the real agent before a service that pushes.
type pushRig struct {
	*rig
	service *devices.Pusher
}

func newPushRig(t *testing.T) *pushRig {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	r := &pushRig{rig: &rig{t: t, dir: t.TempDir(), began: time.Now()}}
	r.world = devices.NewRealWorld(b)
	if r.service, err = devices.ServePush(r.world, net.Listen, "127.0.0.1:0", "L1"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.service.Close(); http.DefaultClient.CloseIdleConnections() })
	file := filepath.Join(r.dir, "secrets")
	text := "access=" + devices.PushAccess + "\napp_key=" + devices.PushKey + "\napp_secret=" + devices.PushSecret + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.own = pushConfig(r.service.Addr(), r.dir)
	return r
}

// pushConfig is a site with one lift behind a pushing service.
func pushConfig(addr, dir string) string {
	return fmt.Sprintf(`device: {serial: GW-T, kind: lift-gateway, site: {campus: C, building: B}}
lifts:
  - id: L1
    profile: bench/push-lift
    link: "http://%s?lift=L1&attach=site-word&secrets=%s/secrets"
    floors:
      - {label: B1, wire: 1, doors: [front]}
      - {label: G, wire: 2, doors: [front, rear]}
      - {label: "1", wire: 3, doors: [front]}
      - {label: "2", wire: 4, doors: [front]}
      - {label: "3", wire: 5, doors: [front]}
robots: [{id: R1, token_sha256: %q, crossing: 4s}]
api: {listen: "127.0.0.1:0", technicians: [{name: t, token_sha256: %q}]}
store: {dir: %q}
`, addr, dir, sha("robot"), sha("tech"), dir)
}

func (r *pushRig) hook() string { return r.base + "/v1/webhooks/L1" }

func (r *pushRig) push() localapi.Push {
	if p := r.lift1().Push; p != nil {
		return *p
	}
	return localapi.Push{}
}

func (r *pushRig) pushes(what string, ok func(localapi.Push) bool) {
	r.t.Helper()
	r.until(what, func() bool { return ok(r.push()) }, func() any { return r.push() })
}

// message is a pushed one of a lift, with the time of what it tells.
func message(id string, at time.Time, data map[string]any) []byte {
	data["deviceId"], data["time"] = "L1", at.UnixMilli()
	body, _ := json.Marshal(map[string]any{"msgId": id, "eventType": "resource_report", "attach": "site-word", "data": data})
	return body
}

// signed sends a message as the service does. It is written here anew, from the vendor's
// page: two sides of one table would prove nothing.
func signed(url string, body []byte, nonce string) (int, error) {
	when := strconv.FormatInt(time.Now().UnixMilli(), 10)
	sum := md5.Sum([]byte(strings.ToLower("appkey=k&nonce=" + nonce + "&time=" + when + "&token=" + devices.PushAccess + devices.PushSecret)))
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "appkey": "k", "nonce": nonce, "time": when, "token": devices.PushAccess, "sign": hex.EncodeToString(sum[:])} {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// WH-1 to WH-6, WH-9 to WH-14: the real agent subscribes, answers the check of its
// address, and follows a car by pushes that come twice, backwards, not at all, by the
// queue and with wrong signatures.
func TestAServiceThatPushes(t *testing.T) {
	t.Parallel()
	r := newPushRig(t)
	r.start()
	r.online()
	if err := r.service.CallBack(r.hook()); err != nil {
		t.Fatal(err)
	}
	r.pushes("the check counted", func(p localapi.Push) bool { return p.Counts.Checks == 1 && p.Counts.Taken == 0 && p.Queue == 0 })
	for i, m := range []devices.PushManners{{}, {Twice: true}, {Backwards: true}, {ByQueue: true}} {
		before := r.push().Counts
		r.service.Behave(m)
		floor := []string{"1", "G", "1", "G"}[i]
		r.call(floor)
		r.until("the car at "+floor, func() bool { return r.lift1().Floor.Value == floor && r.lift1().Motion.Value == "stopped" }, func() any { return r.lift1() })
		r.pushes(fmt.Sprintf("messages by %+v", m), func(p localapi.Push) bool {
			return p.Counts.Taken > before.Taken && (!m.Twice || p.Counts.Duplicates > before.Duplicates) && p.HeardMs != nil
		})
	}
	if p := r.push(); p.State != "yes" || p.Verify != "sorted_md5" || p.Unsigned || len(p.Confirmed) == 0 || p.RepairedMs == nil || len(p.Alarms) != 0 {
		t.Errorf("%+v", p)
	}
	// What could not be pushed is asked for, here at once since somebody wants it so.
	before := r.push().Counts
	r.service.Behave(devices.PushManners{Miss: true})
	r.call("1")
	r.until("the car at 1", func() bool { return r.lift1().Floor.Value == "1" }, func() any { return r.lift1() })
	if code, body := r.ask(http.MethodPost, "/v1/webhooks/L1/enable", ""); code != http.StatusAccepted {
		t.Errorf("enable: %d %s", code, body)
	}
	r.pushes("what was missed", func(p localapi.Push) bool { return p.Counts.Taken > before.Taken })
	r.service.Behave(devices.PushManners{WrongSign: true})
	r.call("G")
	r.pushes("a refused message and its alarm", func(p localapi.Push) bool {
		return p.Counts.Refused > 0 && slices.ContainsFunc(p.Alarms, func(a localapi.Alarm) bool { return a.Code == "E-6031" })
	})
}

// call has the car come, by a control of the vendor's own app.
func (r *pushRig) call(floor string) {
	r.world.Do(func(b *building.Building) {
		if err := b.CarCall("L1", b.Table("L1").ByLabel(floor)); err != nil {
			r.t.Error(err)
		}
	})
}

// WH-2, SE-3: what the door does not take, by what it answers, from a peer that is no
// friend; none of it moves anything.
func TestTheDoorForServices(t *testing.T) {
	t.Parallel()
	r := newPushRig(t)
	r.start()
	r.online()
	good := message("m-good", time.Now(), map[string]any{"floor": 5})
	if code, err := signed(r.hook(), good, "n-good"); code != 200 || err != nil {
		t.Fatalf("a good one: %d, %v", code, err)
	}
	if code, _ := signed(r.hook(), good, "n-good"); code != 200 {
		t.Errorf("the same again: %d", code)
	}
	if code, _ := signed(r.hook(), message("m-other", time.Now(), map[string]any{"floor": 1}), "n-good"); code != 401 {
		t.Errorf("a replayed nonce: %d", code)
	}
	if code, _ := signed(r.base+"/v1/webhooks/L9", good, "n9"); code != 404 {
		t.Errorf("no such lift: %d", code)
	}
	big := bytes.Repeat([]byte("x"), 70<<10)
	for what, c := range map[string]struct {
		body io.Reader
		typ  string
		want int
	}{
		"unsigned":            {bytes.NewReader(good), "application/json", 401},
		"too big":             {bytes.NewReader(big), "application/json", 413},
		"too big, in chunks":  {io.MultiReader(bytes.NewReader(big)), "application/json", 413},
		"another type":        {bytes.NewReader(good), "text/html", 415},
		"no document":         {strings.NewReader("{"), "application/json", 401},
		"empty, of no length": {io.MultiReader(), "application/json", 401},
	} {
		res, err := http.Post(r.hook(), c.typ, c.body)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		_ = res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", what, res.StatusCode, c.want)
		}
	}
	r.pushes("the good one", func(p localapi.Push) bool { return p.Counts.Taken == 1 && p.Counts.Duplicates == 1 })
	if res, err := http.Get(r.hook()); err != nil || res.StatusCode != 405 {
		t.Errorf("GET: %v, %v", res, err)
	}
	if code, _ := r.ask(http.MethodPost, "/v1/webhooks/L1/notices", `{"text":"over 5 % failed"}`); code != 202 {
		t.Errorf("a notice: %d", code)
	}
	if p := r.push(); !slices.ContainsFunc(p.Alarms, func(a localapi.Alarm) bool { return a.Code == "E-6033" }) || p.SuspendsInMs == nil {
		t.Errorf("%+v", p)
	}
	res, err := http.Post(r.hook()+"/notices", "application/json", strings.NewReader(`{"text":"x"}`))
	if err != nil || res.StatusCode != 401 {
		t.Errorf("a notice without a token: %v, %v", res, err)
	}
}

// WH-8: the lift does not do what its service took: the ride hears of it as the vendor's
// own code, at once and not by a limit of its own.
func TestAControlFailureReachesTheRide(t *testing.T) {
	t.Parallel()
	r := newPushRig(t)
	r.start()
	r.online()
	if err := r.service.CallBack(r.hook()); err != nil {
		t.Fatal(err)
	}
	r.until("the lift accepting", func() bool { return r.lift1().Accepting }, func() any { return r.lift1() })
	r.service.Behave(devices.PushManners{Refuse: "4711"})
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "FAULT")
	if f := r.ride("r1").Fault; f == nil || f.Code != "VENDOR:4711" {
		t.Errorf("%+v", f)
	}
	n := 0
	for _, c := range r.service.Calls() {
		if strings.HasPrefix(c.Text, "landing") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d landing calls", n)
	}
}

// WH-10: a push that was suspended while the agent was away is found out by asking, and
// goes on by one command, which is followed by a full read.
func TestASuspendedPush(t *testing.T) {
	t.Parallel()
	r := newPushRig(t)
	r.start()
	r.online()
	if err := r.service.CallBack(r.hook()); err != nil {
		t.Fatal(err)
	}
	r.service.Behave(devices.PushManners{WrongSign: true, Suspend: time.Nanosecond})
	r.call("1")
	r.until("the push suspended", func() bool { on, _, _ := r.service.Pushing(); return !on }, func() any { return r.push() })
	r.stop()
	r.start()
	alarmed := func(p localapi.Push) bool {
		return slices.ContainsFunc(p.Alarms, func(a localapi.Alarm) bool { return a.Code == "E-6032" })
	}
	r.pushes("the alarm", func(p localapi.Push) bool { return p.State == "suspended" && alarmed(p) })
	r.service.Behave(devices.PushManners{})
	if code, body := r.ask(http.MethodPost, "/v1/webhooks/L1/enable", ""); code != http.StatusAccepted {
		t.Errorf("enable: %d %s", code, body)
	}
	r.pushes("the end of it", func(p localapi.Push) bool { return p.State == "yes" && !alarmed(p) && p.RepairedMs != nil })
}

const (
	childDir  = "HOISTWAY_TEST_PUSH_DIR"
	childAddr = "HOISTWAY_TEST_PUSH_ADDR"
)

// TestPushChild is the agent that the next test kills; by itself it does nothing. Its
// store takes messages and never again what follows from them.
func TestPushChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		return
	}
	c, faults := config.Parse("child.yaml", []byte(pushConfig(os.Getenv(childAddr), dir)), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	d := Deps{Log: slog.New(slog.DiscardHandler), Version: "test", Ready: func(a string) { fmt.Println("ready", a) }}
	d.Store = func(s Store) Store { return &stuck{Store: s} }
	t.Fatal(Run(context.Background(), c, d))
}

// stuck is a store that never ends a transaction with a message's effect.
type stuck struct{ Store }

func (s *stuck) Commit(rows []shadow.Record) error {
	if slices.ContainsFunc(rows, func(r shadow.Record) bool { return strings.HasSuffix(r.Key, ":seen") }) {
		select {}
	}
	return s.Store.Commit(rows)
}

// WH-1, WH-3, DD-1: killed between the answer and its effect, the agent works the message
// out at its next start, once.
func TestKilledBetweenAnswerAndEffect(t *testing.T) {
	t.Parallel()
	r := newPushRig(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestPushChild$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), childDir+"="+r.dir, childAddr+"="+r.service.Addr())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	defer kill()
	var addr string
	if _, err := fmt.Fscanf(out, "ready %s\n", &addr); err != nil {
		t.Fatal(err)
	}
	body := message("m-1", time.Now(), map[string]any{"floor": 5})
	if code, err := signed("http://"+addr+"/v1/webhooks/L1", body, "n-1"); code != 200 || err != nil {
		t.Fatalf("%d, %v", code, err)
	}
	kill() // SIGKILL
	r.start()
	r.pushes("the effect", func(p localapi.Push) bool { return p.Counts.Taken == 1 && p.Queue == 0 && p.HeardMs != nil })
	if code, err := signed(r.hook(), body, "n-1"); code != 200 || err != nil {
		t.Errorf("once more: %d, %v", code, err)
	}
	r.pushes("it is known", func(p localapi.Push) bool { return p.Counts.Taken == 1 && p.Counts.Duplicates == 1 })
	r.stop()
	r.start()
	if p := r.push(); p.HeardMs == nil {
		t.Errorf("when it was last heard is forgotten: %+v", p)
	}
}
