package rules

import (
	"cmp"

	"hoistway/sync/shadow"
)

// Template is what a device of one kind is given at its registration. The device fills
// with it what it was not told otherwise, and so does the service: a threshold that is
// 0 is the usual one.
type Template struct {
	Version       int64 // counts up with each change; 0 is told as 1
	ReportPeriod  int64 // seconds
	OfflineAfter  int64 // seconds
	ConnectSpread int64 // seconds, over which a fleet that comes back is spread
	Settings      shadow.Tree
}

// templateVersion is told where nothing was changed, or there is no template.
const templateVersion = 1

// holder is the instance of a device's program that a serial belongs to now.
type holder struct {
	Instance string // "" = it gave no name
	Session  uint64
	SeenAt   int64
	Live     bool
}

// Facts are what a device said of itself when it registered.
type Facts struct {
	Serial   string
	Facts    shadow.Tree // kind, firmware, protocol, lifts, static, …
	Replaces string      // the serial whose settings it took over, by an operator's act
	Replaced string      // the serial that took over from it: it is not let in any more
}

// register is idempotent by serial. It issues the device epoch: a new one when
// the device says that its store is fresh, for it has forgotten what it did.
func (c *call) register() {
	t, err := shadow.Decode(c.payload)
	token, tokenErr := readToken(c.payload)
	if tokenErr != nil {
		err = tokenErr
	}
	instance, store, ok := registration(t)
	switch {
	case err != nil:
		c.bad(token, "JSON or clientToken")
		return
	case !ok:
		c.bad(token, "registration")
		return
	case c.thing.facts.Replaced != "":
		c.refuse(&shadow.Rejection{Code: 410, Message: "Another serial has taken over from this one"}, token, nil)
		return
	case c.taken(instance):
		c.tell(News{Kind: Refused, Code: "409", Text: "another live instance holds this serial"})
		c.refuse(&shadow.Rejection{Code: 409, Message: "Another live instance holds this serial"}, token, nil)
		return
	}
	created := !c.thing.Known
	c.admit(instance, store == "fresh")
	kind, _ := t["kind"].(string)
	template, found := c.service.options.Templates[kind]
	c.thing.OfflineAfter, c.thing.ReportPeriod = template.OfflineAfter, template.ReportPeriod
	c.learn(t, created)
	answer := shadow.Tree{
		"created": created, "epoch": number(int64(c.thing.Epoch)), "server_time": number(c.now),
		"template_version": number(cmp.Or(template.Version, templateVersion)),
	}
	if found {
		answer["template"] = template.tree()
	}
	c.accept(answer, token)
}

// admit makes the instance the holder of its serial.
func (c *call) admit(instance string, fresh bool) {
	th := c.thing
	if fresh || th.Epoch == 0 {
		th.Epoch++
	}
	th.Known = true
	th.Holder = holder{Instance: instance, Session: th.Life.Heard, SeenAt: c.now, Live: true}
	th.Life.seen(c.now)
}

// learn keeps what a device says of itself; the static facts come no other way.
func (c *call) learn(t shadow.Tree, created bool) {
	told := shadow.Merge(t, shadow.Tree{"clientToken": nil, "store": nil, "instance": nil})
	f := &c.thing.facts
	if created || !shadow.Equal(told, f.Facts) {
		f.Facts = told
		c.result.Puts = append(c.result.Puts, f.record(c.thing.Serial))
		c.tell(News{Kind: Registered})
	}
}

func (f Facts) told() bool { return f.Facts != nil || f.Replaces != "" || f.Replaced != "" }

func (f Facts) record(serial string) shadow.Record {
	f.Serial = serial
	return record(ofFacts, "told", func() any { return f }, serial)
}

// tree is the template as a device is told; what it does not say is not in it.
func (t Template) tree() shadow.Tree {
	out := shadow.Tree{}
	for name, seconds := range map[string]int64{"report_period": t.ReportPeriod, "offline_after": t.OfflineAfter, "connect_spread": t.ConnectSpread} {
		if seconds > 0 {
			out[name] = number(seconds)
		}
	}
	if len(t.Settings) > 0 {
		out["settings"] = t.Settings
	}
	return out
}

func registration(t shadow.Tree) (instance, store string, ok bool) {
	instance, text := t["instance"].(string)
	if _, there := t["instance"]; there && (!text || len(instance) > shadow.MaxToken) {
		return "", "", false
	}
	store, _ = t["store"].(string)
	return instance, store, store == "fresh" || store == "kept"
}

// taken: two devices of one serial would undo each other's work, so the second is
// kept out while the first gives signs of life.
func (c *call) taken(instance string) bool {
	h := c.thing.Holder
	return h.Live && h.Instance != "" && instance != "" && h.Instance != instance && c.now-h.SeenAt <= c.thing.threshold(Offline)
}

// Facts are what a thing said of itself; ok is false for one that never registered.
func (s *Service) Facts(serial string) (f Facts, ok bool) {
	if t := s.things[serial]; t != nil && t.Known {
		f, ok = t.facts, true
		f.Serial = serial
	}
	return f, ok
}
