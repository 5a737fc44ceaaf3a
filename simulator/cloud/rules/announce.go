package rules

import (
	"strings"

	"hoistway/sync/shadow"
)

// announce tells everybody else of a new version, with the difference only: a reader
// who wants the whole asks for it.
func (c *call) announce(name string, before, after shadow.Document) {
	if !c.service.options.Announced {
		return
	}
	diff := shadow.Tree{}
	for section, d := range map[string]shadow.Tree{
		"desired": shadow.Diff(before.Desired, after.Desired), "reported": shadow.Diff(before.Reported, after.Reported),
	} {
		if len(d) > 0 {
			diff[section] = d
		}
	}
	told := shadow.Tree{"version": number(after.Version), "diff": diff, "at": number(c.now)}
	if name != "" {
		told["shadow"] = name
	}
	c.send(c.service.changes()+c.thing.Serial, shadow.Encode(told))
}

// changes stands before the serial: beside the root's last part.
func (s *Service) changes() string {
	return s.root[:strings.LastIndexByte(s.root, '/')+1] + "changes/"
}
