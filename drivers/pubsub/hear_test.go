package pubsub

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// pushed is a lift that tells by itself: bare values, and documents with their time.
const pushed = `
id: test/pushed
title: tells by itself
maturity: bench
protocol: pubsub
ride: {style: car-only, confirm: ack}
topics:
  silent: 5s
  messages:
    floor: {subscribe: lift/floor}
    car: {subscribe: lift/car, where: {kind: [car]}, partial: true, time: {at: ts, as: milliseconds}}
    press: {publish: lift/press, value: $floor}
points:
  floor: {from: floor}
  motion: {from: car.motion, enum: {up: up, down: down, idle: stopped}}
  overload: {from: car.load}
commands:
  car_call: {send: [{message: press, with: {floor: $wire}}]}
`

// playing is a link to a bus that is on, in a bubble.
func playing(t *testing.T, profile, at string, play func(b *bus, l *link)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, now := newBus(), clock()
		time.Sleep(time.Minute) // so that the beginning of the program is long ago
		o := made(t, drivers.Env{Now: now, PubSub: b.open}, at, profile)
		x, err := o.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b.Power(true)
		synctest.Wait()
		play(b, x.(*link))
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		b.Power(false)
	})
}

// WH-5, DR-10: what comes is dated by when it came or by its own time, whichever is
// older; what the broker had kept is old.
func TestDatesOfWhatComes(t *testing.T) {
	playing(t, pushed, "mqtt://broker", func(b *bus, l *link) {
		b.tell("lift/floor", "2", true)
		s := l.view.Snapshot()
		if s.Floor.Value != 2 || s.Floor.At != 1 || s.Link == elevator.Online {
			t.Errorf("kept: %+v, link %s", s.Floor, s.Link)
		}
		b.tell("lift/floor", "3", false)
		now := l.env.Now()
		if s = l.view.Snapshot(); s.Floor.Value != 3 || s.Floor.At != now || s.Link != elevator.Online {
			t.Errorf("%+v", s)
		}
		at := func(d time.Duration) int64 { return time.Now().Add(d).UnixMilli() }
		b.tell("lift/car", fmt.Sprintf(`{"kind":"car","ts":%d,"motion":"up"}`, at(-2*time.Second)), true)
		if s = l.view.Snapshot(); s.Motion.Value != elevator.MovingUp || now.Sub(s.Motion.At) < 1999*time.Millisecond || now.Sub(s.Motion.At) > 2*time.Second {
			t.Errorf("its own time: %+v at %d", s.Motion, now)
		}
		b.tell("lift/car", fmt.Sprintf(`{"kind":"car","ts":%d,"motion":"down"}`, at(-3*time.Second)), false)
		if s = l.view.Snapshot(); s.Motion.Value != elevator.MovingUp {
			t.Errorf("an older one counts: %+v", s.Motion)
		}
		b.tell("lift/car", fmt.Sprintf(`{"kind":"car","ts":%d,"load":true}`, at(time.Hour)), false)
		if s = l.view.Snapshot(); s.Overload.At != now || s.Motion.Failed {
			t.Errorf("a time to come: %+v, and what it does not say: %+v", s.Overload, s.Motion)
		}
		b.tell("lift/car", fmt.Sprintf(`{"kind":"car","ts":%d,"motion":"down"}`, at(4*time.Second)), false)
		b.tell("lift/car", fmt.Sprintf(`{"kind":"car","ts":%d,"load":false}`, at(time.Second)), false)
		if s = l.view.Snapshot(); s.Motion.At != now || s.Overload.Value != elevator.Yes {
			t.Errorf("its clock is four seconds ahead: %+v, and this was three under way: %+v", s.Motion, s.Overload)
		}
	})
}

