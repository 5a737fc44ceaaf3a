package fieldbus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// rows cuts rows: "!" begins one that was said unasked, anything else is noise.
func rows(in []byte) Heard {
	i := bytes.IndexByte(in, '\n')
	switch {
	case i < 0:
		return Heard{}
	case in[0] != '!':
		return Heard{Verdict: Skip, N: i + 1, Note: "noise"}
	}
	return Heard{Verdict: Take, N: i + 1}
}

var heardToy = Spec{Network: TCP, Address: "lift:1", Speech: "toy", Cut: rows}

// ear is a user that notes what it overhears and replies to what ends in "?".
type ear struct {
	mu    sync.Mutex
	heard []string
	at    []elevator.Instant
}

func (e *ear) overhear(frame []byte, at elevator.Instant) ([]byte, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	row := strings.TrimSpace(string(frame))
	e.heard, e.at = append(e.heard, row), append(e.at, at)
	if strings.HasSuffix(row, "?") {
		return []byte("ack " + row + "\n"), true
	}
	return nil, !strings.HasSuffix(row, "other")
}

func (e *ear) all() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.heard, ", ")
}

func (f *far) push(t *testing.T, rows string) {
	t.Helper()
	f.mu.Lock()
	c := f.conns[len(f.conns)-1].(io.Writer)
	f.mu.Unlock()
	if _, err := c.Write([]byte(rows)); err != nil {
		t.Error(err)
	}
}

