package conformance

import (
	"cmp"
	"context"
	"time"

	"hoistway/sync/shadow"
	"hoistway/sync/shadow/schema"
)

// service is judged by its answers.
type service struct {
	o    Options
	wire Wire
}

// Service judges a service: the checker is a device of it, and its operator. The error
// is of the check; what the service does otherwise is in the report.
func Service(ctx context.Context, o Options, wire Wire) (Report, error) {
	o.Limit, o.Quiet = cmp.Or(o.Limit, 5*time.Second), cmp.Or(o.Quiet, time.Second)
	return judge(ctx, "service", o, wire, &service{o, wire})
}

func judge(ctx context.Context, side string, o Options, wire Wire, it other) (Report, error) {
	book, err := schema.New()
	if err != nil {
		return Report{}, err
	}
	if o.Cases == nil {
		if o.Cases, err = own(side); err != nil {
			return Report{}, err
		}
	}
	r, err := play(ctx, o, wire, it, book)
	r.Judged = side
	return r, err
}

func (s *service) patient() bool { return false }

func (s *service) heard(context.Context, shadow.Message) error { return nil }

// after leaves nothing behind, as far as it can.
func (s *service) after(ctx context.Context, shown string) {
	_ = s.wire.Publish(ctx, shadow.Message{Topic: s.o.x() + shown + "/" + shadow.OpDelete, QoS: 1})
}

func (s *service) do(ctx context.Context, step Step, body []byte) error {
	return s.wire.Publish(ctx, shadow.Message{Topic: s.o.x() + step.Topic, Payload: body, QoS: 1})
}
