package soak

import (
	"hoistway/fsm"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/virtual"
)

// tally counts what happened.
type tally struct {
	asked   int
	refused int // acts that the site could not carry out
	resets  int
	rides   int
	ends    map[string]int
	begun   map[string]int
	struck  map[string]int
	faults  int
}

func newTally() tally {
	return tally{ends: map[string]int{}, begun: map[string]int{}, struck: map[string]int{}}
}

func (t *tally) did(a scenarios.Act, err error) {
	switch a.(type) {
	case scenarios.AskRide:
		t.asked++
	case scenarios.ResetRide:
		t.resets++
	}
	if err != nil {
		t.refused++
	}
}

func (t *tally) over(o virtual.Over) {
	if o.State == fsm.FaultLocked {
		return // not over: a person comes
	}
	t.rides++
	word := string(o.Phase)
	if word == "" {
		word = "not taken"
	}
	t.ends[word]++
}

// fault counts a beginning, and whether it struck. One that is simply on strikes by that.
func (t *tally) fault(e faults.Event) {
	k, _ := faults.Find(e.Fault.Kind)
	switch e.What {
	case faults.Began:
		t.faults++
		t.begun[k.Name]++
		if k.Meets == "" {
			t.struck[k.Name]++
		}
	case faults.Struck:
		if e.Strike == 1 {
			t.struck[k.Name]++
		}
	}
}