// What comes while nothing is asked is heard at once, in pieces too, and what wants
// a reply gets it at once.
func TestOverheardWhileIdle(t *testing.T) {
	f := newFar()
	f.dead["ack !door 1?"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		e := &ear{}
		p, err := ls.Join(heardToy, Member{Unit: 1, Timeout: 100 * time.Millisecond, Overhear: e.overhear})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		f.push(t, "noise\n!door 1?\n!de")
		time.Sleep(time.Millisecond)
		if got := e.all(); got != "!door 1?" {
			t.Errorf("heard %q", got)
		}
		if got := f.rows("ack"); len(got) != 1 || got[0] != "ack !door 1?" {
			t.Errorf("replied %q", got)
		}
		if e.at[0] != elevator.Instant(time.Second)+1 {
			t.Errorf("dated %d", e.at[0])
		}
		f.push(t, "ck 4\n")
		time.Sleep(time.Millisecond)
		if got := e.all(); got != "!door 1?, !deck 4" {
			t.Errorf("heard %q", got)
		}
		// The begin of a frame whose rest never came is no begin of the next.
		f.push(t, "!half")
		time.Sleep(time.Second)
		f.push(t, "!whole\n")
		time.Sleep(time.Millisecond)
		if got := e.all(); !strings.HasSuffix(got, "!deck 4, !whole") {
			t.Errorf("heard %q", got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Of several lifts on a line each is shown what those before it did not want.
func TestOverheardByTheRightOne(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		one, two := &ear{}, &ear{}
		for i, e := range []*ear{one, two} {
			if _, err := ls.Join(heardToy, Member{Unit: uint8(i), Timeout: time.Second, Overhear: e.overhear}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		f.push(t, "!a\n!b other\n")
		time.Sleep(time.Millisecond)
		if one.all() != "!a, !b other" || two.all() != "!b other" {
			t.Errorf("%q and %q", one.all(), two.all())
		}
		if s := ls.Stats(); len(s) != 1 || s[0].Skipped != 1 || s[0].Users != 2 {
			t.Errorf("%+v", s)
		}
	})
}

// What comes in the middle of a question is no answer to it; the reply to it goes
// after the answer, before the next command.
func TestOverheardDuringAQuestion(t *testing.T) {
	f := newFar()
	f.dead["1 up"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		e := &ear{}
		p, err := ls.Join(heardToy, Member{Unit: 1, Timeout: time.Second, Overhear: e.overhear})
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		both.Go(func() {
			if r := p.Do(context.Background(), press(1, "1 up")); r.Result != elevator.Done {
				t.Errorf("%+v", r)
			}
		})
		time.Sleep(100 * time.Millisecond)
		both.Go(func() { p.Do(context.Background(), press(2, "1 down")) })
		f.push(t, "!bell?\n")
		time.Sleep(100 * time.Millisecond)
		if e.all() != "!bell?" || len(f.rows("ack")) != 0 {
			t.Errorf("heard %q, replied %q in the middle of a question", e.all(), f.rows("ack"))
		}
		f.push(t, "1 up ok\n")
		both.Wait()
		if got := strings.Join(f.rows(""), ", "); got != "1 up, ack !bell?, 1 down" {
			t.Errorf("said %q", got)
		}
	})
}

// A device that never stops speaking has neither the line nor our memory to itself.
func TestOverheardFlood(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		e := &ear{}
		good := 0
		p, err := ls.Join(heardToy, Member{
			Unit: 1, Timeout: 100 * time.Millisecond, Overhear: e.overhear,
			Polls: []Poll{{Every: 200 * time.Millisecond, Fast: true, Ask: func(w *Wire, _ int) error {
				err := say("1 read")(w)
				if err == nil {
					good++
				}
				return err
			}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		var flood sync.WaitGroup
		flood.Go(func() {
			for ctx.Err() == nil {
				f.push(t, "!bell?\n!bell?\n!bell?\n")
				time.Sleep(time.Millisecond)
			}
		})
		time.Sleep(5 * time.Second)
		if r := p.Do(context.Background(), press(1, "1 up")); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		cancel()
		flood.Wait()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if good < 20 {
			t.Errorf("%d reads of 25 due", good)
		}
	})
}

// A line that is only heard notices at once that it broke.
func TestHeardLineBreaks(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		states := make(chan LineState, 8)
		e := &ear{}
		_, err := ls.Join(heardToy, Member{
			Unit: 1, Timeout: time.Second, Overhear: e.overhear,
			Line: func(s LineState, _ error) { states <- s },
		})
		if err != nil {
			t.Fatal(err)
		}
		if s := <-states; s != LineOpen {
			t.Fatalf("state %d", s)
		}
		f.push(t, "!last\n")
		f.conns[0].Close()
		if s := <-states; s != LineBroken {
			t.Errorf("state %d", s)
		}
		if s := <-states; s != LineOpen {
			t.Errorf("state %d", s)
		}
		if e.all() != "!last" {
			t.Errorf("heard %q", e.all())
		}
	})
}

// On wires the silence after a time-out is kept, what is said in it is heard, and
// the late answer is counted.
func TestOverheardInQuarantine(t *testing.T) {
	ports := []*fakePort{{}}
	onPort(t, ports, func(ls *Lines, _ func() int) {
		s, e := wires, &ear{}
		s.Cut = rows
		p, err := ls.Join(s, Member{Unit: 1, Timeout: 100 * time.Millisecond, Overhear: e.overhear})
		if err != nil {
			t.Fatal(err)
		}
		if r := p.Do(context.Background(), press(1, "1 up")); r.Result != elevator.ResultUnknown || !errors.Is(r.Err, drivers.ErrTimeout) {
			t.Errorf("%+v", r)
		}
		time.Sleep(10 * time.Millisecond)
		ports[0].reads <- []byte("1 up ok\n!bell\n")
		time.Sleep(time.Second)
		st := ls.Stats()[0]
		if e.all() != "!bell" || st.Late != 1 || st.LateBy[1] < 10*time.Millisecond || st.Timeouts[1] != 1 {
			t.Errorf("heard %q, counted %+v", e.all(), st)
		}
		if d := st.Diagnosis(1); !strings.Contains(d, "too short") {
			t.Errorf("diagnosis %q", d)
		}
		p.Close()
	})
}

// udp answers as far does, one datagram a row, after saying what is in before.
func udp(t *testing.T, before ...string) *net.UDPConn {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	t.Cleanup(func() { c.Close(); served.Wait() })
	served.Go(func() {
		b := make([]byte, 512)
		for {
			n, from, err := c.ReadFromUDP(b)
			if err != nil {
				return
			}
			for _, x := range before {
				_, _ = c.WriteToUDP([]byte(x), from)
			}
			_, _ = c.WriteToUDP(fmt.Appendf(nil, "%s ok\n", bytes.TrimSpace(b[:n])), from)
		}
	})
	return c
}

func realEnv() drivers.Env {
	start := time.Now()
	return drivers.Env{Now: func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }}
}

// A datagram is one message: one that is cut short is dropped and is no begin of
// the next.
func TestUDP(t *testing.T) {
	c := udp(t, "1 u", "", "p ok\n", "2 up ok\n")
	env := realEnv()
	env.Dial = (&net.Dialer{}).DialContext
	ls := NewLines(env)
	defer ls.CloseAll()
	p, err := ls.Join(Spec{Network: UDP, Address: c.LocalAddr().String(), Speech: "toy"}, Member{Unit: 1, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Do(context.Background(), press(1, "1 up")); r.Result != elevator.Done {
		t.Errorf("%+v", r)
	}
	if s := ls.Stats()[0]; s.Sent != 1 || s.Good != 1 || s.Skipped != 3 {
		t.Errorf("%+v", s)
	}
}

// A gateway that answers to one port only, and from it: the own address is ours to
// choose. What another host sends there is not heard.
func TestUDPOwnAddress(t *testing.T) {
	c := udp(t)
	free, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	own := free.LocalAddr().String()
	free.Close()
	ls, e := NewLines(realEnv()), &ear{}
	defer ls.CloseAll()
	s := Spec{Network: UDP, Address: c.LocalAddr().String(), Speech: "toy", Listen: own, Cut: rows}
	p, err := ls.Join(s, Member{Unit: 1, Timeout: 10 * time.Second, Overhear: e.overhear})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Do(context.Background(), press(1, "1 up")); r.Result != elevator.Done {
		t.Errorf("%+v", r)
	}
	to, _ := net.ResolveUDPAddr("udp4", own)
	if stranger, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2)}, to); err == nil {
		defer stranger.Close()
		_, _ = stranger.Write([]byte("!lie\n"))
	}
	if _, err := c.WriteToUDP([]byte("!one\n"), to); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); e.all() == "" && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if e.all() != "!one" {
		t.Errorf("heard %q", e.all())
	}
}

