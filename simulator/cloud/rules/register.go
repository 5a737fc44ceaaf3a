package rules

import "hoistway/sync/shadow"

const templateVersion = 1

// holder is the instance of a device's program that a serial belongs to now.
type holder struct {
	instance string // "" = it gave no name
	session  uint64
	seenAt   int64
	live     bool
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
		c.refuse(&shadow.Rejection{Code: 400, Message: "Invalid JSON or clientToken"}, token, nil)
		return
	case !ok:
		c.refuse(&shadow.Rejection{Code: 400, Message: "Invalid registration"}, token, nil)
		return
	case c.taken(instance):
		c.refuse(&shadow.Rejection{Code: 409, Message: "Another live instance holds this serial"}, token, nil)
		return
	}
	th := c.thing
	created := !th.known
	if store == "fresh" || th.epoch == 0 {
		th.epoch++
	}
	th.known = true
	th.holder = holder{instance: instance, session: th.life.heard, seenAt: c.now, live: true}
	th.life.seen(c.now)
	answer := shadow.Tree{
		"created": created, "epoch": number(int64(th.epoch)),
		"template_version": number(templateVersion), "server_time": number(c.now),
	}
	if token != "" {
		answer["clientToken"] = token
	}
	c.send(c.topic+"/accepted", shadow.Encode(answer))
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
	h := c.thing.holder
	return h.live && h.instance != "" && instance != "" && h.instance != instance && c.now-h.seenAt <= offlineAfter
}
