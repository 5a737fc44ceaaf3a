package rules

import (
	"strings"

	"hoistway/sync/shadow"
)

// What a device asks and tells under its serial, beside its shadows.
const (
	atTelemetry  = "telemetry"
	atIntents    = "intents/get"
	intentPrefix = "intents/"
	intentSuffix = "/get"
	orderPrefix  = shadow.BesideCommands + "/"
	orderAnswer  = "/response"
	orderRequest = "/request"
)

// Filters are the subscriptions by which a service hears all things, and not itself.
func (s *Service) Filters() []string {
	var out []string
	for _, op := range []string{shadow.OpGet, shadow.OpUpdate, shadow.OpDelete} {
		out = append(out, s.root+"/+/shadow/"+op, s.root+"/+/shadow/name/+/"+op)
	}
	for _, rest := range []string{
		shadow.BesidePresence, shadow.BesideHeartbeat, shadow.BesideRegister, shadow.BesideEvents, atTelemetry,
		atIntents, intentPrefix + "+" + intentSuffix, shadow.BesidePending, orderPrefix + "+" + orderAnswer,
	} {
		out = append(out, s.root+"/+/"+rest)
	}
	return out
}

// answer is what a topic behind the serial asks for; nil is a shadow's, or nothing.
func (c *call) answer(rest string) func() {
	switch rest {
	case shadow.BesideHeartbeat:
		return c.heartbeat
	case shadow.BesideRegister:
		return c.register
	case shadow.BesideEvents:
		return c.event
	case atTelemetry:
		return c.telemetry
	case atIntents:
		return c.intents
	case shadow.BesidePending:
		return c.pending
	}
	if id, ok := between(rest, intentPrefix, intentSuffix); ok {
		return func() { c.intent(id) }
	}
	if name, ok := between(rest, orderPrefix, orderAnswer); ok {
		return func() { c.response(name) }
	}
	return nil
}

// between is the one level of a topic that stands between two others.
func between(topic, before, behind string) (level string, ok bool) {
	level, a := strings.CutPrefix(topic, before)
	level, b := strings.CutSuffix(level, behind)
	return level, a && b && level != "" && !strings.Contains(level, "/")
}

// ask sends something to the thing that is no answer on the topic of a request.
func (c *call) ask(rest string, payload shadow.Tree) {
	c.send(c.service.root+"/"+c.thing.Serial+"/"+rest, shadow.Encode(payload))
}

// accept answers on the topic of the request.
func (c *call) accept(answer shadow.Tree, token string) {
	if token != "" {
		answer["clientToken"] = token
	}
	c.send(c.topic+"/accepted", shadow.Encode(answer))
}

// request reads the payload of a request that is one object. ok is false when it
// was refused.
func (c *call) request() (t shadow.Tree, token string, ok bool) {
	token, err := readToken(c.payload)
	if err != nil {
		c.refuse(err, token, nil)
		return nil, token, false
	}
	if t, err = shadow.Decode(c.payload); err != nil {
		t = shadow.Tree{} // an empty payload
	}
	return t, token, true
}

func (c *call) bad(token, what string) {
	c.refuse(&shadow.Rejection{Code: 400, Message: "Invalid " + what}, token, nil)
}
