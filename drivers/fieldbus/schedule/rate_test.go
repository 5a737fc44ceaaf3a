package schedule

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hoistway/fsm/elevator"
)

// plant is a line in virtual time: each transaction takes its time, dead units
// answer nothing, and a command comes now and then.
type plant struct {
	l     *Line
	now   elevator.Instant
	next  Next // not carried out yet
	takes func(Tx) time.Duration
	worst time.Duration
	dead  map[uint8]bool
	every time.Duration // from command to command, 0 for none
	call  elevator.Instant
	key   Key
	good  map[uint8]int
	waits []time.Duration // of commands, less what was left of the transaction under way
}

func newPlant(blind bool, units int, every, worst time.Duration, takes func(Tx) time.Duration) *plant {
	p := &plant{
		l: New(Settings{Blind: blind, Near: blind}), now: 1, takes: takes, worst: worst,
		dead: map[uint8]bool{}, good: map[uint8]int{}, key: 1000,
	}
	for u := 1; u <= units; u++ {
		p.tell(Join{Owner: Owner(u), Unit: uint8(u), Worst: worst, Polls: []Poll{{Key: Key(u), Every: every, Fast: true}}})
	}
	return p
}

// tell is of events that come from outside.
func (p *plant) tell(ev Event) {
	if n := Step(p.l, ev, p.now); p.next.Do != Send && p.next.Do != Open {
		p.next = n
	}
}

// run plays until end.
func (p *plant) run(end elevator.Instant) {
	for p.now < end {
		switch p.next.Do {
		case Open:
			p.next = Step(p.l, Opened{OK: true}, p.now)
		case Send:
			p.next = p.carry(p.next.Tx)
		default:
			if p.next.Until <= p.now {
				panic("the line waits for nothing")
			}
			p.now = p.next.Until
			p.next = Step(p.l, Tick{}, p.now)
		}
	}
}

// carry lets a transaction pass. A command that falls due in it is asked for in its
// middle, and waits for its end and no longer.
func (p *plant) carry(tx Tx) Next {
	d, o := p.takes(tx), Good
	if p.dead[tx.Unit] {
		d, o = p.worst, Silent
	}
	end := p.now.Add(d)
	due := p.every > 0 && p.call.Reached(end)
	if p.every > 0 && p.call == 0 {
		p.call, due = p.now.Add(p.every), false
	}
	if due {
		p.key++
		p.call = end.Add(p.every)
		Step(p.l, Submit{Command{Key: p.key, Owner: 1, Class: Call, Stages: []Stage{{}}}}, p.now.Add(d/2))
	}
	p.now = end
	if o == Good && tx.Kind == Read && tx.Probe == 0 {
		p.good[tx.Unit]++
	}
	n := Step(p.l, Answered{Outcome: o}, p.now)
	if due {
		return p.behind(n)
	}
	return n
}

// behind notes how much longer than the transaction that it met a command waits.
func (p *plant) behind(n Next) Next {
	from := p.now
	for n.Do != Send || n.Tx.Kind != Write {
		switch {
		case n.Do == Send:
			p.now = p.now.Add(p.takes(n.Tx))
			n = Step(p.l, Answered{Outcome: Good}, p.now)
		case n.Until <= p.now:
			panic("the line waits for nothing")
		default:
			p.now = n.Until
			n = Step(p.l, Tick{}, p.now)
		}
	}
	p.waits = append(p.waits, p.now.Sub(from))
	p.now = p.now.Add(p.takes(n.Tx))
	return Step(p.l, Answered{Outcome: Good}, p.now)
}

// share is the rate of the sound units with unit 8 dead, over that with it alive.
func share(blind bool, every, worst, takes time.Duration) float64 {
	var sum [2]int
	for i, dead := range []bool{false, true} {
		p := newPlant(blind, 8, every, worst, func(Tx) time.Duration { return takes })
		p.dead[8] = dead
		p.run(elevator.Instant(20 * time.Minute))
		for u := uint8(1); u < 8; u++ {
			sum[i] += p.good[u]
		}
	}
	return float64(sum[1]) / float64(sum[0])
}

