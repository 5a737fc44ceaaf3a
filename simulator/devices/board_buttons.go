package devices

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// buttons is the board that presses a car panel: [w,button,0|1,letter] and
// [r,button,letter]. Its connectors 4 and 5 are no buttons.
type buttons struct {
	b    *Board
	l    *boardLift
	last string // letter of the last write; a repeated one is ignored
}

func (p *buttons) hear(in []byte) (rest []byte, out [][]byte) {
	for {
		end := bytes.IndexByte(in, ']')
		if end < 0 {
			return in, out
		}
		begin := bytes.LastIndexByte(in[:end], '[')
		if begin >= 0 {
			out = append(out, []byte(p.answer(string(in[begin+1:end]))))
		}
		in = in[end+1:]
	}
}

func (p *buttons) answer(text string) string {
	f := strings.Split(text, ",")
	tid := f[len(f)-1]
	if len(tid) != 1 || tid < "A" || tid > "Z" {
		return "[E,non]"
	}
	n := 0
	if len(f) > 1 {
		n, _ = strconv.Atoi(f[1])
	}
	at := p.l.table.ByWire(n)
	fitted := slices.Contains([]int{1, 2, 3, 6, 7, 8, 9, 10}, n) && at != 0
	switch {
	case !fitted || p.b.habits.Refuses:
		return fmt.Sprintf("[E,%s]", tid)
	case f[0] == "r" && len(f) == 3:
		if p.b.world.Shown(p.l.car).Car.Has(at) {
			return fmt.Sprintf("[L,%s]", tid)
		}
		return fmt.Sprintf("[H,%s]", tid)
	case f[0] == "w" && len(f) == 4 && (f[2] == "0" || f[2] == "1"):
		if f[2] == "1" && tid != p.last {
			err := p.b.act(func(b *building.Building) error { return b.CarCall(p.l.car, at) })
			p.b.done(p.l, err, "press %s", p.l.label(n))
		}
		p.last = tid
		return fmt.Sprintf("[G,%s]", tid)
	}
	return fmt.Sprintf("[E,%s]", tid)
}

func (p *buttons) beat(elevator.Instant) [][]byte { return nil }
