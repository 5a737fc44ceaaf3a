package opcua

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// text is a log in memory.
type text struct {
	mu sync.Mutex
	b  strings.Builder
}

func (t *text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(b)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// opened is a link to a board that is on.
func opened(t *testing.T, env drivers.Env, change func(*drivers.Spec)) (*board, *link) {
	t.Helper()
	b := newBoard("urn:test:" + t.Name())
	b.Power(true)
	s := spec(t, "opc.tcp://"+b.wire.at+"?base=nsu=urn:test:"+t.Name()+";s=Lift1.&timeout=600ms", "testdata/bench.yaml")
	if change != nil {
		change(&s)
	}
	o, err := Factory(env).New(s)
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close()
		b.Power(false)
	})
	return b, l.(*link)
}

func (b *board) shown(t *testing.T, l *link, what string, fits func(elevator.Snapshot) bool) elevator.Snapshot {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s := l.view.Snapshot(); fits(s) {
			return s
		}
	}
	t.Fatalf("not seen: %s; last was %+v", what, l.view.Snapshot())
	return elevator.Snapshot{}
}

func rewritten(old, new string) func(*drivers.Spec) {
	return func(s *drivers.Spec) { s.Profile = []byte(strings.Replace(string(s.Profile), old, new, 1)) }
}

// DR-9, DR-10: a node that the server does not know is said by its key in the profile,
// and the others are read all the same. The namespace is found by its URI.
func TestUnknownNode(t *testing.T) {
	t.Parallel()
	log := &text{}
	b, l := opened(t, drivers.Env{Now: clock(), Log: slog.New(slog.NewTextHandler(log, nil))}, rewritten("node: Motion,", "node: Motoin,"))
	b.Show(drivertest.Face{Floor: 2, Door: elevator.DoorOpen})
	s := b.shown(t, l, "the floor", func(s elevator.Snapshot) bool { return s.Floor.Value == 2 })
	if s.Link != elevator.Online || !s.Motion.Failed || s.Motion.At != 0 {
		t.Errorf("%+v", s)
	}
	_, err := l.Read(context.Background())
	if !errors.Is(err, drivers.ErrConfig) || !strings.Contains(err.Error(), "nodes.motion") || !strings.Contains(err.Error(), "BadNodeIDUnknown") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(log.String(), "Motoin") {
		t.Errorf("nobody is told: %s", log)
	}
}

// DR-10: a value of another type than the profile says is none.
func TestOtherType(t *testing.T) {
	t.Parallel()
	b, l := opened(t, drivers.Env{Now: clock()}, rewritten("node: Floor, type: int16", "node: Floor, type: int32"))
	b.Show(drivertest.Face{Floor: 2, Door: elevator.DoorOpen})
	s := b.shown(t, l, "the door", func(s elevator.Snapshot) bool { return s.Doors[elevator.Front].Value == elevator.DoorOpen })
	if !s.Floor.Failed || s.Floor.Value != 0 {
		t.Errorf("%+v", s.Floor)
	}
}

// DR-9: the server's words for a no, and which of them leave it open.
func TestStatuses(t *testing.T) {
	t.Parallel()
	b, l := opened(t, drivers.Env{Now: clock()}, nil)
	b.shown(t, l, "online", func(s elevator.Snapshot) bool { return s.Link == elevator.Online })
	for i, c := range []struct {
		says   ua.StatusCode
		want   elevator.Result
		code   string
		advice elevator.Advice
	}{
		{ua.StatusBadNotWritable, elevator.Refused, "BadNotWritable", elevator.AdviceWait}, // by the profile
		{ua.StatusBadUserAccessDenied, elevator.Refused, "BadUserAccessDenied", elevator.AdviceConfig},
		{ua.StatusBadOutOfRange, elevator.Refused, "BadOutOfRange", elevator.AdviceConfig},
		{ua.StatusBadInvalidState, elevator.Refused, "BadInvalidState", elevator.AdviceNone},
		{ua.StatusBadTimeout, elevator.ResultUnknown, "BadTimeout", elevator.AdviceNone},
		{ua.StatusBadCommunicationError, elevator.ResultUnknown, "BadCommunicationError", elevator.AdviceNone},
		{ua.StatusUncertain, elevator.ResultUnknown, "Uncertain", elevator.AdviceNone},
		{ua.StatusGoodCompletesAsynchronously, elevator.ResultUnknown, "GoodCompletesAsynchronously", elevator.AdviceNone},
		{0x80FF0000, elevator.Refused, "0x80FF0000", elevator.AdviceNone},
	} {
		b.mu.Lock()
		b.refuses = c.says
		b.mu.Unlock()
		o := l.Do(context.Background(), elevator.Command{
			ID: elevator.CommandID{Ride: "r", N: uint32(i)}, Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Up, Until: l.env.Now().Add(time.Minute),
		})
		if o.Result != c.want || o.Code != c.code || o.Advice != c.advice {
			t.Errorf("%v: %+v", c.says, o)
		}
	}
}

