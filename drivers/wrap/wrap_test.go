package wrap

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// inner is a link that keeps what it is asked.
type inner struct {
	mu    sync.Mutex
	errs  []error // of the reads to come
	reads int
	did   []elevator.Command
	snap  elevator.Snapshot
}

func (l *inner) Read(context.Context) (elevator.Snapshot, error) {
	l.reads++
	if len(l.errs) == 0 {
		return l.snap, nil
	}
	err := l.errs[0]
	l.errs = l.errs[1:]
	return l.snap, err
}

func (l *inner) Do(_ context.Context, c elevator.Command) elevator.Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.did = append(l.did, c)
	return elevator.Outcome{ID: c.ID, Result: elevator.ResultUnknown, Code: "0x05"}
}

func (l *inner) done() []elevator.Command {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]elevator.Command(nil), l.did...)
}

func (l *inner) Close() error { return nil }

// pusher is an inner that delivers once and falls silent.
type pusher struct{ inner }

func (p *pusher) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	deliver(p.snap)
	<-ctx.Done()
	return ctx.Err()
}

func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

// A wrapper shows what it holds, and no power that is not within.
func TestUnwrap(t *testing.T) {
	for name, wrap := range map[string]func(drivers.Link) drivers.Link{
		"limit": func(l drivers.Link) drivers.Link { return Limit(l, time.Second, clock()) },
		"log":   func(l drivers.Link) drivers.Link { return Log(l, slog.New(slog.DiscardHandler)) },
		"stale": func(l drivers.Link) drivers.Link { return Stale(l, time.Second, clock()) },
		"retry": func(l drivers.Link) drivers.Link { return Retry(l, 3, time.Second) },
	} {
		plain, push := &inner{}, &pusher{}
		if got, ok := drivers.As[*inner](wrap(plain)); !ok || got != plain {
			t.Errorf("%s hides what it wraps", name)
		}
		if _, ok := drivers.As[drivers.Watcher](wrap(plain)); ok {
			t.Errorf("%s makes a watcher of what is none", name)
		}
		if _, ok := drivers.As[drivers.Watcher](wrap(push)); !ok {
			t.Errorf("%s hides a watcher", name)
		}
		c := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 7}, Verb: elevator.CarCall}
		if o := wrap(plain).Do(t.Context(), c); o.Result != elevator.ResultUnknown || o.Code != "0x05" || len(plain.did) != 1 {
			t.Errorf("%s changes an outcome, or asks again: %+v, %v", name, o, plain.did)
		}
	}
}

// DR-8: calls keep their distance, doors do not wait.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &inner{}
		l := Limit(in, 100*time.Millisecond, clock())
		start := time.Now()
		var wg sync.WaitGroup
		sent := make(chan elevator.Result, 20)
		for n := range 12 {
			wg.Go(func() {
				sent <- l.Do(t.Context(), elevator.Command{ID: elevator.CommandID{N: uint32(n)}, Verb: elevator.LandingCall}).Result
			})
		}
		synctest.Wait()
		l.Do(t.Context(), elevator.Command{Verb: elevator.Hold})
		if did := in.done(); did[len(did)-1].Verb != elevator.Hold || time.Since(start) > 0 {
			t.Errorf("the hold waited: %v", did)
		}
		wg.Wait()
		close(sent)
		not := 0
		for r := range sent {
			if r == elevator.NotSent {
				not++
			}
		}
		if not != 3 || time.Since(start) != 800*time.Millisecond {
			t.Errorf("%d of 12 not sent, the others took %s", not, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		before := len(in.done())
		if o := l.Do(ctx, elevator.Command{Verb: elevator.CarCall}); o.Result != elevator.NotSent || len(in.done()) != before {
			t.Errorf("taken back, and yet %v", o)
		}
	})
}

func TestRetry(t *testing.T) {
	for _, c := range []struct {
		errs  []error
		reads int
		want  error
	}{
		{nil, 1, nil},
		{[]error{drivers.ErrTimeout, drivers.ErrBusy}, 3, nil},
		{[]error{drivers.ErrProtocol, drivers.ErrTimeout, drivers.ErrTimeout, nil}, 3, drivers.ErrTimeout},
		{[]error{drivers.ErrConfig}, 1, drivers.ErrConfig},
		{[]error{drivers.ErrLink}, 1, drivers.ErrLink},
	} {
		synctest.Test(t, func(t *testing.T) {
			in := &inner{errs: c.errs}
			if _, err := Retry(in, 3, time.Second).Read(t.Context()); !errors.Is(err, c.want) || in.reads != c.reads {
				t.Errorf("%v: %d reads, %v", c.errs, in.reads, err)
			}
		})
	}
}

// DR-10: what has grown old is failed in each part, though the link is silent.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := clock()
		in := &pusher{}
		seeAll(reflect.ValueOf(&in.snap).Elem(), now())
		ctx, cancel := context.WithCancel(t.Context())
		var got []elevator.Snapshot
		w, _ := drivers.As[drivers.Watcher](Stale(in, time.Second, now))
		ended := make(chan error, 1)
		go func() { ended <- w.Watch(ctx, func(s elevator.Snapshot) { got = append(got, s) }) }()
		time.Sleep(2500 * time.Millisecond)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if len(got) < 2 || got[0] != in.snap {
			t.Fatalf("%d deliveries", len(got))
		}
		if n := countFailed(reflect.ValueOf(got[len(got)-1])); n != parts {
			t.Errorf("%d of %d parts failed", n, parts)
		}
	})
}

// parts is how many values with an age a snapshot has: six of the car and its
// load, five doors by index, seven alarms, three sets of calls.
const parts = 6 + 5 + 7 + 3

// seeAll dates every part, found by its shape: one that Stale forgets is noticed.
func seeAll(v reflect.Value, at elevator.Instant) {
	for i := range v.NumField() {
		each(v.Field(i), func(part reflect.Value) { part.FieldByName("At").SetInt(int64(at)) })
	}
}

func countFailed(v reflect.Value) (n int) {
	for i := range v.NumField() {
		each(v.Field(i), func(part reflect.Value) {
			if part.FieldByName("Failed").Bool() {
				n++
			}
		})
	}
	return n
}

func each(f reflect.Value, do func(reflect.Value)) {
	switch {
	case f.Kind() == reflect.Array && f.Type().Elem().Kind() == reflect.Struct:
		for i := range f.Len() {
			do(f.Index(i))
		}
	case f.Kind() == reflect.Struct:
		do(f)
	}
}

func TestLog(t *testing.T) {
	var out bytes.Buffer
	in := &pusher{inner: inner{errs: []error{drivers.ErrTimeout}, snap: elevator.Snapshot{Link: elevator.Online}}}
	l := Log(in, slog.New(slog.NewTextHandler(&out, nil)))
	l.Do(t.Context(), elevator.Command{ID: elevator.CommandID{Ride: "r-1", N: 4}, Verb: elevator.CarCall, Reason: "robot aboard"})
	if _, err := l.Read(t.Context()); !errors.Is(err, drivers.ErrTimeout) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w, _ := drivers.As[drivers.Watcher](l)
	_ = w.Watch(ctx, func(elevator.Snapshot) {})
	for _, want := range []string{"r-1/4", "car_call", "robot aboard", "0x05", "no answer in time", "link=online"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, out.String())
		}
	}
}
