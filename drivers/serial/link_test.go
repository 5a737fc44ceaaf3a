package serial

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// bench is a link to a board on a cable in a bubble.
type bench struct {
	*testing.T
	board *cabled
	link  drivers.Link
	now   func() elevator.Instant
	n     uint32
}

func onBench(t *testing.T, play func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, board: &cabled{board: newBoard(false)}, now: clock()}
		b.board.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorClosed})
		b.board.Power(true)
		env := drivers.Env{Now: b.now, OpenSerial: b.board.open}
		link, err := open(t, env, "serial:///dev/ttyS9?baud=19200", "blind").Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b.link = link
		defer b.board.Power(false)
		defer link.Close()
		time.Sleep(3 * time.Second)
		play(b)
	})
}

func (b *bench) do(c elevator.Command) elevator.Outcome {
	b.n++
	c.ID, c.Until = elevator.CommandID{Ride: "bench", N: b.n}, b.now().Add(time.Minute)
	return b.link.Do(context.Background(), c)
}

func (b *bench) snapshot() elevator.Snapshot {
	return b.link.(*link).view.Snapshot()
}

func (b *bench) count(payload string) (n int) {
	for _, h := range b.board.Heard() {
		if h == payload {
			n++
		}
	}
	return n
}

var upAt2 = elevator.Command{Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Up, Side: elevator.Front}

// DR-9: a no is refused with the code as it came, its meaning and its advice; busy
// is for now, and tells what it says of the lift.
func TestRefusals(t *testing.T) {
	onBench(t, func(b *bench) {
		b.board.Spoil(drivertest.Refuse, true)
		for _, c := range []struct {
			says, code, detail string
			advice             elevator.Advice
		}{
			{"N07", "7", "no such landing", elevator.AdviceConfig},
			{"N08", "8", "door fault", elevator.AdviceWait},
			{"N55", "55", "the controller says no", elevator.AdviceNone},
			{"W093", "9", "busy", elevator.AdviceRetry},
		} {
			b.board.board.mu.Lock()
			b.board.no = c.says
			b.board.board.mu.Unlock()
			o := b.do(upAt2)
			if o.Result != elevator.Refused || o.Code != c.code || o.Advice != c.advice || !strings.Contains(o.Detail, c.detail) {
				b.Errorf("%s: %+v", c.says, o)
			}
		}
		if f := b.snapshot().Floor; f.Value != 3 {
			b.Errorf("busy told landing 3, known is %v", f)
		}
		if n := len(b.board.Pressed()); n != 0 {
			b.Errorf("%d presses", n)
		}
	})
}

// DR-8: what the controller never answers is unknown, is said once, and does not
// count against the line.
func TestUnanswered(t *testing.T) {
	onBench(t, func(b *bench) {
		o := b.do(elevator.Command{Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Down, Side: elevator.Front})
		time.Sleep(3 * time.Second)
		if o.Result != elevator.ResultUnknown || b.count("1B") != 1 || o.Detail == "" {
			b.Errorf("%+v, said %d times", o, b.count("1B"))
		}
		if s := b.snapshot(); s.Link != elevator.Online || s.Floor.Failed || s.Floor.At < o.At {
			b.Errorf("the line suffers: %+v", s)
		}
	})
}

// DR-8: done is what the device has cleared; where it never does, unknown.
func TestUntil(t *testing.T) {
	hold := elevator.Command{Verb: elevator.Hold, Floor: 1, Side: elevator.Front}
	clears := func(b *bench) { b.board.board.mu.Lock(); b.board.mode = 1; b.board.board.mu.Unlock() }
	onBench(t, func(b *bench) {
		begun := b.now()
		time.AfterFunc(time.Second, func() { clears(b) })
		o := b.do(hold)
		if took := o.At.Sub(begun); o.Result != elevator.Done || took < 900*time.Millisecond || took > 2*time.Second {
			b.Errorf("%+v after %s", o, took)
		}
		if b.snapshot().Holds[elevator.Front] == 0 {
			b.Error("the hold is not known")
		}
		o = b.do(hold)
		if o.Result != elevator.ResultUnknown || b.count("1D") != 2 {
			b.Errorf("never cleared: %+v, said %d times", o, b.count("1D"))
		}
	})
}

