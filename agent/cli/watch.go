package cli

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
	"hoistway/agent/localapi"
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
		Long: `Look at the lifts as they move, or at one of them. With --raw, look at the
registers of a controller: hexadecimal, the four orders of two registers, bits,
what the profile reads there, and what has changed since the look before. It goes
on until Ctrl-C, or for --for. Where the output is no terminal each look follows
the last.`,
		Example: `  hoistway watch
  hoistway watch L1
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

func (b *benching) watchLifts(ctx context.Context, args []string, every time.Duration) error {
	conf, err := b.loaded()
	if err != nil {
		return err
	}
	c, err := b.agentOf(conf)
	if err != nil {
		return err
	}
	s := b.app.screen()
	return repeat(ctx, every, func() error {
		var lifts []localapi.Lift
		if len(args) == 1 {
			l, err := read[localapi.Lift](c.get(ctx, at("lifts", args[0])))
			if err != nil {
				return err
			}
			lifts = append(lifts, l)
		} else if lifts, err = read[[]localapi.Lift](c.get(ctx, at("lifts"))); err != nil {
			return err
		}
		if b.json {
			return b.app.printValue(lifts)
		}
		return s.show(func(w io.Writer) error { return liftTable(lifts).print(w) })
	})
}

func (b *benching) watchRaw(ctx context.Context, where, question string, every time.Duration) error {
	to, err := b.toward(ctx, where)
	if err != nil {
		return err
	}
	profile := to.target.Profile
	if profile == nil && to.conf != nil && to.lift != "" && b.profile == "" {
		name, src := to.conf.ProfileSource(to.lift)
		if t, err := to.target.WithProfile(name, src); err == nil {
			profile = t.Profile
		}
	}
	peek, done, err := b.peeker(ctx, to, question)
	if err != nil {
		return err
	}
	defer done()
	s, before := b.app.screen(), []uint16(nil)
	return repeat(ctx, every, func() error {
		got, err := peek()
		if err != nil {
			return err
		}
		rows := commission.Registers(question, got.Words, before, profile)
		before = got.Words
		if b.json {
			return b.app.printValue(rows)
		}
		return s.show(func(w io.Writer) error {
			drawn := *b.app
			drawn.out = w
			return drawn.printRegisters(rows, got.Text)
		})
	})
}

// peeker keeps a direct session open over many looks.
func (b *benching) peeker(ctx context.Context, to aim, question string) (func() (localapi.BenchPeek, error), func(), error) {
	if to.agent != nil {
		return func() (localapi.BenchPeek, error) { return b.peek(ctx, to, question) }, func() {}, nil
	}
	to.target = to.target.Bare()
	s, err := b.world.Open(ctx, to.target, nil)
	if err != nil {
		return nil, nil, lineFault(err)
	}
	prober, err := s.Questions()
	if err != nil {
		_ = s.Close()
		return nil, nil, lineFault(err)
	}
	look := func() (localapi.BenchPeek, error) {
		p, err := prober.Peek(ctx, question)
		return localapi.BenchPeek{Question: question, Words: p.Words, Text: p.Text}, lineFault(err)
	}
	return look, func() { _ = s.Close() }, nil
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
