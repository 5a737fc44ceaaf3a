package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
	"hoistway/agent/localapi"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

func newRecordCommand(a *app) *cobra.Command {
	var (
		file string
		span time.Duration
	)
	cmd := &cobra.Command{
		Use:   "record LIFT|LINK -o FILE",
		Short: "Keep what passes on a line, with times",
		Long: `Keep what passes on a line, as JSON lines that any editor reads. A lift of the
running agent is recorded through it. A link is read by its profile; a serial link
without a profile is only listened to: nothing is sent.`,
		Example: `  hoistway record L1 -o l1.jsonl --for 60s --token-file token
  hoistway record "modbus+tcp://10.0.0.5:502?unit=1" \
     --profile bench/modbus-lift -o l1.jsonl
  hoistway record "modbus+rtu:///dev/ttyUSB0?baud=9600" -o heard.jsonl`,
		Args: wants("LIFT|LINK"),
	}
	b := a.benches(cmd, true)
	cmd.Flags().StringVarP(&file, "output", "o", "", "the recording's `file` (required; it must not exist)")
	cmd.Flags().DurationVar(&span, "for", time.Minute, "how long to record")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file == "" {
			return usagef(codeFlag, "-o FILE is required")
		}
		ctx, stop := a.untilInterrupt(cmd.Context(), span)
		defer stop()
		to, err := b.toward(ctx, args[0])
		if err != nil {
			return err
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
		if err != nil {
			return &failure{exit: exitFinding, code: codeRecording, text: err.Error(), err: err}
		}
		kept, lost, err := b.record(ctx, to, f)
		if cerr := f.Close(); err == nil && cerr != nil {
			err = &failure{exit: exitFinding, code: codeRecording, text: cerr.Error(), err: cerr}
		}
		if err != nil {
			return err
		}
		return b.recorded(file, kept, lost)
	}
	return cmd
}

func (b *benching) recorded(file string, kept, lost int) error {
	if b.json {
		return b.app.printValue(struct {
			File   string `json:"file"`
			Frames int    `json:"frames"`
			Lost   int    `json:"lost"`
		}{file, kept, lost})
	}
	text := fmt.Sprintf("%s: %s", file, count(kept, "frame"))
	if lost > 0 {
		text += fmt.Sprintf(", %d lost", lost)
	}
	_, err := fmt.Fprintln(b.app.out, text)
	return output(err)
}

func (b *benching) record(ctx context.Context, to aim, f *os.File) (kept, lost int, err error) {
	switch {
	case to.agent != nil:
		return b.recordByAgent(ctx, to, f)
	case to.target.Profile != nil:
		kept, lost, err = b.world.Record(ctx, to.target, to.lift, f)
	default:
		kept, lost, err = b.world.Overhear(ctx, to.target, f)
	}
	return kept, lost, lineFault(err)
}

// recordByAgent keeps what the agent's desk shows, from now on.
func (b *benching) recordByAgent(ctx context.Context, to aim, f *os.File) (kept, lost int, err error) {
	stats, err := read[localapi.BenchStats](to.agent.get(ctx, to.path("stats", nil)))
	if err != nil {
		return 0, 0, err
	}
	after, start := stats.Next, stats.Now
	r, err := commission.NewRecorder(f, b.headOf(to, stats), 0)
	if err != nil {
		return 0, 0, &failure{exit: exitFinding, code: codeRecording, text: err.Error(), err: err}
	}
	missed := 0
	for ctx.Err() == nil {
		got, err := b.frames(ctx, to, after, 5)
		if err != nil {
			if ctx.Err() == nil {
				_, _, _ = r.Close()
				return 0, 0, err
			}
			break
		}
		after, missed = got.Next, missed+int(got.Missed)
		for _, x := range got.Frames {
			data, err := hex.DecodeString(x.Hex)
			if err == nil && !x.At.Before(start) {
				r.Note(drivers.Frame{Line: got.Line, Out: x.Out, At: elevator.Instant(x.At.Sub(start)) + 1, Data: data, Note: x.Note})
			}
		}
	}
	kept, lost, err = r.Close()
	if err != nil {
		return kept, lost, &failure{exit: exitFinding, code: codeRecording, text: err.Error(), err: err}
	}
	return kept, lost + missed, nil
}

func (b *benching) frames(ctx context.Context, to aim, after uint64, wait int) (localapi.BenchFrames, error) {
	q := url.Values{"after": {strconv.FormatUint(after, 10)}, "wait_s": {strconv.Itoa(wait)}}
	return read[localapi.BenchFrames](to.agent.get(ctx, to.path("frames", q)))
}

// headOf says what is recorded; the profile is the one of the configuration, which
// is the agent's own where it runs by this file.
func (b *benching) headOf(to aim, got localapi.BenchStats) commission.Head {
	h := commission.Head{Link: got.Link, Line: got.Line, Lift: to.lift, Started: got.Now}
	if to.conf == nil {
		return h
	}
	if l := liftOf(to.conf, to.lift); l != nil {
		name, src := to.conf.ProfileSource(to.lift)
		h.Profile, h.Hash, h.Floors = l.Profile, commission.Hash(name, src), l.Table()
	}
	return h
}
