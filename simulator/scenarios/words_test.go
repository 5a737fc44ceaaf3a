package scenarios

import (
	"os"
	"slices"
	"strings"
	"testing"

	"hoistway/fsm"
	"hoistway/simulator/building"
)

// RD-1: the words that conditions know are those of the ride machine, all of them.
func TestWordsAreThoseOfTheMachine(t *testing.T) {
	var states []string
	for _, p := range phaseWords() {
		s := string(fsm.StateOf(fsm.Phase(p)))
		if s == "" {
			t.Errorf("the machine has no phase %s", p)
		}
		if !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	slices.Sort(states)
	if want := slices.Sorted(slices.Values(stateWords())); !slices.Equal(states, want) {
		t.Errorf("states %v, the phases belong to %v", want, states)
	}
	for _, c := range []fsm.Code{
		fsm.CallNotAccepted, fsm.CallRefused, fsm.ClaimRefused, fsm.WaitTimeout, fsm.DoorClosedEarly, fsm.BoardTimeout,
		fsm.SignalConflict, fsm.TravelTimeout, fsm.WrongFloor, fsm.ExitTimeout, fsm.LinkLost, fsm.StaleData, fsm.NetworkTimeout,
		fsm.Overload, fsm.Busy, fsm.ModeFire, fsm.ModeSeismic, fsm.ModeInspection, fsm.ModeIndependent, fsm.OutOfService,
		fsm.EmergencyStop, fsm.RobotLost, fsm.IOError, fsm.RestartedCode, fsm.StoreFault, fsm.Invariant, fsm.Vendor,
	} {
		if !slices.Contains(codeWords(), string(c)) {
			t.Errorf("the code %s is not known here", c)
		}
	}
	for _, c := range []string{fsm.DoorOpenAlarm, fsm.RobotStuckAlarm} {
		if !slices.Contains(alarmWords(), c) {
			t.Errorf("the alarm %s is not known here", c)
		}
	}
	for _, w := range []fsm.Where{fsm.Outside, fsm.Crossing, fsm.Inside, fsm.Unknown} {
		if !slices.Contains(whereWords(), string(w)) {
			t.Errorf("the place %s is not known here", w)
		}
	}
	for _, k := range []fsm.PermitKind{fsm.Enter, fsm.LeaveAtTarget, fsm.LeaveBack, fsm.Evacuate} {
		if !slices.Contains(permitWords(), string(k)) {
			t.Errorf("the permit %s is not known here", k)
		}
	}
	for _, d := range []fsm.Action{fsm.DoWait, fsm.DoGoTo, fsm.DoEnter, fsm.DoStay, fsm.DoLeave, fsm.DoBackOff, fsm.DoClearDoor, fsm.DoGetHelp} {
		if !slices.Contains(doWords(), string(d)) {
			t.Errorf("the advice %s is not known here", d)
		}
	}
	for _, k := range []fsm.SignalKind{
		fsm.Heartbeat, fsm.Ready, fsm.Entering, fsm.Entered, fsm.LeavingNow, fsm.Left, fsm.GaveUpEntering,
		fsm.GaveUpLeaving, fsm.KeepOpen, fsm.StoppedMoving, fsm.CannotMove, fsm.Cleared,
	} {
		if !slices.Contains(sayWords(), string(k)) {
			t.Errorf("the signal %s is not known here", k)
		}
	}
}

// CT-8: the page that explains the language leaves no word of it out, and its
// example is one.
func TestReadmeIsWhole(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	var words []string
	for _, list := range [][]string{
		setupWords(), starters(), verbWords(), rideAspects(), liftAspects(), subjects(), faultOptions(), askedWords(), building.MixNames(),
		permitWords(), landingWords(), liftWords(), robotWords(),
	} {
		words = append(words, list...)
	}
	for _, r := range settingRows() {
		words = append(words, r.name)
	}
	for _, w := range words {
		if !strings.Contains(page, w) {
			t.Errorf("README.md does not tell of %q", w)
		}
	}
	var example strings.Builder
	for line := range strings.Lines(page) {
		if rest, in := strings.CutPrefix(line, "    "); in {
			example.WriteString(rest)
		}
	}
	s, bad := Parse("README.md", []byte(example.String()))
	if len(bad) > 0 || s.Demands() != 3 {
		t.Errorf("the example: %v", bad)
	}
}
