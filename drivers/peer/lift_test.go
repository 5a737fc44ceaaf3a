package peer

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/peer/wire"
	"hoistway/fsm/elevator"
)

var standing = drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen}

// bench is a link to a far end in a bubble.
type bench struct {
	*testing.T
	far  *far
	link drivers.Link
	now  func() elevator.Instant
}

func inBubble(t *testing.T, play func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f, now := newFar(), clock()
		f.Show(standing)
		f.Power(true)
		o, err := opening(t, drivers.Env{Now: now, Dial: f.dial}, "hoistway+http://localhost:8732?timeout=2s")
		if err != nil {
			t.Fatal(err)
		}
		l, err := o.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Power(false)
		defer func() { _ = l.Close() }()
		play(&bench{t, f, l, now})
	})
}

func (b *bench) read() elevator.Snapshot {
	b.Helper()
	s, err := b.link.Read(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// DR-10, IL-3: each part of a lift with its own age, judged no better than over there.
func TestReading(t *testing.T) {
	const asked = elevator.Instant(10 * time.Second)
	var l wire.Lift
	text := liftText("L7", standing, true, 300)
	text = strings.Replace(text, `"mode":{"value":"normal","age_ms":300,"quality":"good"}`, `"mode":{"value":"fire","age_ms":9000,"quality":"failed"}`, 1)
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	var s elevator.Snapshot
	r := reading{asked, table}
	r.snapshot(&l, &s)
	at := asked - elevator.Instant(301*time.Millisecond) // a millisecond may have been rounded away
	want := elevator.Snapshot{
		Floor:     elevator.Seen[elevator.Floor]{Value: 1, At: at, Source: elevator.Controller},
		Motion:    elevator.Seen[elevator.Motion]{Value: elevator.Stopped, At: at, Source: elevator.Controller},
		Mode:      elevator.Seen[elevator.Mode]{Value: elevator.Fire, At: asked - elevator.Instant(9001*time.Millisecond), Source: elevator.Controller, Failed: true},
		Position:  elevator.Seen[int32]{Value: 4100, At: at, Source: elevator.Controller},
		Overload:  elevator.Seen[elevator.Tri]{Value: elevator.No, At: at, Source: elevator.Controller},
		Nudging:   elevator.Seen[elevator.Tri]{Value: elevator.Yes, At: at, Source: elevator.Controller},
		UpCalls:   elevator.Seen[elevator.FloorSet]{Value: 0b101, At: at, Source: elevator.Controller},
		DownCalls: elevator.Seen[elevator.FloorSet]{At: at, Source: elevator.Controller},
		CarCalls:  elevator.Seen[elevator.FloorSet]{At: at, Source: elevator.Controller}, // the roof is not in the table
		Vendor:    elevator.Seen[int32]{At: at, Source: elevator.Controller},
		// Read, and yet not known: null with an age.
		Obstruction: elevator.Seen[elevator.Tri]{At: at, Source: elevator.Controller},
	}
	want.Doors[elevator.Front] = elevator.Seen[elevator.Door]{Value: elevator.DoorOpen, At: at, Source: elevator.Controller}
	if s != want {
		t.Errorf("read as\n%+v, want\n%+v", s, want)
	}
	if got := r.strange(&wire.Lift{Floors: []wire.Landing{{Label: "G"}, {Label: "roof"}}}); !slices.Equal(got, []string{"roof"}) {
		t.Errorf("floors that are not in the table: %v", got)
	}
}

// IL-3: words, ages and qualities that are no such thing make nothing known or fresh.
func TestReadingNonsense(t *testing.T) {
	const asked = elevator.Instant(10 * time.Second)
	r := reading{asked, table}
	ms := func(n int64) *int64 { return &n }
	word := func(s string) *string { return &s }
	for what, v := range map[string]wire.Value[string]{
		"a negative age":       {Value: word("open"), AgeMs: ms(-1), Quality: "good"},
		"no age":               {Value: word("open"), Quality: "good"},
		"an unknown quality":   {Value: word("open"), AgeMs: ms(0), Quality: "splendid"},
		"failed over there":    {Value: word("open"), AgeMs: ms(0), Quality: "failed"},
		"an age of many years": {Value: word("open"), AgeMs: ms(1 << 62), Quality: "good"},
		"a word of nobody":     {Value: word("ajar"), AgeMs: ms(0), Quality: "good"},
	} {
		if got := seen(r, v, elevator.ParseDoor); got.Value == elevator.DoorOpen && got.Fresh(asked, time.Second) {
			t.Errorf("%s: a fresh open door: %+v", what, got)
		}
	}
	if got := before(elevator.Instant(time.Millisecond), 0); got != -1 {
		t.Errorf("a value from the very start is dated %d, which is never or to come", got)
	}
	if got := seen(r, wire.Value[string]{Quality: "unknown"}, elevator.ParseDoor); got != (elevator.Seen[elevator.Door]{}) {
		t.Errorf("what was never read is %+v", got)
	}
}

// DR-11: a gateway that does not reach its lift does not make it reached.
func TestLiftOfflineOverThere(t *testing.T) {
	inBubble(t, func(b *bench) {
		if s := b.read(); s.Link != elevator.Online {
			t.Fatalf("%+v", s)
		}
		b.far.change(func() { b.far.online = false })
		s := b.read()
		if s.Link != elevator.Offline || !s.Door(elevator.Front).Failed || !s.Floor.Failed || s.Floor.Value != 1 {
			t.Errorf("%+v", s)
		}
		b.far.change(func() { b.far.online = true })
		if s = b.read(); s.Link != elevator.Online || s.Floor.Failed {
			t.Errorf("%+v", s)
		}
	})
}

// DR-11: a gateway that takes connections and answers nothing is offline after 5 s.
func TestSilentGateway(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.read()
		b.far.Spoil(drivertest.Silent, false)
		for _, c := range []struct {
			wait time.Duration
			want elevator.LinkState
		}{{4 * time.Second, elevator.Online}, {2 * time.Second, elevator.Offline}} {
			time.Sleep(c.wait)
			if s := b.link.(*link).view.Snapshot(); s.Link != c.want || !s.Floor.Failed {
				t.Errorf("%v, want %v: %+v", s.Link, c.want, s)
			}
		}
	})
}

