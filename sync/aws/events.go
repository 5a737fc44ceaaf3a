package aws

import (
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

const maxFlying = 256

// flying is an event that was said. Nobody answers events: that the broker took it is
// all there is.
type flying struct {
	epoch, seq int64
	token      string
	had        bool
}

func (d *Dialect) sayEvent(p shadow.Publish) []shadow.Publish {
	t, err := shadow.Decode(p.Payload)
	if err != nil {
		return nil
	}
	e := flying{epoch: whole(t["epoch"]), seq: whole(t["seq"]), token: p.Token}
	if i := slices.IndexFunc(d.flying, func(f flying) bool { return f.epoch == e.epoch && f.seq == e.seq }); i >= 0 {
		d.flying[i] = e
	} else if len(d.flying) < maxFlying {
		d.flying = append(d.flying, e)
	}
	return []shadow.Publish{p}
}

// hearSent: all up to a number is had when each of them was taken.
func (d *Dialect) hearSent(in shadow.Sent) []shadow.Input {
	out := []shadow.Input{in}
	if in.Err != nil {
		return out
	}
	for i := range d.flying {
		d.flying[i].had = d.flying[i].had || d.flying[i].token == in.Token
	}
	for len(d.flying) > 0 && d.flying[0].had {
		e := d.flying[0]
		d.flying = slices.Delete(d.flying, 0, 1)
		out = append(out, d.told("events/accepted", shadow.Tree{"epoch": number(e.epoch), "upto": number(e.seq)}))
	}
	return out
}

// told is a message of the service in our words.
func (d *Dialect) told(topic string, body shadow.Tree) shadow.Received {
	return shadow.Received{Message: shadow.Message{Topic: d.beside + topic, Payload: shadow.Encode(body), QoS: 1}}
}

// answerPending: what waits for a thing comes by itself, so the list that a session
// asks for is empty. It is heard before the next input.
func (d *Dialect) answerPending(p shadow.Publish) {
	if t, err := shadow.Decode(p.Payload); err == nil && strings.HasSuffix(p.Topic, "/pending/get") {
		d.later = []shadow.Input{d.told("commands/pending/get/accepted", shadow.Tree{"commands": []any{}, "clientToken": text(t["clientToken"])})}
	}
}
