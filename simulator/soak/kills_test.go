package soak

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/virtual"
)

var kills = flag.Int("soak.kills", 60, "rides during which the agent is killed, each at another moment")

// killed is one ride during which the agent's process is killed once or twice, between two
// events of the site: a write under way may have come through or not, and what waited for
// it is lost either way.
type killed struct {
	site   *virtual.Site
	rng    *rand.Rand
	events int
	at     fsm.State // of the ride at the first kill
	phase  fsm.Phase
	where  string // the robot, truly
}

func newKilled(n int) (*killed, error) {
	site, err := virtual.New(virtual.Bench(uint64(n/8) + 1))
	if err != nil {
		return nil, err
	}
	k := &killed{site: site, rng: rand.New(rand.NewPCG(uint64(n), 0x6b696c6c))}
	k.to(time.Second)
	way := n % 8
	from, to := landings[way%len(landings)], landings[(way+1+way/4)%len(landings)]
	return k, site.Do(scenarios.AskRide{ID: "x", Robot: "R1", From: from, To: to, Lift: liftID(way % 2)})
}

// step plays one event; false when there is none up to an instant.
func (k *killed) step(to time.Duration) bool {
	if at := k.site.Next(); at == 0 || at > elevator.Instant(to) {
		return false
	}
	k.site.Step()
	k.site.Log() // nobody reads it
	k.events++
	return true
}

func (k *killed) to(t time.Duration) {
	for k.step(t) {
	}
	k.site.Advance(elevator.Instant(t))
}

func (k *killed) done() bool {
	r, ok := k.site.Ride("x")
	return ok && string(r.State) == string(fsm.Done)
}

const killRide = 45 * time.Minute // longer than any ride with all its retries

// play lets the ride go on to its end, with kills after so many events.
func (k *killed) play(kills ...int) error {
	for k.step(killRide) && !k.done() {
		if len(kills) == 0 || k.events < kills[0] {
			continue
		}
		if k.at == "" {
			r, _ := k.site.Ride("x")
			k.at, k.phase = fsm.State(r.State), fsm.Phase(r.Phase)
			at, _ := k.site.Robot("R1")
			k.where = at.Where
		}
		kills = kills[1:]
		away := time.Duration(k.rng.Int64N(int64(6 * time.Second))).Truncate(time.Millisecond)
		err := k.site.Do(scenarios.Inject{Fault: faults.Fault{Kind: "kill", Target: faults.GatewayTarget, Arg: away.String()}})
		if err != nil && len(kills) == 0 {
			return err
		}
	}
	return nil
}

// RD-11, RD-7, IL-1: the agent is killed at random points of a ride, and each time no law
// is broken, nothing is pressed twice, and the ride comes to its end.
func TestKills(t *testing.T) {
	length := map[int]int{} // events of a ride that nobody kills, by seed and way
	table, ends := map[string]int{}, map[string]int{}
	twice := 0
	for n := range *kills {
		if _, ok := length[n%8]; !ok {
			k := mustRide(t, n%8)
			if err := k.play(); err != nil || !k.done() {
				t.Fatalf("a ride that nobody kills: %v", err)
			}
			length[n%8] = k.events
		}
		k := mustRide(t, n)
		at := []int{k.events + 1 + k.rng.IntN(length[n%8]-k.events)}
		if n%3 == 0 { // and again while it comes back, or soon after
			at = append(at, at[0]+1+k.rng.IntN(60))
			twice++
		}
		if err := k.play(at...); err != nil {
			t.Fatalf("kill %d at event %v: %v", n, at, err)
		}
		k.judge(t, n, at)
		r, _ := k.site.Ride("x")
		table[fmt.Sprintf("%-10s %-12s robot %s", k.at, k.phase, k.where)]++
		ends[string(r.State)+" "+string(r.Phase)]++
	}
	t.Logf("%d rides, %d of them killed twice; ended: %v; killed in:", *kills, twice, ends)
	for _, row := range slices.Sorted(maps.Keys(table)) {
		t.Logf("  %s: %d", row, table[row])
	}
}

func mustRide(t *testing.T, n int) *killed {
	t.Helper()
	k, err := newKilled(n)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// judge: the laws, and an end; or a robot inside, for which a person was called.
func (k *killed) judge(t *testing.T, n int, at []int) {
	t.Helper()
	if broken := k.site.Watch().Breaches(); len(broken) > 0 {
		var words []string
		for _, b := range broken {
			words = append(words, b.String())
		}
		t.Errorf("kill %d at event %v (%s %s): %s", n, at, k.at, k.phase, strings.Join(words, "; "))
	}
	r, _ := k.site.Ride("x")
	if !k.done() && string(r.State) != string(fsm.FaultLocked) {
		t.Errorf("kill %d at event %v (%s %s): after %v still %s %s", n, at, k.at, k.phase, killRide, r.State, r.Phase)
	}
}
