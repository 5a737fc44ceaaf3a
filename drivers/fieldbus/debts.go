package fieldbus

import (
	"context"
	"fmt"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
)

// Owes see [drivers.Debtor]. Whoever has the line answers between two transactions.
func (p *Port) Owes(ctx context.Context) ([]drivers.Debt, error) {
	n := note{owner: p.owner, owed: make(chan []drivers.Debt, 1)}
	if p.post(ctx, n) {
		p.l.rouse()
		select {
		case debts := <-n.owed:
			return debts, nil
		case <-p.l.ended:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", drivers.ErrTimeout, err)
	}
	return nil, drivers.ErrClosed
}

// debts lists what an owner owes; for who has the line.
func (l *line) debts(o schedule.Owner) []drivers.Debt {
	out := []drivers.Debt{}
	for d := range l.sched.Debts(o) {
		debt := drivers.Debt{Refused: d.Refused}
		if j := l.jobs[d.Key]; j != nil {
			debt.Command, debt.Verb, debt.Asked = j.cmd.ID, j.cmd.Verb, j.asked
		}
		out = append(out, debt)
	}
	return out
}
