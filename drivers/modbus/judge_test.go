package modbus

import (
	"context"
	"encoding/hex"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Words of the bench map's registers 0 to 13, put together from its page: landing,
// motion, doors, mode, alarms, position, load, code, lamps up, down, car, hold.
const (
	idle    = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0000 0000 0000 0000 0000"
	locked  = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0001 0000 0000 0000 0000" // code 1
	busyNow = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0002 0000 0000 0000 0000" // code 2
	doorBad = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0003 0000 0000 0000 0000" // code 3
	odd     = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0021 0000 0000 0000 0000" // code 33
	litDown = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0001 0000 0002 0000 0000" // code 1, lamp down at wire 2
	litCar  = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0001 0000 0000 0002 0000" // code 1, car lamp at wire 2
	litUp   = "0001 0000 0001 0000 0001 0000 0000 0000 0000 0001 0002 0000 0002 0000" // code 1, the lamps of other calls
)

// The two calls at wire 2, as they must come: function 6, register, value.
const (
	writeDown = "06 0001 0002"
	writeCar  = "06 0002 0002"
)

// script is a controller that says one thing to reads before the first write and
// another after it; "" is nothing at all, and what begins with 84 is an exception
// to function 4.
type script struct {
	before, after string
	takes         time.Duration // to answer a write
	works         time.Duration // on the last write; then it says worked
	worked        string

	mu     sync.Mutex
	writes []string // as they came
	wrote  time.Time
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// serve answers by the book: a read of 14 input registers from 0, and the echo of
// a write. The transaction's number is the question's own.
func (s *script) serve(t *testing.T, c io.ReadWriteCloser) {
	defer c.Close()
	q := make([]byte, 12)
	for {
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		body := s.answer(t, q[7:])
		if q[7] == 6 {
			time.Sleep(s.takes)
		}
		if body == nil {
			continue
		}
		f := append([]byte{q[0], q[1], 0, 0, 0, byte(1 + len(body)), 1}, body...)
		if _, err := c.Write(f); err != nil {
			return
		}
	}
}

func (s *script) answer(t *testing.T, q []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q[0] == 6 {
		s.writes, s.wrote = append(s.writes, hex.EncodeToString(q)), time.Now()
		return append([]byte(nil), q...)
	}
	if hex.EncodeToString(q) != "040000000e" {
		t.Errorf("asked %x", q)
	}
	say := s.before
	if len(s.writes) > 0 {
		say = s.after
	}
	if s.works > 0 && len(s.writes) > 0 && time.Since(s.wrote) >= s.works {
		say = s.worked
	}
	switch {
	case say == "":
		return nil
	case strings.HasPrefix(say, "84"):
		return unhex(t, say)
	}
	return append([]byte{4, 28}, unhex(t, say)...)
}

func (s *script) felt() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.writes...)
}

// benchOpener opens links by the bench profile, or by what edit makes of it.
func benchOpener(t *testing.T, env drivers.Env, edit func(string) string) drivers.Opener {
	t.Helper()
	src, _ := profiles.Lookup("bench/modbus-lift")
	u, _ := url.Parse("modbus+tcp://lift")
	o, err := TCP(fieldbus.NewLines(env), env).New(drivers.Spec{URL: u, ProfileName: "bench", Profile: []byte(edit(string(src))), Floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func benchLink(t *testing.T, env drivers.Env, edit func(string) string) *link {
	t.Helper()
	l, err := benchOpener(t, env, edit).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l.(*link)
}

func asItIs(s string) string { return s }

// onlyNew is a controller that does not clear its code when it takes a call.
func onlyNew(s string) string {
	return strings.ReplaceAll(s, "refuses_call: last", "refuses_call: new")
}

func pipe(t *testing.T, s *script) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go s.serve(t, far)
		return near, nil
	}
}

var (
	callDown = elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Down}
	callCar  = elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.CarCall, Floor: 2}
)

