package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Peek asks for one page of the other gateway: a path below /v1, but for the stream of
// events, which has no end.
func (l *link) Peek(ctx context.Context, question string) (drivers.Peeked, error) {
	if !strings.HasPrefix(question, "/v1/") || strings.HasPrefix(question, "/v1/events") {
		return drivers.Peeked{}, fmt.Errorf("%w: %q is no question: a path like %s", drivers.ErrConfig, question, l.path())
	}
	ctx, done, err := l.join(ctx)
	if err != nil {
		return drivers.Peeked{}, err
	}
	defer done()
	var page json.RawMessage
	asked, err := l.ask.ask(ctx, http.MethodGet, question, nil, &page)
	if err != nil {
		return drivers.Peeked{}, err
	}
	return drivers.Peeked{Text: string(page), At: asked}, nil
}

// Preview has nothing to show: nothing is ever written.
func (l *link) Preview(question string) ([][]byte, error) {
	return nil, fmt.Errorf("%w: %q: the other gateway takes rides only", drivers.ErrNotCapable, question)
}

// Poke writes nothing.
func (l *link) Poke(_ context.Context, id elevator.CommandID, question string) elevator.Outcome {
	_, err := l.Preview(question)
	return elevator.Outcome{ID: id, Result: elevator.NotSent, Advice: elevator.AdviceConfig, Detail: err.Error(), At: l.env.Now()}
}
