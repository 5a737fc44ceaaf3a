package schedule

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hoistway/fsm/elevator"
)

// world plays a line with random events and judges each step by rules that are
// kept apart from the schedule's own state.
type world struct {
	*rapid.T
	l     *Line
	blind bool
	now   elevator.Instant
	next  Next

	up      bool
	key     Key
	polls   map[uint8][]Key
	units   map[Owner]uint8
	cmds    map[Key]Command
	sent    map[string]int // writes, by key and stage
	left    map[Key]bool   // bytes of the command may have left
	ended   map[Key]int
	owed    map[string]bool // debts that must be paid
	proven  map[uint8]bool
	suspect map[uint8]Key // 0 in it: any poll
	unsure  map[uint8]bool
	nos     map[uint8]int // probes in a row that were answered by a no
	quiet   map[uint8]elevator.Instant
	drain   elevator.Instant
	log     []string
	promised
}

const worst = 50 * time.Millisecond

func newWorld(t *rapid.T) *world {
	w := &world{
		T: t, now: 1, blind: rapid.Bool().Draw(t, "blind"),
		polls: map[uint8][]Key{}, units: map[Owner]uint8{}, cmds: map[Key]Command{}, sent: map[string]int{},
		left: map[Key]bool{}, ended: map[Key]int{}, owed: map[string]bool{}, proven: map[uint8]bool{}, suspect: map[uint8]Key{},
		unsure: map[uint8]bool{}, nos: map[uint8]int{}, quiet: map[uint8]elevator.Instant{}, promised: newPromised(),
	}
	w.l = New(Settings{Blind: w.blind, Seed: rapid.Uint64().Draw(t, "seed")})
	for o := Owner(1); o <= Owner(rapid.IntRange(1, 3).Draw(t, "lifts")); o++ {
		w.join(o, uint8(rapid.IntRange(1, 2).Draw(t, "unit")))
	}
	return w
}

func (w *world) join(o Owner, unit uint8) {
	j := Join{Owner: o, Unit: unit, Worst: worst}
	for range rapid.IntRange(1, 3).Draw(w.T, "polls") {
		w.key++
		j.Polls = append(j.Polls, Poll{Key: w.key, Every: 20 * time.Millisecond, Fast: rapid.Bool().Draw(w.T, "fast")})
		w.polls[unit] = append(w.polls[unit], w.key)
	}
	w.units[o] = unit
	if rapid.Bool().Draw(w.T, "fed") {
		w.key++
		j.Feed, j.Every = w.key, 60*time.Millisecond
	}
	w.step(j)
}

// step tells an event and judges what the line says.
func (w *world) step(ev Event) {
	n := Step(w.l, ev, w.now)
	w.log = append(w.log, fmt.Sprintf("%d %T %v", w.now, ev, n))
	for _, e := range n.Ended {
		w.judgeEnd(e)
	}
	if n.Do == Send {
		if w.next.Do == Send || w.next.Do == Open {
			w.Fatalf("sends %v while %v is open", n.Tx, w.next)
		}
		w.judgeSend(n.Tx)
	}
	if n.Do != Wait || w.next.Do == Wait || w.next.Do == Drain {
		w.next = n
	}
}

func (w *world) judgeEnd(e Ended) {
	if w.asked[e.Key] {
		w.once(e.Key)
	}
	if e.Owed || e.Level || w.asked[e.Key] {
		return
	}
	w.ended[e.Key]++
	if w.ended[e.Key] > 1 {
		w.Fatalf("command %d ended twice", e.Key)
	}
	if left := w.left[e.Key]; (e.Result == elevator.NotSent) == left {
		w.Fatalf("command %d ended as %v, bytes of it left: %t", e.Key, e.Result, left)
	}
}

