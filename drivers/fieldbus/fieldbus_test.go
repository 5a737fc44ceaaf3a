package fieldbus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// far is the other end of a line that speaks a toy: a row with a unit and words
// is answered by the same row with "ok" behind it.
type far struct {
	mu    sync.Mutex
	heard []string
	dead  map[string]bool // rows that are not answered
	cut   map[string]bool // rows on which the connection is cut
	dials int
	off   bool
	slow  time.Duration // each answer takes so long
	far   time.Duration // each connection takes so long
	conns []io.Closer
}

func newFar() *far { return &far{dead: map[string]bool{}, cut: map[string]bool{}} }

func (f *far) dial(context.Context, string, string) (net.Conn, error) {
	f.mu.Lock()
	wait := f.far
	f.mu.Unlock()
	time.Sleep(wait)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dials++
	if f.off {
		return nil, errors.New("refused")
	}
	a, b := net.Pipe()
	f.conns = append(f.conns, b)
	go f.serve(b)
	return a, nil
}

func (f *far) serve(c io.ReadWriteCloser) {
	defer c.Close()
	in := bufio.NewScanner(c)
	for in.Scan() {
		row := in.Text()
		f.mu.Lock()
		f.heard = append(f.heard, row)
		dead, cut, slow := f.dead[row], f.cut[row], f.slow
		delete(f.cut, row)
		f.mu.Unlock()
		if cut {
			return
		}
		if dead {
			continue
		}
		time.Sleep(slow)
		if _, err := fmt.Fprintf(c, "%s ok\n", row); err != nil {
			return
		}
	}
}

func (f *far) rows(with string) (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.heard {
		if strings.Contains(r, with) {
			out = append(out, r)
		}
	}
	return out
}

// say asks one row.
func say(row string) func(*Wire) error {
	return func(w *Wire) error {
		_, err := w.Exchange([]byte(row+"\n"), len(row)+4, func(in []byte) Heard {
			i := bytes.IndexByte(in, '\n')
			switch {
			case i < 0:
				return Heard{}
			case string(in[:i]) == row+" ok":
				return Heard{Verdict: Take, N: i + 1}
			}
			return Heard{Verdict: Skip, N: i + 1, Note: "another row"}
		})
		return err
	}
}

// user is one lift on the line.
type user struct {
	*Port
	mu     sync.Mutex
	good   int
	failed int
	states []LineState
}

func (u *user) count() (good, failed int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.good, u.failed
}

var toy = Spec{Network: TCP, Address: "lift:1", Speech: "toy"}

func join(t *testing.T, ls *Lines, s Spec, unit uint8) *user {
	t.Helper()
	u := &user{}
	ask := func(w *Wire, probe int) error {
		row := fmt.Sprintf("%d read", unit)
		if probe > 0 {
			row = fmt.Sprintf("%d probe", unit)
		}
		err := say(row)(w)
		if err == nil && probe == 0 {
			u.mu.Lock()
			u.good++
			u.mu.Unlock()
		}
		return err
	}
	p, err := ls.Join(s, Member{
		Unit: unit, Timeout: 100 * time.Millisecond,
		Polls: []Poll{{Every: 200 * time.Millisecond, Fast: true, Ask: ask, Failed: func(error) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.failed++
		}}},
		Line: func(s LineState, _ error) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.states = append(u.states, s)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	u.Port = p
	return u
}

func press(n uint32, rows ...string) Command {
	c := Command{ID: elevator.CommandID{Ride: "r", N: n}, Class: schedule.Call}
	for i, r := range rows {
		c.Writes = append(c.Writes, Write{Ask: say(r), Owed: i > 0})
	}
	return c
}

// bubble runs a test in virtual time, with lines that reach f.
func bubble(t *testing.T, f *far, test func(t *testing.T, ls *Lines, env drivers.Env)) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		env := drivers.Env{
			Dial: f.dial,
			Now:  func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 },
		}
		ls := NewLines(env)
		defer ls.CloseAll()
		test(t, ls, env)
	})
}

