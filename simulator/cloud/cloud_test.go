package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
	"go.uber.org/goleak"

	"hoistway/sync/shadow"
)

const (
	patience = 60 * time.Second
	things   = "hoistway/things/GW-1/"
)

// eachBroker runs a test with the embedded broker and with a foreign one.
func eachBroker(t *testing.T, f func(t *testing.T, c *Cloud)) {
	t.Run("embedded", func(t *testing.T) { f(t, startCloud(t, Options{})) })
	t.Run("mosquitto", func(t *testing.T) { f(t, startCloud(t, Options{Broker: startMosquitto(t)})) })
}

func startCloud(t *testing.T, o Options) *Cloud {
	t.Helper()
	idle := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, idle) })
	c, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// slowWriter is a printer that stands still until it is let go.
type slowWriter struct {
	lockedBuffer
	gate chan struct{}
}

func (s *slowWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "v1 ") {
		<-s.gate
	}
	return s.lockedBuffer.Write(p)
}

// A printer that does not keep up misses lines and is told so; the cloud goes on.
func TestRunOutrunsItsPrinter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &slowWriter{gate: make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, Options{}, Printing{Out: out}) }()
	eventually(t, "the address", func() bool { return len(out.lines()) == 1 })
	d := connect(t, strings.TrimSpace(strings.TrimPrefix(out.lines()[0], "cloud  ")))
	for range watcherSize + 10 {
		d.say("shadow/update", `{"state":{"reported":{"a":1}}}`, "shadow/update/accepted", "shadow/update/documents")
	}
	close(out.gate)
	eventually(t, "the gap", func() bool { return slices.Contains(out.lines(), leftOut+"\n") })
	d.say("shadow/update", `{"state":{"reported":{"a":2}}}`, "shadow/update/accepted", "shadow/update/documents")
	eventually(t, "a later line", func() bool {
		return slices.Contains(out.lines(), fmt.Sprintf("GW-1  v%d  reported {\"a\":2}\n", watcherSize+11))
	})
	d.client.Disconnect(100)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func startMosquitto(t *testing.T) (url string) {
	t.Helper()
	if _, err := exec.LookPath("mosquitto"); err != nil {
		if os.Getenv("HOISTWAY_REQUIRE") == "all" {
			t.Fatal("mosquitto is required and not installed")
		}
		t.Skip("no foreign broker: install the Debian package mosquitto")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	_ = l.Close()
	config := filepath.Join(t.TempDir(), "mosquitto.conf")
	text := fmt.Sprintf("listener %d 127.0.0.1\nallow_anonymous true\nuser root\nlog_type error\nmax_queued_messages 0\n", addr.Port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("mosquitto", "-c", config)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	return "mqtt://" + addr.String()
}

// device is a bare client that speaks the shape by hand.
type device struct {
	t      *testing.T
	client mqtt.Client
	in     chan mqtt.Message
}

func connect(t *testing.T, url string) *device {
	t.Helper()
	d := &device{t: t, in: make(chan mqtt.Message, 1000)}
	o := mqtt.NewClientOptions().AddBroker(strings.Replace(url, "mqtt://", "tcp://", 1)).SetClientID("GW-1").
		SetAutoReconnect(false).SetDefaultPublishHandler(func(_ mqtt.Client, m mqtt.Message) { d.in <- m })
	d.client = mqtt.NewClient(o)
	d.done(d.client.Connect())
	filters := map[string]byte{
		things + "shadow/+/accepted": 1, things + "shadow/+/rejected": 1, things + "shadow/update/delta": 1, things + "shadow/update/documents": 1,
		things + "shadow/name/+/+/+": 1, things + "register/+": 1, things + "heartbeat/reply": 1,
	}
	d.done(d.client.SubscribeMultiple(filters, nil))
	t.Cleanup(func() { d.client.Disconnect(100) })
	return d
}

func (d *device) done(token mqtt.Token) {
	d.t.Helper()
	if !token.WaitTimeout(patience) || token.Error() != nil {
		d.t.Fatalf("broker: %v", token.Error())
	}
}

// say publishes, and expects the answers on the topics, in this order.
func (d *device) say(topic, payload string, want ...string) []shadow.Tree {
	d.t.Helper()
	d.done(d.client.Publish(things+topic, 1, false, payload))
	return d.hear(want...)
}

func (d *device) hear(want ...string) []shadow.Tree {
	d.t.Helper()
	out := make([]shadow.Tree, 0, len(want))
	for _, topic := range want {
		select {
		case m := <-d.in:
			if m.Topic() != things+topic {
				d.t.Fatalf("%s %s, want one on %s", m.Topic(), m.Payload(), topic)
			}
			out = append(out, parse(d.t, m.Payload()))
		case <-time.After(patience):
			d.t.Fatalf("nothing on %s", topic)
		}
	}
	return out
}

func parse(t *testing.T, raw []byte) shadow.Tree {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var tree shadow.Tree
	if err := d.Decode(&tree); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return tree
}

func at(tree shadow.Tree, path string) string {
	var v any = tree
	for name := range strings.SplitSeq(path, ".") {
		t, _ := v.(shadow.Tree)
		v = t[name]
	}
	return fmt.Sprint(v)
}

func expect(t *testing.T, tree shadow.Tree, facts ...string) {
	t.Helper()
	for _, fact := range facts {
		path, want, _ := strings.Cut(fact, "=")
		if got := at(tree, path); got != want {
			t.Errorf("%s is %s, want %s, in %v", path, got, want, tree)
		}
	}
}

// SH-1, SH-2: the public conversation by a client that shares no code with the
// service, over brokers that share none with each other.
func TestConversation(t *testing.T) {
	eachBroker(t, func(t *testing.T, c *Cloud) {
		d := connect(t, c.URL())
		for _, shadowName := range []string{"", "L1"} {
			p := "shadow/"
			if shadowName != "" {
				p = "shadow/name/" + shadowName + "/"
			}
			expect(t, d.say(p+"get", ``, p+"get/rejected")[0], "code=404")
			got := d.say(p+"update", `{"state":{"reported":{"door":"open"}},"clientToken":"one"}`, p+"update/accepted", p+"update/documents")
			expect(t, got[0], "version=1", "state.reported.door=open", "clientToken=one", "metadata.reported.door.version=1")
			expect(t, got[1], "current.version=1", "previous=<nil>")

			if err := c.Desire("GW-1", shadowName, shadow.Tree{"wait": 120}); err != nil {
				t.Fatal(err)
			}
			got = d.hear(p+"update/accepted", p+"update/delta", p+"update/documents")
			expect(t, got[1], "version=2", "state.wait=120", "metadata.wait.version=2")

			got = d.say(p+"update", `{"state":{"reported":{"door":"closed"}},"version":1}`, p+"update/rejected")
			expect(t, got[0], "code=409", "current.version=2", "current.state.desired.wait=120")
			got = d.say(p+"get", `{"clientToken":"two"}`, p+"get/accepted")
			expect(t, got[0], "version=2", "state.delta.wait=120", "clientToken=two", "connection.online=false")
			d.say(p+"update", `{"state":{"reported":{"wait":120}},"version":2}`, p+"update/accepted", p+"update/documents")
			if doc, ok := c.Document("GW-1", shadowName); !ok || doc.Version != 3 || len(doc.Delta()) != 0 {
				t.Errorf("the cloud holds %+v", doc)
			}
			expect(t, d.say(p+"delete", ``, p+"delete/accepted")[0], "version=4")
			if _, ok := c.Document("GW-1", shadowName); ok {
				t.Error("deleted, and still there")
			}
		}
	})
}

// SH-12, SH-17: register, presence with its will, and the heartbeat.
func TestBesideTheShadow(t *testing.T) {
	eachBroker(t, func(t *testing.T, c *Cloud) {
		d := connect(t, c.URL())
		d.done(d.client.Publish(things+"presence", 1, true, `{"online":true,"epoch":0,"session":1,"reason":"connect"}`))
		got := d.say("register", `{"store":"fresh","clientToken":"r","lifts":["L1"]}`, "register/accepted")
		expect(t, got[0], "created=true", "epoch=1", "clientToken=r", "template_version=1")
		if p, ok := c.Presence("GW-1"); !ok || !p.Online || p.Semi {
			t.Errorf("%+v", p)
		}
		d.say("shadow/update", `{"state":{"reported":{"a":1}}}`, "shadow/update/accepted", "shadow/update/documents")
		got = d.say("heartbeat", `{"epoch":1,"session":1,"seq":1,"versions":{"":0},"self_age_s":1}`, "heartbeat/reply")
		expect(t, got[0], "seq=1", "versions.=1")
		d.done(d.client.Publish(things+"presence", 1, true, `{"online":false,"epoch":1,"session":1,"reason":"stop"}`))
		eventually(t, "offline", func() bool { p, _ := c.Presence("GW-1"); return !p.Online && p.Reason == "stop" })
	})
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// An operator's intent has its header; the service takes the header down when
// the device mirrors it.
func TestIntent(t *testing.T) {
	c := startCloud(t, Options{})
	d := connect(t, c.URL())
	intent := Intent{ID: "i-31", Priority: 5, TTL: time.Hour, Batch: "B20241015-001", By: "ops"}
	if err := c.Desire("GW-1", "", shadow.Tree{"wait_timeout": 120, "retries": 2}, intent); err != nil {
		t.Fatal(err)
	}
	got := d.hear("shadow/update/accepted", "shadow/update/delta", "shadow/update/documents")
	header := got[1]["state"].(shadow.Tree)["_intents"].(shadow.Tree)["i-31"]
	raw, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"batch":"B20241015-001","by":"ops","fields":["retries","wait_timeout"],"priority":5,"ttl_s":3600}`
	if string(raw) != want {
		t.Fatalf("header %s, want %s", raw, want)
	}
	d.say("shadow/update", `{"state":{"reported":{"wait_timeout":120,"retries":2,"_intents":{"i-31":`+want+`}}}}`,
		"shadow/update/accepted", "shadow/update/documents", "shadow/update/accepted", "shadow/update/documents")
	doc, _ := c.Document("GW-1", "")
	if doc.Desired["_intents"] != nil || doc.Version != 3 || len(doc.Delta()) != 0 {
		t.Errorf("%+v", doc)
	}

	var rejection *shadow.Rejection
	if err := c.Desire("GW-1", "", shadow.Tree{"x": strings.Repeat("x", 9000)}); !errors.As(err, &rejection) || rejection.Code != 413 {
		t.Errorf("too big: %v", err)
	}
	if err := c.Desire("GW-1", "", shadow.Tree{"x": make(chan int)}); err == nil {
		t.Error("a channel is no JSON")
	}
}

// SM-5: a fleet that comes back is a burst. Every request is answered, to each thing
// in the order of versions, and the cloud keeps its connection.
func TestBurst(t *testing.T) {
	const fleet, each = 300, 6
	c := startCloud(t, Options{Broker: startMosquitto(t)})
	heard := make(chan mqtt.Message, fleet*each)
	o := mqtt.NewClientOptions().AddBroker(strings.Replace(c.URL(), "mqtt://", "tcp://", 1)).SetClientID("crowd").
		SetAutoReconnect(false).SetDefaultPublishHandler(func(_ mqtt.Client, m mqtt.Message) { heard <- m })
	d := &device{t: t, client: mqtt.NewClient(o)}
	d.done(d.client.Connect())
	t.Cleanup(func() { d.client.Disconnect(100) })
	d.done(d.client.Subscribe("hoistway/things/+/shadow/update/accepted", 1, nil))
	release := hold(c)
	var sent []mqtt.Token
	for n := range each {
		for i := range fleet {
			sent = append(sent, d.client.Publish(fmt.Sprintf("hoistway/things/GW-%d/shadow/update", i), 1, false,
				fmt.Sprintf(`{"state":{"reported":{"n":%d}}}`, n)))
			if len(sent)%50 == 0 { // they pile up before the rules, more than the link holds
				d.done(sent[len(sent)-1])
				time.Sleep(2 * time.Millisecond) // who takes them off the link needs a moment of a busy machine
			}
		}
	}
	release()
	next := map[string]int{}
	for range fleet * each {
		select {
		case m := <-heard:
			expect(t, parse(t, m.Payload()), fmt.Sprintf("version=%d", next[m.Topic()]+1))
			next[m.Topic()]++
		case <-time.After(patience):
			t.Fatalf("%d things were answered", len(next))
		}
	}
}

// hold keeps the rules from being asked, as a busy machine would.
func hold(c *Cloud) (release func()) {
	c.mu.Lock()
	return c.mu.Unlock
}

// A drill: the broker goes, the cloud keeps what it has and takes an operator's
// wish, the broker comes back at the same place.
func TestBrokerDrill(t *testing.T) {
	c := startCloud(t, Options{})
	url := c.URL()
	d := connect(t, url)
	d.say("shadow/update", `{"state":{"reported":{"a":1}}}`, "shadow/update/accepted", "shadow/update/documents")
	if err := errors.Join(c.StopBroker(), c.StopBroker()); err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(url, "mqtt://")); err == nil {
		_ = conn.Close()
		t.Error("somebody still listens")
	}
	if err := c.Desire("GW-1", "", shadow.Tree{"wait": 120}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.StartBroker(), c.StartBroker()); err != nil || c.URL() != url {
		t.Fatalf("%v, now at %s", err, c.URL())
	}
	d = connect(t, url)
	for answered := false; !answered; { // the cloud itself must find its broker again
		d.done(d.client.Publish(things+"shadow/get", 1, false, ``))
		select {
		case m := <-d.in:
			expect(t, parse(t, m.Payload()), "version=2", "state.delta.wait=120", "state.reported.a=1")
			answered = true
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func TestChanges(t *testing.T) {
	c := startCloud(t, Options{})
	quick, stop := c.Changes()
	slow, stopSlow := c.Changes()
	defer stopSlow()
	for i := range watcherSize + 10 {
		if err := c.Desire("GW-1", "L1", shadow.Tree{"n": i}); err != nil {
			t.Fatal(err)
		}
		if change := (<-quick).Change; change.Serial != "GW-1" || change.Shadow != "L1" || change.After.Version != int64(i+1) || change.Before.Version != int64(i) {
			t.Fatalf("change %d: %+v", i, change)
		}
	}
	n := 0
	for range slow {
		n++
	}
	if n != watcherSize {
		t.Errorf("a watcher that does not read got %d, and then its end", n)
	}
	stop()
	stop()
	if _, open := <-quick; open {
		t.Error("stopped, and still told")
	}
}

func TestStartRefuses(t *testing.T) {
	for name, o := range map[string]Options{
		"a listener for all":   {Listen: "0.0.0.0:0"},
		"a listener by name":   {Listen: "localhost:0"},
		"no port":              {Listen: "127.0.0.1"},
		"no address of broker": {Broker: "http://127.0.0.1"},
	} {
		if c, err := Start(t.Context(), o); err == nil {
			t.Errorf("%s: %s", name, c.URL())
			_ = c.Close()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if c, err := Start(ctx, Options{Broker: "mqtt://127.0.0.1:1"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no broker there: %v, %v", c, err)
	}
}

func TestForeignBrokerIsNotOurs(t *testing.T) {
	c := startCloud(t, Options{})
	other := startCloud(t, Options{Broker: c.URL()})
	if !errors.Is(other.StopBroker(), ErrForeign) || !errors.Is(other.StartBroker(), ErrForeign) {
		t.Error("a broker that is not ours was stopped or started")
	}
}

// lockedBuffer is a printer's output that a test reads meanwhile.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(strings.Lines(l.b.String()))
}

// The cloud alone: its address, then a line a version.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &lockedBuffer{}
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, Options{}, Printing{Out: out}) }()
	eventually(t, "the address", func() bool { return len(out.lines()) == 1 })
	url, ok := strings.CutPrefix(strings.TrimSpace(out.lines()[0]), "cloud  ")
	if !ok {
		t.Fatalf("%q", out.lines())
	}
	d := connect(t, url)
	d.say("shadow/name/L1/update", `{"state":{"desired":{"a":1},"reported":{"b":2}}}`, "shadow/name/L1/update/accepted",
		"shadow/name/L1/update/delta", "shadow/name/L1/update/documents")
	d.say("shadow/name/L1/delete", ``, "shadow/name/L1/delete/accepted")
	eventually(t, "two changes", func() bool { return len(out.lines()) == 3 })
	want := []string{"GW-1/L1  v1  desired {\"a\":1}  reported {\"b\":2}\n", "GW-1/L1  v2  deleted\n"}
	if got := out.lines()[1:]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	d.client.Disconnect(100)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
