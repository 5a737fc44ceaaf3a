package modbus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

// CT-2: raw questions go through the line's own queue beside the polls; what is
// previewed is what leaves; a write is done once for its id.
func TestPeekAndPokeBesideThePolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		k.Power(true)
		k.Show(drivertest.Face{Floor: 3, Motion: elevator.MovingUp, Door: elevator.DoorClosed})
		var mu sync.Mutex
		var out [][]byte
		env := drivers.Env{Now: clock(), Dial: k.dial, Trace: func(f drivers.Frame) {
			mu.Lock()
			defer mu.Unlock()
			if f.Out && len(f.Data) > 7 && f.Data[7] == 6 {
				out = append(out, f.Data)
			}
		}}
		l := benchLink(t, env, asItIs)
		p, err := l.Peek(t.Context(), "input:0x3")
		if err != nil || !slices.Equal(p.Words, []uint16{3, 1, 1}) || p.At == 0 {
			t.Errorf("%+v, %v", p, err)
		}
		for _, bad := range []string{"holding:2=5", "input:0x0", "what"} {
			if _, err := l.Peek(t.Context(), bad); !errors.Is(err, drivers.ErrConfig) {
				t.Errorf("%s: %v", bad, err)
			}
		}
		if _, err := l.Peek(t.Context(), "input:14"); !errors.Is(err, drivers.ErrConfig) {
			t.Errorf("an address that is not there: %v", err)
		}
		pre, err := l.Preview("holding:2=5")
		if err != nil || len(pre) != 1 {
			t.Fatalf("%x, %v", pre, err)
		}
		id := elevator.CommandID{Ride: "technician", N: 1}
		for range 2 { // the same id twice
			if o := l.Poke(t.Context(), id, "holding:2=5"); o.Result != elevator.Done {
				t.Errorf("%+v", o)
			}
		}
		if o := l.Poke(t.Context(), elevator.CommandID{Ride: "technician", N: 2}, "holding:2=17"); o.Result != elevator.Refused || o.Code != "0x03" {
			t.Errorf("%+v", o)
		}
		if o := l.Poke(t.Context(), elevator.CommandID{Ride: "technician", N: 3}, "holding:2"); o.Result != elevator.NotSent {
			t.Errorf("%+v", o)
		}
		if got := k.Pressed(); len(got) != 1 || got[0].Floor != 5 {
			t.Errorf("felt %v", got)
		}
		mu.Lock()
		if len(out) != 2 || !bytes.Equal(out[0][2:], pre[0][2:]) {
			t.Errorf("left %x, previewed %x", out, pre)
		}
		mu.Unlock()
		l.Close()
		k.Power(false)
	})
}

// A line that cannot be opened is said at once; what was not sent may be asked anew.
func TestBareWithNobodyThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		env := drivers.Env{Now: clock(), Dial: k.dial}
		b := bare(t, env, "modbus+tcp://lift:502?unit=1")
		start := time.Now()
		if _, err := b.Peek(t.Context(), "input:0"); !errors.Is(err, drivers.ErrLink) || time.Since(start) > 3*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		if o := b.Poke(t.Context(), elevator.CommandID{Ride: "x"}, "holding:2=1"); o.Result != elevator.NotSent {
			t.Errorf("%+v", o)
		}
		b.Close()
		if _, err := b.Peek(t.Context(), "input:0"); !errors.Is(err, drivers.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// With no profile a unit is asked what it is asked, and nothing else.
func TestBareAsksNothingByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		k.Power(true)
		n := 0
		env := drivers.Env{Now: clock(), Dial: k.dial, Trace: func(f drivers.Frame) { n++ }}
		b := bare(t, env, "modbus+tcp://lift:502?unit=1")
		if p, err := b.Peek(t.Context(), "input:4"); err != nil || p.Words[0] != 1 || p.Text != "1 (0x0001)" {
			t.Errorf("%+v, %v", p, err)
		}
		time.Sleep(10 * time.Second)
		b.Close()
		if n != 2 {
			t.Errorf("%d frames passed", n)
		}
		k.Power(false)
	})
}

