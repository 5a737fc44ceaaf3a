package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

// pushBench is a link to the simulator's pushing service.
type pushBench struct {
	service *devices.Pusher
	link    drivers.Link
	now     func() elevator.Instant
}

func (b *pushBench) receiver() drivers.Receiver { return b.link.(drivers.Receiver) }
func (b *pushBench) mender() drivers.Mender     { return b.link.(drivers.Mender) }

func newPushBench(t *testing.T, words string) *pushBench {
	t.Helper()
	made, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	world := devices.NewRealWorld(made)
	b := &pushBench{now: clock()}
	if b.service, err = devices.ServePush(world, net.Listen, "127.0.0.1:0", "L1"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.service.Close() })
	secrets := filepath.Join(t.TempDir(), "secrets")
	text := "access=" + devices.PushAccess + "\napp_key=" + devices.PushKey + "\napp_secret=" + devices.PushSecret + "\n"
	if err := os.WriteFile(secrets, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse("http://" + b.service.Addr() + "?lift=L1&attach=site&secrets=" + secrets + words)
	src, ok := profiles.Lookup("bench/push-lift")
	if !ok {
		t.Fatal("no profile")
	}
	var table elevator.Table
	world.Do(func(b *building.Building) { table = b.Table("L1") })
	o := opener(t, drivers.Env{Now: b.now}, drivers.Spec{Lift: "A", URL: u, ProfileName: "bench/push-lift", Profile: src, Floors: table})
	if b.link, err = o.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.link.Close(); http.DefaultClient.CloseIdleConnections() })
	return b
}

// tells is a message of the service, as if it had been fetched.
func (b *pushBench) tells(event string, at time.Time, data map[string]any) drivers.Push {
	data["deviceId"], data["time"] = "L1", at.UnixMilli()
	body, _ := json.Marshal(map[string]any{"msgId": fmt.Sprint(time.Now().UnixNano()), "eventType": event, "attach": "site", "data": data})
	return drivers.Push{Method: "POST", Body: body, At: b.now(), Wall: time.Now(), Fetched: true}
}

// take weighs and takes as their keeper does, and gives what was told then.
func (b *pushBench) take(t *testing.T, told []byte, p drivers.Push) []byte {
	t.Helper()
	if a := b.receiver().Admit(p); !a.Keep {
		t.Fatalf("not kept: %+v", a)
	}
	now, _, err := b.receiver().Weigh(told, p)
	if err != nil {
		t.Fatal(err)
	}
	b.receiver().Take(told, p)
	return now
}

func (b *pushBench) sees(t *testing.T) elevator.Snapshot {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got elevator.Snapshot
	_ = b.link.(drivers.Watcher).Watch(ctx, func(s elevator.Snapshot) { got = s; cancel() })
	return got
}

// until waits for the service or for the view.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal(what + " never came")
}

// quiet is a lift whose polls have done their first round and bring nothing for an hour:
// what the view then shows comes from pushes.
func (b *pushBench) quiet(t *testing.T) {
	t.Helper()
	until(t, "the first reading", func() bool { return b.sees(t).Link == elevator.Online })
	b.link.(*pushed).stop() // ends the polls; nothing else lives by it
	b.link.(*pushed).wg.Wait()
}

// WH-4, WH-5: a pushed value is dated by its inner time, never later than it came; an
// older one changes nothing, nor does one that comes again.
func TestPushedValues(t *testing.T) {
	t.Parallel()
	b := newPushBench(t, "")
	b.quiet(t)
	now := time.Now()
	moved := b.tells("resource_report", now, map[string]any{"floor": 3, "door": "opening"})
	told := b.take(t, nil, moved)
	s := b.sees(t)
	if s.Floor.Value != 3 || s.Doors[elevator.Front].Value != elevator.DoorOpening || s.Floor.At > moved.At {
		t.Errorf("%+v", s.Floor)
	}
	told = b.take(t, told, b.tells("resource_report", now.Add(-time.Second), map[string]any{"floor": 1}))
	if again := b.sees(t); again.Floor != s.Floor {
		t.Errorf("an older one: %+v", again.Floor)
	}
	told = b.take(t, told, moved)
	if again := b.sees(t); again.Floor != s.Floor {
		t.Errorf("the same again: %+v", again.Floor)
	}
	later := b.tells("resource_report", time.Now().Add(time.Minute), map[string]any{"floor": 2})
	b.take(t, told, later)
	if s := b.sees(t); s.Floor.Value != 2 || s.Floor.At > later.At {
		t.Errorf("a service's clock ahead of ours makes a value younger than it is: %+v", s.Floor)
	}
}