func (w *world) judgeSend(tx Tx) {
	switch {
	case !w.up:
		w.Fatalf("sends %v on a line that is down", tx)
	case tx.Kind == Echo:
	case w.now < w.drain:
		w.Fatalf("sends %v at %d, silence was due until %d", tx, w.now, w.drain)
	case tx.Kind == Beat || tx.Kind == Feed:
	case w.now < w.quiet[tx.Unit]:
		w.Fatalf("sends %v at %d, the unit's pause lasts until %d", tx, w.now, w.quiet[tx.Unit])
	case w.unsure[tx.Unit] && tx.Kind != Debt && tx.Probe == 0:
		w.Fatalf("sends %v before a probe of the unit", tx)
	case tx.Probe > 0 && w.suspect[tx.Unit] != 0 && tx.Key != w.suspect[tx.Unit]:
		w.Fatalf("probes with poll %d, the one unanswered is %d", tx.Key, w.suspect[tx.Unit])
	}
	if tx.Kind == Write {
		w.judgeWrite(tx)
	}
	w.judgePromised(tx)
}

func (w *world) judgeWrite(tx Tx) {
	id := fmt.Sprint(tx.Key, tx.Stage)
	c := w.cmds[tx.Key]
	w.sent[id]++
	switch {
	case w.sent[id] > 1:
		w.Fatalf("write %s is sent a second time", id)
	case c.Until.Reached(w.now):
		w.Fatalf("write %s is sent at %d, its life ended at %d", id, w.now, c.Until)
	case !w.proven[tx.Unit]:
		w.Fatalf("write %s before the unit has answered a read", id)
	case tx.Stage > 0 && w.sent[fmt.Sprint(tx.Key, tx.Stage-1)] == 0 && !c.Stages[tx.Stage-1].Owed:
		w.Fatalf("write %s before the one ahead of it", id)
	}
}

// answer ends what is open in one of the ways that the caller may tell.
func (w *world) answer(o Outcome, lost bool) {
	open := w.next
	w.next = Next{}
	if open.Do == Open {
		w.up = !lost
		w.step(Opened{OK: w.up})
		return
	}
	tx := open.Tx
	lost = lost || o == Silent && !w.blind && rapid.Bool().Draw(w.T, "closed")
	w.note(tx, o)
	w.notePromised(tx, o)
	if lost {
		w.down()
	}
	w.step(Answered{Outcome: o, Lost: lost})
}

// note keeps the rules' own view of what an answer means.
func (w *world) note(tx Tx, o Outcome) {
	c := w.cmds[tx.Key]
	if (tx.Kind == Write || tx.Kind == Debt || tx.Kind == Beat) && o != Unsent {
		w.left[tx.Key] = true
		w.quiet[tx.Unit] = w.now.Add(c.Stages[tx.Stage].Pause)
	}
	if tx.Kind == Write && (o == Good || o == Told || o == Silent || o == Unclear) || tx.Kind == Write && o == Refused && tx.Stage > 0 {
		for s := tx.Stage + 1; s < len(c.Stages); s++ {
			w.owed[fmt.Sprint(tx.Key, s)] = c.Stages[s].Owed && !c.Stages[s].MayClose && !c.isDrop(s)
		}
	}
	if tx.Kind == Debt && (o == Good || o == Told) {
		delete(w.owed, fmt.Sprint(tx.Key, tx.Stage))
	}
	switch {
	case o == Silent:
		w.proven[tx.Unit] = false
		if !w.blind {
			return
		}
		w.unsure[tx.Unit], w.nos[tx.Unit], w.drain = true, 0, w.now.Add(worst)
		if tx.Kind == Read {
			w.suspect[tx.Unit] = tx.Key
		}
	case tx.Kind == Read && tx.Probe > 0 && o != Good && o != Unsent && w.nos[tx.Unit] == 0:
		w.nos[tx.Unit], w.drain = 1, w.now.Add(worst) // it may be the late answer to another question
	case tx.Kind == Read && o != Unsent:
		w.proven[tx.Unit], w.nos[tx.Unit] = true, 0
		if tx.Probe > 0 {
			w.unsure[tx.Unit] = false
		}
	}
}

