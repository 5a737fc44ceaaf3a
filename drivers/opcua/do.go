package opcua

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	if l.closed() {
		return elevator.Outcome{ID: c.ID, Result: elevator.NotSent, Detail: drivers.ErrClosed.Error(), At: l.env.Now()}
	}
	return l.acts.Do(ctx, c, l.env.Now, func(ctx context.Context) elevator.Outcome { return l.carry(ctx, c) })
}

func (l *link) carry(ctx context.Context, c elevator.Command) elevator.Outcome {
	not := func(why string) elevator.Outcome {
		return elevator.Outcome{ID: c.ID, Result: elevator.NotSent, Detail: why, At: l.env.Now()}
	}
	a, err := l.prof.Ask(c, l.floors, l.env.Now())
	if err != nil {
		return profiles.Unsaid(c.ID, err, l.env.Now())
	}
	life, cancel := context.WithTimeout(ctx, a.Until.Until(l.env.Now()))
	defer cancel()
	if !take(life, l.single) {
		return not("another command was under way")
	}
	defer func() { <-l.single }()
	s := l.current()
	if s == nil || !s.alive() {
		return not("the server is away")
	}
	seen := l.view.Snapshot()
	if err := l.prof.Ready(c, &seen, l.floors, l.env.Now()); err != nil {
		return elevator.Outcome{ID: c.ID, Result: elevator.Refused, Advice: elevator.AdviceWait, Detail: err.Error(), At: l.env.Now()}
	}
	since := l.env.Now()
	out := l.say(life, s, c.ID, a.Sends)
	if out.Result != elevator.NotSent {
		l.hurry()
	}
	if out.Result == elevator.ResultUnknown && a.Confirmed > 0 && l.proven(ctx, c, a.Confirmed, since) {
		out.Result, out.Detail, out.At = elevator.Done, "not answered for sure, and seen to be done", l.env.Now()
	}
	l.view.Note(func(s *elevator.Snapshot) { profiles.Held(c, out.Result, a.HoldUntil, s) })
	return out
}

// proven reads until what the command brings is seen, or its time is over.
func (l *link) proven(ctx context.Context, c elevator.Command, within time.Duration, since elevator.Instant) bool {
	return view.Await(ctx, within, l.prof.Traits().FastPoll, func(ctx context.Context) bool {
		s, _ := l.Read(ctx) // what failed is marked, and proves nothing
		return l.prof.Proven(c, &s, l.floors, since)
	})
}

// say sends the messages of a command in their order. The first that is not taken ends
// it. What is owed by then is a debt, and is paid after its pause.
func (l *link) say(ctx context.Context, s *session, id elevator.CommandID, sends []profiles.Send) elevator.Outcome {
	var out elevator.Outcome
	for i, x := range sends {
		if x.Owed {
			l.debts.owe(owed(sends[i:]), sends[i-1].Pause)
			return out
		}
		if i > 0 && !view.Sleep(ctx, sends[i-1].Pause) {
			l.debts.owe(owed(sends[i:]), 0)
			return elevator.Outcome{ID: id, Detail: "its life ended between its messages", At: l.env.Now()}
		}
		out = l.send(ctx, s, id, x)
		if i > 0 && out.Result == elevator.NotSent {
			out.Result = elevator.ResultUnknown // what came before it did leave
		}
		if out.Result != elevator.Done {
			if i > 0 || out.Result == elevator.ResultUnknown {
				l.debts.owe(owed(sends[i+1:]), x.Pause)
			}
			return out
		}
	}
	return out
}

// owed are those of the sends that end what began, without one that may close a door:
// that is only said by a command of its own.
func owed(sends []profiles.Send) (out []profiles.Send) {
	for _, s := range sends {
		if s.Owed && !s.MayClose {
			out = append(out, s)
		}
	}
	return out
}

