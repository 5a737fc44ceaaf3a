package opcua

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Peek reads a node of the profile by its name, or any by its id.
func (l *link) Peek(ctx context.Context, question string) (drivers.Peeked, error) {
	s := l.current()
	if l.closed() || s == nil {
		return drivers.Peeked{}, fmt.Errorf("%w: %s is away", drivers.ErrLink, l.to.host)
	}
	text := strings.TrimSpace(question)
	if n := l.nodes.Node(text); n != nil {
		if n.Write {
			return drivers.Peeked{}, fmt.Errorf("%w: %s is written, not read", drivers.ErrConfig, text)
		}
		text, _, _ = n.At(l.to.base, nil)
	}
	id, err := s.node(text)
	if err != nil {
		return drivers.Peeked{}, err
	}
	at := l.env.Now()
	res, err := askFor[*ua.ReadResponse](ctx, s, readRequest([]*ua.NodeID{id}), connectWithin)
	if err == nil && len(res.Results) != 1 {
		err = fmt.Errorf("%w: %d values for one node", drivers.ErrProtocol, len(res.Results))
	}
	if err != nil {
		return drivers.Peeked{}, fmt.Errorf("%w: read: %w", kindOfRead(err), err)
	}
	return drivers.Peeked{Text: told(res.Results[0]), At: at}, nil
}

// told words a value for people, with what the server says of its age.
func told(v *ua.DataValue) string {
	out := name(v.Status)
	if v.Value != nil && v.Value.Type() != ua.TypeIDNull {
		out = fmt.Sprintf("%v (%s), %s", v.Value.Value(), strings.TrimPrefix(v.Value.Type().String(), "TypeID"), out)
	}
	for _, t := range []struct {
		what string
		at   time.Time
	}{{"since", v.SourceTimestamp}, {"server's clock", v.ServerTimestamp}} {
		if !t.at.IsZero() {
			out += ", " + t.what + " " + t.at.UTC().Format(time.RFC3339Nano)
		}
	}
	return out
}

// Preview gives the write or the call as it goes into a message.
func (l *link) Preview(question string) ([][]byte, error) {
	x, err := l.question(question)
	if err != nil {
		return nil, err
	}
	req, err := l.request(&session{names: l.known()}, l.nodes.Node(x.Message), x.Args)
	if err != nil {
		return nil, err
	}
	var body any = req
	switch r := req.(type) {
	case *ua.WriteRequest:
		body = r.NodesToWrite
	case *ua.CallRequest:
		body = r.MethodsToCall
	}
	b, err := ua.Encode(body)
	return [][]byte{b}, err
}

// known are the namespaces of the session that stands.
func (l *link) known() []string {
	if s := l.current(); s != nil {
		return s.names
	}
	return nil
}

// Poke writes or calls a node of the profile: NAME, then name=value for each argument.
func (l *link) Poke(ctx context.Context, id elevator.CommandID, question string) elevator.Outcome {
	x, err := l.question(question)
	if err != nil {
		return profiles.Unsaid(id, err, l.env.Now())
	}
	return l.flow.ByHand(ctx, id, x)
}

// question reads NAME name=value …; a value with spaces is in quotes.
func (l *link) question(q string) (profiles.Send, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(q), " ")
	n := l.nodes.Node(name)
	if n == nil || !n.Write {
		return profiles.Send{}, fmt.Errorf("%w: the profile writes no node %q", drivers.ErrConfig, name)
	}
	x := profiles.Send{Message: name, Args: map[string]profiles.Raw{}}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		k, v, ok := strings.Cut(rest, "=")
		if !ok || strings.Contains(k, " ") {
			return x, fmt.Errorf("%w: name=value is expected at %q", drivers.ErrConfig, rest)
		}
		text, err := strconv.QuotedPrefix(v)
		if err == nil {
			rest = v[len(text):]
			text, _ = strconv.Unquote(text)
		} else {
			text, rest, _ = strings.Cut(v, " ")
		}
		x.Args[k] = profiles.RawOfText(text)
	}
	for _, a := range n.Args {
		if _, ok := x.Args[a]; !ok {
			return x, fmt.Errorf("%w: %s needs %s", drivers.ErrConfig, name, strings.Join(n.Args, ", "))
		}
	}
	return x, nil
}

// Plan lists the nodes.
func (l *link) Plan() []drivers.PlannedRead {
	var out []drivers.PlannedRead
	for _, s := range l.sources {
		r := drivers.PlannedRead{Question: s.Name, Every: s.Every, Points: s.Points, Note: s.at}
		if s.node.Subscribe > 0 {
			r.Every, r.Note = 0, s.at+", told by the server"
		}
		out = append(out, r)
	}
	return out
}
