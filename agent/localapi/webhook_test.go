package localapi

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"hoistway/agent/hooks"
	"hoistway/agent/localapi/pagetest"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// fakePushes takes every message, and holds it up while it is told to.
type fakePushes struct {
	mu     sync.Mutex
	got    []drivers.Push
	turned []int
	notice string
	status hooks.Status
	enable error
	answer hooks.Answer
	hold   chan struct{}
	inside chan struct{}
}

func (f *fakePushes) Receive(_ context.Context, lift string, p drivers.Push) hooks.Answer {
	if f.hold != nil {
		f.inside <- struct{}{}
		<-f.hold
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if lift != "L1" {
		return hooks.Answer{Status: 404}
	}
	f.got = append(f.got, p)
	return f.answer
}

func (f *fakePushes) Turned(_ string, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turned = append(f.turned, status)
}

func (f *fakePushes) Status(lift string) (hooks.Status, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status, lift == "L1"
}

func (f *fakePushes) Enable(context.Context, string) error { return f.enable }
func (f *fakePushes) Notice(lift, text string) error {
	if lift != "L1" {
		return hooks.ErrNoPush
	}
	f.notice = text
	return nil
}

func newPushHouse(t testing.TB, f *fakePushes) *house {
	return newHouse(t, func(o *Options) { o.Pushes = f })
}

// WH-1, WH-2, SE-1: a service needs no token of this door, whatever its header says; what
// it sends goes on as it came; the answer is not this door's.
func TestWebhookPassesMessagesOn(t *testing.T) {
	f := &fakePushes{answer: hooks.Answer{Status: 503, Type: "text/x-any", Body: []byte("later"), After: 5 * time.Second}}
	h := newPushHouse(t, f)
	got := h.do(t, request{
		method: "POST", path: "/v1/webhooks/L1?word=a", body: "not JSON", remote: "192.0.2.7:4000",
		header: map[string]string{"Authorization": "Bearer the-vendors-own", "Sign": "s", "Content-Type": "text/plain"},
	})
	if got.status != 503 || string(got.body) != "later" || got.header.Get("Retry-After") != "5" || got.header.Get("Content-Type") != "text/x-any" {
		t.Errorf("%+v", got)
	}
	if len(f.got) != 1 || string(f.got[0].Body) != "not JSON" || f.got[0].Query.Get("word") != "a" || f.got[0].Header.Get("sign") != "s" || f.got[0].Method != "POST" {
		t.Errorf("%+v", f.got)
	}
	if got := h.do(t, request{method: "GET", path: "/v1/webhooks/L1"}); got.status != 503 || len(f.got) != 2 {
		t.Errorf("a check by GET: %+v", got)
	}
	if got := h.do(t, request{method: "PUT", path: "/v1/webhooks/L1"}); got.status != 405 {
		t.Errorf("PUT: %d", got.status)
	}
	if got := newHouse(t).do(t, request{method: "POST", path: "/v1/webhooks/L1", token: techToken}); got.status != 404 {
		t.Errorf("no such door: %d", got.status)
	}
}

// SE-3, WH-7: a message that is too big is refused unread, and counted as the sender counts.
func TestWebhookBodiesAreBounded(t *testing.T) {
	f := &fakePushes{answer: hooks.Answer{Status: 200}}
	h := newPushHouse(t, f)
	big := strings.Repeat("x", maxBody+1)
	if got := h.do(t, request{method: "POST", path: "/v1/webhooks/L1", body: big}); got.status != 413 || got.header.Get("Connection") != "close" {
		t.Errorf("%d", got.status)
	}
	if len(f.got) != 0 || len(f.turned) != 1 || f.turned[0] != 413 {
		t.Errorf("%d came through, turned %v", len(f.got), f.turned)
	}
	if got := h.do(t, request{method: "POST", path: "/v1/webhooks/L1", body: big[:maxBody]}); got.status != 200 {
		t.Errorf("one that just fits: %d", got.status)
	}
}

// SE-5: a flood of messages fills its own places and takes none from robots.
func TestAFloodOfMessagesHoldsNoRobotUp(t *testing.T) {
	f := &fakePushes{answer: hooks.Answer{Status: 200}, hold: make(chan struct{}), inside: make(chan struct{})}
	h := newPushHouse(t, f)
	var wg sync.WaitGroup
	for range hooksAtOnce {
		wg.Go(func() { h.do(t, request{method: "POST", path: "/v1/webhooks/L1", body: "{}"}) })
	}
	for range hooksAtOnce {
		<-f.inside
	}
	got := h.do(t, request{method: "POST", path: "/v1/webhooks/L1", body: "{}"})
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d", got.status)
	}
	if got := h.do(t, request{method: "POST", path: "/v1/rides/ride-1/signals", token: robotToken, body: ready}); got.status != http.StatusOK {
		t.Errorf("a robot beside the flood: %d", got.status)
	}
	close(f.hold)
	wg.Wait()
}