// An acknowledged call of which lamp and code say that it was not taken is refused,
// with the code and what the profile makes of it; anything less is done, and it is
// written once in any case.
// RD-3, DR-7, DR-9
func TestAcknowledgedAndRefused(t *testing.T) {
	const textOf1, textOf2 = "call refused, the landing is locked", "busy"
	for name, c := range map[string]struct {
		call          elevator.Command
		before, after string
		edit          func(string) string
		want          elevator.Outcome // Result, Code, Advice, Detail
		write         string
	}{
		"landing call, locked":   {callDown, idle, locked, asItIs, no("1", elevator.AdviceConfig, textOf1), writeDown},
		"landing call, busy":     {callDown, idle, busyNow, asItIs, no("2", elevator.AdviceWait, textOf2), writeDown},
		"car call, locked":       {callCar, idle, locked, asItIs, no("1", elevator.AdviceConfig, textOf1), writeCar},
		"no code":                {callDown, idle, idle, asItIs, done(), writeDown},
		"lamp beside the code":   {callDown, idle, litDown, asItIs, done(), writeDown},
		"car lamp beside it":     {callCar, idle, litCar, asItIs, done(), writeCar},
		"lamps of other calls":   {callDown, idle, litUp, asItIs, no("1", elevator.AdviceConfig, textOf1), writeDown},
		"a code of the door":     {callDown, idle, doorBad, asItIs, done(), writeDown},
		"a code without a name":  {callDown, idle, odd, asItIs, done(), writeDown},
		"retry":                  {callDown, idle, locked, retry, no("1", elevator.AdviceRetry, textOf1), writeDown},
		"of the last, again":     {callDown, locked, locked, asItIs, no("1", elevator.AdviceConfig, textOf1), writeDown},
		"of the last, cleared":   {callDown, locked, idle, asItIs, done(), writeDown},
		"new":                    {callDown, idle, locked, onlyNew, no("1", elevator.AdviceConfig, textOf1), writeDown},
		"stale":                  {callDown, locked, locked, onlyNew, done(), writeDown},
		"another than the stale": {callDown, locked, busyNow, onlyNew, no("2", elevator.AdviceWait, textOf2), writeDown},
		"read refused":           {callDown, idle, "84 04", asItIs, done(), writeDown},
		"read unanswered":        {callDown, idle, "", asItIs, done(), writeDown},
		"not asked for":          {callDown, idle, locked, noJudge, done(), writeDown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{before: c.before, after: c.after}
				env := drivers.Env{Now: clock(), Dial: pipe(t, s)}
				l := benchLink(t, env, c.edit)
				defer l.Close()
				time.Sleep(time.Second)
				call, asked := c.call, env.Now()
				call.Until = asked.Add(3 * time.Second)
				got := l.Do(t.Context(), call)
				took := env.Now().Sub(asked)
				c.want.ID, c.want.At = got.ID, got.At
				if got != c.want || got.ID != call.ID || got.At == 0 {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
				if took > judgeWithin {
					t.Errorf("it took %v", took)
				}
				again := l.Do(t.Context(), call)
				if again.Result != c.want.Result || again.Code != c.want.Code || again.Advice != c.want.Advice {
					t.Errorf("asked again %+v, want %+v", again, c.want)
				}
				if w := s.felt(); len(w) != 1 || w[0] != strings.ReplaceAll(c.write, " ", "") {
					t.Errorf("written %v, want %s once", w, c.write)
				}
			})
		})
	}
}

func no(code string, a elevator.Advice, text string) elevator.Outcome {
	return elevator.Outcome{Result: elevator.Refused, Code: code, Advice: a, Detail: text}
}

func done() elevator.Outcome { return elevator.Outcome{Result: elevator.Done} }

func retry(s string) string { return strings.Replace(s, "1: {advice: config", "1: {advice: retry", 1) }

// noJudge is the profile of a controller of which no code answers calls.
func noJudge(s string) string { return strings.ReplaceAll(s, "refuses_call: last, ", "") }

// A life that ends before the reading comes ends the looking, not the call.
// RD-3
func TestJudgedWithinItsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{before: idle, after: ""}
		env := drivers.Env{Now: clock(), Dial: pipe(t, s)}
		l := benchLink(t, env, asItIs)
		defer l.Close()
		time.Sleep(time.Second)
		call, asked := callDown, env.Now()
		call.Until = asked.Add(300 * time.Millisecond)
		if o := l.Do(t.Context(), call); o.Result != elevator.Done || env.Now().Sub(asked) > 300*time.Millisecond {
			t.Errorf("%+v after %v", o, env.Now().Sub(asked))
		}
		if w := s.felt(); len(w) != 1 {
			t.Errorf("written %v", w)
		}
	})
}