// WH-3, WH-9: what was told before this process began comes back as old as it is, and
// shows nobody as present.
func TestRecall(t *testing.T) {
	t.Parallel()
	b := newPushBench(t, "")
	told, _, err := b.receiver().Weigh(nil, b.tells("resource_report", time.Now().Add(-4*time.Hour), map[string]any{"car": []int{2}}))
	if err != nil {
		t.Fatal(err)
	}
	b.quiet(t)
	fresh := b.link.(*pushed)
	fresh.view = fresh.spec.view()
	fresh.Recall(told, fresh.env.Now(), time.Now())
	s := fresh.view.Snapshot()
	if age := fresh.env.Now().Sub(s.CarCalls.At); s.CarCalls.At == 0 || age < 4*time.Hour || age > 4*time.Hour+time.Minute {
		t.Errorf("it is %s old: %+v", age, s.CarCalls)
	}
	if s.Link == elevator.Online || s.CarCalls.Fresh(fresh.env.Now(), time.Minute) {
		t.Errorf("%+v", s.Link)
	}
}

// WH-13: offline and unbound make the link stale; only what is newer brings it back. The
// service's word that the lift is back is no value: the lift is read.
func TestLifeOfTheLift(t *testing.T) {
	t.Parallel()
	b := newPushBench(t, "")
	b.quiet(t)
	now := time.Now()
	told := b.take(t, nil, b.tells("resource_report", now, map[string]any{"floor": 3}))
	told = b.take(t, told, b.tells("device_offline", now.Add(-time.Second), map[string]any{}))
	if s := b.sees(t); s.Link != elevator.Online {
		t.Error("a word that is older than a value counts")
	}
	told = b.take(t, told, b.tells("device_unbind", now.Add(10*time.Millisecond), map[string]any{}))
	if s := b.sees(t); s.Link != elevator.Offline || !s.Floor.Failed {
		t.Errorf("unbound: %s %+v", s.Link, s.Floor)
	}
	told = b.take(t, told, b.tells("resource_report", now.Add(5*time.Millisecond), map[string]any{"floor": 2}))
	if s := b.sees(t); s.Link != elevator.Offline {
		t.Error("an older value brings the lift back")
	}
	told = b.take(t, told, b.tells("device_name_change", now.Add(15*time.Millisecond), map[string]any{}))
	told = b.take(t, told, b.tells("device_online", now.Add(20*time.Millisecond), map[string]any{}))
	if s := b.sees(t); s.Link != elevator.Offline {
		t.Error("a word is taken for a value")
	}
	b.take(t, told, b.tells("resource_report", now.Add(30*time.Millisecond), map[string]any{"floor": 2}))
	if s := b.sees(t); s.Link != elevator.Online || s.Floor.Failed || s.Floor.Value != 2 {
		t.Errorf("%s %+v", s.Link, s.Floor)
	}
}

func (b *pushBench) call(n uint32) elevator.Command {
	return elevator.Command{ID: elevator.CommandID{Ride: "r", N: n}, Verb: elevator.CarCall, Floor: 2, Side: elevator.Front, Until: b.now().Add(20 * time.Second)}
}

// WH-8: a control that fails after it was taken is refused with the vendor's own code
// and what the profile makes of it; somebody else's failure, an earlier one, and that of
// another command are not.
func TestControlFailures(t *testing.T) {
	t.Parallel()
	b := newPushBench(t, "")
	b.quiet(t)
	fails := func(at time.Time, source, request string) {
		b.take(t, nil, b.tells("control_failed", at, map[string]any{"source": source, "errorCode": "LOCKED", "errorMsg": "no way", "request": request}))
	}
	do := func(n uint32, tell func()) elevator.Outcome {
		t.Helper()
		out := make(chan elevator.Outcome, 1)
		before := len(b.service.Calls())
		go func() { out <- b.link.Do(context.Background(), b.call(n)) }()
		until(t, "the control", func() bool { return len(b.service.Calls()) > before })
		tell()
		return <-out
	}
	if o := do(1, func() { fails(time.Now(), "open_api", "r/1") }); o.Result != elevator.Refused || o.Code != "LOCKED" || o.Advice != elevator.AdviceConfig || !strings.Contains(o.Detail, "no way") {
		t.Errorf("its own: %+v", o)
	}
	n := uint32(1)
	for what, tell := range map[string]func(){
		"nothing":            func() {},
		"somebody else's":    func() { fails(time.Now(), "panel", fmt.Sprintf("r/%d", n)) },
		"of another command": func() { fails(time.Now(), "open_api", "r/1") },
		"of ten seconds ago": func() { fails(time.Now().Add(-10*time.Second), "open_api", fmt.Sprintf("r/%d", n)) },
	} {
		n++
		if o := do(n, tell); o.Result != elevator.Done {
			t.Errorf("%s: %+v", what, o)
		}
	}
}

