package daemon

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/simulator/cloud"
	"hoistway/sync/aws/awstest"
	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

// amazon is the public service, as its pages have it, on a broker.
type amazon struct {
	mu      sync.Mutex
	service *awstest.Service
	link    *mqttlink.Link
	beside  map[string]string // the newest message of each plain topic
}

func startAmazon(t *testing.T, r *rig) *amazon {
	t.Helper()
	broker, err := cloud.Start(t.Context(), cloud.Options{Prefix: "deaf"}) // its broker is wanted, not its service
	if err != nil {
		t.Fatal(err)
	}
	r.cloud, r.flavour = broker.URL(), "aws"
	a := &amazon{service: awstest.New("GW-T"), beside: map[string]string{}}
	a.link, err = mqttlink.New(mqttlink.Options{
		Broker: broker.URL(), ClientID: "amazon", Topics: append(a.service.Filters(), "hoistway/things/GW-T/#"),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { _ = a.link.Run(ctx) }) // always nil
	ended.Go(func() { a.listen(ctx) })
	t.Cleanup(func() {
		cancel()
		ended.Wait()
		if err := broker.Close(); err != nil {
			t.Error(err)
		}
		if len(a.service.Odd) > 0 {
			t.Errorf("the public service would not have understood: %q", a.service.Odd)
		}
	})
	return a
}

func (a *amazon) listen(ctx context.Context) {
	for {
		select {
		case e := <-a.link.Events():
			if e.Kind == shadow.LinkMessage {
				a.say(ctx, func() []shadow.Message { return a.take(e.Message) })
			}
		case <-ctx.Done():
			return
		}
	}
}

func (a *amazon) take(m shadow.Message) []shadow.Message {
	if !strings.HasPrefix(m.Topic, "$aws/") {
		a.beside[m.Topic] = string(m.Payload)
		return nil
	}
	return a.service.Take(m, time.Now().Unix())
}

func (a *amazon) say(ctx context.Context, do func() []shadow.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range do() {
		_ = a.link.Publish(ctx, m) // who asked asks again
	}
}

func (a *amazon) reported(name, field string) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.service.Reported(name, field)
}

func (a *amazon) job(id string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.service.Job(id).Status
}

// SH-1, SH-8: the whole agent with a service that knows nothing of ours: it makes its
// documents, follows a wish, answers a job, and tells who is here.
func TestTheAgentWithAWS(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := startAmazon(t, r)
	r.start()
	ctx := t.Context()
	is := func(name, field string, want any) {
		t.Helper()
		r.until(field+" in the cloud", func() bool { return a.reported(name, field) == want }, func() any { return a.reported(name, field) })
	}
	is("L1", "state", "IDLE")
	is("static", "kind", "lift-gateway")
	a.say(ctx, func() []shadow.Message { return a.service.Desire("", `{"wait_timeout":120}`, time.Now().Unix()) })
	is("", "wait_timeout", json.Number("120"))
	a.say(ctx, func() []shadow.Message {
		return a.service.Queue("j1", `{"firmware":{"version":"2.0.0","sha256":"00","sig":"x"}}`, time.Now().Unix())
	})
	r.until("the answer to the job", func() bool { return a.job("j1") == "REJECTED" }, func() any { return a.job("j1") })
	r.until("settled", func() bool { return r.shadow("").Sync == "converged" }, func() any { return r.shadow("") })
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.beside["hoistway/things/GW-T/presence"]; !strings.Contains(p, `"online":true`) {
		t.Errorf("presence %s", p)
	}
	for topic := range a.beside {
		if strings.HasSuffix(topic, "/register") || strings.HasSuffix(topic, "/heartbeat") {
			t.Errorf("%s is no topic of this service", topic)
		}
	}
}
