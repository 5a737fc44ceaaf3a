package pubsub

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var floors = elevator.Table{
	{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
	{Label: "2", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}

// clock starts at an instant that is not never.
func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

// bus is a broker in memory with one service behind it, which misbehaves on demand.
type bus struct {
	mu      sync.Mutex
	on      bool
	subs    map[string][]sub
	face    drivertest.Face
	reads   drivertest.Spoil
	writes  drivertest.Spoil
	presses []drivertest.Press
	level   bool
	asked   []string // topics and payloads, in their order
	wg      sync.WaitGroup
}

type sub struct {
	deliver func(drivers.Message)
	up      func(bool)
}

const tooLate = 800 * time.Millisecond

func newBus() *bus {
	return &bus{subs: map[string][]sub{}, reads: drivertest.Sound, writes: drivertest.Sound}
}

func (b *bus) open(context.Context, *url.URL) (drivers.PubSub, error) { return b, nil }
func (b *bus) Close() error                                           { return nil }

func (b *bus) Subscribe(filter string, deliver func(drivers.Message), up func(bool)) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[filter] = append(b.subs[filter], sub{deliver, up})
	n, on := len(b.subs[filter])-1, b.on
	if on {
		go up(true)
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.subs[filter][n] = sub{func(drivers.Message) {}, func(bool) {}}
	}, nil
}

func (b *bus) Power(on bool) {
	b.mu.Lock()
	b.on = on
	var all []func(bool)
	for _, ss := range b.subs {
		for _, s := range ss {
			all = append(all, s.up)
		}
	}
	b.mu.Unlock()
	for _, up := range all {
		up(on)
	}
	if !on {
		b.wg.Wait()
	}
}

// tell delivers a message, as a broker does.
func (b *bus) tell(topic, payload string, retained bool) {
	b.mu.Lock()
	ss := append([]sub(nil), b.subs[topic]...)
	b.mu.Unlock()
	for _, s := range ss {
		s.deliver(drivers.Message{Topic: topic, Payload: []byte(payload), Retained: retained})
	}
}

// Publish is what the service hears. Its answers are written by hand.
func (b *bus) Publish(_ context.Context, topic string, payload []byte, _ bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.on {
		return fmt.Errorf("%w: %w", drivers.ErrNotSent, drivers.ErrLink)
	}
	b.asked = append(b.asked, topic+" "+string(payload))
	var q struct {
		At        json.Number
		Floor     json.RawMessage
		Direction int
	}
	_ = json.Unmarshal(payload, &q) // a bare value is for a topic that nobody listens on
	switch topic {
	case "/t/A/Status/r1":
		f := b.face
		motion := map[elevator.Motion]int{elevator.MovingUp: 1, elevator.MovingDown: 2}[f.Motion]
		b.answer("/t/A/StatusResult/r1", q.At, fmt.Sprintf(`"result":1,"floor":%d,"motion":%d,"doors":[{"open":%v}]`, f.Floor, motion, f.Door == elevator.DoorOpen), b.reads)
	case "/t/A/Call/r1", "/t/A/Output/r1":
		if b.writes == drivertest.Refuse {
			b.answer("/t/A/CallResult/r1", q.At, `"result":2`, drivertest.Sound)
			return nil
		}
		var n int
		fmt.Sscan(strings.Trim(string(q.Floor), `"`), &n)
		if topic == "/t/A/Output/r1" {
			b.level = n != 0
		}
		if n != 0 {
			verb := map[bool]elevator.Verb{true: elevator.LandingCall, false: elevator.CarCall}[topic == "/t/A/Call/r1"]
			b.presses = append(b.presses, drivertest.Press{Verb: verb, Floor: elevator.Floor(n)})
		}
		b.answer("/t/A/CallResult/r1", q.At, `"result":1`, b.writes)
	}
	return nil
}

func (b *bus) answer(topic string, at json.Number, rest string, how drivertest.Spoil) {
	text, wait := fmt.Sprintf(`{"asked":%s,%s}`, at, rest), time.Millisecond
	switch how {
	case drivertest.Silent:
		return
	case drivertest.Late:
		wait = tooLate
	case drivertest.Short:
		text = text[:len(text)/2]
	case drivertest.Garbled:
		text = strings.Map(func(r rune) rune { return r ^ 0x15 }, text)
	case drivertest.Foreign:
		text = fmt.Sprintf(`{"asked":%s1,%s}`, at, rest)
	}
	b.wg.Go(func() {
		time.Sleep(wait)
		b.tell(topic, text, false)
	})
}

func (b *bus) Show(f drivertest.Face) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.face = f
}

func (b *bus) Spoil(how drivertest.Spoil, writes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if writes {
		b.writes = how
	} else {
		b.reads = how
	}
}

func (b *bus) Pressed() []drivertest.Press {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]drivertest.Press(nil), b.presses...)
}

func (b *bus) Level() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.level
}

func made(t *testing.T, env drivers.Env, link, profile string) drivers.Opener {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Factories(env)[0].New(drivers.Spec{Lift: "A", URL: u, ProfileName: "test", Profile: []byte(profile), Floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func bench(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("testdata/bench.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// DR-1: questions and answers, in virtual time.
func TestConformance(t *testing.T) {
	now := clock()
	drivertest.Run(t, drivertest.Harness{
		Virtual: true, Period: 200 * time.Millisecond, Return: 20 * time.Second,
		Now:   func() elevator.Instant { return now() },
		Pulse: elevator.Command{Verb: elevator.CarCall, Floor: 2, Side: elevator.Front},
		Start: func(t *testing.T) (drivertest.Controller, drivers.Opener) {
			now = clock() // each bubble begins its own time
			b := newBus()
			return b, made(t, drivers.Env{Now: now, PubSub: b.open}, "mqtt://broker?site=A", bench(t))
		},
	})
}