// WH-8: a hold is answered at once, since holds come before all else; one that fails
// later holds nothing.
func TestAHoldThatFailsLater(t *testing.T) {
	t.Parallel()
	b := newPushBench(t, "")
	b.quiet(t)
	c := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 9}, Verb: elevator.Hold, Side: elevator.Front, Floor: 2, Until: b.now().Add(10 * time.Second)}
	if o := b.link.Do(t.Context(), c); o.Result != elevator.Done || b.sees(t).Holds[elevator.Front] == 0 {
		t.Fatalf("%+v", o)
	}
	b.take(t, nil, b.tells("control_failed", time.Now(), map[string]any{"source": "open_api", "errorCode": "X", "request": "r/9"}))
	if b.sees(t).Holds[elevator.Front] != 0 {
		t.Error("a hold that failed is believed")
	}
}

// WH-6, WH-10, WH-12, WH-14: what a profile can ask of the service about its pushes.
func TestMending(t *testing.T) {
	t.Parallel()
	b := newPushBench(t, "")
	m := b.mender()
	if err := m.Subscribe(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	b.service.Behave(devices.PushManners{Miss: true})
	b.service.Tell("L1", "device_name_change", map[string]any{})
	until(t, "a missed message", func() bool {
		got, err := m.Missed(t.Context())
		return err == nil && slices.ContainsFunc(got.Messages, func(p drivers.Push) bool { return b.receiver().Admit(p).Keep })
	})
	b.service.Behave(devices.PushManners{ByQueue: true})
	b.service.Tell("L1", "device_name_change", map[string]any{})
	got, err := m.Queued(t.Context())
	if err != nil || len(got.Messages) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := got.Taken(t.Context()); err != nil {
		t.Error(err)
	}
	if on, err := m.Pushing(t.Context()); !on || err != nil {
		t.Errorf("%v, %v", on, err)
	}
	if err := m.Enable(t.Context()); err != nil {
		t.Error(err)
	}
	plan := b.receiver().Pushes()
	if len(plan.Confirmed) != 3 || plan.Window != 12*time.Hour || plan.Repair != 5*time.Minute || len(plan.Renew) != 1 || plan.Unsigned {
		t.Errorf("%+v", plan)
	}
}

// WH-2: unsigned only where the link says so, and in no other word.
func TestUnsignedByTheLink(t *testing.T) {
	t.Parallel()
	p := drivers.Push{Method: "POST", Header: http.Header{"Content-Type": {"application/json"}, "Token": {devices.PushAccess}}, Wall: time.Now()}
	p.Body = []byte(`{"eventType":"resource_report","attach":"site","data":{"deviceId":"L1"}}`)
	if a := newPushBench(t, "").receiver().Admit(p); a.Keep || a.Status != 401 {
		t.Errorf("%+v", a)
	}
	b := newPushBench(t, "&unsigned=accepted")
	if a := b.receiver().Admit(p); !a.Keep || a.Signed || !b.receiver().Pushes().Unsigned {
		t.Errorf("%+v", a)
	}
	u, _ := url.Parse("http://h/?lift=L1&attach=site&secrets=f&unsigned=yes")
	src, _ := profiles.Lookup("bench/push-lift")
	for _, f := range Factories(drivers.Env{}) {
		if f.Scheme == "http" {
			if _, err := f.New(drivers.Spec{Lift: "A", URL: u, ProfileName: "p", Profile: src}); err == nil || !strings.Contains(err.Error(), "unsigned") {
				t.Errorf("%v", err)
			}
		}
	}
}

// A link whose profile has no pushes has none of their powers.
func TestNoPushes(t *testing.T) {
	v := newVendor()
	now := clock()
	l, err := opener(t, drivers.Env{Now: now, Dial: v.dial}, linkSpec(t, "http://lifts.example/api?lift=A", "testdata/plain.yaml")).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, is := drivers.As[drivers.Receiver](l); is {
		t.Error("it takes pushes")
	}
}
