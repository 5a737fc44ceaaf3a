package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// stage plays one service by hand: it is told things at times, and everything it gives
// is written down as lines, to be compared with lines written by hand.
type stage struct {
	t     *testing.T
	s     *Service
	at    int64 // seconds since now
	lines []string
}

func newStage(t *testing.T, o Options) *stage {
	s := New(Root).With(o)
	s.Hush()
	return &stage{t: t, s: s}
}

// hear writes down what came of an input.
func (g *stage) hear(r Result) {
	for _, m := range r.Messages {
		topic := strings.TrimPrefix(m.Topic, x)
		g.lines = append(g.lines, topic+" "+string(m.Payload))
	}
	for _, n := range r.News {
		line := strings.Join([]string{"news", string(n.Kind), n.Shadow, n.ID, n.Code, n.Text}, "|")
		if n.Count != 0 {
			line += fmt.Sprintf("|%d", n.Count)
		}
		g.lines = append(g.lines, line)
	}
}

// say is a message of the device's, at so many seconds.
func (g *stage) say(at int64, topic, payload string) {
	g.at = at
	g.hear(g.s.Take(shadow.Message{Topic: x + topic, Payload: []byte(payload)}, now+at))
}

func (g *stage) tick(at int64) {
	g.at = at
	g.hear(g.s.Tick(now + at))
}

// desire is an operator's write of JSON.
func (g *stage) desire(at int64, name, patch string) {
	g.t.Helper()
	g.at = at
	tree, err := shadow.Decode([]byte(patch))
	if err != nil {
		g.t.Fatal(err)
	}
	r, err := g.s.Desire("GW-1", name, tree, now+at)
	if err != nil {
		g.t.Fatalf("%s: %v", patch, err)
	}
	g.hear(r)
}

// gives compares what was written down since the last time, of those lines that hold
// one of the words; without words, of all.
func (g *stage) gives(words string, want ...string) {
	g.t.Helper()
	var got []string
	for _, line := range g.lines {
		if words == "" || slices.ContainsFunc(strings.Fields(words), func(w string) bool { return strings.HasPrefix(line, w) }) {
			got = append(got, line)
		}
	}
	g.lines = nil
	if !slices.Equal(got, want) {
		g.t.Fatalf("at +%d\ngot  %s\nwant %s", g.at, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
