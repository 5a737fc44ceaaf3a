package cli

import (
	"context"
	"io"
	"time"

	"hoistway/agent/commission"
	"hoistway/agent/localapi"
)

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
