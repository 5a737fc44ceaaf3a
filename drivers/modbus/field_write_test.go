package modbus

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

func TestFieldFlippedBitInAcknowledgement(t *testing.T) {
	p := book(block(0, 1))
	f := &far{answer: func(q string, _ int) (time.Duration, string) {
		if strings.HasPrefix(q, "01 06") {
			return 0, "01 06 00 64 00 02 88 14"
		}
		return 0, registers(q, func(int) int { return 5 })
	}}
	var o elevator.Outcome
	field(t, rtuLink, f, p, func(l *link) {
		time.Sleep(time.Second)
		o = do(l, p, profiles.Write{Table: profiles.HoldingRegisters, Addr: 100, Values: []uint16{3}})
		time.Sleep(5 * time.Second)
	})
	if o.Result != elevator.ResultUnknown || f.times("01 06 00 64 00 03 88 14") != 1 {
		t.Errorf("%v, written %d times", o, f.times("01 06 00 64 00 03 88 14"))
	}
}

func TestFieldEchoOfWrite(t *testing.T) {
	for _, to := range []string{rtuLink, rtuLink + "&echo=on"} {
		for _, dies := range []bool{false, true} {
			p := book(block(0, 1))
			var gone bool
			f := &far{}
			f.answer = func(q string, _ int) (time.Duration, string) {
				a := ""
				if strings.HasSuffix(to, "on") || !dies {
					a = q
				}
				if gone || !dies {
					return 0, a
				}
				return 0, a + registers(q, func(int) int { return 5 })
			}
			var o elevator.Outcome
			field(t, to, f, p, func(l *link) {
				time.Sleep(time.Second)
				f.mu.Lock()
				gone = true
				f.mu.Unlock()
				o = do(l, p, profiles.Write{Table: profiles.HoldingRegisters, Addr: 100, Values: []uint16{3}})
			})
			if o.Result == elevator.Done || o.Result == elevator.Refused {
				t.Errorf("%s, answered before %v: %v", to, dies, o)
			}
		}
	}
}

func TestFieldFunctionRefused(t *testing.T) {
	for _, c := range []struct {
		write      profiles.Write
		asks, says string
		text       []string
	}{
		{
			profiles.Write{Table: profiles.HoldingRegisters, Addr: 100, Values: []uint16{3}},
			"01 06 00 64 00 03 88 14", "01 86 01 83 A0",
			[]string{"function 6", "multi: true", "licensed"},
		},
		{
			profiles.Write{Table: profiles.HoldingRegisters, Addr: 100, Values: []uint16{3}, Multi: true},
			"01 10 00 64 00 01 02 00 03 EE 75", "01 90 02 CD C1",
			[]string{"function 16", "multi: false"},
		},
		{
			profiles.Write{Table: profiles.Coils, Addr: 5000, Values: []uint16{1}},
			"01 05 13 88 FF 00 08 94", "01 85 01 83 50",
			[]string{"function 5", "licensed"},
		},
	} {
		p := book(block(0, 1))
		f := &far{answer: func(q string, _ int) (time.Duration, string) {
			if q == c.asks {
				return 0, c.says
			}
			return 0, registers(q, func(int) int { return 5 })
		}}
		var o elevator.Outcome
		field(t, rtuLink, f, p, func(l *link) {
			time.Sleep(time.Second)
			o = do(l, p, c.write)
			time.Sleep(time.Second)
		})
		if o.Result != elevator.Refused || o.Advice != elevator.AdviceConfig || f.times(c.asks) != 1 {
			t.Errorf("%s: %+v, %d times", c.asks, o, f.times(c.asks))
		}
		for _, say := range c.text {
			if !strings.Contains(o.Detail, say) {
				t.Errorf("%s: %q does not say %q", c.asks, o.Detail, say)
			}
		}
		if n := writes(f.all()); n != 1 {
			t.Errorf("%s: %d writes", c.asks, n)
		}
	}
}

func writes(asked []string) (n int) {
	for _, q := range asked {
		if q[3:5] != "03" && q[3:5] != "04" && q[3:5] != "01" && q[3:5] != "02" {
			n++
		}
	}
	return n
}

func TestFieldExceptionsToWrite(t *testing.T) {
	for _, c := range []struct {
		says   string
		result elevator.Result
		code   string
		advice elevator.Advice
	}{
		{"01 85 06 C2 92", elevator.Refused, "0x06", elevator.AdviceRetry},
		{"01 85 05 82 93", elevator.ResultUnknown, "0x05", elevator.AdviceRetry},
		{crc("01 85 0A"), elevator.Refused, "0x0A", elevator.AdviceWait},
		{crc("01 85 0B"), elevator.ResultUnknown, "0x0B", elevator.AdviceWait},
	} {
		p := book(block(0, 1))
		f := &far{answer: func(q string, _ int) (time.Duration, string) {
			if strings.HasPrefix(q, "01 05") {
				return 0, c.says
			}
			return 0, registers(q, func(int) int { return 5 })
		}}
		var o elevator.Outcome
		field(t, rtuLink, f, p, func(l *link) {
			time.Sleep(time.Second)
			o = do(l, p, profiles.Write{Table: profiles.Coils, Addr: 5000, Values: []uint16{1}})
			time.Sleep(3 * time.Second)
		})
		if o.Result != c.result || o.Code != c.code || o.Advice != c.advice || writes(f.all()) != 1 || p.fails(0) > 0 {
			t.Errorf("%s: %+v, %d writes, %d failed reads", c.says, o, writes(f.all()), p.fails(0))
		}
	}
}

