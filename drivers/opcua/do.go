package opcua

import (
	"context"
	"fmt"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/carry"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// newFlow is the way of commands over this link.
func (l *link) newFlow() *carry.Flow {
	return carry.New(carry.Way{
		Profile: l.prof, Floors: l.floors, Now: l.env.Now, View: l.view, Send: l.send, Read: l.Read, Away: l.away,
		After: func(o elevator.Outcome) {
			if o.Result != elevator.NotSent {
				l.hurry()
			}
		},
	})
}

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome { return l.flow.Do(ctx, c) }

func (l *link) away() string {
	if s := l.current(); s == nil || !s.alive() {
		return "the server is away"
	}
	return ""
}

// send writes one node, or calls one method.
func (l *link) send(ctx context.Context, id elevator.CommandID, x profiles.Send) elevator.Outcome {
	not := func(why string) elevator.Outcome {
		return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: why, At: l.env.Now()}
	}
	s, n := l.current(), l.nodes.Node(x.Message)
	if s == nil || !s.alive() {
		return not("the server is away")
	}
	req, err := l.request(s, n, x.Args)
	if err != nil {
		return profiles.Unsaid(id, fmt.Errorf("nodes.%s: %w", n.Name, err), l.env.Now())
	}
	before := s.wire.sent.Load()
	if ctx.Err() != nil {
		return not("taken back: " + ctx.Err().Error())
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