// DR-7: a method, of which this server has none: its no has a code as well.
func TestMethodRefused(t *testing.T) {
	t.Parallel()
	b, l := opened(t, drivers.Env{Now: clock()}, rewritten(
		`up_call: {node: "Landing{floor}.Up", access: write, type: bool, within: 500ms}`,
		`up_call: {method: Call, object: Lift, inputs: [{name: floor, type: int16}, {name: value, type: bool}]}`))
	b.shown(t, l, "online", func(s elevator.Snapshot) bool { return s.Link == elevator.Online })
	o := l.Do(context.Background(), elevator.Command{
		ID: elevator.CommandID{Ride: "r"}, Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Up, Until: l.env.Now().Add(time.Minute),
	})
	if o.Result != elevator.Refused || o.Code != "BadServiceUnsupported" || o.Advice != elevator.AdviceConfig {
		t.Errorf("%+v", o)
	}
}

// A technician's questions.
func TestProbe(t *testing.T) {
	t.Parallel()
	b, l := opened(t, drivers.Env{Now: clock()}, nil)
	b.Show(drivertest.Face{Floor: 3})
	b.shown(t, l, "the floor", func(s elevator.Snapshot) bool { return s.Floor.Value == 3 })
	for _, q := range []string{"floor", "nsu=urn:test:" + t.Name() + ";s=Lift1.Floor"} {
		if p, err := l.Peek(context.Background(), q); err != nil || !strings.HasPrefix(p.Text, "3 (Int16), Good") {
			t.Errorf("%s: %+v, %v", q, p, err)
		}
	}
	if p, err := l.Peek(context.Background(), "ns=0;i=2255"); err != nil || p.Text == "" {
		t.Errorf("%+v, %v", p, err)
	}
	if raw, err := l.Preview("car_call value=2"); err != nil || len(raw) != 1 || len(raw[0]) == 0 {
		t.Errorf("%x, %v", raw, err)
	}
	o := l.Poke(context.Background(), elevator.CommandID{Ride: "tech", N: 1}, "car_call value=2")
	if got := b.Pressed(); o.Result != elevator.Done || len(got) != 1 || got[0].Floor != 2 {
		t.Errorf("%+v, %v", o, got)
	}
	for _, q := range []string{"floor value=1", "car_call", "car_call value", "door value=1"} {
		if o := l.Poke(context.Background(), elevator.CommandID{Ride: "tech", N: 2}, q); o.Result != elevator.Refused {
			t.Errorf("%s: %+v", q, o)
		}
	}
	if plan := l.Plan(); len(plan) != 3 || plan[0].Question != "floor" {
		t.Errorf("%+v", plan)
	}
}

// DR-7: a draft is read and never used for calls.
func TestDraft(t *testing.T) {
	t.Parallel()
	b, l := opened(t, drivers.Env{Now: clock()}, rewritten("maturity: bench", "maturity: draft"))
	b.shown(t, l, "online", func(s elevator.Snapshot) bool { return s.Link == elevator.Online })
	o := l.Do(context.Background(), elevator.Command{Verb: elevator.CarCall, Floor: 2, Until: l.env.Now().Add(time.Minute)})
	if o.Result != elevator.Refused || o.Advice != elevator.AdviceConfig || len(b.Pressed()) != 0 {
		t.Errorf("%+v, %v", o, b.Pressed())
	}
}