func (w *world) submit() {
	w.key++
	c := Command{
		Key: w.key, Owner: Owner(rapid.IntRange(1, 3).Draw(w.T, "owner")),
		Class: Class(rapid.IntRange(0, 2).Draw(w.T, "class")), Group: uint32(rapid.IntRange(0, 1).Draw(w.T, "group")),
		Until: w.now.Add(time.Duration(rapid.IntRange(0, 400).Draw(w.T, "life")) * time.Millisecond),
	}
	for i := range rapid.IntRange(1, 4).Draw(w.T, "stages") {
		s := Stage{
			Pause: time.Duration(rapid.IntRange(0, 30).Draw(w.T, "pause")) * time.Millisecond,
			Owed:  i > 0 && rapid.Bool().Draw(w.T, "owed"),
		}
		w.promise(&s)
		c.Stages = append(c.Stages, s)
	}
	w.cmds[c.Key] = c
	if c.Class == Stop {
		w.stops = append(w.stops, c)
	}
	w.step(Submit{c})
}

// turn is one thing that happens by chance.
func (w *world) turn() {
	w.now = w.now.Add(time.Duration(rapid.IntRange(0, 20).Draw(w.T, "ms")) * time.Millisecond)
	switch k := rapid.IntRange(0, 12).Draw(w.T, "what"); {
	case k < 2:
		w.submit()
	case k == 2:
		w.step(Withdraw{Key(rapid.Uint64Range(1, uint64(w.key)).Draw(w.T, "key"))})
	case k == 3:
		w.step(Refresh{Owner(rapid.IntRange(1, 3).Draw(w.T, "owner"))})
	case k == 4 && w.up && w.next.Do != Send:
		w.down()
		w.step(Lost{})
	case k == 5:
		w.hearOrAsk()
	case w.next.Do == Send || w.next.Do == Open:
		w.answer(w.outcome(), rapid.IntRange(0, 9).Draw(w.T, "lost") == 0)
	default:
		w.step(Tick{})
	}
}

// open reports whether a command or a debt has still to end.
func (w *world) open() bool {
	for _, owed := range w.owed {
		if owed {
			return true
		}
	}
	return len(w.ended) < len(w.cmds) || len(w.told) < len(w.asked) || w.unsettled() != ""
}

// calm lets everything be answered well for d, or until nothing is open.
func (w *world) calm(d time.Duration, read func(Tx)) {
	for end := w.now.Add(d); w.now < end && (read != nil || w.open()); {
		switch w.next.Do {
		case Send:
			if w.next.Tx.Kind == Read && read != nil {
				read(w.next.Tx)
			}
			w.now = w.now.Add(time.Millisecond)
			w.answer(Good, false)
		case Open:
			w.answer(Good, false)
		default:
			if w.next.Until == 0 || w.next.Until <= w.now {
				w.now = w.now.Add(time.Millisecond)
			} else {
				w.now = w.next.Until
			}
			w.step(Tick{})
		}
	}
}

// TestAnyHistory: whatever happens, the rules of judge hold; and when things
// calm down every command has ended once, every debt is paid, and every block is
// read by its period.
// DR-8, DR-11
func TestAnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(0, 120).Draw(t, "turns") {
			w.turn()
		}
		w.calm(30*time.Second, nil)
		for k := range w.cmds {
			if w.ended[k] != 1 {
				t.Errorf("command %d ended %d times", k, w.ended[k])
			}
		}
		for id, open := range w.owed {
			if open {
				t.Errorf("debt %s was not paid", id)
			}
		}
		if what := w.unsettled(); what != "" {
			t.Errorf("%s is still held, or not dropped", what)
		}
		for k := range w.asked {
			if !w.told[k] {
				t.Errorf("question %d was neither asked nor given up", k)
			}
		}
		last := map[Key]elevator.Instant{}
		w.calm(time.Second, func(tx Tx) { last[tx.Key] = w.now })
		for unit, keys := range w.polls {
			for _, k := range keys {
				if age := w.now.Sub(last[k]); age > 60*time.Millisecond {
					t.Errorf("poll %d of unit %d was read %s ago, every 20ms was asked", k, unit, age)
				}
			}
		}
	})
}

// TestSameHistorySameAnswers: nothing but the events, the instants and the seed
// decides.
func TestSameHistorySameAnswers(t *testing.T) {
	play := func(seed int) []string {
		var log []string
		gen := rapid.Custom(func(t *rapid.T) []string {
			w := newWorld(t)
			for range 80 {
				w.turn()
			}
			return w.log
		})
		log = gen.Example(seed)
		return log
	}
	for seed := range 20 {
		a, b := play(seed), play(seed)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("seed %d, step %d:\n%s\n%s", seed, i, a[i], b[i])
			}
		}
	}
}