// A controller acknowledges at once and works on the call a moment later: until then
// lamp and code are those of before. A code that stood there already, or may have, is
// no answer before it has had time to go.
// RD-3
func TestCodeOfBefore(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		first  bool // another call just before, so that nobody knows what code it left
		worked string
		want   elevator.Result
	}{
		"taken, after a refused one":      {locked, false, litDown, elevator.Done},
		"refused again":                   {locked, false, locked, elevator.Refused},
		"refused for another reason":      {locked, false, busyNow, elevator.Refused},
		"taken, hard upon another call":   {idle, true, litDown, elevator.Done},
		"refused, hard upon another call": {idle, true, locked, elevator.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{before: c.before, after: locked, works: 400 * time.Millisecond, worked: c.worked}
				env := drivers.Env{Now: clock(), Dial: pipe(t, s)}
				l := benchLink(t, env, asItIs)
				defer l.Close()
				time.Sleep(time.Second)
				writes := 1
				if c.first {
					first := callCar
					first.ID.N, first.Until = 7, env.Now().Add(3*time.Second)
					go l.Do(t.Context(), first)
					synctest.Wait()
					writes++
				}
				call, asked := callDown, env.Now()
				call.Until = asked.Add(3 * time.Second)
				o := l.Do(t.Context(), call)
				if took := env.Now().Sub(asked); o.Result != c.want || took > judgeWithin || o.At.Sub(asked) > 100*time.Millisecond {
					t.Errorf("%+v after %v, want %v", o, took, c.want)
				}
				if w := s.felt(); len(w) != writes {
					t.Errorf("written %v", w)
				}
			})
		})
	}
}

// Of two calls at once neither is refused by what may be the other's code.
// RD-3
func TestTwoCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{before: idle, after: locked, takes: 50 * time.Millisecond} // the second waits while the first is written
		env := drivers.Env{Now: clock(), Dial: pipe(t, s)}
		l := benchLink(t, env, onlyNew)
		defer l.Close()
		time.Sleep(time.Second)
		var both sync.WaitGroup
		outs := make([]elevator.Outcome, 2)
		for i, call := range []elevator.Command{callDown, callCar} {
			call.ID.N = uint32(i + 1)
			call.Until = env.Now().Add(3 * time.Second)
			both.Go(func() { outs[i] = l.Do(t.Context(), call) })
		}
		both.Wait()
		if len(s.felt()) != 2 || outs[0].Result != elevator.Done || outs[1].Result != elevator.Done {
			t.Errorf("%d writes, %+v", len(s.felt()), outs)
		}
	})
}

// An id that is asked again while its call is looked after waits for the same answer.
// RD-3, DR-9
func TestAskedAgainWhileJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{before: locked, after: locked} // so that it takes a second to tell
		env := drivers.Env{Now: clock(), Dial: pipe(t, s)}
		l := benchLink(t, env, asItIs)
		defer l.Close()
		time.Sleep(time.Second)
		call := callDown
		call.Until = env.Now().Add(3 * time.Second)
		var both sync.WaitGroup
		outs := make([]elevator.Outcome, 2)
		for i := range outs {
			both.Go(func() {
				time.Sleep(time.Duration(i) * 500 * time.Millisecond)
				outs[i] = l.Do(t.Context(), call)
			})
		}
		both.Wait()
		if o := outs[1]; outs[0].Result != elevator.Refused || o.Result != elevator.Refused || o.Code != outs[0].Code || len(s.felt()) != 1 {
			t.Errorf("%d writes, %+v", len(s.felt()), outs)
		}
	})
}

// DR-1: the suite, with a profile that looks after each call.
func TestConformanceJudged(t *testing.T) {
	h := harness(true, func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		k := newSocket(newSlave(), false)
		env.Dial = k.dial
		return k, benchOpener(t, env, asItIs)
	})
	h.Pulse, h.Debts = elevator.Command{}, false // this map has none
	drivertest.Run(t, h)
}
