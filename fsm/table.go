package fsm

import (
	"context"
	"slices"

	loop "github.com/looplab/fsm"
)

// trigger is the name of a transition.
type trigger string

const (
	toRequest trigger = "request" // the lease is ours and the lift is fit
	toConfirm trigger = "confirm" // the call is taken, or as good as
	toBoard   trigger = "board"   // the robot says that it is in
	toOpen    trigger = "open"    // an exit stands open
	toLeave   trigger = "leave"   // the robot says that it is out
	toFail    trigger = "fail"
	toRetry   trigger = "retry"  // from outside: call again
	toResume  trigger = "resume" // from inside: ride on
	toEnd     trigger = "end"    // cancelled, expired or failed, with the robot outside
	toLock    trigger = "lock"
	toUnlock  trigger = "unlock" // a person: the robot is inside
	toClear   trigger = "clear"  // a person: the robot is outside or removed
)

// machine declares every legal change of state. What is not here cannot happen.
func machine() []loop.EventDesc {
	return []loop.EventDesc{
		{Name: string(toRequest), Src: names(Idle), Dst: string(Requesting)},
		{Name: string(toConfirm), Src: names(Requesting), Dst: string(Waiting)},
		{Name: string(toBoard), Src: names(Waiting), Dst: string(Moving)},
		{Name: string(toOpen), Src: names(Moving, Fault), Dst: string(Exiting)},
		{Name: string(toLeave), Src: names(Moving, Exiting, Fault), Dst: string(Done)},
		{Name: string(toFail), Src: names(Requesting, Waiting, Moving, Exiting), Dst: string(Fault)},
		{Name: string(toRetry), Src: names(Fault), Dst: string(Requesting)},
		{Name: string(toResume), Src: names(Fault), Dst: string(Moving)},
		{Name: string(toEnd), Src: names(Idle, Requesting, Waiting, Fault), Dst: string(Done)},
		{Name: string(toLock), Src: names(Fault), Dst: string(FaultLocked)},
		{Name: string(toUnlock), Src: names(FaultLocked), Dst: string(Fault)},
		{Name: string(toClear), Src: names(FaultLocked), Dst: string(Done)},
	}
}

func names(states ...State) []string {
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = string(s)
	}
	return out
}

// States lists the eight states in the order of a ride.
func States() []State {
	return []State{Idle, Requesting, Waiting, Moving, Exiting, Done, Fault, FaultLocked}
}

func triggers() []trigger {
	return []trigger{toRequest, toConfirm, toBoard, toOpen, toLeave, toFail, toRetry, toResume, toEnd, toLock, toUnlock, toClear}
}

// legal is the machine, walked once: legal[state][trigger] is where it leads, ""
// where it leads nowhere. Nobody writes to it.
var legal = walk()

func walk() (out [8][12]State) {
	for i, from := range States() {
		for j, t := range triggers() {
			// A machine of its own for each pair: it is used once and thrown away,
			// so that nothing can be left half done in it.
			m := loop.NewFSM(string(from), machine(), nil)
			if m.Event(context.Background(), string(t)) == nil {
				out[i][j] = State(m.Current())
			}
		}
	}
	return out
}

// next looks a transition up.
func next(from State, t trigger) (State, bool) {
	i, j := slices.Index(States(), from), slices.Index(triggers(), t)
	if i < 0 || j < 0 || legal[i][j] == "" {
		return from, false
	}
	return legal[i][j], true
}

// Diagram draws the table of states as Mermaid.
func Diagram() string {
	text, err := loop.VisualizeForMermaidWithGraphType(loop.NewFSM(string(Idle), machine(), nil), loop.StateDiagram)
	if err != nil {
		return ""
	}
	return text
}
