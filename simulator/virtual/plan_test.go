package virtual

import (
	"testing"
	"time"

	"hoistway/simulator/cloud/rules"
)

// OP-9: a fault that the agent reports, a plan of the service for that very fault, taken by
// the agent once and mirrored; the ride goes on by itself.
func TestPlanOfTheCloud(t *testing.T) {
	s := open(t, Bench(1))
	s.cloud.svc.With(rules.Options{Planned: true})
	play(t, s, 10*time.Second, cue{2 * time.Second, ride("L1", "G", "2")}, cue{3 * time.Second, fault("L1", "no-show", "", 4*time.Minute)})
	until(t, s, 20*time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
	s.Advance(s.Now().Add(5 * time.Second))
	log := s.Log()
	if n := count(log, "L1", "order of the cloud path=recovery code=200 by=recovery"); n != 2 { // one for each fault
		t.Errorf("%d plans were taken\n%s", n, text(log))
	}
	d, _ := s.cloud.svc.Document(serial, "L1")
	if r, _ := s.Ride("r1"); r.Phase != "arrived" || d.Desired["_intents"] != nil || d.Delta()["recovery"] != nil {
		t.Errorf("the ride %s, desired %v, delta %v", r.Phase, d.Desired, d.Delta())
	}
	lawful(t, s)
}
