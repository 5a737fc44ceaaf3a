package cli

import (
	"strings"
	"testing"
	"time"

	"hoistway/simulator/real"
)

// A narrator remembers only the rides that the agent still knows: a demo may run for weeks.
func TestTheNarratorForgetsRides(t *testing.T) {
	var out strings.Builder
	start := time.Unix(1_750_000_000, 0)
	n := newNarrator(&demo{out: &out, start: start})
	ride := func(id string, moves ...string) real.AgentRide {
		r := real.AgentRide{ID: id, Lift: "L1", Robot: "R1", From: "G", To: "1"}
		for i, to := range moves {
			r.Transitions = append(r.Transitions, real.AgentTransition{At: start.Add(time.Duration(i) * time.Second), To: to})
		}
		return r
	}
	n.tell([]real.AgentRide{ride("a", "REQUESTING")})
	n.tell([]real.AgentRide{ride("a", "REQUESTING", "WAITING"), ride("b", "REQUESTING")})
	n.tell([]real.AgentRide{ride("b", "REQUESTING")})
	if len(n.told) != 1 || strings.Count(out.String(), "\n") != 3 || strings.Count(out.String(), "WAITING") != 1 {
		t.Errorf("remembers %v, told\n%s", n.told, out.String())
	}
}