// send writes one node, or calls one method.
func (l *link) send(ctx context.Context, s *session, id elevator.CommandID, x profiles.Send) elevator.Outcome {
	n := l.nodes.Node(x.Message)
	req, err := l.request(s, n, x.Args)
	if err != nil {
		return profiles.Unsaid(id, fmt.Errorf("nodes.%s: %w", n.Name, err), l.env.Now())
	}
	before := s.wire.sent.Load()
	if ctx.Err() != nil {
		return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: "taken back: " + ctx.Err().Error(), At: l.env.Now()}
	}
	// What has left is waited for in full, whether or not its asker is still there.
	code, err := l.answer(context.WithoutCancel(ctx), s, req, l.within(n))
	if err != nil {
		return l.failed(id, err, s.left(before))
	}
	return l.answered(id, code)
}

func (l *link) answer(ctx context.Context, s *session, req ua.Request, within time.Duration) (ua.StatusCode, error) {
	if call, ok := req.(*ua.CallRequest); ok {
		res, err := askFor[*ua.CallResponse](ctx, s, call, within)
		if err == nil && (len(res.Results) != 1 || res.Results[0] == nil) {
			err = fmt.Errorf("%w: %d results of one call", drivers.ErrProtocol, len(res.Results))
		}
		if err != nil {
			return 0, err
		}
		return res.Results[0].StatusCode, nil
	}
	res, err := askFor[*ua.WriteResponse](ctx, s, req, within)
	if err == nil && len(res.Results) != 1 {
		err = fmt.Errorf("%w: %d results of one write", drivers.ErrProtocol, len(res.Results))
	}
	if err != nil {
		return 0, err
	}
	return res.Results[0], nil
}

// request makes the message by which a node is written or called.
func (l *link) request(s *session, n *profiles.Node, args map[string]profiles.Raw) (ua.Request, error) {
	text, objectText, err := n.At(l.to.base, args)
	if err != nil {
		return nil, err
	}
	id, err := s.node(text)
	if err != nil {
		return nil, err
	}
	if !n.Calls {
		v, err := variant(n.Type, args["value"])
		if err != nil {
			return nil, err
		}
		return &ua.WriteRequest{NodesToWrite: []*ua.WriteValue{{
			NodeID: id, AttributeID: ua.AttributeIDValue, Value: &ua.DataValue{EncodingMask: ua.DataValueValue, Value: v},
		}}}, nil
	}
	object, err := s.node(objectText)
	if err != nil {
		return nil, err
	}
	call := &ua.CallMethodRequest{ObjectID: object, MethodID: id}
	for _, in := range n.Inputs {
		v, err := variant(in.Type, args[in.Name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		call.InputArguments = append(call.InputArguments, v)
	}
	return &ua.CallRequest{MethodsToCall: []*ua.CallMethodRequest{call}}, nil
}

// debts are messages that end what a command began.
type debts struct {
	mu   sync.Mutex
	list []debt
}

type debt struct {
	send profiles.Send
	due  time.Time
}

// maxDebts bounds them; the oldest go first, since a newer one ends the same thing.
const maxDebts = 64

func (d *debts) owe(sends []profiles.Send, after time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	due := time.Now().Add(after)
	for _, s := range sends {
		d.list = append(d.list, debt{s, due})
		due = due.Add(s.Pause)
	}
	if n := len(d.list) - maxDebts; n > 0 {
		d.list = d.list[n:]
	}
}

// next is how long until one is due.
func (d *debts) next() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait := time.Hour
	for _, x := range d.list {
		wait = min(wait, time.Until(x.due))
	}
	return wait
}

// first takes the first that is due out of the list, or the first of all.
func (d *debts) first(all bool) (debt, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, x := range d.list {
		if all || !time.Now().Before(x.due) {
			d.list = append(d.list[:i:i], d.list[i+1:]...)
			return x, true
		}
	}
	return debt{}, false
}

// pay sends what is due, or all of it. One that is not answered stays owed; to one that
// is refused there is nothing more to be done.
func (l *link) pay(ctx context.Context, s *session, all bool) {
	for ctx.Err() == nil && s.alive() {
		d, ok := l.debts.first(all)
		if !ok {
			return
		}
		out := l.send(ctx, s, elevator.CommandID{}, d.send)
		switch out.Result {
		case elevator.Refused:
			l.complain("what is owed", fmt.Errorf("%s is refused: %s %s", d.send.Message, out.Code, out.Detail))
		case elevator.ResultUnknown, elevator.NotSent:
			l.debts.owe([]profiles.Send{d.send}, time.Second)
			return
		}
	}
}
