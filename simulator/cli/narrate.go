package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"hoistway/simulator/real"
)

// narrator prints a line a transition and, between them, a line of progress: one
// that is overwritten on a terminal, one in five seconds elsewhere.
type narrator struct {
	d        *demo
	told     map[string]int // transitions already told, by ride
	terminal bool
	lastLine time.Time
}

func newNarrator(d *demo) *narrator {
	n := &narrator{d: d, told: map[string]int{}}
	if f, ok := d.out.(*os.File); ok {
		n.terminal = term.IsTerminal(int(f.Fd()))
	}
	return n
}

func (n *narrator) run(ctx context.Context) {
	for sleep(ctx, 250*time.Millisecond) {
		n.look()
		n.progress()
	}
}

// last tells what came after the last look.
func (n *narrator) last() {
	n.look()
	n.erase()
}

func (n *narrator) look() {
	var rides []real.AgentRide
	if n.d.site.Read("/v1/rides", &rides) == nil {
		n.tell(rides)
	}
}

func (n *narrator) tell(rides []real.AgentRide) {
	type line struct {
		at   time.Time
		text string
	}
	var lines []line
	told := make(map[string]int, len(rides)) // of rides that are still known
	for _, r := range rides {
		for _, t := range r.Transitions[min(n.told[r.ID], len(r.Transitions)):] {
			lines = append(lines, line{t.At, fmt.Sprintf("%s  %-3s %-8s %s %s→%s  %s → %s · %s  %s",
				clockOf(t.At.Sub(n.d.start)), r.Lift, r.ID, r.Robot, r.From, r.To, t.From, t.To, t.Phase, t.Why)})
		}
		told[r.ID] = len(r.Transitions)
	}
	n.told = told
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	for _, l := range lines {
		n.erase()
		fmt.Fprintln(n.d.out, strings.TrimRight(l.text, " "))
	}
}

func (n *narrator) progress() {
	if !n.terminal && time.Since(n.lastLine) < 5*time.Second {
		return
	}
	n.lastLine = time.Now()
	var lifts []real.AgentLift
	if n.d.site.Read("/v1/lifts", &lifts) != nil {
		return
	}
	parts := []string{clockOf(time.Since(n.d.start))}
	for _, l := range lifts {
		parts = append(parts, fmt.Sprintf("%s %s at %v, %v, door %v, %s", l.ID, l.Link, l.Floor.Value, l.Move.Value, l.Doors["front"].Value, l.State))
	}
	parts = append(parts, n.cloud())
	text := "· " + strings.Join(parts, " | ")
	if n.terminal {
		fmt.Fprintf(n.d.out, "\r\x1b[2K%.132s", text)
		return
	}
	fmt.Fprintln(n.d.out, text)
}

// cloud says whether the gateway hears its cloud, and how many of the shadows differ
// from what the cloud last acknowledged.
func (n *narrator) cloud() string {
	var s real.AgentSync
	if n.d.site.Read("/v1/shadow", &s) != nil || !s.Connected {
		return "cloud away"
	}
	behind := 0
	for _, d := range s.Shadows {
		if d.Sync != "converged" || len(d.Pending) > 0 {
			behind++
		}
	}
	if behind > 0 {
		return fmt.Sprintf("cloud: %d shadows to sync", behind)
	}
	return "cloud in step"
}

func (n *narrator) erase() {
	if n.terminal {
		fmt.Fprint(n.d.out, "\r\x1b[2K")
	}
}
