package schedule

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// TestTranscripts plays each file of testdata: a time and an event, and under it
// the one thing that the line then does. They are written by hand.
// DR-8, DR-11
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 22 {
		t.Fatalf("transcripts: %v, %v", files, err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			play(t, f, string(src))
		})
	}
}

func play(t *testing.T, file, src string) {
	l, said := New(Settings{}), ""
	for i, row := range strings.Split(src, "\n") {
		trimmed := strings.TrimSpace(row)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case trimmed == "blind":
			l = New(Settings{Blind: true})
		case strings.HasPrefix(row, " "):
			if trimmed != said {
				t.Fatalf("%s:%d: the line says\n  %s\nwant\n  %s", file, i+1, said, trimmed)
			}
			said = ""
		default:
			if said != "" && said != "wait" {
				t.Fatalf("%s:%d: nothing said about %q before this", file, i+1, said)
			}
			w := words{t: t, at: fmt.Sprintf("%s:%d", file, i+1), w: strings.Fields(row)}
			now := w.instant()
			said = show(l, Step(l, w.event(), now))
		}
	}
}

// words reads the tokens of one row.
type words struct {
	t  *testing.T
	at string
	w  []string
}

func (w *words) next() string {
	if len(w.w) == 0 {
		return ""
	}
	x := w.w[0]
	w.w = w.w[1:]
	return x
}

func (w *words) take(word string) bool {
	if len(w.w) > 0 && w.w[0] == word {
		w.w = w.w[1:]
		return true
	}
	return false
}

func (w *words) span() time.Duration {
	d, err := time.ParseDuration(w.next())
	if err != nil {
		w.t.Fatalf("%s: %v", w.at, err)
	}
	return d
}

func (w *words) instant() elevator.Instant { return elevator.Instant(w.span()) }

func (w *words) number() int {
	n, err := strconv.Atoi(w.next())
	if err != nil {
		w.t.Fatalf("%s: %v", w.at, err)
	}
	return n
}

func (w *words) event() Event {
	switch verb := w.next(); verb {
	case "tick":
		return Tick{}
	case "join":
		return w.join()
	case "leave":
		return Leave{Owner(w.number())}
	case "forget":
		return Forget{Owner(w.number())}
	case "stop", "hold", "call":
		return w.submit(verb)
	case "withdraw":
		return Withdraw{Key(w.number())}
	case "refresh":
		return Refresh{Owner(w.number())}
	case "ask":
		a := Ask{Key: Key(w.number())}
		w.take("by")
		a.Owner = Owner(w.number())
		return a
	case "overheard":
		o := Overheard{Owner: Owner(w.number())}
		if w.take("reply") {
			o.Key = Key(w.number())
		}
		return o
	case "opened":
		return Opened{OK: true}
	case "absent":
		return Opened{}
	case "lost":
		return Lost{}
	default:
		o, ok := map[string]Outcome{"good": Good, "refused": Refused, "silent": Silent, "unclear": Unclear, "unsent": Unsent, "told": Told, "notyet": NotYet}[verb]
		if !ok {
			w.t.Fatalf("%s: no event %q", w.at, verb)
		}
		return Answered{Outcome: o, Lost: w.take("lost")}
	}
}

// join OWNER unit N worst D [feed KEY D] {fast|slow KEY D}
func (w *words) join() Event {
	j := Join{Owner: Owner(w.number())}
	w.take("unit")
	j.Unit = uint8(w.number())
	w.take("worst")
	j.Worst = w.span()
	if w.take("feed") {
		j.Feed = Key(w.number())
		j.Every = w.span()
	}
	for len(w.w) > 0 {
		p := Poll{Fast: w.next() == "fast", Key: Key(w.number())}
		p.Every = w.span()
		j.Polls = append(j.Polls, p)
	}
	return j
}

// call KEY by OWNER [until T] [group N] STAGE [then STAGE] …
func (w *words) submit(verb string) Event {
	c := Command{Key: Key(w.number()), Class: map[string]Class{"stop": Stop, "hold": Hold, "call": Call}[verb]}
	w.take("by")
	c.Owner = Owner(w.number())
	if w.take("until") {
		c.Until = w.instant()
	}
	if w.take("group") {
		c.Group = uint32(w.number())
	}
	c.Stages = []Stage{w.stage()}
	for w.take("then") {
		c.Stages = append(c.Stages, w.stage())
	}
	return Submit{c}
}

// [owed] [may-close] [pause D] [level KEY EVERY [for D]] [proof WITHIN EVERY]
func (w *words) stage() (s Stage) {
	s.Owed, s.MayClose = w.take("owed"), w.take("may-close")
	if w.take("pause") {
		s.Pause = w.span()
	}
	if w.take("level") {
		s.Level = Level{Key: uint32(w.number()), Every: w.span()}
		if w.take("for") {
			s.Level.For = w.span()
		}
	}
	if w.take("proof") {
		s.Proof = Proof{Within: w.span(), Every: w.span()}
	}
	return s
}

// show words what a line does. When it will be opened again has jitter in it, so
// that only the fact is told.
func show(l *Line, n Next) string {
	var out []string
	for _, e := range n.Ended {
		what := "ended"
		if e.Owed {
			what = "debt"
		}
		if e.Level {
			out = append(out, fmt.Sprintf("level %d over", e.Key))
			continue
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d %v", what, e.Key, e.Result)))
	}
	until := ""
	if n.Until != 0 && n.Until == l.retryAt {
		until = " to open"
	} else if n.Until != 0 {
		until = " until " + time.Duration(n.Until).String()
	}
	switch n.Do {
	case Wait:
		out = append(out, "wait"+until)
	case Open:
		out = append(out, "open")
	case Drain:
		out = append(out, "drain"+until)
	case Send:
		out = append(out, showTx(n.Tx))
	}
	return strings.Join(out, "; ")
}

func showTx(tx Tx) string {
	switch {
	case tx.Probe > 0:
		return fmt.Sprintf("probe %d", tx.Key)
	case tx.Kind == Read:
		return fmt.Sprintf("read %d", tx.Key)
	case tx.Kind == Debt:
		return fmt.Sprintf("pay %d.%d", tx.Key, tx.Stage)
	case tx.Kind == Beat:
		return fmt.Sprintf("beat %d.%d", tx.Key, tx.Stage)
	case tx.Kind == Look:
		return fmt.Sprintf("look %d.%d", tx.Key, tx.Stage)
	case tx.Kind > Look:
		return fmt.Sprintf("%s %d", map[Kind]string{Feed: "feed", Echo: "reply", Diag: "diag"}[tx.Kind], tx.Key)
	}
	return fmt.Sprintf("write %d.%d", tx.Key, tx.Stage)
}