func TestFieldPulseInterrupted(t *testing.T) {
	p := book(block(0, 1))
	f := &far{answer: func(q string, n int) (time.Duration, string) {
		switch {
		case strings.HasPrefix(q, "01 05 13 88 FF"):
			return 0, q
		case strings.HasPrefix(q, "01 05 13 88 00") && n == 1:
			return 0, "!"
		case strings.HasPrefix(q, "01 05"):
			return 0, q
		}
		return 0, registers(q, func(int) int { return 5 })
	}}
	field(t, "modbus+rtu+tcp://x:4001?timeout=500ms", f, p, func(l *link) {
		time.Sleep(time.Second)
		do(l, p, profiles.Write{Table: profiles.Coils, Addr: 5000, Values: []uint16{1}, Pause: 300 * time.Millisecond},
			profiles.Write{Table: profiles.Coils, Addr: 5000, Values: []uint16{0}, Owed: true})
		time.Sleep(10 * time.Second)
	})
	all := f.all()
	on, off := slices.Index(all, "01 05 13 88 FF 00 08 94"), slices.Index(all, "01 05 13 88 00 00 49 64")
	if on < 0 || off < on || f.times("01 05 13 88 FF 00 08 94") != 1 || f.times("01 05 13 88 00 00 49 64") != 2 {
		t.Fatalf("asked %v", all)
	}
	if all[off+1] != "01 05 13 88 00 00 49 64" {
		t.Errorf("after the line came back, %s went before the release", all[off+1])
	}
}

func TestFieldRawCoil(t *testing.T) {
	for _, c := range []struct {
		addr, value uint16
		asks        string
	}{
		{0x0202, 7, "01 05 02 02 00 07 2C 70"},
		{1, 0x0100, crc("01 05 00 01 01 00")},
	} {
		p := book(block(0, 1))
		f := &far{answer: func(q string, _ int) (time.Duration, string) {
			if q == c.asks {
				return 0, q
			}
			return 0, registers(q, func(int) int { return 5 })
		}}
		var o elevator.Outcome
		field(t, rtuLink, f, p, func(l *link) {
			time.Sleep(time.Second)
			o = do(l, p, profiles.Write{Table: profiles.Coils, Addr: c.addr, Values: []uint16{c.value}, Raw: true})
		})
		if o.Result != elevator.Done || f.times(c.asks) != 1 {
			t.Errorf("%s: %+v, asked %v", c.asks, o, f.all())
		}
	}
}

func TestFieldTrigger(t *testing.T) {
	for _, clears := range []bool{true, false} {
		p := book(block(0, 1))
		f := &far{}
		f.answer = func(q string, n int) (time.Duration, string) {
			switch {
			case strings.HasPrefix(q, "01 06"):
				return 0, q
			case strings.HasPrefix(q, "01 03 00 14"):
				v := 1
				if clears && n > 3 {
					v = 0
				}
				return 0, registers(q, func(int) int { return v })
			}
			return 0, registers(q, func(int) int { return 5 })
		}
		var o elevator.Outcome
		field(t, rtuLink, f, p, func(l *link) {
			time.Sleep(time.Second)
			o = do(l, p, profiles.Write{
				Table: profiles.HoldingRegisters, Addr: 20, Values: []uint16{1},
				Cleared: profiles.Cleared{Within: 2 * time.Second, Every: 100 * time.Millisecond},
			})
		})
		if (o.Result == elevator.Done) != clears || o.Result == elevator.Refused || writes(f.all()) != 1 {
			t.Errorf("clears %v: %+v, %d writes", clears, o, writes(f.all()))
		}
	}
}

