package commission

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"hoistway/agent/audit"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Act is one write by hand: what is sent, by whom, where.
type Act struct {
	By, Lift, Link string
	Question       string
	Forced         bool
}

// Poke carries out an act: the audit has it before its first byte leaves, and what
// became of it afterwards. When the audit cannot be written, nothing is sent; nor is it
// when ctx has somebody to be asked first, see [drivers.AskFirst], who says no.
func Poke(ctx context.Context, p drivers.Prober, a Act, acts *audit.File, wall func() time.Time) (elevator.Outcome, error) {
	frames, err := p.Preview(a.Question)
	if err != nil {
		return elevator.Outcome{}, err
	}
	id := elevator.CommandID{Ride: "hand-" + rand.Text(), N: 1}
	e := audit.Entry{ID: id.String(), At: wall().UTC(), By: a.By, What: "write", Lift: a.Lift, Link: a.Link, Question: a.Question, Forced: a.Forced, Frames: Hex(frames), Outcome: "asked"}
	if err := acts.Write(e); err != nil {
		return elevator.Outcome{}, fmt.Errorf("%w: %w", drivers.ErrNotSent, err)
	}
	o := p.Poke(ctx, id, a.Question)
	e.At, e.Outcome, e.Code, e.Detail = wall().UTC(), o.Result.String(), o.Code, o.Detail
	return o, acts.Write(e)
}

// Hex writes frames for people: 01 06 00 02 00 05 E9 C9.
func Hex(frames [][]byte) []string {
	out := []string{}
	for _, f := range frames {
		out = append(out, HexOf(f))
	}
	return out
}

// HexOf writes one frame.
func HexOf(b []byte) string {
	out := make([]byte, 0, 3*len(b))
	for i, x := range b {
		if i > 0 {
			out = append(out, ' ')
		}
		out = hex.AppendEncode(out, []byte{x})
	}
	return string(out)
}
