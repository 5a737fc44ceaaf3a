package fsm

import (
	"context"
	"os"
	"strings"
	"testing"

	loop "github.com/looplab/fsm"
)

// RD-2: the whole table, by hand. A pair that is not here leads nowhere.
func TestTable(t *testing.T) {
	want := map[State]map[trigger]State{
		Idle:        {toRequest: Requesting, toEnd: Done},
		Requesting:  {toConfirm: Waiting, toFail: Fault, toEnd: Done},
		Waiting:     {toBoard: Moving, toFail: Fault, toEnd: Done},
		Moving:      {toOpen: Exiting, toLeave: Done, toFail: Fault},
		Exiting:     {toLeave: Done, toFail: Fault},
		Done:        {},
		Fault:       {toRetry: Requesting, toResume: Moving, toOpen: Exiting, toLeave: Done, toEnd: Done, toLock: FaultLocked},
		FaultLocked: {toUnlock: Fault, toClear: Done},
	}
	for _, s := range States() {
		for _, tr := range triggers() {
			to, ok := next(s, tr)
			if w := want[s][tr]; ok != (w != "") || ok && to != w {
				t.Errorf("%s by %s leads to %q, want %q", s, tr, to, w)
			}
		}
	}
}

// RD-2: what the table does not have changes nothing and is told.
func TestIllegal(t *testing.T) {
	r := New(Request{ID: "R1"}, Params{}, 1)
	s := &step{Ride: &r, now: 2}
	before := r
	if s.move(toBoard, Registering, "never") || r != before {
		t.Errorf("an illegal attempt changed the ride")
	}
	if len(s.fx) != 1 || s.fx[0] != (Illegal{State: Idle, Event: "board"}) {
		t.Errorf("effects %v", s.fx)
	}
	if s.move(toRequest, Boarding, "a phase of another state"); r != before {
		t.Errorf("a phase of another state was entered")
	}
}

// RD-1: each phase belongs to one of the eight states.
func TestPhases(t *testing.T) {
	seen := map[State]bool{}
	for _, row := range phaseRows {
		seen[row.state] = true
		if StateOf(row.phase) != row.state {
			t.Errorf("%s is listed twice", row.phase)
		}
	}
	if len(seen) != 8 || StateOf("elsewhere") != "" {
		t.Errorf("phases of %d states", len(seen))
	}
}

// rowOf finds the trigger of a move: the ends of a ride differ by their phase.
func rowOf(m walkedMove) trigger {
	out := m.phase == Arrived || m.phase == Returned || m.phase == Evacuated
	for _, tr := range triggers() {
		to, ok := next(m.from, tr)
		if ok && to == m.to && (m.to != Done || out == (tr == toLeave)) {
			return tr
		}
	}
	return ""
}

// RD-2: every transcript's transitions are legal for a live machine of the library
// too, and together they walk every row of the table.
func TestTranscriptsWalkTheTable(t *testing.T) {
	walked := map[State]map[trigger]bool{}
	for _, file := range transcripts(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, moves := replay(t, string(src))
		walkLive(t, file, moves, walked)
	}
	for _, d := range machine() {
		for _, src := range d.Src {
			if !walked[State(src)][trigger(d.Name)] {
				t.Errorf("no transcript goes from %s by %s", src, d.Name)
			}
		}
	}
}

func walkLive(t *testing.T, file string, moves []walkedMove, walked map[State]map[trigger]bool) {
	var live *loop.FSM
	ride := ""
	for _, m := range moves {
		if m.ride != ride {
			live, ride = loop.NewFSM(string(Idle), machine(), nil), m.ride
		}
		if m.from == m.to {
			continue // a fault that became another one
		}
		tr := rowOf(m)
		if err := live.Event(context.Background(), string(tr)); err != nil || live.Current() != string(m.to) {
			t.Fatalf("%s: %s: %s -> %s: %v, the machine is in %s", file, m.ride, m.from, m.to, err, live.Current())
		}
		if walked[m.from] == nil {
			walked[m.from] = map[trigger]bool{}
		}
		walked[m.from][tr] = true
	}
}

// RD-2: the diagram in README.md is the one that the table draws.
func TestDiagram(t *testing.T) {
	src, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(src), "<!-- diagram -->\n```mermaid\n")
	drawn, _, ok := strings.Cut(rest, "```\n<!-- end -->")
	if !ok {
		t.Fatal("README.md has no diagram between its markers")
	}
	if drawn != Diagram() {
		t.Errorf("the diagram in README.md is stale; the table draws\n%s", Diagram())
	}
}