// Two lifts behind one address share one connection, and the last to leave ends it.
func TestLineIsShared(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		a, b := join(t, ls, toy, 1), join(t, ls, toy, 2)
		time.Sleep(time.Second)
		if f.dialled() != 1 || len(f.rows("1 read")) < 4 || len(f.rows("2 read")) < 4 {
			t.Errorf("%d connections, heard %v", f.dialled(), f.rows(""))
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		mid := len(f.rows("1 read"))
		time.Sleep(time.Second)
		if len(f.rows("1 read")) != mid || len(f.rows("2 read")) < 9 {
			t.Errorf("after the first has left: %v", f.rows(""))
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if r := a.Do(context.Background(), press(1, "1 up")); r.Result != elevator.NotSent {
			t.Errorf("a left port gives %v", r)
		}
	})
}

// DR-11: the release of a pulse is the first thing said on the new connection.
func TestDebtIsPaidFirst(t *testing.T) {
	f := newFar()
	f.cut["1 set"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		r := u.Do(context.Background(), press(1, "1 set", "1 release"))
		if r.Result != elevator.ResultUnknown || !errors.Is(r.Err, drivers.ErrLink) {
			t.Errorf("cut after the set: %+v", r)
		}
		next := press(2, "1 up")
		if r := u.Do(context.Background(), next); r.Result != elevator.Done {
			t.Errorf("next command: %+v", r)
		}
		got := strings.Join(f.rows(""), ", ")
		if want := "1 read, 1 set, 1 release, 1 read, 1 up"; !strings.HasPrefix(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
	})
}

// IL-7: what is owed is told while the line is away, to its own lift alone, and who asks
// waits no longer than it wants to.
func TestOwes(t *testing.T) {
	f := newFar()
	f.cut["1 set"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, env drivers.Env) {
		u, other := join(t, ls, toy, 1), join(t, ls, toy, 2)
		c := press(1, "1 set", "1 release")
		c.Verb = elevator.CarCall
		asked := env.Now()
		u.Do(context.Background(), c)
		f.mu.Lock()
		f.off = true
		f.mu.Unlock()
		got, err := u.Owes(context.Background())
		if err != nil || len(got) != 1 || got[0].Command != c.ID || got[0].Verb != c.Verb || got[0].Asked < asked {
			t.Errorf("owed: %+v, %v", got, err)
		}
		if got, err := other.Owes(context.Background()); err != nil || len(got) != 0 {
			t.Errorf("another lift owes %+v, %v", got, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := u.Owes(ctx); !errors.Is(err, drivers.ErrTimeout) {
			t.Errorf("asked by somebody who does not wait: %v", err)
		}
	})
}

// Closing waits for what is owed, but not for ever.
func TestCloseGivesUpOnADeadLine(t *testing.T) {
	f := newFar()
	f.cut["1 set"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		u.Do(context.Background(), press(1, "1 set", "1 release"))
		f.mu.Lock()
		f.off = true
		f.mu.Unlock()
		start := time.Now()
		u.Close()
		if d := time.Since(start); d < time.Second || d > 10*time.Second {
			t.Errorf("closing took %s", d)
		}
		if got := f.rows("release"); len(got) != 0 {
			t.Errorf("heard %v on a dead line", got)
		}
	})
}

// DR-8: two callers with one id get one press and one result.
func TestSameIDFromTwoCallers(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if r := u.Do(context.Background(), press(1, "1 up")); r.Result != elevator.Done {
					t.Errorf("%+v", r)
				}
			})
		}
		wg.Wait()
		if got := f.rows("up"); len(got) != 1 {
			t.Errorf("heard %v", got)
		}
	})
}

