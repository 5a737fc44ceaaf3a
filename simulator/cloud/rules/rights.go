package rules

import (
	"strings"

	"hoistway/sync/shadow"
)

// MayPublish tells whether the device of that serial may write to a topic: its own
// requests and words, and nothing that a service says.
func MayPublish(root, serial, topic string) bool {
	rest, own := strings.CutPrefix(topic, root+"/"+serial+"/")
	if !own || !shadow.ValidName(serial) {
		return false
	}
	switch rest {
	case shadow.BesidePresence, shadow.BesideHeartbeat, shadow.BesideRegister, shadow.BesideEvents, atTelemetry, atIntents, shadow.BesidePending:
		return true
	}
	if _, op, ok := shadow.ParseShadowTopic(root+"/"+serial+"/shadow", topic); ok {
		return op == shadow.OpGet || op == shadow.OpUpdate
	}
	_, intent := between(rest, intentPrefix, intentSuffix)
	_, order := between(rest, orderPrefix, orderAnswer)
	return (intent || order) && !strings.ContainsAny(rest, "+#")
}

// MaySubscribe tells whether the device of that serial may hear what a filter lets
// through: all under its own serial, and nothing else.
func MaySubscribe(root, serial, filter string) bool {
	rest, own := strings.CutPrefix(filter, root+"/"+serial+"/")
	return own && rest != "" && shadow.ValidName(serial)
}

// Operate is an operator's update: all that a device's own can ask for but a reported
// section, which only the device writes. The error is a [*shadow.Rejection]; with a 409
// the caller may show the document as it is.
func (s *Service) Operate(serial, name string, u shadow.Update, now int64) (Result, error) {
	if !shadow.ValidName(serial) || name != "" && !shadow.ValidName(name) {
		return Result{}, &shadow.Rejection{Code: 400, Message: "Invalid thing or shadow name"}
	}
	if u.Reported != nil || u.ClearReported {
		return Result{}, &shadow.Rejection{Code: 403, Message: "Reported is written by the device alone"}
	}
	t := s.thing(serial)
	if t == nil {
		return Result{}, errTooMany
	}
	c := call{service: s, thing: t, now: now}
	if u.Desired != nil {
		u.Desired = superseded(t.shadows[name], u.Desired)
	}
	err := c.write(name, u)
	return c.settle(), err
}

// foreign: a section that the sender of an update may not write.
func (c *call) foreign(u shadow.Update) error {
	if !c.service.options.Guarded || u.Desired == nil && !u.ClearDesired {
		return nil
	}
	c.tell(News{Kind: Refused, Code: "403", Text: "desired from a device"})
	return &shadow.Rejection{Code: 403, Message: "Desired is written by operators alone"}
}