// DR-11: what cannot be read makes its source failed, and no other; another kind of
// document on the topic is none of ours.
func TestGarbageThatComes(t *testing.T) {
	playing(t, pushed, "mqtt://broker", func(b *bus, l *link) {
		for topic, bad := range map[string]string{"lift/floor": "2 3", "lift/car": `{"kind":"car","motion":"up"}`} {
			b.tell("lift/floor", "2", false)
			b.tell("lift/car", fmt.Sprintf(`{"kind":"car","ts":%d,"motion":"idle"}`, time.Now().UnixMilli()), false)
			b.tell("lift/car", `{"kind":"door"}`, false)
			before := l.view.Snapshot()
			if before.Floor.Failed || before.Motion.Failed || before.Motion.Value != elevator.Stopped {
				t.Fatalf("%+v", before)
			}
			b.tell(topic, bad, false)
			s := l.view.Snapshot()
			if s.Floor.Failed != (topic == "lift/floor") || s.Motion.Failed != (topic == "lift/car") || s.Floor.Value != 2 {
				t.Errorf("%s %s: %+v", topic, bad, s)
			}
		}
		b.tell("lift/floor", strings.Repeat(" ", mostWords)+"2", false)
		b.tell("lift/floor", strings.Repeat("[", 200), false)
		if s := l.view.Snapshot(); !s.Floor.Failed {
			t.Errorf("%+v", s.Floor)
		}
	})
}