// DR-10: what comes unasked is a value, dated by its coming, and is answered; garbage,
// a frame of another board and a frame that says nothing are none.
func TestUnsolicited(t *testing.T) {
	onBench(t, func(b *bench) {
		b.board.Spoil(drivertest.Silent, false)
		time.Sleep(2 * time.Second)
		begun := b.now()
		for _, say := range []string{"garbage", string(enclose("2A21")), string(enclose("1X")), string(enclose("1A31"))[:5], "\x021A39900\x03"} {
			b.board.say([]byte(say))
			time.Sleep(2 * time.Second)
		}
		if s := b.snapshot(); !s.Floor.Failed || s.Floor.Value != 1 {
			b.Errorf("believed: %+v", s.Floor)
		}
		b.board.say(append([]byte("noise"), append(enclose("1A31"), enclose("1A21")...)...))
		time.Sleep(time.Second)
		s := b.snapshot()
		if s.Floor.Value != 2 || s.Floor.At <= begun || s.Door(elevator.Front).Value != elevator.DoorOpen || s.Motion.At > begun {
			b.Errorf("known is %+v", s)
		}
		if b.count("1a3") != 1 || b.count("1a2") != 1 {
			b.Errorf("answered %v", b.board.Heard())
		}
	})
}

// DR-11: a lamp for each landing; the set is known when all are, and as old as the
// oldest of them.
func TestLamps(t *testing.T) {
	src, _ := profiles.Lookup("buttonboard/stm32")
	lit := map[string]string{"1": "L", "2": "H", "3": "L"}
	asked := []string{}
	synctest.Test(t, func(t *testing.T) {
		near, far := drivertest.NewCable()
		go func() {
			b := make([]byte, 64)
			for {
				n, err := far.Read(b)
				if err != nil {
					return
				}
				f := strings.Split(strings.Trim(string(b[:n]), "[]"), ",")
				if f[0] == "r" {
					asked = append(asked, f[1])
					_, _ = far.Write([]byte("[" + lit[f[1]] + "," + f[2] + "]"))
				}
			}
		}()
		env := drivers.Env{Now: clock(), OpenSerial: (&once{near}).open}
		u, _ := url.Parse("serial:///dev/ttyS9?baud=57600")
		o, err := Line(fieldbus.NewLines(env), env).New(drivers.Spec{URL: u, Profile: src, ProfileName: "b", Floors: floors})
		if err != nil {
			t.Fatal(err)
		}
		l, err := o.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(1200 * time.Millisecond)
		begun := env.Now()
		s, err := l.Read(context.Background())
		if want := elevator.FloorSet(0).With(1).With(3); err != nil || s.CarCalls.Value != want || s.CarCalls.At > begun+elevator.Instant(time.Second) || s.CarCalls.Failed {
			t.Errorf("%v: %+v, want %v", err, s.CarCalls, want)
		}
		lit["2"] = "X"
		s, err = l.Read(context.Background())
		if !errors.Is(err, drivers.ErrProtocol) || !s.CarCalls.Failed {
			t.Errorf("neither lit nor dark: %v, %+v", err, s.CarCalls)
		}
		if p := l.(drivers.Planned).Plan(); len(p) != 3 || p[2].Question != "lamp button=3" || p[2].Wire == 0 {
			t.Errorf("plan %+v", p)
		}
		_ = l.Close()
		_ = far.Close()
	})
	if !slices.Contains(asked, "3") {
		t.Error("landing 3 was never asked for")
	}
}

// A technician's raw questions: only what is harmless is peeked, and a poke acts once.
// CT-2
func TestProbing(t *testing.T) {
	onBench(t, func(b *bench) {
		p, _ := drivers.As[drivers.Prober](b.link)
		ctx := context.Background()
		got, err := p.Peek(ctx, "place")
		if err != nil || got.Text != "door=0 floor=1 motion=0" || got.At == 0 {
			b.Errorf("%v: %+v", err, got)
		}
		for _, q := range []string{"", "plaice", "up", "up floor=2", "car floor=1 on=1", "place floor=1", "up floor=x", "beep"} {
			if _, err := p.Peek(ctx, q); !errors.Is(err, drivers.ErrConfig) {
				b.Errorf("peek %q: %v", q, err)
			}
		}
		if len(b.board.Pressed()) != 0 {
			b.Error("a peek pressed")
		}
		bytes, err := p.Preview("up floor=2")
		if err != nil || len(bytes) != 1 || string(bytes[0]) != string(enclose("1U2")) {
			b.Errorf("%v: %q", err, bytes)
		}
		id := elevator.CommandID{Ride: "poke", N: 1}
		for range 2 {
			if o := p.Poke(ctx, id, "up floor=2"); o.Result != elevator.Done || o.ID != id {
				b.Errorf("%+v", o)
			}
		}
		if len(b.board.Pressed()) != 1 {
			b.Errorf("felt %v", b.board.Pressed())
		}
	})
}

// once opens one cable once.
type once struct{ c *drivertest.Cable }

func (o *once) open(string, drivers.SerialMode) (rw io.ReadWriteCloser, err error) {
	if o.c == nil {
		return nil, os.ErrNotExist
	}
	rw, o.c = o.c, nil
	return rw, nil
}

