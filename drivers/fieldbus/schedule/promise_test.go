package schedule

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"hoistway/fsm/elevator"
)

// promised is the rules' own view of what must be written by a period, looked at,
// replied to or asked.
type promised struct {
	stops  []Command
	held   map[string]heldBy           // by owner and level key
	begun  map[string]elevator.Instant // when a write of a level began, by command and stage
	met    map[uint8]bool
	looks  map[string]bool // a look at the stage was good, or a no
	asked  map[Key]bool
	told   map[Key]bool // asked or given up
	spoken map[Key]bool // replies that wait
}

// heldBy says who wrote a level last, and whether a drop is to follow.
type heldBy struct {
	key   Key
	stage int
	need  bool // a drop is to follow
	lost  bool // nothing may be written of it any more
}

func newPromised() promised {
	return promised{
		held: map[string]heldBy{}, begun: map[string]elevator.Instant{}, met: map[uint8]bool{}, looks: map[string]bool{},
		asked: map[Key]bool{}, told: map[Key]bool{}, spoken: map[Key]bool{},
	}
}

// isDrop reports whether stage s stands behind a level.
func (c Command) isDrop(s int) bool {
	return s > 0 && c.Stages[s].Owed && c.Stages[s-1].Level.Key != 0 && c.Stages[s-1].Level.Every > 0 && !c.Stages[s-1].Owed
}

func levelOf(c Command, stage int) string {
	return fmt.Sprint(c.Owner, c.Stages[stage].Level.Key)
}

// promise adds levels, proofs and drops that may close a door to a stage.
func (w *world) promise(s *Stage) {
	ms := func(lo, hi int, what string) time.Duration {
		return time.Duration(rapid.IntRange(lo, hi).Draw(w.T, what)) * time.Millisecond
	}
	switch k := rapid.IntRange(0, 5).Draw(w.T, "promise"); {
	case s.Owed:
		s.MayClose = k == 0
	case k == 0:
		s.Level = Level{Key: uint32(rapid.IntRange(1, 2).Draw(w.T, "level")), Every: ms(50, 80, "every"), For: ms(60, 300, "for")}
	case k == 1:
		s.Level = Level{Key: uint32(rapid.IntRange(1, 2).Draw(w.T, "level"))}
	case k == 2:
		s.Proof = Proof{Within: ms(1, 100, "within"), Every: ms(20, 30, "every")}
	}
}

func (w *world) down() {
	w.up = false
	clear(w.proven)
	clear(w.met)
	clear(w.spoken)
	for k, h := range w.held {
		h.lost = true
		w.held[k] = h
	}
}

// hearOrAsk is a device that speaks, or a technician.
func (w *world) hearOrAsk() {
	w.key++
	o := Owner(rapid.IntRange(1, 3).Draw(w.T, "owner"))
	if rapid.Bool().Draw(w.T, "asks") {
		w.asked[w.key] = true
		w.step(Ask{Key: w.key, Owner: o})
		return
	}
	w.spoken[w.key] = true
	w.step(Overheard{Owner: o, Key: w.key})
}

func (w *world) once(k Key) {
	if w.told[k] {
		w.Fatalf("question %d ends twice", k)
	}
	w.told[k] = true
}

// outcome is one that the open transaction may have.
func (w *world) outcome() Outcome {
	may := []Outcome{Good, Good, Good, Silent, Refused, Unclear, Unsent}
	switch w.next.Tx.Kind {
	case Echo:
		may = []Outcome{Good, Unsent}
	case Look:
		may = append(may, NotYet, NotYet, NotYet)
	case Write, Debt, Beat, Feed:
		may = append(may, Told)
	}
	return rapid.SampledFrom(may).Draw(w.T, "outcome")
}

func (w *world) judgePromised(tx Tx) {
	switch tx.Kind {
	case Beat:
		w.judgeBeat(tx)
	case Write, Debt:
		if c := w.cmds[tx.Key]; c.Stages[tx.Stage].MayClose {
			w.Fatalf("%v may close a door and is sent by itself", tx)
		}
		w.begun[fmt.Sprint(tx.Key, tx.Stage)] = w.now
	case Look:
		if w.looks[fmt.Sprint(tx.Key, tx.Stage)] {
			w.Fatalf("looks at %d, which is proven", tx.Key)
		}
	case Feed:
		if !w.met[tx.Unit] {
			w.Fatalf("feeds unit %d before it has answered a read", tx.Unit)
		}
	case Diag:
		w.once(tx.Key)
	case Echo:
		if !w.spoken[tx.Key] {
			w.Fatalf("reply %d twice, or on another connection", tx.Key)
		}
		delete(w.spoken, tx.Key)
	}
}

func (w *world) judgeBeat(tx Tx) {
	c := w.cmds[tx.Key]
	at := w.begun[fmt.Sprint(tx.Key, tx.Stage)]
	h := w.held[levelOf(c, tx.Stage)]
	switch s := c.Stages[tx.Stage].Level; {
	case h.key != tx.Key || h.stage != tx.Stage || h.lost:
		w.Fatalf("writes level %v, held is %v", tx, h)
	case w.now < at.Add(s.Every):
		w.Fatalf("writes level %v again after %s", tx, w.now.Sub(at))
	case at.Add(s.For).Reached(w.now):
		w.Fatalf("writes level %v at %d, its length ended at %d", tx, w.now, at.Add(s.For))
	case c.Class == Hold && c.Until.Reached(w.now):
		w.Fatalf("writes level %v at %d, the hold ended at %d", tx, w.now, c.Until)
	}
	for _, s := range w.stops {
		if s.Key > c.Key && s.Owner == c.Owner && s.Group == c.Group && c.Class != Stop {
			w.Fatalf("writes level %v after the wish %d to end it", tx, s.Key)
		}
	}
}

// notePromised keeps the view of levels after an answer.
func (w *world) notePromised(tx Tx, o Outcome) {
	if tx.Kind == Read && w.proven[tx.Unit] {
		w.met[tx.Unit] = true
	}
	if tx.Kind == Look && (o == Good || o == Refused) {
		w.looks[fmt.Sprint(tx.Key, tx.Stage)] = true
	}
	if tx.Kind != Write && tx.Kind != Debt {
		return
	}
	c := w.cmds[tx.Key]
	if tx.Kind == Debt {
		if c.isDrop(tx.Stage) && (o == Good || o == Told) {
			w.dropped(levelOf(c, tx.Stage-1))
		}
		return
	}
	w.noteLevel(c, tx.Stage, o)
}

func (w *world) dropped(level string) {
	h := w.held[level]
	h.need, h.lost = false, true
	w.held[level] = h
}

func (w *world) noteLevel(c Command, stage int, o Outcome) {
	s, id := c.Stages[stage].Level, levelOf(c, stage)
	if s.Key == 0 || o == Unsent {
		return
	}
	h := w.held[id]
	own, has := false, stage+1 < len(c.Stages) && c.Stages[stage+1].Owed && s.Every > 0
	if has {
		own = !c.Stages[stage+1].MayClose
	}
	done := o == Good || o == Told
	switch {
	case done && s.Every == 0:
		w.dropped(id)
		return
	case done && has, (o == Silent || o == Unclear) && own:
		h.need = own
	}
	h.key, h.stage, h.lost = c.Key, stage, !done
	w.held[id] = h
}

// unsettled names a level whose drop is to follow, "" for none.
func (w *world) unsettled() string {
	for id, h := range w.held {
		if h.need {
			return id
		}
	}
	return ""
}
