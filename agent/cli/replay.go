package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
)

func newReplayCommand(a *app) *cobra.Command {
	var (
		asJSON      bool
		dir, floors string
	)
	cmd := &cobra.Command{
		Use:   "replay FILE [PROFILE]",
		Short: "Run a recording through a profile, with no wire",
		Long: `Run a recording through a profile: what would have been known, and when. Without
PROFILE the one that the recording names is taken. With --case DIR the recording
becomes a test case: the words as they came, with what must follow left for a
person who was at the lift to fill in.`,
		Example: `  hoistway replay l1.jsonl
  hoistway replay l1.jsonl ./board.yaml --floors floors.yaml
  hoistway replay l1.jsonl --case testdata/acme-b2/door_opens`,
		Args: wants("FILE", "[PROFILE]"),
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&dir, "case", "", "write a test case to this `folder`")
	cmd.Flags().StringVar(&floors, "floors", "", "`file` with the floor table (default: the recording's, else the controller's own numbers)")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		rec, t, err := loadRecording(args, floors)
		if err != nil {
			return err
		}
		p, err := commission.Replay(rec, t)
		if err != nil {
			return lineFault(err)
		}
		if dir != "" {
			n, err := commission.WriteCase(dir, t, rec, p)
			if err != nil {
				return &failure{exit: exitFinding, code: codeRecording, text: err.Error(), err: err}
			}
			_, err = fmt.Fprintf(a.out, "%s/case.txt: %s; put what you saw below each ----\n", dir, count(n, "step"))
			return output(err)
		}
		if asJSON {
			return a.printValue(playedJSON(p))
		}
		return a.printPlayed(p)
	}
	return cmd
}

func loadRecording(args []string, floors string) (commission.Recording, commission.Target, error) {
	var t commission.Target
	f, err := os.Open(args[0])
	if err != nil {
		return commission.Recording{}, t, &failure{exit: exitUsage, code: codeRecording, text: err.Error(), err: err}
	}
	defer f.Close()
	rec, err := commission.ReadRecording(f)
	if err != nil {
		return rec, t, &failure{exit: exitFinding, code: codeRecording, text: args[0] + ": " + err.Error(), err: err}
	}
	t.Floors = rec.Floors
	if floors != "" {
		if t.Floors, err = commission.LoadFloors(floors); err != nil {
			return rec, t, &failure{exit: exitUsage, code: codeProfile, text: err.Error(), err: err}
		}
	}
	ref := rec.Profile
	if len(args) == 2 {
		ref = args[1]
	}
	if ref == "" {
		return rec, t, usagef(codeProfile, "%s names no profile: hoistway replay FILE PROFILE", args[0])
	}
	t, err = withProfile(library(nil), t, ref)
	return rec, t, err
}

func (a *app) printPlayed(p commission.Played) error {
	t := &table{}
	t.row("AT", "POINT", "FROM", "TO")
	for _, c := range p.Changes {
		at := fmt.Sprintf("%.3f s", c.At.Seconds())
		if c.Point == "" {
			t.row(at, c.Event, " ", " ")
			continue
		}
		t.row(at, c.Point, c.From, c.To)
	}
	if err := t.print(a.out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "\n%s, %s, %s, %d not answered\n",
		count(p.Reads, "read"), count(p.Writes, "write"), count(p.Exceptions, "exception"), p.Silent)
	return output(err)
}

type playedOut struct {
	Reads      int         `json:"reads"`
	Writes     int         `json:"writes"`
	Exceptions int         `json:"exceptions"`
	Silent     int         `json:"silent"`
	Points     []string    `json:"points"`
	Changes    []changeOut `json:"changes"`
}

type changeOut struct {
	AtMs  float64 `json:"at_ms"`
	Point string  `json:"point,omitempty"`
	From  string  `json:"from,omitempty"`
	To    string  `json:"to,omitempty"`
	Event string  `json:"event,omitempty"`
}

func playedJSON(p commission.Played) playedOut {
	out := playedOut{p.Reads, p.Writes, p.Exceptions, p.Silent, p.Points, []changeOut{}}
	for _, c := range p.Changes {
		ms := float64(c.At.Round(time.Microsecond).Microseconds()) / 1000
		out.Changes = append(out.Changes, changeOut{ms, c.Point, c.From, c.To, c.Event})
	}
	return out
}