// DR-2: two lifts on one line are told apart by the number that the profile names.
func TestTwoLiftsOnOneLine(t *testing.T) {
	src, err := os.ReadFile("testdata/blind.yaml")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		near, far := drivertest.NewCable()
		done := make(chan struct{})
		go func() {
			defer close(done)
			frames(far, func(p string) {
				say := map[string]string{"1P": "1P100", "2P": "2P311", "1M": "1M001", "2M": "2M001"}[p]
				_, _ = far.Write(append(enclose("9P200"), enclose(say)...)) // a third one chatters
			})
		}()
		env := drivers.Env{Now: clock(), OpenSerial: (&once{near}).open}
		lines := fieldbus.NewLines(env)
		var links []drivers.Link
		for _, n := range []string{"1", "2"} {
			u, _ := url.Parse("serial:///dev/ttyS9?baud=19200&board=" + n)
			o, err := Line(lines, env).New(drivers.Spec{URL: u, Profile: src, ProfileName: "b", Floors: floors})
			if err != nil {
				t.Fatal(err)
			}
			l, err := o.Open(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			links = append(links, l)
		}
		time.Sleep(2 * time.Second)
		for i, want := range []elevator.Floor{1, 3} {
			s, err := links[i].Read(context.Background())
			if err != nil || s.Floor.Value != want || s.Link != elevator.Online {
				t.Errorf("lift %d: %v %+v", i, err, s.Floor)
			}
		}
		for _, l := range links {
			_ = l.Close()
		}
		_ = far.Close()
		<-done
	})
}

// What a link's URL may not say is told before anything is opened.
// DR-2
func TestTargets(t *testing.T) {
	src, err := os.ReadFile("testdata/blind.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]string{
		"serial:///dev/ttyS1?baud=9600&parity=even&stop=2&data=7&board=3&timeout=300ms": "",
		"serial+tcp://10.0.0.1:4001?board=2":                                            "",
		"serial+udp://127.0.0.1:52000?listen=:52000&group=239.64.0.1":                   "",
		"serial://dev/ttyS1":                            "no device",
		"serial:///dev/ttyS1?parity=mark":               "none, even or odd",
		"serial:///dev/ttyS1?data=9":                    "from 5 to 8",
		"serial:///dev/ttyS1?baud=9600&baud=19200":      "given 2 times",
		"serial:///dev/ttyS1?board=10":                  "not within 1 to 9",
		"serial:///dev/ttyS1?board=x":                   "a whole number",
		"serial:///dev/ttyS1?bord=1":                    "bord is not known",
		"serial+tcp://10.0.0.1":                         "no host and port",
		"serial+tcp://10.0.0.1:0":                       "port 0",
		"serial+tcp://10.0.0.1:4001?listen=:1":          "listen is not known",
		"serial+tcp://10.0.0.1:4001/x":                  "only host and port",
		"serial+udp://10.0.0.1:4001?group=10.0.0.1":     "multicast",
		"serial+tcp://10.0.0.1:4001?timeout=1":          "a time from",
		"serial+udp://10.0.0.1:4001?listen=nowhere:x:y": "own address",
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		env := drivers.Env{Now: clock()}
		by := map[string]func(*fieldbus.Lines, drivers.Env) drivers.Factory{Scheme: Line, SchemeTCP: TCP, SchemeUDP: UDP}[u.Scheme]
		_, err = by(fieldbus.NewLines(env), env).New(drivers.Spec{URL: u, Profile: src, ProfileName: "b", Floors: floors})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", link, err, want)
		}
	}
	u, _ := url.Parse("serial:///dev/ttyS1")
	other, _ := profiles.Lookup("bench/modbus-lift")
	env := drivers.Env{Now: clock()}
	if _, err := Line(fieldbus.NewLines(env), env).New(drivers.Spec{URL: u, Profile: other}); !errors.Is(err, drivers.ErrConfig) {
		t.Errorf("a profile of registers: %v", err)
	}
}

// DR-11: after a time-out on a line without numbers the next question is another one,
// to which a late answer does not fit.
func TestLateAnswersMeetAnotherQuestion(t *testing.T) {
	onBench(t, func(b *bench) {
		b.board.Spoil(drivertest.Silent, false)
		before := len(b.board.Heard())
		time.Sleep(10 * time.Second)
		heard := b.board.Heard()[before:]
		if len(heard) < 2 || heard[0] == heard[1] {
			b.Errorf("asked %v", heard)
		}
		if s := b.snapshot(); !s.Floor.Failed || s.Link != elevator.Offline {
			b.Errorf("silent, and yet %v %+v", s.Link, s.Floor)
		}
	})
}