// WH-10, SE-1: people have a suspended push go on and hand notices over; nobody else does.
func TestEnableAndNotices(t *testing.T) {
	f := &fakePushes{status: hooks.Status{Steps: []string{"open the console", "switch it on"}}}
	h := newPushHouse(t, f)
	for _, c := range []struct {
		token, path, body string
		enable            error
		status            int
		words             string
	}{
		{"", "/v1/webhooks/L1/enable", "", nil, 401, ""},
		{robotToken, "/v1/webhooks/L1/enable", "", nil, 403, ""},
		{techToken, "/v1/webhooks/L1/enable", "", nil, 202, ""},
		{techToken, "/v1/webhooks/L1/enable", "", drivers.ErrNotCapable, 409, "open the console; switch it on"},
		{techToken, "/v1/webhooks/L1/enable", "", drivers.ErrTimeout, 502, "no answer"},
		{techToken, "/v1/webhooks/L2/enable", "", nil, 404, ""},
		{"", "/v1/webhooks/L1/notices", `{"text":"x"}`, nil, 401, ""},
		{techToken, "/v1/webhooks/L1/notices", `{"text":" "}`, nil, 400, ""},
		{techToken, "/v1/webhooks/L1/notices", `{"words":"x"}`, nil, 400, ""},
		{techToken, "/v1/webhooks/L2/notices", `{"text":"x"}`, nil, 404, ""},
		{techToken, "/v1/webhooks/L1/notices", `{"text":"over 5 %"}`, nil, 202, ""},
	} {
		f.enable = c.enable
		got := h.do(t, request{method: "POST", path: c.path, token: c.token, body: c.body})
		if got.status != c.status || !strings.Contains(got.problem.Detail, c.words) {
			t.Errorf("%s %s: %d %+v", c.path, c.body, got.status, got.problem)
		}
	}
	if f.notice != "over 5 %" {
		t.Errorf("the notice is %q", f.notice)
	}
}

// WH-9, WH-2: a lift shows when it was last heard, what its messages are proven by, and
// their alarms; one that pushes is not offline after five silent seconds.
func TestLiftShowsItsPushes(t *testing.T) {
	now := time.UnixMilli(1_750_000_000_000)
	f := &fakePushes{status: hooks.Status{
		Verify: "sorted_md5", Unsigned: true, Heard: now.Add(-4 * time.Hour), Pushing: "suspended", SuspendsAt: now.Add(20 * time.Minute),
		Foreign: 3, Failures: 0.03, Silence: 15 * time.Minute, Alarms: []hooks.Alarm{{Code: "E-6032", Detail: "suspended"}}, Confirmed: []string{"nothing"},
	}}
	h := newPushHouse(t, f)
	h.advance(10 * time.Second)
	l := decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L1"}))
	p := l.Push
	if p == nil || p.HeardMs == nil || *p.HeardMs != 4*3600*1000 || p.SuspendsInMs == nil || *p.SuspendsInMs != 20*60*1000 || p.State != "suspended" || !p.Unsigned || p.RepairedMs != nil {
		t.Fatalf("%+v", p)
	}
	if l.Link != "online" || len(l.Alarms) != 1 || l.Alarms[0].Code != "E-6032" {
		t.Errorf("%s %v", l.Link, l.Alarms)
	}
	metrics := string(h.do(t, request{method: "GET", path: "/metrics"}).body)
	for _, want := range []string{`hoistway_push_heard_age_seconds{lift="L1"} 14400`, `hoistway_push_failing_ratio{lift="L1"} 0.03`, `hoistway_push_messages_total{fate="foreign",lift="L1"} 3`} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("%s is not in the metrics", want)
		}
	}
	if l := decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L2"})); l.Push != nil || l.Link != "offline" {
		t.Errorf("another lift: %+v %s", l.Push, l.Link)
	}
}

// WH-9: values from before this process began are as old as they are.
func TestHeardBeforeTheStart(t *testing.T) {
	car := elevator.Snapshot{}
	car.CarCalls = seen(elevator.FloorSet(0), -elevator.Instant(4*time.Hour))
	if got := lastHeard(&car); got != -elevator.Instant(4*time.Hour) {
		t.Errorf("last heard at %d", got)
	}
	if got := lastHeard(&elevator.Snapshot{}); got != 0 {
		t.Errorf("never heard: %d", got)
	}
}

// WH-9: the page says how long nothing was pushed, and that a push is suspended.
func pushesAreShown(t *testing.T, b *pagetest.Tab) {
	f := &fakePushes{status: hooks.Status{Verify: "sorted_md5", Heard: time.Now().Add(-4 * time.Hour), Pushing: "yes", Silence: time.Hour}}
	s, base := openStage(t, func(o *Options) { o.Pushes = f })
	go s.wait(time.Hour)
	b.Do(chromedp.Navigate(base + "/"))
	b.Must(`document.querySelector('[data-lift="L1"]')?.textContent.includes('last heard 4 h ago, sorted_md5')`)
	f.set(func(f *fakePushes) { f.status.Pushing, f.status.Unsigned = "suspended", true })
	b.Must(`document.querySelector('[data-lift="L1"]')?.textContent.includes('suspended, unsigned')`)
	b.Do(chromedp.Navigate("about:blank")) // its reconnects end
}

func (f *fakePushes) set(change func(*fakePushes)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}