// A command that ended with no byte sent may be asked anew.
func TestNotSentMayBeAskedAgain(t *testing.T) {
	f := newFar()
	f.off = true
	bubble(t, f, func(t *testing.T, ls *Lines, env drivers.Env) {
		u := join(t, ls, toy, 1)
		c := press(1, "1 up")
		c.Until = env.Now().Add(time.Second)
		if r := u.Do(context.Background(), c); r.Result != elevator.NotSent {
			t.Errorf("with the line down: %+v", r)
		}
		f.mu.Lock()
		f.off = false
		f.mu.Unlock()
		c.Until = env.Now().Add(10 * time.Second)
		if r := u.Do(context.Background(), c); r.Result != elevator.Done {
			t.Errorf("with the line up: %+v", r)
		}
		if got := f.rows("up"); len(got) != 1 {
			t.Errorf("heard %v", got)
		}
	})
}

// Once bytes have left, ending the context does not end the wait for the truth.
func TestCancelAfterTheFirstByte(t *testing.T) {
	f := newFar()
	f.dead["1 up"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(300 * time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		if r := u.Do(ctx, press(1, "1 up")); r.Result != elevator.ResultUnknown {
			t.Errorf("%+v", r)
		}
	})
}

// A read counts only what was asked after it, and fails at once on a dead line.
func TestReadIsOfNow(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		for range 5 {
			before, _ := u.count()
			if err := u.Read(context.Background()); err != nil {
				t.Error(err)
			}
			if after, _ := u.count(); after <= before {
				t.Errorf("no read happened")
			}
		}
		f.mu.Lock()
		f.off = true
		f.conns[0].Close()
		f.mu.Unlock()
		time.Sleep(time.Second)
		start := time.Now()
		if err := u.Read(context.Background()); !errors.Is(err, drivers.ErrLink) || time.Since(start) > 0 {
			t.Errorf("on a dead line after %s: %v", time.Since(start), err)
		}
	})
}

// A line that breaks ends the reads under way, those of points too that were not
// asked yet.
func TestReadEndsWithTheLine(t *testing.T) {
	f := newFar()
	f.cut["1 a"], f.cut["1 b"] = true, true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		poll := func(row string) Poll {
			return Poll{Every: time.Second, Fast: true, Ask: func(w *Wire, _ int) error { return say(row)(w) }}
		}
		p, err := ls.Join(toy, Member{Unit: 1, Timeout: 100 * time.Millisecond, Polls: []Poll{poll("1 a"), poll("1 b")}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := p.Read(context.Background()); !errors.Is(err, drivers.ErrLink) || time.Since(start) > 0 {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		p.Close()
	})
}

// DR-11: after a time-out a TCP line is closed and dialled anew.
func TestTimeoutClosesTCP(t *testing.T) {
	f := newFar()
	f.dead["1 up"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(300 * time.Millisecond)
		if n := f.dialled(); n != 1 {
			t.Errorf("%d connections before", n)
		}
		u.Do(context.Background(), press(1, "1 up"))
		time.Sleep(time.Second)
		if n := f.dialled(); n != 2 {
			t.Errorf("%d connections after one time-out", n)
		}
		if _, failed := u.count(); failed != 0 {
			t.Errorf("%d reads failed", failed)
		}
	})
}

// DR-11: one silent unit behind a TCP gateway does not cost the others their
// connection; when nobody has answered since the last time-out it is closed.
func TestTimeoutOfOneUnitKeepsTCP(t *testing.T) {
	f := newFar()
	f.dead["2 read"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		one, _ := join(t, ls, toy, 1), join(t, ls, toy, 2)
		time.Sleep(time.Minute)
		if n := f.dialled(); n != 1 {
			t.Errorf("%d connections", n)
		}
		if good, failed := one.count(); good < 290 || failed != 0 {
			t.Errorf("the sound unit: %d good of 300 due, %d failed", good, failed)
		}
		f.mu.Lock()
		f.dead["1 read"] = true
		f.mu.Unlock()
		before := f.dialled()
		time.Sleep(10 * time.Second)
		if n := f.dialled() - before; n < 3 {
			t.Errorf("%d new connections while nobody answers", n)
		}
	})
}

