package dispatch

// The model: two robots, one car of two landings, and all that can happen to them, over the
// real Step of the site. From each moment of a few rides every input is tried, then every
// input after that, to a fixed depth: readings with the door or the car moved on, a fire, a
// broken line, alarms, each answer to a command, a cancel, another destination, a stop, maintenance,
// a reset, a process that ends in an orderly way, dies, or dies before its last commit, and robots that start by a permit
// taken back meanwhile, turn back, or are not heard. After each step the laws of
// model_laws_test.go are asked. Some states are then played on with nothing going wrong any
// more: each ride has to end. Taken for granted: a robot looks at the door itself, hears of
// a permit only after its record is kept, and tells the truth; a person who says where a
// robot stands comes when its permit is over.
//
//	go test ./fsm/dispatch -run Model -v                              # to a depth of three: seconds
//	go test ./fsm/dispatch -run 'Model$' -v -model.depth 5 -model.for 2h

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

var (
	modelDepth = flag.Int("model.depth", 3, "inputs after each moment of a ride")
	modelTime  = flag.Duration("model.for", 25*time.Second, "of each plan; what is not reached by then is told")
)

// explored is what a search came to.
type explored struct {
	states, steps, depth int
	whole                bool // every state within the depth was looked at
	reached              map[string]int
	broken               []string // the shortest way to what is broken
}

// node is one state by the way to it: a state is stepped anew when it is needed, so that
// millions cost sixteen bytes each.
type node struct {
	from int32 // in the list of nodes; -1: a moment of the ride
	seed int16
	act  int16
}

// search looks at every state within a depth of the moments of a ride, nearest first.
type search struct {
	seeds []*world
	hook  hook
	nodes []node
	seen  map[[2]uint64]bool
	out   explored
}

func explore(seeds []*world, depth int, limit time.Duration, h hook) explored {
	s := &search{seeds: seeds, hook: h, seen: map[[2]uint64]bool{}, out: explored{reached: map[string]int{}}}
	for i, w := range seeds {
		if s.isNew(w) {
			s.nodes = append(s.nodes, node{from: -1, seed: int16(i)})
		}
	}
	began, from := time.Now(), 0
	for d := 1; d <= depth && s.out.broken == nil; d++ {
		end := len(s.nodes)
		for ; from < end && s.out.broken == nil; from++ {
			if from%64 == 0 && time.Since(began) > limit {
				s.out.states = len(s.nodes)
				return s.out
			}
			s.expand(int32(from))
		}
		s.out.depth = d
	}
	s.out.states, s.out.whole = len(s.nodes), s.out.broken == nil
	return s.out
}

// expand does each thing that can happen in one state.
func (s *search) expand(at int32) {
	w := s.world(at)
	for _, act := range w.acts() {
		next := w.clone()
		next.hook = s.hook
		next.do(act)
		s.out.steps++
		next.tally(s.out.reached)
		if next.err != "" {
			s.out.broken = s.tell(at, act)
			return
		}
		if s.isNew(next) {
			s.nodes = append(s.nodes, node{from: at, act: int16(act)})
			if len(s.nodes)%512 == 0 {
				s.settles(int32(len(s.nodes)-1), next)
			}
		}
	}
}

// settles wants every ride to end when nothing goes wrong any more.
func (s *search) settles(at int32, w *world) {
	calm := w.clone()
	calm.settle()
	s.out.reached["settled"]++
	if calm.err != "" {
		n := s.nodes[at]
		s.out.broken = append(s.tell(n.from, action(n.act)), "then nothing goes wrong any more", calm.err)
	}
}

func (s *search) isNew(w *world) bool {
	k := w.key()
	if s.seen[k] {
		return false
	}
	s.seen[k] = true
	return true
}

// way is the actions that lead to a node, and its moment of the ride.
func (s *search) way(at int32) (seed int, acts []action) {
	for n := s.nodes[at]; ; n = s.nodes[n.from] {
		if n.from < 0 {
			return int(n.seed), acts
		}
		acts = append([]action{action(n.act)}, acts...)
	}
}

func (s *search) world(at int32) *world {
	seed, acts := s.way(at)
	w := s.seeds[seed].clone()
	w.hook = s.hook
	for _, a := range acts {
		w.do(a)
	}
	return w
}

// tell writes the way as a transcript: what led to the moment, then each input with what
// came of it.
func (s *search) tell(at int32, last action) []string {
	seed, acts := s.way(at)
	w := s.seeds[seed].clone()
	w.hook = s.hook
	lines := append([]string{fmt.Sprintf("# moment %d of the ride: %s", seed, w.words())}, w.past...)
	for _, a := range append(acts, last) {
		w.said = nil
		w.do(a)
		lines = append(lines, fmt.Sprintf("at %v %s", time.Duration(w.now).Round(time.Millisecond), a))
		lines = append(lines, w.said...)
		lines = append(lines, "  = "+w.words())
	}
	if w.err != "" {
		lines = append(lines, "BROKEN "+w.err)
	}
	return lines
}

// moments plays a ride by a script of actions and keeps every state on its way.
func moments(t *testing.T, w *world, script string) []*world {
	t.Helper()
	all := []*world{w.clone()}
	for _, word := range strings.Fields(script) {
		a, ok := actionOf(word)
		if !ok {
			t.Fatalf("no action %q", word)
		}
		w.said = nil
		w.do(a)
		if w.err != "" {
			t.Fatalf("%s: %s (%s)\n%s", word, w.err, w.words(), strings.Join(append(w.past, w.said...), "\n"))
		}
		w.past = append(w.past, fmt.Sprintf("  %v %s: %s", time.Duration(w.now).Round(time.Millisecond), word, w.words()))
		all = append(all, w.clone())
	}
	return all
}

// RD-2, RD-11, RD-13, IL-1, IL-5, IL-6, IL-9: two robots and one car, with all that can
// happen within some inputs of each moment of a ride.
func TestModel(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	for _, p := range modelPlans() {
		t.Run(p.name, func(t *testing.T) {
			seeds := p.moments(t)
			got := explore(seeds, *modelDepth, *modelTime, nil)
			t.Logf("%d states, %d steps, within %d inputs of %d moments (whole: %v); came to %v",
				got.states, got.steps, got.depth, len(seeds), got.whole, got.reached)
			if got.broken != nil {
				t.Fatal("\n" + strings.Join(got.broken, "\n"))
			}
			for _, what := range p.reaches {
				if got.reached[what] == 0 {
					t.Errorf("never came to: %s", what)
				}
			}
		})
	}
}

// IL-9: a guard that is broken is found, and told by the shortest way to it.
func TestModelFindsABrokenGuard(t *testing.T) {
	plans := modelPlans()
	for _, m := range mutations() {
		t.Run(m.name, func(t *testing.T) {
			got := explore(plans[m.plan].moments(t), 4, 30*time.Second, m.hook)
			if got.broken == nil {
				t.Fatalf("not found within %d inputs, %d states", got.depth, got.states)
			}
			last := got.broken[len(got.broken)-1]
			if !strings.Contains(last, m.want) {
				t.Errorf("found as %q, not as %q", last, m.want)
			}
			t.Logf("%d states:\n%s", got.states, strings.Join(got.broken, "\n"))
		})
	}
}

const (
	front    = elevator.Front
	modelTop = elevator.Floor(3)
)
