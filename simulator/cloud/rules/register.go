package rules

import "hoistway/sync/shadow"

const templateVersion = 1

// holder is the instance of a device's program that a serial belongs to now.
type holder struct {
	Instance string // "" = it gave no name
	Session  uint64
	SeenAt   int64
	Live     bool
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
	created := !th.Known
	if store == "fresh" || th.Epoch == 0 {
		th.Epoch++
	}
	th.Known = true
	th.Holder = holder{Instance: instance, Session: th.Life.Heard, SeenAt: c.now, Live: true}
	th.Life.seen(c.now)
	answer := shadow.Tree{
		"created": created, "epoch": number(int64(th.Epoch)),
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
	h := c.thing.Holder
	return h.Live && h.Instance != "" && instance != "" && h.Instance != instance && c.now-h.SeenAt <= offlineAfter
}
