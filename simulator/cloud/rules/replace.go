package rules

import (
	"maps"
	"slices"

	"hoistway/sync/shadow"
)

// Replace is an operator's act: the thing of one serial stands where another stood, and
// takes over what was desired of it. What it is told already stays, and what was to be
// done once does not pass on. The old serial is let in no more. The error is a
// [*shadow.Rejection].
func (s *Service) Replace(serial, old string, now int64) (Result, error) {
	from := s.things[old]
	if from == nil || serial == old || !shadow.ValidName(serial) {
		return Result{}, &shadow.Rejection{Code: 404, Message: "No such thing to replace"}
	}
	if from.facts.Replaced != "" {
		return Result{}, &shadow.Rejection{Code: 409, Message: "It was replaced before, by " + from.facts.Replaced}
	}
	to := s.thing(serial)
	if to == nil {
		return Result{}, errTooMany
	}
	c := call{service: s, thing: to, now: now}
	for _, name := range slices.Sorted(maps.Keys(from.shadows)) {
		if err := c.inherit(name, from.shadows[name]); err != nil {
			return c.settle(), err
		}
	}
	to.facts.Replaces, from.facts.Replaced = old, serial
	c.result.Puts = append(c.result.Puts, to.facts.record(serial), from.facts.record(old))
	return c.settle(), nil
}

// inherit wishes of a thing what was wished of another and what it lacks.
func (c *call) inherit(name string, from shadow.Document) error {
	patch := shadow.Tree{}
	held := c.thing.shadows[name].Desired
	for field, value := range from.Desired {
		if field != intentsKey && operations[field] == 0 && held[field] == nil {
			patch[field] = value
		}
	}
	if len(patch) == 0 {
		return nil
	}
	return c.write(name, shadow.Update{Desired: patch})
}
