package devices

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// SM-2, SM-3: both wires within the process, and a device's delays to the instant.
func TestMannersOfTime(t *testing.T) {
	inBubble(t, func(t *testing.T, d *TCP, p *pipes, r *RTU, at *lines) {
		line := at.near()
		c := p.dial(t)
		took(t, c, askTCP, goodTCP, 0)
		took(t, line, askRTU, goodRTU, 0)
		for _, u := range []*Unit{d.Unit, r.Unit} {
			behaves(t, u, Manners{AnswerDelay: 80 * time.Millisecond, BytePause: 2 * time.Millisecond})
		}
		took(t, c, askTCP, goodTCP, 80*time.Millisecond+10*2*time.Millisecond)   // 11 bytes
		took(t, line, askRTU, goodRTU, 80*time.Millisecond+6*2*time.Millisecond) // 7 bytes
		plays(t, d, "slow", "300ms", 1)
		took(t, c, askTCP, goodTCP, 380*time.Millisecond+10*2*time.Millisecond)
	})
}

// SM-3: a device that rests after its answer: TCP keeps the next request, a serial
// line loses it.
func TestTurnaround(t *testing.T) {
	inBubble(t, func(t *testing.T, d *TCP, p *pipes, r *RTU, at *lines) {
		line := at.near()
		c := p.dial(t)
		for _, u := range []*Unit{d.Unit, r.Unit} {
			behaves(t, u, Manners{Turnaround: 200 * time.Millisecond})
		}
		took(t, c, askTCP, goodTCP, 0)
		took(t, c, askTCP, goodTCP, 200*time.Millisecond)
		took(t, line, askRTU, goodRTU, 0)
		put(t, line, askRTU)
		nothing(t, line)
		took(t, line, askRTU, goodRTU, 0)
	})
}

// nothing wants a second of silence.
func nothing(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	if n, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v; want silence", n, err)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Hour))
}

func behaves(t *testing.T, u *Unit, m Manners) {
	t.Helper()
	if err := u.Behave(m); err != nil {
		t.Fatal(err)
	}
}

// SM-3: what a device does not know or take, by its own exceptions, on both wires.
func TestMannersOfTheMap(t *testing.T) {
	inBubble(t, func(t *testing.T, d *TCP, p *pipes, r *RTU, at *lines) {
		line := at.near()
		c := p.dial(t)
		behaves(t, d.Unit, Manners{MaxRegisters: 4, NoReadHoldings: true, NoWriteOne: true})
		says(t, c, "0001 0000 0006 01 04 0000 0004", "0001 0000 000b 01 04 08 0001 0000 0001 0001")
		says(t, c, "0001 0000 0006 01 04 0000 0005", "0001 0000 0003 01 84 03")
		says(t, c, "0001 0000 0006 01 03 0000 0001", "0001 0000 0003 01 83 01")
		says(t, c, "0001 0000 0006 01 06 0002 0005", "0001 0000 0003 01 86 01")
		says(t, c, "0001 0000 0009 01 10 0002 0001 02 0005", "0001 0000 0006 01 10 0002 0001")
		behaves(t, r.Unit, Manners{NoReadInputs: true, NoWriteSeveral: true})
		says(t, line, "01 04 0000 0004 f1c9", "01 84 01 82c0")
		says(t, line, "01 10 0002 0001 02 0005 67b1", "01 90 01 8dc0")
		says(t, line, "01 06 0002 0005 e809", "01 06 0002 0005 e809")
		behaves(t, r.Unit, Manners{})
		says(t, line, askRTU, goodRTU)
	})
}

// SM-3: a unit id that nobody has.
func TestMannersToOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, d *TCP, p *pipes, r *RTU, at *lines) {
		line := at.near()
		c := p.dial(t)
		const foreignTCP, foreignRTU = "0001 0000 0006 02 04 0000 000e", "02 04 0000 000e 71fd"
		says(t, c, foreignTCP, "0001 0000 0003 02 84 0b")
		put(t, line, foreignRTU)
		nothing(t, line)
		behaves(t, d.Unit, Manners{OtherUnit: OtherSilence})
		behaves(t, r.Unit, Manners{OtherUnit: OtherException})
		put(t, c, foreignTCP)
		nothing(t, c)
		says(t, line, foreignRTU, "02 84 0b f2c7")
		put(t, line, "00 06 0002 0005 e9d8") // for all: nobody ever answers
		nothing(t, line)
	})
}

// SM-3: one connection at a time, or one for each request.
func TestMannersOfConnections(t *testing.T) {
	inBubble(t, func(t *testing.T, d *TCP, p *pipes, _ *RTU, _ *lines) {
		behaves(t, d.Unit, Manners{OneConnection: true})
		first := p.dial(t)
		says(t, first, askTCP, goodTCP)
		ends(t, p.dial(t))
		says(t, first, askTCP, goodTCP)
		closed(t, first)
		synctest.Wait()
		behaves(t, d.Unit, Manners{ClosesAfterAnswer: true})
		for range 3 {
			c := p.dial(t)
			says(t, c, askTCP, goodTCP)
			ends(t, c)
		}
	})
}

func ends(t *testing.T, c io.Reader) {
	t.Helper()
	if n, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v; want the end", n, err)
	}
}

func TestMannersMustMakeSense(t *testing.T) {
	u, err := newUnit(world(t, new(hand).now), Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Manners{
		{AnswerDelay: -1},
		{AnswerDelay: maxManner + 1},
		{Turnaround: -1},
		{Turnaround: maxManner + 1},
		{BytePause: -1},
		{BytePause: maxBytePause + 1},
		{MaxRegisters: -1},
		{MaxRegisters: 126},
		{OtherUnit: 3},
	} {
		if u.Behave(m) == nil {
			t.Errorf("%+v was taken", m)
		}
	}
}
