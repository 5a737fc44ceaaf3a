package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

var (
	_ drivers.Receiver = (*pushed)(nil)
	_ drivers.Mender   = (*pushed)(nil)
)

// pushed is a link whose service also brings messages by itself.
type pushed struct {
	*link
	ask   *asker
	push  *profiles.Push
	lead  view.Lead // of the service's clock
	fails failing
}

// withPushes gives a link the powers of pushes, where its profile has them.
func withPushes(l *link, a *asker) drivers.Link {
	p := a.api.Push()
	if p == nil {
		return l
	}
	out := &pushed{link: l, ask: a, push: p}
	if p.TellsFailures() {
		l.flow.Settle = out.settled
	}
	return out
}

func came(p drivers.Push) *profiles.Came {
	return &profiles.Came{
		Method: p.Method, Header: p.Header.Get, Query: p.Query.Get, Body: p.Body, Wall: p.Wall.UnixMilli(), Fetched: p.Fetched,
	}
}

// Admit see [drivers.Receiver].
func (l *pushed) Admit(p drivers.Push) drivers.Admission {
	a := l.push.Admit(came(p), profiles.Given{Site: l.to.site, Secrets: l.ask.secrets}, l.to.unsigned)
	out := drivers.Admission{
		Keep: a.Fate == profiles.FateKept, Fate: fates[a.Fate], Signed: a.Signed, ID: a.ID, Nonce: a.Nonce,
		Status: a.Reply.Status, Type: a.Reply.Type, Body: a.Reply.Body, Why: a.Why,
	}
	if a.Event != 0 {
		out.Event = time.UnixMilli(a.Event)
	}
	if a.Sent != 0 {
		out.Sent = time.UnixMilli(a.Sent)
	}
	return out
}

var fates = [...]string{
	profiles.FateRefused: "refused", profiles.FateKept: "kept", profiles.FateChecked: "check",
	profiles.FateForeign: "foreign", profiles.FateOther: "other",
}

// Weigh see [drivers.Receiver].
func (l *pushed) Weigh(told []byte, p drivers.Push) ([]byte, int, error) {
	t, err := readTold(told)
	if err != nil {
		return nil, 0, err
	}
	w := l.weighed(&t, p)
	out, err := json.Marshal(t)
	if err != nil {
		return nil, 0, fmt.Errorf("write down what was told: %w", err)
	}
	return out, w.Late, nil
}

func readTold(b []byte) (t profiles.Told, err error) {
	if len(b) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return profiles.Told{}, fmt.Errorf("read what was told: %w", err)
	}
	return t, nil
}

func (l *pushed) weighed(t *profiles.Told, p drivers.Push) profiles.Weighed {
	pick := func(doc any, place string) profiles.Raw { return l.picks.pick(context.Background(), doc, place) }
	return l.push.Weigh(t, came(p), l.to.site, l.prof.PlacesIn, pick)
}

// Take see [drivers.Receiver].
func (l *pushed) Take(told []byte, p drivers.Push) {
	l.ask.trace(false, "pushed\n"+string(p.Body), "")
	t, err := readTold(told)
	if err != nil {
		t = profiles.Told{} // it was stored anew, or the store complained
	}
	w := l.weighed(&t, p)
	if len(w.Values) > 0 {
		l.tell(&t, w.Values, p.At, p.Wall)
	}
	if w.Life != nil {
		l.living(&t, w.Life)
	}
	for _, f := range w.Failures {
		l.failed(f)
	}
}

// Recall see [drivers.Receiver]. What it brings is as old as it is: it shows that
// something was once heard, not that anybody is there.
func (l *pushed) Recall(told []byte, at elevator.Instant, wall time.Time) {
	t, err := readTold(told)
	if err != nil {
		return
	}
	l.view.Note(func(s *elevator.Snapshot) {
		for _, v := range t.All() {
			l.flow.LayPushed(v, min(l.instant(v.Event, at, wall), at.Add(-recalled)), s)
		}
	})
	if t.Life.Event != 0 && !t.Life.There && newest(&t) <= t.Life.Event {
		l.view.Down(l.loseAll)
	}
}

// recalled is the least age of what was told before this process began: where a clock was
// set back in between, the times alone would make it fresh, and an old hold a running one.
const recalled = time.Minute