// One dead unit among eight costs the other seven less than a twentieth of their
// rate: on wires at 9600 baud and behind a gateway, with time to spare and without.
// DR-11
func TestDeadUnitAmongEight(t *testing.T) {
	for _, blind := range []bool{true, false} {
		for _, every := range []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second, 5 * time.Second} {
			for _, worst := range []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second} {
				t.Run(fmt.Sprintf("blind=%t,every=%s,worst=%s", blind, every, worst), func(t *testing.T) {
					if got := share(blind, every, worst, 40*time.Millisecond); got < 0.95 {
						t.Errorf("the others keep %.3f of their rate", got)
					}
				})
			}
		}
	}
}

// BenchmarkDeadUnit tells the rate that seven units keep beside a dead one, on a
// serial line that is full and on one that is not.
func BenchmarkDeadUnit(b *testing.B) {
	for name, every := range map[string]time.Duration{"full": 200 * time.Millisecond, "half": 640 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			got := 0.0
			for b.Loop() {
				got = share(true, every, 500*time.Millisecond, 40*time.Millisecond)
			}
			b.ReportMetric(got, "rate-kept")
		})
	}
}

// A command waits for the transaction that is under way and for no other, however
// full of polls the line is. Nothing is dead here.
// DR-8
func TestCommandWaitsForOneTransaction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		takes := map[Key]time.Duration{}
		p := newPlant(rapid.Bool().Draw(t, "blind"), rapid.IntRange(1, 8).Draw(t, "units"), 20*time.Millisecond, time.Second, func(tx Tx) time.Duration {
			if _, ok := takes[tx.Key]; !ok {
				takes[tx.Key] = time.Duration(rapid.IntRange(1, 100).Draw(t, "takes")) * time.Millisecond
			}
			return takes[tx.Key]
		})
		p.every = time.Duration(rapid.IntRange(1, 300).Draw(t, "every")) * time.Millisecond
		p.run(elevator.Instant(10 * time.Second))
		if len(p.waits) < 5 {
			t.Fatalf("%d commands", len(p.waits))
		}
		for _, w := range p.waits {
			if w != 0 {
				t.Fatalf("a command waits %s longer than the transaction under way", w)
			}
		}
	})
}

// BenchmarkCommandWait tells the longest wait of a command in transactions, on a
// line that polls fill: half of the one that it meets in the middle, and none more.
func BenchmarkCommandWait(b *testing.B) {
	const takes = 40 * time.Millisecond
	worst := 0.0
	for b.Loop() {
		p := newPlant(true, 8, 20*time.Millisecond, time.Second, func(Tx) time.Duration { return takes })
		p.every = 100 * time.Millisecond
		p.run(elevator.Instant(time.Minute))
		for _, w := range p.waits {
			worst = max(worst, float64(takes/2+w)/float64(takes))
		}
	}
	b.ReportMetric(worst, "transactions")
}

// Among eight on a slow line the back-off of a dead one grows to a minute; a
// command has it probed within a second of its last silence.
func TestBackoffOfACrowd(t *testing.T) {
	p := newPlant(true, 8, time.Second, 500*time.Millisecond, func(Tx) time.Duration { return 40 * time.Millisecond })
	p.dead[8] = true
	p.run(elevator.Instant(5 * time.Minute))
	u := p.l.unitFor(8)
	if d := u.retry.Sub(u.since); d != time.Minute {
		t.Fatalf("left alone for %s", d)
	}
	p.run(u.since.Add(10 * time.Second))
	p.dead[8] = false
	at := p.now
	p.tell(Submit{Command{Key: 900, Owner: 8, Class: Call, Until: at.Add(5 * time.Second), Stages: []Stage{{}}}})
	p.run(at.Add(time.Second))
	if p.l.Knows(900) {
		t.Error("the command still waits for its unit")
	}
}