// DR-11: silence is the end; a lost broker fails what is known at once.
func TestSilence(t *testing.T) {
	playing(t, pushed, "mqtt://broker", func(b *bus, l *link) {
		b.tell("lift/floor", "2", false)
		time.Sleep(4900 * time.Millisecond)
		if s := l.view.Snapshot(); s.Link != elevator.Online || s.Floor.Failed {
			t.Errorf("%+v", s)
		}
		b.Power(false)
		if s := l.view.Snapshot(); s.Link != elevator.Online || !s.Floor.Failed {
			t.Errorf("without a broker: %+v", s)
		}
		time.Sleep(200 * time.Millisecond)
		if s := l.view.Snapshot(); s.Link != elevator.Offline {
			t.Errorf("%+v", s)
		}
		b.Power(true)
		b.tell("lift/floor", "1", false)
		if s := l.view.Snapshot(); s.Link != elevator.Online || s.Floor.Value != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// A lift that tells nothing to strangers is there while its broker is; what is known of
// the car is not made of it.
func TestOnlineByBroker(t *testing.T) {
	profile := strings.Replace(pushed, "silent: 5s", "silent: 5s\n  online: broker", 1)
	playing(t, profile, "mqtt://broker", func(b *bus, l *link) {
		time.Sleep(time.Minute)
		if s := l.view.Snapshot(); s.Link != elevator.Online || s.Floor.At != 0 {
			t.Errorf("%+v", s)
		}
		b.Power(false)
		time.Sleep(6 * time.Second)
		if s := l.view.Snapshot(); s.Link != elevator.Offline {
			t.Errorf("%+v", s)
		}
	})
}

// A command that is never answered is unknown although the broker has it, and is said
// once; a bare value is what is published.
func TestNeverAnswered(t *testing.T) {
	playing(t, pushed, "mqtt://broker", func(b *bus, l *link) {
		c := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.CarCall, Floor: 2, Until: l.env.Now().Add(time.Minute)}
		for range 2 {
			if o := l.Do(context.Background(), c); o.Result != elevator.ResultUnknown {
				t.Errorf("%+v", o)
			}
		}
		if got := strings.Join(b.asked, "; "); got != "lift/press 2" {
			t.Errorf("said %s", got)
		}
	})
}

// An answer that the broker had kept is none.
func TestKeptAnswer(t *testing.T) {
	playing(t, bench(t), "mqtt://broker?site=A", func(b *bus, l *link) {
		b.mu.Lock()
		b.reads = "silent"
		b.mu.Unlock()
		done := make(chan error)
		go func() {
			_, err := l.ask(context.Background(), l.api.Topic("status"), nil)
			done <- err
		}()
		synctest.Wait()
		b.mu.Lock()
		last := b.asked[len(b.asked)-1]
		b.mu.Unlock()
		_, at, _ := strings.Cut(last, `"at":`)
		b.tell("/t/A/StatusResult/r1", `{"asked":`+strings.TrimSuffix(at, "}")+`,"result":1,"floor":2}`, true)
		if err := <-done; !errors.Is(err, drivers.ErrTimeout) {
			t.Errorf("%v", err)
		}
	})
}

func TestTargets(t *testing.T) {
	for link, want := range map[string]string{
		"mqtt://broker":                          "site is missing: the building",
		"mqtt://?site=A":                         "no host",
		"mqtt://broker/x?site=A":                 "only host and port",
		"mqtt://a:b@broker?site=A":               "password_file",
		"mqtt://broker?site=A&sight=B":           "sight: not known",
		"mqtt://broker?site=A&ca=x":              "for mqtts",
		"mqtts://broker?site=A&cert=x":           "come together",
		"mqtts://broker?site=A&password_file=x":  "belongs to a user",
		"mqtt://b?site=A&user=u&password_file=x": "over mqtts only",
		"mqtt://broker?site=A%2F%23":             "no part of a topic",
		"mqtt://broker?site=":                    "no part of a topic",
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		_, err = newOpener(drivers.Env{Now: clock()}, drivers.Spec{Lift: "A", URL: u, Profile: []byte(bench(t)), Floors: floors}, &drivers.Shelf[*profiles.Profile]{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", link, err)
		}
	}
}

// A technician's questions.
func TestProbe(t *testing.T) {
	playing(t, bench(t), "mqtt://broker?site=A", func(b *bus, l *link) {
		if p, err := l.Peek(context.Background(), "status"); err != nil || !strings.Contains(p.Text, "floor:0") {
			t.Errorf("%+v, %v", p, err)
		}
		if _, err := l.Peek(context.Background(), "call"); !errors.Is(err, drivers.ErrConfig) {
			t.Errorf("%v", err)
		}
		raw, err := l.Preview(`call floor="3" direction=1`)
		if err != nil || string(raw[0]) != "/t/A/Call/r1" || !strings.Contains(string(raw[1]), `"direction":1,"floor":"3"`) {
			t.Errorf("%s, %v", raw, err)
		}
		if n := len(b.Pressed()); n != 0 {
			t.Errorf("%d presses by looking", n)
		}
		if o := l.Poke(context.Background(), elevator.CommandID{Ride: "t"}, `call floor=3 direction=1`); o.Result != elevator.Done || len(b.Pressed()) != 1 {
			t.Errorf("%+v", o)
		}
		if o := l.Poke(context.Background(), elevator.CommandID{Ride: "t", N: 1}, `call floor=3`); o.Result != elevator.Refused {
			t.Errorf("%+v", o)
		}
	})
}

// Whatever a broker brings, nothing but a value that the profile names becomes one.
func FuzzHear(f *testing.F) {
	for _, s := range []string{"2", `"2"`, `{"kind":"car","ts":1,"motion":"up"}`, `{"kind":"car","ts":1e400}`, "[[[", `{"a":` + strings.Repeat("[", 70)} {
		f.Add([]byte(s), true, false)
	}
	o := func() *link {
		u, _ := url.Parse("mqtt://broker")
		x, err := newOpener(drivers.Env{Now: clock(), PubSub: newBus().open}, drivers.Spec{URL: u, Profile: []byte(pushed), Floors: floors}, &drivers.Shelf[*profiles.Profile]{})
		if err != nil {
			f.Fatal(err)
		}
		l, err := x.Open(context.Background())
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { _ = l.Close() })
		return l.(*link)
	}()
	f.Fuzz(func(t *testing.T, b []byte, car, kept bool) {
		m := o.api.Topic(map[bool]string{true: "car", false: "floor"}[car])
		o.hear(m, drivers.Message{Topic: "t", Payload: b, Retained: kept})
		if s := o.view.Snapshot(); int(s.Floor.Value) > len(floors) || s.Motion.Value > elevator.MovingDown || s.Motion.At > o.env.Now() {
			t.Errorf("%+v", s)
		}
	})
}
