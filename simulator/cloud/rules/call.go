package rules

import (
	"errors"
	"strings"

	"hoistway/sync/shadow"
)

// call is one request on its way.
type call struct {
	service *Service
	thing   *thing
	topic   string
	payload []byte
	now     int64
	result  Result
}

func (c *call) prefix() string { return c.service.root + "/" + c.thing.Serial + "/shadow" }

func (c *call) send(topic string, payload []byte) {
	c.result.Messages = append(c.result.Messages, shadow.Message{Topic: topic, Payload: payload, QoS: 1})
}

func (c *call) say(name, op string, payload []byte) {
	c.send(shadow.ShadowTopic(c.prefix(), name, op), payload)
}

// refuse answers on the topic of the request.
func (c *call) refuse(err error, token string, current *shadow.Document) {
	rejection := &shadow.Rejection{Code: 500, Message: "Internal service failure"}
	errors.As(err, &rejection)
	if rejection.Code != 409 {
		current = nil
	}
	c.send(c.topic+"/rejected", shadow.RejectedPayload(rejection, c.now, token, current))
}

// shadow is a request to a shadow; rest is the topic behind the serial.
func (c *call) shadow(rest string) {
	name, op, ok := shadow.ParseShadowTopic(c.prefix(), c.topic)
	if !ok {
		c.badName(rest)
		return
	}
	switch op {
	case shadow.OpGet:
		c.get(name)
	case shadow.OpUpdate:
		c.update(name)
	case shadow.OpDelete:
		c.delete(name)
	default:
		c.result.Note = "not a request"
	}
}

// badName refuses a shadow name out of bounds where it was asked for: an empty
// one is not the classic shadow.
func (c *call) badName(rest string) {
	named, ok := strings.CutPrefix(rest, "shadow/name/")
	op := named[strings.LastIndexByte(named, '/')+1:]
	if !ok || op != shadow.OpGet && op != shadow.OpUpdate && op != shadow.OpDelete {
		c.result.Note = "not a request"
		return
	}
	c.refuse(&shadow.Rejection{Code: 400, Message: "Invalid shadow name"}, "", nil)
}

func (c *call) get(name string) {
	token, err := readToken(c.payload)
	if err != nil {
		c.refuse(err, token, nil)
		return
	}
	d := c.thing.shadows[name]
	if !d.Exists() {
		c.refuse(&shadow.Rejection{Code: 404, Message: "No shadow exists with that name"}, token, nil)
		return
	}
	c.fetched(name, d.Version)
	c.say(name, shadow.OpGetAccepted, d.GetPayload(c.now, token, shadow.Tree{"connection": c.connection()}))
}

func (c *call) update(name string) {
	u, err := shadow.ParseUpdate(c.payload)
	if err == nil {
		err = c.foreign(u)
	}
	if err == nil {
		err = c.write(name, u)
	}
	if err != nil {
		d := c.thing.shadows[name]
		c.refuse(err, u.Token, &d)
		return
	}
	if u.Version != nil {
		c.fetched(name, *u.Version)
	}
	if u.Reported != nil || u.ClearReported {
		c.thing.Life.reported(c.now)
		c.closeIntents(name)
		c.heal(name)
	}
}

// write applies an update and says so to all who listen, the writer among them:
// accepted, then the delta while there is one, then both documents.
func (c *call) write(name string, u shadow.Update) error {
	before, known := c.thing.shadows[name]
	if !known && len(c.thing.shadows) >= maxShadows {
		return &shadow.Rejection{Code: 429, Message: "Too many shadows of one thing"}
	}
	after, err := before.Apply(u, c.now)
	if err != nil {
		return err
	}
	c.keep(name, before, after)
	c.say(name, shadow.OpUpdateAccepted, after.AcceptedPayload(u, c.now))
	if delta, differs := after.DeltaPayload(c.now, u.Token); differs {
		c.say(name, shadow.OpUpdateDelta, delta)
	}
	if !c.service.hushed {
		c.say(name, shadow.OpUpdateDocuments, after.DocumentsPayload(before, c.now, u.Token))
	}
	c.wished(name, u)
	c.judgeWishes(name)
	c.promoted(name, after.Version)
	return nil
}

func (c *call) keep(name string, before, after shadow.Document) {
	c.thing.shadows[name] = after
	c.result.Changes = append(c.result.Changes, Change{c.thing.Serial, name, before, after, c.now})
	c.result.Puts = append(c.result.Puts, c.thing.document(name))
	c.announce(name, before, after)
}

func (c *call) delete(name string) {
	token, err := readToken(c.payload)
	before := c.thing.shadows[name]
	var after shadow.Document
	if err == nil {
		after, err = before.Deleted(c.now)
	}
	if err != nil {
		c.refuse(err, token, nil)
		return
	}
	c.keep(name, before, after)
	c.say(name, shadow.OpDeleteAccepted, after.DeletedPayload(c.now, token))
}

// readToken takes the payload of a request that needs none: nothing, or an object.
func readToken(payload []byte) (string, error) {
	if len(payload) == 0 {
		return "", nil
	}
	t, err := shadow.Decode(payload)
	switch {
	case errors.Is(err, shadow.ErrUTF8):
		return "", &shadow.Rejection{Code: 415, Message: "Unsupported documented encoding; supported encoding is UTF-8"}
	case errors.Is(err, shadow.ErrTooLarge):
		return "", &shadow.Rejection{Code: 413, Message: "The payload exceeds the maximum size allowed"}
	case err != nil:
		return "", &shadow.Rejection{Code: 400, Message: "Invalid JSON"}
	}
	token, isText := t["clientToken"].(string)
	if _, there := t["clientToken"]; there && (!isText || len(token) > shadow.MaxToken) {
		return "", &shadow.Rejection{Code: 400, Message: "Invalid clientToken"}
	}
	return token, nil
}