// TestBounds: a line takes so much and no more, and says so.
func TestBounds(t *testing.T) {
	l := New(Settings{})
	Step(l, Join{Owner: 1, Unit: 1, Worst: worst}, 1)
	count := func(c Class) (taken int) {
		for k := Key(1); k <= 2*MaxQueue; k++ {
			n := Step(l, Submit{Command{Key: Key(c)*1000 + k, Owner: 1, Class: c, Stages: []Stage{{}}}}, 1)
			if len(n.Ended) == 0 {
				taken++
			} else if n.Ended[0].Result != elevator.NotSent {
				t.Fatalf("refused as %v", n.Ended[0])
			}
		}
		return taken
	}
	if got := count(Call); got != 48 {
		t.Errorf("%d calls taken, want 48", got)
	}
	if got := count(Hold); got != 16 {
		t.Errorf("%d holds taken on top, want 16", got)
	}
	for what, c := range map[string]Command{
		"nobody's":      {Key: 9001, Owner: 7, Stages: []Stage{{}}},
		"no writes":     {Key: 9002, Owner: 1},
		"owed first":    {Key: 9003, Owner: 1, Stages: []Stage{{Owed: true}}},
		"too many":      {Key: 9004, Owner: 1, Stages: make([]Stage, MaxStages+1)},
		"on full queue": {Key: 9005, Owner: 1, Class: Hold, Stages: []Stage{{}}},
	} {
		if n := Step(l, Submit{c}, 1); len(n.Ended) != 1 || n.Ended[0].Result != elevator.NotSent {
			t.Errorf("%s: %v", what, n.Ended)
		}
	}
}

// TestRedialPause: a line is opened anew after 200 ms to 10 s, and within its
// first minute away soon enough for a controller that restarts. A port of this
// machine is opened within five seconds of being plugged in, however late.
// DR-11
func TestRedialPause(t *testing.T) {
	for seed := range uint64(50) {
		near := seed%2 == 1
		l := New(Settings{Seed: seed, Near: near})
		n := Step(l, Join{Owner: 1, Unit: 1, Worst: worst}, 1)
		for now := elevator.Instant(1); now < elevator.Instant(5*time.Minute); {
			if n.Do != Open {
				t.Fatalf("at %d the line does %v", now, n)
			}
			n = Step(l, Opened{}, now)
			pause := n.Until.Sub(now)
			limit := 10 * time.Second
			switch {
			case now < elevator.Instant(time.Minute):
				limit = 2 * time.Second
			case near:
				limit = 5 * time.Second
			}
			if pause < 200*time.Millisecond || pause > limit {
				t.Fatalf("pause of %s at %s", pause, time.Duration(now))
			}
			now = n.Until
			n = Step(l, Tick{}, now)
		}
	}
}

// TestFloors: neither a stream of commands nor fast polls that fill the line
// starve what is below them.
// DR-8
func TestFloors(t *testing.T) {
	l := New(Settings{})
	n := Step(l, Join{Owner: 1, Unit: 1, Worst: worst, Polls: []Poll{
		{Key: 1, Every: time.Millisecond, Fast: true}, {Key: 2, Every: time.Millisecond, Fast: true}, {Key: 3, Every: time.Second},
	}}, 1)
	got := map[Key]int{}
	writes := 0
	now := elevator.Instant(1)
	for k := Key(100); now < elevator.Instant(10*time.Second); k++ {
		Step(l, Submit{Command{Key: k, Owner: 1, Stages: []Stage{{}}}}, now)
		now = now.Add(5 * time.Millisecond)
		switch n.Do {
		case Open:
			n = Step(l, Opened{OK: true}, now)
		case Send:
			if n.Tx.Kind == Read {
				got[n.Tx.Key]++
			} else {
				writes++
			}
			n = Step(l, Answered{Outcome: Good}, now)
		default:
			n = Step(l, Tick{}, now)
		}
	}
	// 2000 transactions: every fifth is a read, and one slow read a second is due.
	if reads := got[1] + got[2]; reads < 350 || writes < 1500 || got[3] < 9 {
		t.Errorf("%d writes, %v reads", writes, got)
	}
}