// A group is joined, and what is said to it is heard.
func TestUDPGroup(t *testing.T) {
	ls, e := NewLines(realEnv()), &ear{}
	defer ls.CloseAll()
	free, err := net.ListenUDP("udp4", &net.UDPAddr{})
	if err != nil {
		t.Fatal(err)
	}
	port := free.LocalAddr().(*net.UDPAddr).Port
	free.Close()
	s := Spec{
		Network: UDP, Address: fmt.Sprintf("239.64.0.1:%d", port), Speech: "toy", Cut: rows,
		Listen: fmt.Sprintf(":%d", port), Group: "239.64.0.1",
	}
	open := make(chan error, 8)
	if _, err := ls.Join(s, Member{Unit: 1, Timeout: time.Second, Overhear: e.overhear, Line: func(_ LineState, err error) {
		select {
		case open <- err:
		default:
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if err := <-open; err != nil {
		if strings.Contains(err.Error(), "no such device") {
			return // a machine without any route for groups says so at the joining
		}
		t.Fatal(err)
	}
	c, err := net.Dial("udp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for end := time.Now().Add(10 * time.Second); e.all() == "" && time.Now().Before(end); {
		_, _ = c.Write([]byte("!one\n"))
		time.Sleep(time.Millisecond)
	}
	if !strings.HasPrefix(e.all(), "!one") {
		t.Errorf("heard %q", e.all())
	}
}

// Nobody listens at the other end: the line says so, and a command whose bytes left
// is unknown.
func TestUDPRefused(t *testing.T) {
	c := udp(t)
	at := c.LocalAddr().String()
	c.Close()
	ls := NewLines(realEnv())
	defer ls.CloseAll()
	p, err := ls.Join(Spec{Network: UDP, Address: at, Speech: "toy"}, Member{Unit: 1, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Do(context.Background(), press(1, "1 up")); r.Result != elevator.ResultUnknown || !errors.Is(r.Err, drivers.ErrLink) {
		t.Errorf("%+v", r)
	}
}

// An own address that cannot be is found before anything is opened.
func TestUDPChecked(t *testing.T) {
	ls := NewLines(realEnv())
	for want, s := range map[string]Spec{
		"for UDP only":       {Network: TCP, Address: "a:1", Listen: ":1"},
		"no multicast group": {Network: UDP, Address: "a:2", Listen: ":1", Group: "10.0.0.1"},
		"own address":        {Network: UDP, Address: "a:3", Listen: "nonsense"},
	} {
		if err := ls.Reserve(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	a := Spec{Network: UDP, Address: "a:4", Listen: ":1", Speech: "toy"}
	b := a
	b.Listen = ":2"
	if err := errors.Join(ls.Reserve(a), ls.Reserve(a)); err != nil {
		t.Error(err)
	}
	if err := ls.Reserve(b); err == nil {
		t.Error("two own addresses on one line")
	}
}