// DR-11: a controller that returns is noticed within two seconds.
func TestReturnsSoon(t *testing.T) {
	for _, away := range []time.Duration{time.Second, 10 * time.Second, 50 * time.Second} {
		f := newFar()
		f.off = true
		bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
			u := join(t, ls, toy, 1)
			time.Sleep(away)
			f.mu.Lock()
			f.off = false
			f.mu.Unlock()
			time.Sleep(2 * time.Second)
			if good, _ := u.count(); good == 0 {
				t.Errorf("not back 2 s after %s away", away)
			}
		})
	}
}

// A unit that is silent on a shared line fails alone. Its time-outs take the
// line, but less and less often.
func TestSilentUnitFailsAlone(t *testing.T) {
	f := newFar()
	f.dead["2 read"], f.dead["2 probe"] = true, true
	s := Spec{Network: Serial, Address: "/dev/x", Mode: drivers.SerialMode{Baud: 9600}, Speech: "toy", Blind: true}
	bubble(t, f, func(t *testing.T, _ *Lines, env drivers.Env) {
		env.OpenSerial = func(string, drivers.SerialMode) (io.ReadWriteCloser, error) {
			a, b := net.Pipe()
			go f.serve(b)
			return a, nil
		}
		ls := NewLines(env)
		defer ls.CloseAll()
		one, two := join(t, ls, s, 1), join(t, ls, s, 2)
		time.Sleep(time.Minute)
		good, failed := one.count()
		if failed != 0 || good < 270 {
			t.Errorf("the sound unit: %d good of 300 due, %d failed", good, failed)
		}
		if good, failed := two.count(); good != 0 || failed < 10 {
			t.Errorf("the silent unit: %d good, %d failed", good, failed)
		}
	})
}

// All users of a line agree on how it is spoken, found before anything is opened.
func TestReserve(t *testing.T) {
	ls := NewLines(drivers.Env{Now: func() elevator.Instant { return 1 }})
	a := Spec{Network: Serial, Address: "/dev/x", Mode: drivers.SerialMode{Baud: 9600, DataBits: 8, Parity: "none", StopBits: 1}, Speech: "toy"}
	b := a
	b.Mode.Baud = 19200
	if err := errors.Join(ls.Reserve(a), ls.Reserve(a)); err != nil {
		t.Error(err)
	}
	err := ls.Reserve(b)
	if err == nil || !strings.Contains(err.Error(), "9600") || !strings.Contains(err.Error(), "19200") {
		t.Errorf("two bauds on one line: %v", err)
	}
	if _, err := ls.Join(b, Member{}); err == nil {
		t.Error("joined with another baud")
	}
}

func TestCloseAll(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		join(t, ls, toy, 2)
		other := toy
		other.Address = "lift:2"
		join(t, ls, other, 1)
		if r := u.Do(context.Background(), press(1, "1 set", "1 release")); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		if err := ls.CloseAll(); err != nil {
			t.Error(err)
		}
		if got := f.rows("release"); len(got) != 1 {
			t.Errorf("paid before closing: %v", got)
		}
		if _, err := ls.Join(toy, Member{}); !errors.Is(err, drivers.ErrClosed) {
			t.Errorf("join after closing: %v", err)
		}
		if err := ls.CloseAll(); err != nil {
			t.Error(err)
		}
	})
}

func (f *far) dialled() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dials
}

// DR-8: the loopback by two names is one line with one owner.
func TestLoopbackIsOneLine(t *testing.T) {
	ls := NewLines(drivers.Env{})
	if err := ls.Reserve(Spec{Network: TCP, Address: "127.0.0.1:502", Speech: "modbus-tcp"}); err != nil {
		t.Fatal(err)
	}
	if err := ls.Reserve(Spec{Network: TCP, Address: "localhost:502", Speech: "modbus-rtu"}); err == nil {
		t.Error("one line is spoken in two ways")
	}
}