// tell lays values over the view. Those that are older than the word that the lift is
// gone do not bring it back.
func (l *pushed) tell(t *profiles.Told, values []profiles.Laid, at elevator.Instant, wall time.Time) {
	lay := func(s *elevator.Snapshot) error {
		for _, v := range values {
			l.flow.LayPushed(v, l.instant(v.Event, at, wall), s)
		}
		return nil
	}
	if gone := t.Life.Event != 0 && !t.Life.There; gone && values[0].Event <= t.Life.Event {
		l.view.Note(func(s *elevator.Snapshot) { _ = lay(s) }) // it does not fail
		return
	}
	_ = l.view.Good(lay) // it does not fail
}

// living follows the service's word on whether the lift is there. That it is back tells
// nothing of the car: it is read anew.
func (l *pushed) living(t *profiles.Told, life *profiles.ToldLife) {
	switch {
	case life.There:
		l.hurry()
	case newest(t) <= life.Event:
		l.view.Down(l.loseAll)
	}
}

func newest(t *profiles.Told) (event int64) {
	for _, v := range t.Values {
		event = max(event, v.Event)
	}
	return event
}

// instant brings an event time onto this process's clock. It is never later than the
// moment at that it was heard, and may lie before the process began.
func (l *pushed) instant(event int64, at elevator.Instant, wall time.Time) elevator.Instant {
	out := at - elevator.Instant(l.lead.Age(time.UnixMilli(event), wall))
	if out == 0 {
		return -1 // zero is never
	}
	return out
}

// Pushes see [drivers.Receiver].
func (l *pushed) Pushes() drivers.PushPlan {
	p := l.push
	out := drivers.PushPlan{
		Verify: p.Verification(), Unsigned: l.to.unsigned, Nonces: p.NonceWindow(), Silence: p.Silence, Repair: p.Repair,
		Queue: p.Queue.Every, Probe: p.State.Every, SuspendsAfter: p.SuspendsAfter, CanEnable: p.Enable != "",
		Steps: p.Steps, Confirmed: p.Confirmed,
	}
	if p.Failed.Request != "" {
		out.Window = p.Window
	}
	for _, s := range p.Subscribe {
		out.Renew = append(out.Renew, s.Renew)
	}
	return out
}

// Missed see [drivers.Mender].
func (l *pushed) Missed(ctx context.Context) (drivers.Batch, error) {
	return l.fetch(ctx, l.push.Failed)
}

// Queued see [drivers.Mender].
func (l *pushed) Queued(ctx context.Context) (drivers.Batch, error) {
	return l.fetch(ctx, l.push.Queue)
}

func (l *pushed) fetch(ctx context.Context, f profiles.Fetch) (drivers.Batch, error) {
	a, err := l.request(ctx, f.Request)
	if err != nil {
		return drivers.Batch{}, err
	}
	bodies, ok := f.Messages(a.Doc)
	if !ok {
		return drivers.Batch{}, fmt.Errorf("%w: %s: no list of messages at its place", drivers.ErrProtocol, f.Request)
	}
	out := drivers.Batch{Taken: func(ctx context.Context) error {
		if f.Taken == "" {
			return nil
		}
		_, err := l.request(ctx, f.Taken)
		return err
	}}
	for _, b := range bodies {
		out.Messages = append(out.Messages, drivers.Push{Method: "POST", Body: b, At: a.at, Wall: time.Now(), Fetched: true})
	}
	return out, nil
}

// request asks one that is neither a poll nor a command of a ride.
func (l *pushed) request(ctx context.Context, name string) (answer, error) {
	if name == "" {
		return answer{}, fmt.Errorf("%w: the profile has no request for it", drivers.ErrNotCapable)
	}
	a, err := l.ask.message(ctx, name, nil, false)
	if err != nil {
		return a, fmt.Errorf("ask %s: %w", name, err)
	}
	return a, nil
}

// Pushing see [drivers.Mender].
func (l *pushed) Pushing(ctx context.Context) (bool, error) {
	a, err := l.request(ctx, l.push.State.Request)
	return err == nil && l.push.State.On(a.Doc, l.to.site), err
}

// Enable see [drivers.Mender].
func (l *pushed) Enable(ctx context.Context) error {
	_, err := l.request(ctx, l.push.Enable)
	return err
}

// Subscribe see [drivers.Mender].
func (l *pushed) Subscribe(ctx context.Context, n int) error {
	if n < 0 || n >= len(l.push.Subscribe) {
		return fmt.Errorf("%w: no subscription %d", drivers.ErrNotCapable, n)
	}
	s := l.push.Subscribe[n]
	if _, err := l.request(ctx, s.Request); err != nil {
		return err
	}
	if s.Check == "" {
		return nil
	}
	if _, err := l.request(ctx, s.Check); err != nil {
		return fmt.Errorf("the subscription does not stand: %w", err)
	}
	return nil
}

var errFailed = errors.New("the service told later that it failed")