// A gateway behind a wall that swallows everything: each question ends in its time, the
// link is offline, and nothing is left of it once it is closed.
func TestSwallowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := clock()
		var dials, live atomic.Int32
		o, err := opening(t, drivers.Env{Now: now, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			dials.Add(1)
			live.Add(1)
			defer live.Add(-1)
			<-ctx.Done()
			return nil, ctx.Err()
		}}, "hoistway+http://127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		l, err := o.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second)
		asked := now()
		s, err := l.Read(context.Background())
		if !errors.Is(err, drivers.ErrTimeout) || !errors.Is(err, drivers.ErrNotSent) || s.Link != elevator.Offline || now().Sub(asked) > 5*time.Second {
			t.Errorf("%v after %v: %v", s.Link, now().Sub(asked), err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if dials.Load() == 0 || live.Load() != 0 {
			t.Errorf("%d dials, of which %d go on after closing", dials.Load(), live.Load())
		}
	})
}

// DR-10: a gateway that answers, about a lift that it heard long ago: online, not fresh.
func TestAgesAreKept(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.far.change(func() { b.far.age = 4000 })
		s := b.read()
		if s.Floor.Fresh(b.now(), 3*time.Second) || !s.Floor.Fresh(b.now(), 5*time.Second) {
			t.Errorf("dated %v before now", b.now().Sub(s.Floor.At))
		}
	})
}

// An event is a reason to ask at once: a change is here long before the next poll, and
// its text, which says nothing true, is never a value.
func TestEventsHurry(t *testing.T) {
	inBubble(t, func(b *bench) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		news := make(chan elevator.Snapshot, 4096)
		w, _ := drivers.As[drivers.Watcher](b.link)
		ended := make(chan error, 1)
		go func() { ended <- w.Watch(ctx, func(s elevator.Snapshot) { news <- s }) }()
		defer func() { stop(); <-ended }()
		time.Sleep(time.Second + 70*time.Millisecond) // right after a poll
		moved := drivertest.Face{Floor: 3, Motion: elevator.MovingUp, Door: elevator.DoorClosed}
		began := b.now()
		b.far.Show(moved)
		for {
			if s := <-news; s.Floor.Value == 3 {
				if took := b.now().Sub(began); took > 100*time.Millisecond {
					t.Errorf("seen after %v", took)
				}
				return
			}
		}
	})
}

// A stream that breaks is resumed; one that is silent for too long is opened anew.
func TestStreamResumes(t *testing.T) {
	inBubble(t, func(b *bench) {
		time.Sleep(time.Second)
		b.far.Show(standing)
		time.Sleep(time.Second)
		b.far.Power(false)
		b.far.Power(true)
		time.Sleep(10 * time.Second)
		var ids []string
		b.far.mu.Lock()
		for i, a := range b.far.asks {
			if a == "GET /v1/events?lift=L7" {
				ids = append(ids, b.far.heads[i].Get("Last-Event-ID"))
			}
		}
		b.far.mu.Unlock()
		if len(ids) != 2 || ids[0] != "" || ids[1] != "boot-2" {
			t.Errorf("streams were opened with %q", ids)
		}
	})
}

// A stream on which only signs of life come is kept.
func TestQuietStream(t *testing.T) {
	inBubble(t, func(b *bench) {
		time.Sleep(2 * time.Minute)
		if n := b.streams(); n != 1 {
			t.Errorf("%d streams in two minutes", n)
		}
	})
}

func (b *bench) streams() (n int) {
	for _, a := range b.far.asked() {
		if strings.HasPrefix(a, "GET /v1/events") {
			n++
		}
	}
	return n
}

// Whoever holds a stream open and says nothing is left after a while.
func TestSilentStream(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.far.change(func() { b.far.mute = true })
		time.Sleep(time.Minute)
		if n := b.streams(); n < 3 || n > 4 {
			t.Errorf("%d streams in a minute of silence", n)
		}
	})
}

// A gateway is not asked more often than it takes: a no that stays is asked for every
// few seconds, since each wrong token costs it time.
func TestRefusedIsNotHammered(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.far.change(func() { b.far.denied = true })
		time.Sleep(time.Second)
		before := len(b.far.asked())
		time.Sleep(time.Minute)
		if n := len(b.far.asked()) - before; n > 30 {
			t.Errorf("asked %d times in a minute", n)
		}
		_, err := b.link.Read(context.Background())
		var no *drivers.RideRefusal
		if !asRefusal(err, &no) || no.Code != "E-2003" || no.Kind != drivers.ErrConfig {
			t.Errorf("%v", err)
		}
		b.far.change(func() { b.far.denied = false })
		time.Sleep(15 * time.Second)
		if s := b.read(); s.Link != elevator.Online {
			t.Errorf("%+v", s)
		}
	})
}