func TestFieldLevel(t *testing.T) {
	p := book(block(0, 1))
	f := &far{answer: func(q string, _ int) (time.Duration, string) {
		if strings.HasPrefix(q, "01 06") {
			return 0, q
		}
		return 0, registers(q, func(int) int { return 5 })
	}}
	on, off := crc("01 06 00 1E 00 01"), crc("01 06 00 1E 00 00")
	field(t, rtuLink, f, p, func(l *link) {
		time.Sleep(time.Second)
		o := do(l, p,
			profiles.Write{
				Table: profiles.HoldingRegisters, Addr: 30, Values: []uint16{1},
				Level: profiles.Level{Key: 7, Every: 2 * time.Second, For: 9 * time.Second},
			},
			profiles.Write{Table: profiles.HoldingRegisters, Addr: 30, Values: []uint16{0}, Owed: true})
		if o.Result != elevator.Done || f.times(off) > 0 {
			t.Errorf("%+v, released %d times", o, f.times(off))
		}
		time.Sleep(20 * time.Second)
	})
	if n := f.times(on); n < 4 || n > 5 || f.times(off) != 1 {
		t.Errorf("written %d times, released %d times", n, f.times(off))
	}
}

func TestFieldWatchdog(t *testing.T) {
	p := book(block(0, 1))
	p.dev.Feed = &profiles.Feed{Write: profiles.Write{Table: profiles.HoldingRegisters, Addr: 9, Values: []uint16{1}}, Every: 400 * time.Millisecond}
	f := &far{answer: func(q string, _ int) (time.Duration, string) {
		if strings.HasPrefix(q, "01 06") {
			return 0, q
		}
		return 0, registers(q, func(int) int { return 5 })
	}}
	field(t, rtuLink, f, p, func(*link) { time.Sleep(10 * time.Second) })
	if n := f.times(crc("01 06 00 09 00 01")); n < 23 || n > 26 {
		t.Errorf("fed %d times in ten seconds, 25 are due", n)
	}
}

func TestFieldProven(t *testing.T) {
	for _, says := range []string{"01 85 05 82 93", ""} {
		for _, happens := range []bool{true, false} {
			p := book(block(0, 1))
			var seen atomic.Bool
			p.proven = seen.Load
			f := &far{answer: func(q string, _ int) (time.Duration, string) {
				if strings.HasPrefix(q, "01 05") {
					return 0, says
				}
				return 0, registers(q, func(int) int { return 5 })
			}}
			var o elevator.Outcome
			field(t, rtuLink, f, p, func(l *link) {
				time.Sleep(time.Second)
				p.act = profiles.Action{Confirmed: 3 * time.Second, Writes: []profiles.Write{{Table: profiles.Coils, Addr: 5000, Values: []uint16{1}}}}
				go func() {
					time.Sleep(1500 * time.Millisecond)
					seen.Store(happens)
				}()
				o = l.Do(context.Background(), elevator.Command{
					ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.CarCall, Floor: 2, Until: l.env.Now().Add(9 * time.Second),
				})
			})
			if (o.Result == elevator.Done) != happens || o.Result == elevator.Refused || writes(f.all()) != 1 {
				t.Errorf("answer %q, happens %v: %+v, %d writes", says, happens, o, writes(f.all()))
			}
		}
	}
}

func TestFieldGate(t *testing.T) {
	p := book(block(0, 1))
	p.notNow = errors.New("the car is elsewhere")
	f := &far{answer: func(q string, _ int) (time.Duration, string) {
		return 0, registers(q, func(int) int { return 5 })
	}}
	var o elevator.Outcome
	field(t, rtuLink, f, p, func(l *link) {
		time.Sleep(time.Second)
		o = do(l, p, profiles.Write{Table: profiles.Coils, Addr: 5000, Values: []uint16{1}})
	})
	if o.Result != elevator.Refused || o.Advice != elevator.AdviceWait || o.Detail != "the car is elsewhere" || writes(f.all()) != 0 {
		t.Errorf("%+v, %d writes", o, writes(f.all()))
	}
}

func TestFieldSharedWord(t *testing.T) {
	p := book(block(0, 1))
	f := &far{answer: func(q string, _ int) (time.Duration, string) {
		if strings.HasPrefix(q, "01 06") {
			return 0, q
		}
		return 0, registers(q, func(a int) int { return map[int]int{384: 0x00A8}[a] })
	}}
	var first, second elevator.Outcome
	field(t, rtuLink, f, p, func(l *link) {
		time.Sleep(time.Second)
		first = do(l, p, profiles.Write{Table: profiles.HoldingRegisters, Addr: 384, Mask: 0x0007, Values: []uint16{4}})
		p.act = profiles.Action{Writes: []profiles.Write{{Table: profiles.HoldingRegisters, Addr: 384, Mask: 0x0008, Values: []uint16{8}, Changed: true}}}
		second = l.Do(context.Background(), elevator.Command{
			ID: elevator.CommandID{Ride: "r", N: 2}, Verb: elevator.CarCall, Floor: 2, Until: l.env.Now().Add(4 * time.Second),
		})
	})
	all := f.all()
	i := slices.Index(all, crc("01 06 01 80 00 AC"))
	if first.Result != elevator.Done || second.Result != elevator.Done || writes(all) != 1 || i < 1 || all[i-1] != crc("01 03 01 80 00 01") {
		t.Errorf("%+v, %+v, asked %v", first, second, all)
	}
}