func bare(t *testing.T, env drivers.Env, link string) *Bare {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBare(fieldbus.NewLines(env), env, u)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPlanNamesWhatItFeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		env := drivers.Env{Now: clock(), Dial: k.dial}
		l := benchLink(t, env, asItIs)
		plan, ok := drivers.As[drivers.Planned](l)
		if !ok {
			t.Fatal("no plan")
		}
		reads := plan.Plan()
		if len(reads) == 0 || reads[0].Question != "input:0x14" || !slices.Contains(reads[0].Points, "door.rear") || reads[0].Every != 200*time.Millisecond {
			t.Errorf("%+v", reads)
		}
		l.Close()
	})
}

// CT-1, CT-4: what a raw question brought is told apart: silence, exception,
// damage, an echo, somebody else, two at once. Bytes by hand; sums by another program.
func TestRawReplies(t *testing.T) {
	ask := "01 03 00 10 00 01 85 CF"
	for _, c := range []struct {
		name, answer string
		want         Reply
	}{
		{"silence", "", Reply{Kind: Silence}},
		{"an answer", "01 03 02 01 20 B8 0C", Reply{Kind: Answered, Unit: 1, Frames: 1}},
		{"an exception", "01 83 02 C0 F1", Reply{Kind: Exception, Unit: 1, Code: 2, Frames: 1}},
		{"one bit wrong", "01 03 02 01 21 B8 0C", Reply{Kind: Damaged, Stray: 7}},
		{"noise", "FE 80 7C", Reply{Kind: Damaged, Stray: 3}},
		{"echo and answer", ask + "01 03 02 01 20 B8 0C", Reply{Kind: Answered, Unit: 1, Frames: 1, Echo: true}},
		{"echo alone", ask, Reply{Kind: EchoOnly, Echo: true}},
		{"two speak", "01 03 02 01 20 B8 0C 01 03 02 00 05 78 47", Reply{Kind: Answered, Unit: 1, Frames: 2}},
		{"another unit", "02 03 02 00 05 3C 47", Reply{Kind: Foreign, Unit: 2, Frames: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			r := NewRaw(near, true, drivers.Env{Now: clock()}, "x")
			go func() {
				q := make([]byte, 8)
				if _, err := io.ReadFull(far, q); err == nil && fmt.Sprintf("%x", q) == fmt.Sprintf("%x", raw(t, ask)) && c.answer != "" {
					_, _ = far.Write(raw(t, c.answer))
				}
			}()
			got, err := r.Ask(t.Context(), 1, []byte{3, 0, 16, 0, 1}, 300*time.Millisecond)
			if err != nil || got.Kind != c.want.Kind || got.Code != c.want.Code || got.Echo != c.want.Echo || got.Frames != c.want.Frames || got.Stray != c.want.Stray || got.Unit != c.want.Unit {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
			if r.Close() != nil {
				t.Error("close")
			}
			far.Close()
		})
	}
}

// Function 43 by hand: conformity 1, no more, three objects.
func TestIdentity(t *testing.T) {
	pdu := append([]byte{43, 14, 1, 1, 0, 0, 3, 0, 3}, "Abc"...)
	pdu = append(append(pdu, 1, 2), "X1"...)
	pdu = append(append(pdu, 2, 4), "v1.2"...)
	got, err := Identity(pdu)
	if err != nil || !slices.Equal(got, []string{"Abc", "X1", "v1.2"}) {
		t.Errorf("%q, %v", got, err)
	}
	for n := range pdu[:len(pdu)-1] {
		if _, err := Identity(pdu[:n]); err == nil {
			t.Errorf("the first %d bytes are taken", n)
		}
	}
}

// What is overheard from a stranger is arbitrary.
func FuzzOverheard(f *testing.F) {
	f.Add([]byte("\x01\x03\x00\x10\x00\x01\x85\xcf\x01\x03\x02\x01\x20\xb8\x0c\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		frames, stray := Overheard(in)
		n := stray
		for _, h := range frames {
			n += len(h.PDU) + rtuExtra
		}
		if n != len(in) {
			t.Errorf("%d bytes of %d accounted for", n, len(in))
		}
	})
}
