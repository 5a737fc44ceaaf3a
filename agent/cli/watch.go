package cli

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
)

func newWatchCommand(a *app) *cobra.Command {
	var (
		raw   bool
		every time.Duration
		span  time.Duration
	)
	cmd := &cobra.Command{
		Use:   "watch [LIFT|LINK] [QUESTION]",
		Short: "Look at the lifts as they move; with --raw at a controller's registers",
		Long: `Look at lifts, doors, rides, the queue, faults and links as they change, or at all
that concerns one lift. On a terminal it is one screen, from 80 columns and 24 lines
on, until q or Ctrl-C; anywhere else each look follows the last. An agent that does
not answer for a while is waited for: what was seen last is then marked as old. A
value with a ? before it is not of now.

With --raw, look at the registers of a controller: hexadecimal, the four orders of
two registers, bits, what the profile reads there, and what has changed since the
look before.`,
		Example: `  hoistway watch
  hoistway watch L1
  hoistway watch --every 5s > log
  hoistway watch --raw L1 input:0x14 --token-file token
  hoistway watch --raw "modbus+tcp://10.0.0.5:502?unit=1" holding:0x8 --for 10s`,
		Args: wants("[LIFT|LINK]", "[QUESTION]"),
	}
	b := a.benches(cmd, true)
	cmd.Flags().BoolVar(&raw, "raw", false, "the registers of a controller")
	cmd.Flags().DurationVar(&every, "every", time.Second, "how often to look")
	cmd.Flags().DurationVar(&span, "for", 0, "how long to look (default: until Ctrl-C)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if every < 50*time.Millisecond {
			return usagef(codeFlag, "--every must be 50ms or more, not %s", every)
		}
		ctx, stop := a.untilInterrupt(cmd.Context(), span)
		defer stop()
		if raw {
			if len(args) != 2 {
				return usagef(codeArgs, "hoistway watch --raw takes LIFT|LINK and QUESTION")
			}
			return b.watchRaw(ctx, args[0], args[1], every)
		}
		if len(args) > 1 {
			return usagef(codeArgs, "a question wants --raw")
		}
		return b.watchLifts(ctx, args, every)
	}
	return cmd
}

// screen draws one look after another: over the last on a terminal, below it
// anywhere else.
type screen struct {
	out   io.Writer
	over  bool
	has   bool
	stamp func() string
}

func (a *app) screen() *screen {
	return &screen{out: a.out, over: isTerminal(a.out), stamp: func() string { return time.Now().Format("15:04:05.000") }}
}

func (s *screen) show(draw func(io.Writer) error) error {
	var b bytes.Buffer
	switch {
	case s.over:
		b.WriteString("\x1b[H\x1b[2J")
	case s.has:
		b.WriteString("\n")
	}
	s.has = true
	b.WriteString(s.stamp() + "\n")
	if err := draw(&b); err != nil {
		return err
	}
	_, err := s.out.Write(b.Bytes())
	return output(err)
}

// repeat looks until ctx ends; the end is no failure.
func repeat(ctx context.Context, every time.Duration, look func() error) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		if err := look(); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// untilInterrupt ends at SIGINT or SIGTERM, or after span where it is not 0.
func (a *app) untilInterrupt(parent context.Context, span time.Duration) (context.Context, func()) {
	ctx, stop := notifyContext(parent)
	if span <= 0 {
		return ctx, stop
	}
	timed, cancel := context.WithTimeout(ctx, span)
	return timed, func() { cancel(); stop() }
}
