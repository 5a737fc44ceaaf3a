package conformance

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// device is judged by what it says to a service that the checker plays, and that does
// now and then what services and brokers do.
type device struct {
	o       Options
	wire    Wire
	service *rules.Service
	last    map[string]shadow.Message // of the service, by topic
	lose    string                    // the next message there is lost
	refuse  int                       // the next update is refused so
}

// Device judges a device that connects while it runs: the checker is its service, and
// the operator of it. There must be no other service at the broker.
func Device(ctx context.Context, o Options, wire Wire) (Report, error) {
	o.Limit, o.Quiet = cmp.Or(o.Limit, 90*time.Second), cmp.Or(o.Quiet, time.Second)
	return judge(ctx, "device", o, wire, &device{
		o: o, wire: wire, service: rules.New(rules.Root), last: map[string]shadow.Message{},
	})
}

func (d *device) patient() bool { return true }

func (d *device) after(context.Context, string) {}

func (d *device) heard(ctx context.Context, m shadow.Message) error {
	if rest := strings.TrimPrefix(m.Topic, d.o.x()); d.refuse != 0 && strings.HasSuffix(rest, "/"+shadow.OpUpdate) {
		return d.refused(ctx, m)
	}
	return d.say(ctx, d.service.Take(m, time.Now().Unix()).Messages)
}

// refused answers an update as if somebody else had written in between.
func (d *device) refused(ctx context.Context, m shadow.Message) error {
	t, err := shadow.Decode(m.Payload)
	if err != nil {
		return nil // the shape's fault is told elsewhere
	}
	name, _, _ := shadow.ParseShadowTopic(d.o.x()+"shadow", m.Topic)
	doc, _ := d.service.Document(d.o.Serial, name)
	token, _ := t["clientToken"].(string)
	refusal := &shadow.Rejection{Code: d.refuse, Message: "refused by the check"}
	d.refuse = 0
	return d.say(ctx, []shadow.Message{{
		Topic: m.Topic + "/rejected", Payload: shadow.RejectedPayload(refusal, time.Now().Unix(), token, &doc), QoS: 1,
	}})
}

func (d *device) say(ctx context.Context, messages []shadow.Message) error {
	for _, m := range messages {
		if m.Topic == d.o.x()+d.lose {
			d.lose = ""
			continue
		}
		d.last[m.Topic] = m
		if err := d.wire.Publish(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

func (d *device) do(ctx context.Context, s Step, body []byte) error {
	switch s.Verb {
	case "send":
		return d.wire.Publish(ctx, shadow.Message{Topic: d.o.x() + s.Topic, Payload: body, QoS: 1})
	case "desire":
		return d.desire(ctx, strings.TrimPrefix(s.Topic, "-"), body)
	case "lose":
		d.lose = s.Topic
	case "repeat":
		m, ok := d.last[d.o.x()+s.Topic]
		if !ok {
			return fmt.Errorf("nothing was said on %s yet", s.Topic)
		}
		return d.wire.Publish(ctx, m)
	case "refuse":
		code, err := strconv.Atoi(s.Topic)
		d.refuse = code
		return err
	case "forget":
		d.service = rules.New(rules.Root)
	}
	return nil
}

func (d *device) desire(ctx context.Context, name string, body []byte) error {
	patch, err := shadow.Decode(body)
	if err != nil {
		return err
	}
	r, err := d.service.Desire(d.o.Serial, name, patch, time.Now().Unix())
	if err != nil {
		return err
	}
	return d.say(ctx, r.Messages)
}
